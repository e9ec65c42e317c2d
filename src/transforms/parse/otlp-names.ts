/** What a metric is, as far as its name and fields depend on it; `updown` is a sum that may fall. */
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

/** Letters and digits, underscores between them for everything else. */
function words(text: string): string[] {
  return text.split(/[^a-zA-Z0-9:]+/).filter((word) => word !== '');
}

/**
 * The table of a metric: its name with an underscore for every run of characters other than letters, digits and colons, and one
 * before a leading digit. With `suffixes` the unit is spelled out behind it, `ratio` behind a gauge without a unit (`1`), and
 * `total` behind a counter, unless the name has them already.
 */
export function metricTable(name: string, unit: string, kind: MetricKind, suffixes: boolean): string {
  const parts = words(name);
  if (suffixes) {
    const [main = '', per = ''] = unit.replace(/\{[^}]*\}/g, '').split('/', 2);
    const added = [...words(nameOf(unitNames, main)), ...perWords(per)];
    for (const word of added) if (!parts.includes(word)) parts.push(word);
    if (kind === 'gauge' && unit === '1' && !parts.includes('ratio')) parts.push('ratio');
    if (kind === 'counter') {
      const at = parts.indexOf('total');
      if (at >= 0) parts.splice(at, 1);
      parts.push('total');
    }
  }
  const table = parts.join('_');
  return /^[0-9]/.test(table) ? `_${table}` : table;
}

function perWords(per: string): string[] {
  const unit = words(nameOf(perUnitNames, per));
  return unit.length === 0 ? [] : ['per', ...unit];
}

function nameOf(names: Readonly<Record<string, string>>, unit: string): string {
  const code = unit.trim();
  return Object.hasOwn(names, code) ? (names[code] ?? '') : code;
}

/**
 * The tag of an attribute: its name with an underscore for every character other than letters, digits and underscores, `key_`
 * before a leading digit, and `key` before a single leading underscore.
 */
export function tagName(attribute: string): string {
  const name = attribute.replace(/[^a-zA-Z0-9_]/gu, '_');
  if (/^[0-9]/.test(name)) return `key_${name}`;
  return /^_(?!_)/.test(name) ? `key${name}` : name;
}
