import { type FieldName, fieldName } from './point-collector.js';

/** Fields by their bound or quantile: few, and the same again and again. */
const boundFields = new Map<number, FieldName>();
const maxBoundFields = 10_000;

/**
 * A bound or quantile as a field is named after it: shortest digits, with an exponent from a million on and below a ten
 * thousandth, which then has a sign and two digits.
 */
export function boundName(bound: number): string {
  if (!Number.isFinite(bound)) return Number.isNaN(bound) ? 'NaN' : bound > 0 ? '+Inf' : '-Inf';
  if (bound === 0) return '0';
  const [mantissa = '', power = ''] = bound.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(bound);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** The field of the values below a bound, or of a quantile. */
export function boundField(bound: number): FieldName {
  const known = boundFields.get(bound);
  if (known !== undefined) return known;
  const field = fieldName(boundName(bound));
  if (boundFields.size >= maxBoundFields) boundFields.clear();
  boundFields.set(bound, field);
  return field;
}
