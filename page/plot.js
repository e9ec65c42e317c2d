import { h } from './dom.js';
import { dateAndTime, measureOf, tickWords, unitOf } from './format.js';
import { unselectedPartitions, windowStep } from './grouping.js';
import { bucketsOf } from './heat-map.js';
import { aligned, chooseLines, readLines, sharedLabels } from './series.js';
import { stacked } from './stack.js';
import { timePlot } from './time-plot.js';

/** Types of graphs, by the name that is shown. A heat map is there for histograms alone. */
export const graphTypes = {
  Lines: 'lines',
  Bars: 'bars',
  'Stacked areas': 'areas',
  'Newest values': 'values',
  'Heat map': 'heat',
};

/** @typedef {'lines' | 'bars' | 'areas' | 'values' | 'heat'} GraphType */

/** Columns get an axis each where the largest value of one is this many times as large as that of the other. */
const sizesApart = 100;

/**
 * @typedef {object} PlotOptions how rows are drawn; nothing must be set
 * @property {GraphType} [type] left out, lines; truth values are steps
 * @property {boolean} [log] whether axes of numbers are logarithmic
 * @property {'auto' | 'one' | 'two'} [axes] of values: `auto`, the default, adds one on the right for columns of another unit, or
 *   of values 100 times as large or small; `two` for all columns but the first
 * @property {string} [unit] of the values, such as `bytes`, `s` or `%`; left out, what the names of the columns say
 * @property {ReadonlyMap<string, string>} [measures] what the values of each series are, by the text that tells it apart, for
 *   rows of several statements in one column; left out, the column
 * @property {string} [statement] that gave the rows: what it groups by tells series apart, and its windows say where one is missing
 * @property {Partial<import('./schema.js').KnownColumns>} [known] columns of its tables
 * @property {import('./time-plot.js').Ends} [range] the chosen time range in Unix seconds, which the axis of times shows whole
 * @property {number} [step] seconds from one value to the next, for rows that no statement with INTERVAL has given
 * @property {string} [holds] only lines whose name holds this text
 * @property {import('./series.js').Rank} [rank] which lines come first where there are too many
 * @property {number} [heightPx] of the plot without its legend
 */

/** @typedef {import('./series.js').Line} Line */

/**
 * @typedef {object} Drawn what a plot shows
 * @property {Line[]} lines all that the rows hold
 * @property {number} shown how many of them are drawn
 * @property {number} matching how many match `holds`
 * @property {boolean} isHistogram whether the rows can be drawn as a heat map
 * @property {readonly string[]} notes sentences for people about what is drawn, and what they can do about it
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
  const { statement = '', known, holds, rank, type = 'lines' } = options;
  const read = readLines({ columns, data: rows }, statement, known);
  if (read === undefined) return undefined;
  const lines = options.measures === undefined ? read : measured(read, options.measures);
  const buckets = bucketsOf(lines);
  const chosen = chooseLines(lines, {
    ...(holds === undefined ? {} : { holds }),
    ...(rank === undefined ? {} : { rank }),
  });
  const about = { lines, isHistogram: buckets !== undefined, shown: chosen.shown.length, matching: chosen.matching };
  if (type === 'values') {
    element.replaceChildren(newestValues(chosen.shown, options.unit));
    return { ...about, notes: sharedNote(lines), stop: () => {} };
  }
  const step = options.step ?? windowStep(statement);
  if (type === 'heat' && buckets !== undefined) {
    const { names, data, note } = buckets;
    const stop = draw(element, options, {
      lines: names.map((name) => ({ label: name, shape: /** @type {const} */ ('none') })),
      data: [...data],
      barSeconds: step ?? usualDistance(data[0] ?? []),
      rows: names,
    });
    return { ...about, shown: lines.length, matching: lines.length, notes: [note], stop };
  }
  const missing = unselectedPartitions(
    statement,
    columns.map(({ name }) => name),
  );
  return { ...about, ...drawLines(element, { ...options, type }, chosen.shown, step, missing) };
}

/**
 * Lines of one column with what they measure in its place.
 * @param {readonly Line[]} lines
 * @param {ReadonlyMap<string, string>} measures by the text of a line's only label
 * @returns {Line[]}
 */
