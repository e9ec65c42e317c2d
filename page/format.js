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

/**
 * Words for marks of an axis: large numbers are short where nothing is lost, and steps are told apart.
 * @param {readonly number[]} ticks
 * @param {number} step between them
 */
export function tickWords(ticks, step) {
  const unit = 1000 ** Math.floor(Math.log10(Math.max(1, ...ticks.map(Math.abs))) / 3);
  const isShort = unit >= 1e6 && unit < 1e18 && step >= unit / 1000;
  return ticks.map(isShort ? (tick) => shortest.format(tick) : wordsFor(step));
}

const shortest = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 3 });

/**
 * Words for numbers, with the digits that tell a step apart.
 * @param {number} step
 * @returns {(value: number) => string}
 */
function wordsFor(step) {
  if (!Number.isFinite(step) || step === 0) return measure;
  const digits = Math.max(leastDigits, Math.ceil(-Math.log10(step)));
  const style = { maximumFractionDigits: Math.min(digits, mostDigits) };
  const words = new Intl.NumberFormat('en', style);
  return (value) => {
    const isPlain = (digits <= mostDigits && Math.abs(value) < 1e15) || value === 0;
    return isPlain
      ? words.format(value)
      : value
          .toExponential(5)
          .replace(/\.?0+e/, 'e')
          .replace('e+', 'e');
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
