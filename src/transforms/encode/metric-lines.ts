import type { MetricRow } from '../../model/metric.js';

function escaped(text: string): string {
  return text.replace(/[,= ]/g, '\\$&').replace(/[\r\n]/g, ' ');
}

/**
 * Line protocol of some rows at one time in nanoseconds. Tags without a value are left out, and so are numbers that are
 * none.
 */
export function encodeMetricRows(rows: readonly MetricRow[], nanoseconds: bigint): Buffer {
  const lines: string[] = [];
  for (const { table, tags, values } of rows) {
    const fields = values
      .filter(([, value]) => Number.isFinite(value))
      .map(([name, value]) => `${escaped(name)}=${value}`);
    if (fields.length === 0) continue;
    const key = [
      escaped(table),
      ...tags.filter(([, value]) => value !== '').map(([name, value]) => `${escaped(name)}=${escaped(value)}`),
    ];
    lines.push(`${key.join(',')} ${fields.join(',')} ${nanoseconds}\n`);
  }
  return Buffer.from(lines.join(''));
}
