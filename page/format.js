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
