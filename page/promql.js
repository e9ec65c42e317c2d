import { request, Trouble } from './session.js';

/**
 * Path of the Prometheus API of a database.
 * @param {string} database empty for the database of the setting `promql.db`
 */
export function prometheusPath(database) {
  return database === '' ? '/prometheus' : `/prometheus/${encodeURIComponent(database)}`;
}

/** @typedef {Readonly<Record<string, string>>} Labels */
/** @typedef {[time: number, value: string]} Sample Unix seconds, and a value as Prometheus writes it */
/**
 * @typedef {object} Series one series of a result: `value` or `histogram` at one time, `values` and `histograms` over a range
 * @property {Labels} metric
 * @property {Sample} [value]
 * @property {[number, unknown]} [histogram]
 * @property {Sample[]} [values]
 * @property {[number, unknown][]} [histograms]
 */
/**
 * @template T, R
 * @typedef {{ resultType: T; result: R }} Of
 */
/** @typedef {Of<'matrix', Series[]> | Of<'vector', Series[]> | Of<'scalar', Sample> | Of<'string', Sample>} Value of an expression */

/**
 * Sends parameters to an endpoint of the Prometheus API of a database. Throws a {@link Trouble} with the message of an error.
 * @param {string} database
 * @param {string} endpoint such as `query_range`
 * @param {Readonly<Record<string, string>>} parameters
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ data: any; warnings: string[] }>} `warnings` with the notes of the evaluation
 */
async function callPrometheus(database, endpoint, parameters, signal) {
  const response = await request(`${prometheusPath(database)}/api/v1/${endpoint}`, {
    method: 'POST',
    body: new URLSearchParams(parameters),
    ...(signal === undefined ? {} : { signal }),
  });
  const {
    data,
    warnings = [],
    infos = [],
  } = await response.json().catch(() => {
    if (signal?.aborted) throw new Trouble('aborted', 'Cancelled.');
    throw new Trouble('database', 'The response is incomplete: the database has gone away.');
  });
  return { data, warnings: [...warnings, ...infos] };
}

/**
 * The names of all metrics of a database; none where the service does not offer PromQL.
 * @param {string} database
 * @returns {Promise<string[]>}
 */
export async function listMetrics(database) {
  try {
    const response = await request(`${prometheusPath(database)}/api/v1/label/__name__/values`);
    return (await response.json()).data ?? [];
  } catch (error) {
    if (error instanceof Trouble && error.reason === 'refused') return [];
    throw error;
  }
}

/**
 * A metric as PromQL writes it.
 * @param {string} name
 */
export function promqlName(name) {
  return /^[A-Za-z_:][\w:]*$/.test(name) ? name : `{${JSON.stringify(name)}}`;
}

/**
 * Evaluates an expression at steps of a time range, and once more at its end. A range selector alone gives its samples.
 * @param {string} expression
 * @param {string} database
 * @param {{ startMs: number; endMs: number; stepMs: number }} range
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ range: Value; newest: Value; warnings: string[] }>}
 */
export async function evaluate(expression, database, { startMs, endMs, stepMs }, signal) {
  const seconds = (/** @type {number} */ ms) => String(ms / 1000);
  const newest = await callPrometheus(database, 'query', { query: expression, time: seconds(endMs) }, signal);
  const { resultType } = newest.data;
  if (resultType === 'matrix' || resultType === 'string') {
    return { range: newest.data, newest: newest.data, warnings: newest.warnings };
  }
  const { data, warnings } = await callPrometheus(
    database,
    'query_range',
    { query: expression, start: seconds(startMs), end: seconds(endMs), step: seconds(stepMs) },
    signal,
  );
  return { range: data, newest: newest.data, warnings: [...new Set([...warnings, ...newest.warnings])] };
}

/**
 * The series of a range as rows with time, labels and value, which can be drawn; samples of native histograms are left out,
 * NaN and infinities are gaps.
 * @param {Value} value
 * @param {string} name of a line without labels
 * @returns {import('./sql.js').Rows}
 */
export function seriesRows(value, name) {
  const columns = [
    { name: 'time', type: 'TIMESTAMP', isNumber: false },
    { name: 'labels', type: 'JSON', isNumber: false },
    { name, type: 'DOUBLE', isNumber: true },
  ];
  if (value.resultType !== 'matrix') return { columns, data: [] };
  const data = value.result.flatMap(({ metric, values = [] }) => {
    const labels = JSON.stringify(metric);
    return values.map(([time, text]) => [
      zonedText(time * 1000),
      labels,
      Number.isFinite(Number(text)) ? Number(text) : null,
    ]);
  });
  return { columns, data };
}

/**
 * The values at one time as rows with a column per label, which can be read.
 * @param {Value} value
 * @returns {import('./sql.js').Rows}
 */
export function newestRows(value) {
  const time = { name: 'time', type: 'TIMESTAMP', isNumber: false };
  if (value.resultType === 'scalar' || value.resultType === 'string') {
    const isNumber = value.resultType === 'scalar';
    const [at, text] = value.result;
    return {
      columns: [time, { name: 'value', type: isNumber ? 'DOUBLE' : 'VARCHAR', isNumber }],
      data: [[zonedText(at * 1000), isNumber ? numberOf(text) : text]],
    };
  }
  const all = value.result;
  const labels = [...new Set(all.flatMap(({ metric }) => Object.keys(metric)))].sort(
    (a, b) => Number(b === '__name__') - Number(a === '__name__') || (a < b ? -1 : 1),
  );
  const isNumber = all.every(({ histogram, histograms = [] }) => histogram === undefined && histograms.length === 0);
  const data = all.map(({ metric, value: sample, values, histogram, histograms }) => {
    const [at, newest] = sample ?? values?.at(-1) ?? histogram ?? histograms?.at(-1) ?? [0, null];
    const shown = typeof newest === 'string' ? numberOf(newest) : JSON.stringify(newest);
    return [...labels.map((label) => metric[label] ?? null), zonedText(at * 1000), shown];
  });
  const texts = labels.map((name) => ({ name, type: 'VARCHAR', isNumber: false }));
  return { columns: [...texts, time, { name: 'value', type: isNumber ? 'DOUBLE' : 'JSON', isNumber }], data };
}

/**
 * The place of a mistake that an error of PromQL names, as in `1:5: parse error: …`; columns count bytes.
 * @param {string} message
 * @param {string} expression that it is about
 * @returns {number | undefined} characters before it
 */
export function promqlPlaceOf(message, expression) {
  const [, line, column] = /(?:^|: )(\d+):(\d+): parse error/.exec(message) ?? [];
  if (line === undefined || column === undefined) return undefined;
  const lines = expression.split('\n');
  const before = lines.slice(0, Number(line) - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const bytes = new TextEncoder().encode(lines[Number(line) - 1] ?? '').subarray(0, Number(column) - 1);
  return Math.min(before + new TextDecoder().decode(bytes).length, expression.length);
}

/** @param {string} text a number as Prometheus writes it: NaN and infinities stay texts */
function numberOf(text) {
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

/**
 * A time with the offset of the browser's zone, as statements give it.
 * @param {number} time Unix ms
 */
function zonedText(time) {
  const offset = -new Date(time).getTimezoneOffset();
  const local = new Date(time + offset * 60_000).toISOString().slice(0, -1);
  const two = (/** @type {number} */ number) => String(Math.floor(Math.abs(number))).padStart(2, '0');
  return offset === 0 ? `${local}Z` : `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
}
