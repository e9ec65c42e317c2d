import type { TableStyle } from '../../model/column-block.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { type Label, labelSetName, metricAmong, metricsTable } from '../../model/label-set.js';
import { countCharacters } from '../wire/utf8.js';
import type { SeriesKey } from './series-tags.js';

/**
 * Tables beside that of all series, for native histograms and exemplars of the same series, and for the metadata of
 * metrics.
 */
export const histogramsTable = 'metric_histograms';
export const exemplarsTable = 'metric_exemplars';
export const metadataTable = 'metric_metadata';
/** Form of these tables: a NULL in a row overwrites. */
export const metricsStyle: TableStyle = { timeColumn: 'ts', tagType: 'JSON', nullMeaning: 'overwrite' };
/** The column with the values of a metric, and the JSON tag. */
export const metricsValue = 'v';
const labelsTag = 'labels';
/** Most bytes of the labels of one series as JSON text. */
const maxLabelsBytes = 16384;

/** A label as it came: UTF-8 that is not checked yet. */
export interface RawLabel {
  readonly name: Uint8Array;
  readonly value: Uint8Array;
}

function badLabels(text: string): Fault {
  return fault('parameter', Codes.schemalessData, text);
}

/**
 * The series of a label set: its labels in the order of their names' bytes, whatever order they came in. A label with
 * an empty value is the same as none. An empty or repeated name, ill-formed UTF-8, no label at all, or more than 16 KiB
 * of them is a fault.
 */
export function labelSetKey(raw: readonly RawLabel[], table = metricsTable): SeriesKey | Fault {
  const sorted = raw.toSorted((a, b) => Buffer.compare(a.name, b.name));
  const labels: Label[] = [];
  let last: string | undefined;
  for (const { name: rawName, value: rawValue } of sorted) {
    if (rawName.length === 0) return badLabels('a label has no name');
    const name = textOf(rawName);
    if (name === undefined) return badLabels('the name of a label is not well-formed UTF-8');
    if (name === last) return badLabels(`label ${JSON.stringify(name)} occurs twice`);
    last = name;
    const value = textOf(rawValue);
    if (value === undefined) return badLabels(`the value of label ${JSON.stringify(name)} is not well-formed UTF-8`);
    if (value !== '') labels.push([name, value]);
  }
  if (labels.length === 0) return badLabels('it has no labels');
  // Written by hand, because an object would move names that look like numbers to the front.
  const json = `{${labels.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
  if (Buffer.byteLength(json) > maxLabelsBytes) return badLabels(`its labels take more than ${maxLabelsBytes} bytes`);
  const subTable = labelSetName(labels, table);
  return { superTable: table, subTable, tags: new Map([[labelsTag, json]]), metric: metricAmong(labels) };
}

function textOf(bytes: Uint8Array): string | undefined {
  if (countCharacters(bytes, 0, bytes.length) < 0) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
