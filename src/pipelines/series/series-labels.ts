import { Slice } from '../../async/slice.js';
import { PoolReader } from '../../bytes/pool-reader.js';
import type { Cell } from '../../database/engine/engine.js';
import type { Label } from '../../model/label-set.js';
import { parseJson } from '../../text/json.js';

/** A series with its labels, in the order of their names' bytes, none of them empty. */
export interface LabelledSeries {
  readonly id: bigint;
  readonly labels: readonly Label[];
}

/** A row of a table beside `metrics`. */
export interface SideRow {
  readonly labels: readonly Label[];
  readonly timeMs: number;
  readonly values: readonly Cell[];
}

/**
 * Series from rows of an id (8 bytes, little-endian) and the JSON text of labels (length-prefixed). `fixed` are further
 * labels of each, which come before labels of the same name. Yields to the event loop between slices.
 */
export async function seriesOf(rows: Buffer, fixed: readonly Label[]): Promise<readonly LabelledSeries[]> {
  const series: LabelledSeries[] = [];
  const slice = new Slice();
  for (let at = 0; at < rows.length; ) {
    if (slice.isOver()) await slice.next();
    const text = new PoolReader(rows, at + 8);
    text.next();
    series.push({ id: rows.readBigUInt64LE(at), labels: labelsOf(rows.toString('utf8', text.start, text.end), fixed) });
    at = text.end;
  }
  return series;
}

/** The labels of a JSON object in the order of their names' bytes; numbers and booleans as text, others left out. */
function labelsOf(json: string, fixed: readonly Label[]): readonly Label[] {
  const value = json === '' ? {} : parseJson(json);
  const labels: Label[] = [...fixed];
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (member === null || typeof member === 'object' || member === '') continue;
      if (!fixed.some(([own]) => own === name)) labels.push([name, String(member)]);
    }
  }
  return sortedLabels(labels);
}

/** Labels in the order of their names' bytes. */
export function sortedLabels(labels: readonly Label[]): readonly Label[] {
  return labels.toSorted(([a], [b]) => (isAscii(a) && isAscii(b) ? (a < b ? -1 : 1) : compareBytes(a, b)));
}

/** Names of ASCII characters have the order of their bytes. */
function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** A text that two label sets have in common only if they are the same. */
export function labelKey(labels: readonly Label[]): string {
  return JSON.stringify(labels);
}

/** Labels as they are written in a query, for messages. */
export function shownLabels(labels: readonly Label[]): string {
  const name = labels.find(([label]) => label === '__name__')?.[1] ?? '';
  const others = labels.filter(([label]) => label !== '__name__');
  return `${name}{${others.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(', ')}}`;
}