function measured(lines, measures) {
  const places = [...new Set(measures.values())];
  return lines.map((line) => {
    const column = measures.get(line.labels[0]?.value ?? '') ?? line.column;
    return { ...line, column, columnAt: places.indexOf(column) };
  });
}

/**
 * Draws lines, bars or areas.
 * @param {HTMLElement} element
 * @param {PlotOptions} options
 * @param {readonly Line[]} lines
 * @param {number | undefined} step seconds from one window to the next
 * @param {readonly string[]} missing what the rows are parted by and do not tell
 * @returns {{ notes: readonly string[]; stop: () => void }}
 */
function drawLines(element, options, lines, step, missing) {
  const { type, log = false } = options;
  const isParted = missing.length > 0 && step === undefined && lines.every(({ labels }) => labels.length === 0);
  const isMixed = (/** @type {Line} */ { repeated }) => repeated || isParted;
  const { data } = aligned(lines, step);
  const [times = [], ...values] = data;
  const scales = scalesOf(lines, options);
  /** @type {(line: Line) => NonNullable<import('./time-plot.js').Line['shape']>} */
  const shapeOf = (line) => {
    if (line.isTruth) return 'steps';
    if (type === 'bars') return 'bars';
    if (type === 'areas') return 'area';
    return isMixed(line) ? 'points' : 'line';
  };
  // On a logarithmic axis nothing is 0 or less.
  const isLeftOut =
    log && values.some((of, at) => lines[at]?.isTruth === false && of.some((value) => value !== null && value <= 0));
  const positive = (/** @type {(number | null)[]} */ of, /** @type {number} */ at) =>
    log && lines[at]?.isTruth === false ? of.map((value) => (value !== null && value <= 0 ? null : value)) : of;
  const numbers = lines.map(({ isTruth }) => !isTruth);
  const drawn = type === 'areas' && !log ? stacked(times, values, numbers) : values.map(positive);
  const stop = draw(element, options, {
    lines: lines.map((line, at) => ({
      label: scales[at] === 'right' ? `${line.name} (right)` : line.name,
      shape: type === 'areas' && log && !line.isTruth ? 'line' : shapeOf(line),
      scale: scales[at] ?? 'y',
      values: values[at] ?? [],
      ...formatOf(options.unit ?? unitOf(line.column), values[at] ?? []),
    })),
    data: [times, ...drawn],
    units: {
      ...unitOfScale('y', lines, scales, options),
      ...unitOfScale('right', lines, scales, options),
    },
    barSeconds: step ?? usualDistance(times),
    log,
  });
  return {
    stop,
    notes: [
      ...sharedNote(lines),
      ...mixedNote(lines, missing, isParted),
      ...(isLeftOut ? ['Values of 0 and less have no place on a logarithmic axis and are left out.'] : []),
      ...(type === 'areas' && log ? ['Areas are not stacked on a logarithmic axis.'] : []),
    ],
  };
}

/**
 * @param {HTMLElement} element
 * @param {PlotOptions} options
 * @param {Omit<import('./time-plot.js').TimePlotOptions, 'label'> & { data: (number | null)[][] }} content
 * @returns {() => void} frees the plot
 */
function draw(element, { type = 'lines', range, heightPx = 320 }, { data, barSeconds = 60, ...content }) {
  const last = data[0]?.at(-1);
  // What stands on a time is as wide as the window that begins there.
  const isWide = type === 'bars' || type === 'heat';
  const [from, to] = range ?? [undefined, undefined];
  const end = isWide && typeof last === 'number' ? Math.max(to ?? last, last + barSeconds) : to;
  const drawn = timePlot({
    ...content,
    barSeconds,
    heightPx,
    ends: [from, end],
    points: true,
    label: `Time series: ${content.lines.map(({ label }) => label).join(', ')}`,
  });
  element.replaceChildren(drawn.element);
  drawn.set(data);
  return drawn.stop;
}

/**
 * The scale of each line: all of one column have one.
 * @param {readonly Line[]} lines
 * @param {PlotOptions} options
 * @returns {import('./time-plot.js').Scale[]}
 */
