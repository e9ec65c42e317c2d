import { Codes, type Fault, fault } from '../../../model/fault.js';
import { exemplarsTable, labelSetKey } from '../../points/label-set.js';
import { metricProblem, type SeriesKey, SeriesTags } from '../../points/series-tags.js';
import { Wire, WireReader } from '../../wire/protobuf.js';
import { type Attribute, readAttributes } from './attributes.js';
import { tagName } from './names.js';

/** Fields of a resource and of a scope. */
const resourceAttributes = 1;
const scopeFields = { name: 1, version: 2, attributes: 3 } as const;

/** Columns that points have; a tag of the same name gets `tag_` before it, because a table cannot have both. */
const columnNames: ReadonlySet<string> = new Set([
  'gauge',
  'counter',
  'sum',
  'count',
  'min',
  'max',
  'scale',
  'zero_count',
  'zero_threshold',
  'positive_offset',
  'positive_counts',
  'negative_offset',
  'negative_counts',
]);

/** Where a part of a message stands; empty where it is left out. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Parts of the name of a series: attributes of resource and scope in the message, those of its points in `bytes`. */
interface SeriesParts {
  readonly table: string;
  readonly isDelta: boolean;
  readonly message: Uint8Array;
  readonly resource: Range;
  readonly scope: Range;
  /** Holds the fields of the attributes one after the other, at `attributes`. */
  readonly bytes: Uint8Array;
  readonly attributes: Range;
}

/**
 * The series of a point. Its tags are the attributes of the resource, then `otel_scope_name`, `otel_scope_version` and
 * `otel_scope_<attribute>`, then the point's own; of the same name the later one counts. Attributes of one of the three whose
 * names become the same have their values joined by semicolons, in the order of their names. Empty values are none. What is
 * not cumulative has the tag `temporality`. Returns why there cannot be such a series, if so; throws when a part is malformed.
 */
export function otlpSeries(parts: SeriesParts): SeriesKey | Fault {
  const { table, message, resource, scope } = parts;
  const values = new Map<string, string>();
  addAll(values, readAttributes(message, resource.start, resource.end, resourceAttributes), '');
  addScope(values, message, scope);
  addAll(values, readAttributes(parts.bytes, parts.attributes.start, parts.attributes.end), '');
  if (parts.isDelta) values.set('temporality', 'delta');
  const tags = new SeriesTags();
  let problem = metricProblem(0, Buffer.byteLength(table), () => JSON.stringify(table));
  for (const [name, value] of values) {
    const shown = (): string => JSON.stringify(name);
    const bytes = Buffer.from(columnNames.has(name) ? `tag_${name}` : name);
    problem ??= tags.nameProblem(0, shown, bytes) ?? tags.add(0, shown, bytes, Buffer.from(value));
    if (problem !== undefined) break;
  }
  return problem === undefined ? tags.keyOf(table) : fault('parameter', problem.code, problem.message);
}

/** The series of the exemplars of a point: its metric and its tags are its labels, as remote write has them. */
export function exemplarSeries({ superTable, tags }: SeriesKey): SeriesKey | Fault {
  const labels = new Map<string, string>([['__name__', superTable]]);
  for (const [name, value] of tags) if (value !== undefined) labels.set(name, String(value));
  const raw = [...labels].map(([name, value]) => ({ name: Buffer.from(name), value: Buffer.from(value) }));
  return labelSetKey(raw, exemplarsTable);
}

function addScope(values: Map<string, string>, message: Uint8Array, { start, end }: Range): void {
  const reader = new WireReader(message);
  reader.at = start;
  reader.end = end;
  const named: Attribute[] = [];
  while (reader.next()) {
    if (reader.is(scopeFields.name, Wire.bytes)) named.push(['name', reader.text()]);
    else if (reader.is(scopeFields.version, Wire.bytes)) named.push(['version', reader.text()]);
    else reader.skip();
  }
  addAll(values, [...readAttributes(message, start, end, scopeFields.attributes), ...named], 'otel_scope_');
}

function addAll(values: Map<string, string>, attributes: readonly Attribute[], prefix: string): void {
  const own = new Map<string, string>();
  for (const [attribute, value] of attributes.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    if (attribute === '' || value === '') continue;
    const name = tagName(`${prefix}${attribute}`);
    const before = own.get(name);
    own.set(name, before === undefined ? value : `${before};${value}`);
  }
  for (const [name, value] of own) values.set(name, value);
}

/** The fault of a point whose attributes are longer than is looked at. */
export function longAttributes(maxBytes: number): Fault {
  return fault('parameter', Codes.schemalessData, `its attributes take more than ${maxBytes} bytes`);
}
