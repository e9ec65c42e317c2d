/** Kind of a metric, as far as its name and fields depend on it; `updown` is a sum that may fall. */
export type MetricKind = 'gauge' | 'updown' | 'counter' | 'histogram' | 'exponential' | 'summary';

/** Units that names spell out, by their code of the UCUM (the OpenTelemetry-to-Prometheus conversion). */
const unitNames: Readonly<Record<string, string>> = {
  d: 'days',
  h: 'hours',
  min: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  By: 'bytes',
  KiBy: 'kibibytes',
  MiBy: 'mebibytes',
  GiBy: 'gibibytes',
  TiBy: 'tibibytes',
  KBy: 'kilobytes',
  MBy: 'megabytes',
  GBy: 'gigabytes',
  TBy: 'terabytes',
  m: 'meters',
  V: 'volts',
  A: 'amperes',
  J: 'joules',
  W: 'watts',
  g: 'grams',
  Cel: 'celsius',
  Hz: 'hertz',
  '1': '',
  '%': 'percent',
};

/** Units behind a slash. */
const perUnitNames: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
};

/** The words of a name: letters of all scripts with their marks, digits and colons. */
function words(name: string): string[] {
  return name.split(/[^\p{L}\p{M}\p{N}:]+/u).filter((word) => word !== '');
}

/** The words of a unit, whose codes are ASCII. */
function unitWords(text: string): string[] {
  return text.split(/[^a-zA-Z0-9:]+/).filter((word) => word !== '');
}

/**
 * The table of a metric: its name with an underscore for every run of characters other than letters of any script,
 * digits and colons, and one before a leading digit. With `suffixes` the unit is spelled out behind it, unless the name
 * has it already, and at the end stands `ratio` of a gauge without a unit (`1`) or `total` of a counter.
 */
export function metricTable(name: string, unit: string, kind: MetricKind, suffixes: boolean): string {
  let parts = words(name);
  if (suffixes) {
    const [main = '', per = ''] = unit.replace(/\{[^{}]*\}/g, '').split('/', 2);
    const [mainWord, perWord] = [wordOf(unitNames, main), wordOf(perUnitNames, per)];
    if (mainWord !== '' && !parts.includes(mainWord)) parts.push(mainWord);
    if (perWord !== '' && !parts.includes(perWord)) parts.push('per', perWord);
    const last = kind === 'counter' ? 'total' : kind === 'gauge' && unit === '1' ? 'ratio' : undefined;
    if (last !== undefined) parts = [...parts.filter((part) => part !== last), last];
  }
  const table = parts.join('_');
  return /^[0-9]/.test(table) ? `_${table}` : table;
}

/** A unit spelled out, as one word of a name. */
function wordOf(names: Readonly<Record<string, string>>, unit: string): string {
  const code = unit.trim();
  return unitWords(Object.hasOwn(names, code) ? (names[code] ?? '') : code).join('_');
}

/**
 * The tag of an attribute: its name with an underscore for every character other than letters of any script, digits and
 * underscores, `key_` before a leading digit, and `key` before a single leading underscore.
 */
export function tagName(attribute: string): string {
  const name = attribute.replace(/[^\p{L}\p{M}\p{N}_]/gu, '_');
  if (/^[0-9]/.test(name)) return `key_${name}`;
  return /^_(?!_)/.test(name) ? `key${name}` : name;
}
