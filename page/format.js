/** Name of the zone in which the page shows and reads times: that of the browser. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dated = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/**
 * A number of anything: 12.4K.
 * @param {number} value
 */
export function count(value) {
  const size = Math.abs(value);
  if (size >= 10_000) return short.format(value);
  return plain.format(size >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

/**
 * A measured value, as exact as it is worth reading.
 * @param {number} value
 */
export function measure(value) {
  return plain.format(value);
}

/** Digits that are shown of a fraction: at least where values differ by less, and at most. */
const [leastDigits, mostDigits] = [3, 12];

/**
 * Words for values, as exact as they differ from each other.
 * @param {readonly (number | null | undefined)[]} values
 * @returns {(value: number) => string}
 */
export function measureOf(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const span = most > least ? most - least : Math.abs(most);
  return wordsFor(span / 1000);
}

/** Prefixes of the SI by their powers of 1000. */
const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Units that take no prefix. */
const bareUnits = new Set(['s', '%', '°C']);

/**
 * Words for marks of an axis: large numbers have a prefix of the SI where nothing is lost, and steps are told apart.
 * @param {readonly (number | null)[]} ticks null for a mark without words
 * @param {number} step between them
 * @param {string} [unit] behind each; that of bytes has prefixes of its own
 * @returns {string[]}
 */
export function tickWords(ticks, step, unit = '') {
  const behind = unit === '' ? '' : ` ${unit}`;
  const most = Math.max(1, ...ticks.map((tick) => Math.abs(tick ?? 0)));
  const power = Math.floor(Math.log10(most) / 3 + 1e-9);
  const isShort = most >= 10_000 && power < prefixes.length && step >= 1000 ** power / 1000 && !bareUnits.has(unit);
  const plainly = wordsFor(step);
  const words = (/** @type {number} */ tick) => {
    if (unit === 'bytes') return size(tick);
    if (!isShort) return `${plainly(tick)}${behind}`;
    const prefix = tick === 0 ? '' : prefixes[power];
    return `${wordsFor(step / 1000 ** power)(tick / 1000 ** power)}${unit === '' ? '' : ' '}${prefix}${unit}`;
  };
  return ticks.map((tick) => (tick === null ? '' : words(tick)));
}

/** Units by the ends of names that say them, as Prometheus recommends. */
const unitsByName = new Map(
  Object.entries({
    bytes: 'bytes',
    seconds: 's',
    percent: '%',
    celsius: '°C',
    volts: 'V',
    amperes: 'A',
    watts: 'W',
    joules: 'J',
    hertz: 'Hz',
  }),
);

/**
 * The unit that the name of a column says: `bytes` of `avg(memory_bytes)`. Undefined for one that says none.
 * @param {string} column
 */
export function unitOf(column) {
  const name = column.match(/[A-Za-z_]\w*/g)?.at(-1) ?? '';
  const last =
    name
      .replace(/_(?:total|sum)$/, '')
      .split('_')
      .at(-1) ?? '';
  return unitsByName.get(last.toLowerCase());
}

/** Digits of a fraction that somebody has written; binary fractions that have more come of arithmetic. */
const writtenDigits = 12;
/** Digits that a value is shown with where it has more than anybody writes. */
const shownDigits = 6;

/**
 * A number as it is shown: whole ones digit by digit, fractions without the digits that arithmetic leaves behind.
 * @param {number} value
 */
export function shownNumber(value) {
  const text = String(value);
  const [mantissa = ''] = text.split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+/, '').length;
  if (Number.isInteger(value) || !Number.isFinite(value) || digits <= writtenDigits) return text;
  const whole = String(Math.trunc(Math.abs(value))).length;
  return String(Number(value.toPrecision(Math.min(15, Math.max(shownDigits, whole + 2)))));
}

/**
 * Words for numbers, with the digits that tell a step apart.
 * @param {number} step
 * @returns {(value: number) => string}
 */
function wordsFor(step) {
  if (!Number.isFinite(step) || step === 0) return measure;
  const needed = Math.ceil(-Math.log10(step));
  const digits = Math.max(leastDigits, needed);
  return (value) => {
    const isPlain = (digits <= mostDigits && Math.abs(value) < 1e15) || value === 0;
    if (!isPlain) {
      return value
        .toExponential(5)
        .replace(/\.?0+e/, 'e')
        .replace('e+', 'e');
    }
    const whole = Math.abs(value) < 1 ? 0 : Math.floor(Math.log10(Math.abs(value))) + 1;
    const fraction = Math.max(0, needed, Math.min(digits, shownDigits - whole));
    return new Intl.NumberFormat('en', { maximumFractionDigits: Math.min(fraction, mostDigits) }).format(value);
  };
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/**
 * How long ago something was.
 * @param {number} time Unix ms
 */
export function ago(time) {
  const ms = Date.now() - time;
  if (ms < 2000) return 'just now';
  const seconds = Math.floor(ms / 1000);
  return `${seconds < 60 ? `${seconds} s` : duration(ms).replace(/ \d+ (s|min|h)$/, '')} ago`;
}

/** @param {number} time Unix ms */
export function timeOfDay(time) {
  return clock.format(time);
}

/** @param {number} time Unix ms */
export function dateAndTime(time) {
  return dated.format(time);
}
