import { windowStep } from './grouping.js';
import { aligned, chooseLines, readLines } from './series.js';
import { timePlot } from './time-plot.js';

/**
 * @typedef {object} PlotOptions how rows are drawn; nothing must be set
 * @property {string} [statement] that gave the rows: what it groups by tells series apart, and its windows say where one is missing
 * @property {Partial<import('./schema.js').KnownColumns>} [known] columns of its tables
 * @property {import('./time-plot.js').Ends} [range] the chosen time range in Unix seconds, which the axis of times shows whole
 * @property {number} [step] seconds from one value to the next, for rows that no statement with INTERVAL has given
 * @property {string} [holds] only lines whose name holds this text
 * @property {import('./series.js').Rank} [rank] which lines come first where there are too many
 * @property {number} [heightPx]
 */

/**
 * @typedef {object} Drawn what a plot shows
 * @property {import('./series.js').Line[]} lines all that the rows hold
 * @property {number} shown how many of them are drawn
 * @property {number} matching how many match `holds`
 * @property {() => void} stop frees what the plot holds; its element stays
 */

/**
 * Draws rows over time in an element, in place of what is in it. Returns undefined, and draws nothing, for rows without a
 * time or without a value.
 * @param {HTMLElement} element
 * @param {import('./sql.js').Rows['columns']} columns
 * @param {import('./sql.js').Rows['data']} rows
 * @param {PlotOptions} [options]
 * @returns {Drawn | undefined}
 */
export function plot(element, columns, rows, options = {}) {
  const { statement = '', known, range, step = windowStep(statement), holds, rank, heightPx = 320 } = options;
  const lines = readLines({ columns, data: rows }, statement, known);
  if (lines === undefined) return undefined;
  const { shown, matching } = chooseLines(lines, {
    ...(holds === undefined ? {} : { holds }),
    ...(rank === undefined ? {} : { rank }),
  });
  const { names, data } = aligned(shown, step);
  const drawn = timePlot({
    lines: names.map((label) => ({ label })),
    heightPx,
    ...(range === undefined ? {} : { ends: range }),
    points: true,
    label: `Time series: ${names.join(', ')}`,
  });
  element.replaceChildren(drawn.element);
  drawn.set(data);
  return { lines, shown: shown.length, matching, stop: drawn.stop };
}