function scalesOf(lines, { axes = 'auto', type, unit }) {
  /** @type {Map<string, number>} the largest value of each column of numbers */
  const sizes = new Map();
  for (const { column, isTruth, points } of [...lines].sort((a, b) => a.columnAt - b.columnAt)) {
    if (isTruth) continue;
    let size = sizes.get(column) ?? 0;
    for (const [, value] of points) if (value !== null) size = Math.max(size, Math.abs(value));
    sizes.set(column, size);
  }
  const [first = '', ...others] = sizes.keys();
  const firstUnit = unitOf(first);
  const isApart = (/** @type {string} */ column) => {
    if (axes === 'two') return true;
    const [one, other] = [unitOf(column), firstUnit];
    if (unit === undefined && one !== undefined && other !== undefined && one !== other) return true;
    const [small = 0, large = 0] = [sizes.get(column) ?? 0, sizes.get(first) ?? 0].sort((a, b) => a - b);
    return small > 0 && large / small > sizesApart;
  };
  // What is stacked has one axis: heights on two cannot be added up.
  const right = new Set(axes === 'one' || type === 'areas' ? [] : others.filter(isApart));
  return lines.map(({ column, isTruth }) => (isTruth ? 'truth' : right.has(column) ? 'right' : 'y'));
}

/**
 * The unit of a scale, where all its lines have it.
 * @param {'y' | 'right'} scale
 * @param {readonly Line[]} lines
 * @param {readonly string[]} scales of the lines
 * @param {PlotOptions} options
 */
function unitOfScale(scale, lines, scales, { unit }) {
  const units = new Set(lines.filter((_, at) => scales[at] === scale).map(({ column }) => unit ?? unitOf(column)));
  const [only] = units;
  return units.size === 1 && only !== undefined ? { [scale]: only } : {};
}

/**
 * How a legend shows the values of a line with a unit.
 * @param {string | undefined} unit
 * @param {readonly (number | null)[]} values
 */
function formatOf(unit, values) {
  if (unit === undefined || unit === '') return {};
  const plainly = measureOf(values);
  return {
    format: (/** @type {number} */ value) =>
      unit === 'bytes' ? tickWords([value], 1, unit).join('') : `${plainly(value)} ${unit}`,
  };
}

/** @param {readonly Line[]} lines */
function sharedNote(lines) {
  const shared = lines.length > 1 ? sharedLabels(lines) : [];
  return shared.length === 0 ? [] : [`All lines have ${shared.join(', ')}.`];
}

/**
 * What to do where rows of several series are on one line.
 * @param {readonly Line[]} lines
 * @param {readonly string[]} missing
 * @param {boolean} isParted
 */
function mixedNote(lines, missing, isParted) {
  const isRepeated = lines.some(({ repeated }) => repeated);
  if (!isRepeated && !isParted) return [];
  if (missing.length > 0) {
    const names = missing.join(', ');
    return [`The statement has PARTITION BY ${names} and does not select ${names}: select it too, for a line of each.`];
  }
  return [
    'Some times come more than once on a line, which is drawn as points: select the tag that tells them apart too.',
  ];
}

/**
 * The newest value of each line, in large.
 * @param {readonly Line[]} lines
 * @param {string} [unit]
 */
function newestValues(lines, unit) {
  return h(
    'dl',
    { class: 'totals newest-values' },
    lines.map((line) => {
      const points = line.points.filter(([, value]) => value !== null);
      const [seconds, value] = points.reduce((last, now) => (now[0] >= last[0] ? now : last), points[0] ?? [0, null]);
      const { format = measureOf([value]) } = formatOf(unit ?? unitOf(line.column), [value]);
      const words = value === null ? 'NULL' : line.isTruth ? String(value === 1) : format(value);
      const when = value === null ? '' : ` ${dateAndTime(seconds * 1000)}`;
      return h('div', {}, h('dt', {}, line.name, h('small', {}, when)), h('dd', {}, words));
    }),
  );
}

/**
 * The usual distance of times, for what is as wide as it: the median, in seconds.
 * @param {readonly (number | null)[]} times in their order
 */
function usualDistance(times) {
  const distances = Float64Array.from(times.slice(1), (time, at) => Number(time) - Number(times[at])).sort();
  return distances[(distances.length - 1) >> 1] ?? 60;
}
