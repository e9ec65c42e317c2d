import { drawnCard } from './drawn-card.js';
import { measure } from './format.js';
import { runSql } from './sql.js';

/**
 * Several statements of Explore in one picture: each has a time first, its groups, and its value last.
 * @param {readonly { statement: string; name: string; measure: string }[]} parts `name` tells the lines of a statement from those
 *   of others; `measure` says what its values are, and of which unit, and lines with the same one have one axis
 * @param {import('./time-plot.js').Ends | undefined} ends of the time range, in Unix seconds
 */
export function combinedCard(parts, ends) {
  return drawnCard(async (signal) => {
    const results = await Promise.all(parts.map(({ statement }) => runSql(statement, '', signal)));
    /** @type {Map<string, string>} */
    const measures = new Map();
    const data = results.flatMap((rows, at) => {
      const { name = '', measure = '' } = parts[at] ?? {};
      const series = seriesOf(rows, name);
      for (const [, words] of series) measures.set(String(words), measure);
      return series;
    });
    return {
      words: `${measure(data.length)} ${data.length === 1 ? 'row' : 'rows'}`,
      isEmpty: data.length === 0,
      plot: { statement: parts.map(({ statement }) => statement).join(';\n'), measures, ...(ends && { range: ends }) },
      rows: {
        columns: [
          { name: 'time', type: 'TIMESTAMP', isNumber: false },
          { name: 'series', type: 'VARCHAR', isNumber: false },
          { name: 'number', type: 'DOUBLE', isNumber: true },
        ],
        data,
      },
    };
  });
}

/**
 * Rows as time, name of the series, and value.
 * @param {import('./sql.js').Rows} rows
 * @param {string} name
 */
function seriesOf({ columns, data }, name) {
  return data.map((row) => {
    const groups = columns.slice(1, -1).flatMap((column, at) => {
      const value = row[at + 1] ?? null;
      return value === null ? [] : [`${column.name}=${value}`];
    });
    return [row[0], [name, ...groups].join(' '), row.at(-1)];
  });
}
