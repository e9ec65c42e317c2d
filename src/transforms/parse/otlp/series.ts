import { Codes, type Fault, fault } from '../../../model/fault.js';
import { exemplarsTable, labelSetKey } from '../../points/label-set.js';
import { metricProblem, type SeriesKey, SeriesTags } from '../../points/series-tags.js';
import { badLine, type LineProblem } from '../../wire/line-problem.js';
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

/** A message within another one, and the bytes in which it stands; empty where it is left out. */
export interface Range {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Parts of the name of a series. */
interface SeriesParts {
  readonly table: string;
  /** The name of the metric as it was sent. */
  readonly metric: string;
  readonly isDelta: boolean;
  readonly resource: Range;
  readonly scope: Range;
  /** The fields of the attributes of a point, one after the other. */
  readonly attributes: Range;
}

/** An attribute with the name of its tag; `value` may be that of several of one name. */
interface TagPart {
  readonly tag: string;
  readonly attribute: string;
  value: string;
}

/**
 * The series of a point. Its tags are the attributes of the resource, then `otel_scope_name`, `otel_scope_version` and
 * `otel_scope_<attribute>`, then the point's own; of the same name the later one counts. Different attributes whose
 * tags have one name have their values joined by semicolons, in the order of the attributes' names. Empty values are
 * none. What is not cumulative has the tag `temporality`. Returns why there cannot be such a series, if so; throws when
 * a part is malformed.
 */
export function otlpSeries(parts: SeriesParts): SeriesKey | Fault {
  const { table, metric, resource, scope, attributes: own } = parts;
  const all = new Map<string, TagPart>();
  addAll(all, readAttributes(resource.bytes, resource.start, resource.end, resourceAttributes), '');
  addScope(all, scope);
  addAll(all, readAttributes(own.bytes, own.start, own.end), '');
  // No attribute is named so, so that one with the name of the tag stands beside it.
  if (parts.isDelta) all.set('', { tag: 'temporality', attribute: '', value: 'delta' });
  const byTag = new Map<string, TagPart[]>();
  for (const part of [...all.values()].sort((a, b) => compare(a.attribute, b.attribute))) {
    const others = byTag.get(part.tag);
    if (others === undefined) byTag.set(part.tag, [part]);
    else others.push(part);
  }
  const tags = new SeriesTags();
  const attributes = new Map<string, string>();
  let problem = nameProblem(table, metric);
  for (const [tag, members] of byTag) {
    const shown = (): string => JSON.stringify(tag);
    const bytes = Buffer.from(tag);
    const value = members.map((part) => part.value).join(';');
    problem ??= tags.nameProblem(0, shown, bytes) ?? tags.add(0, shown, bytes, Buffer.from(value));
    if (problem !== undefined) break;
    // A tag without an underscore can have no other name.
    if (tag.includes('_')) attributes.set(tag, members.map(({ attribute }) => attribute).join(';'));
  }
  if (problem !== undefined) return fault('parameter', problem.code, problem.message);
  const key = tags.keyIn(table, table.includes('_') || table !== metric ? `words ${metric}` : undefined);
  return attributes.size === 0 ? key : { ...key, attributes };
}

/** Why a metric has no table, if so. */
function nameProblem(table: string, metric: string): LineProblem | undefined {
  if (table === '' && metric !== '') return badLine(0, `metric ${JSON.stringify(metric)} has no letter or digit`);
  return metricProblem(0, Buffer.byteLength(table), () => JSON.stringify(table));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The series of the exemplars of a point: its metric and its tags are its labels, as remote write has them. */
export function exemplarSeries({ superTable, tags }: SeriesKey): SeriesKey | Fault {
  const labels = new Map<string, string>([['__name__', superTable]]);
  for (const [name, value] of tags) if (value !== undefined) labels.set(name, String(value));
  const raw = [...labels].map(([name, value]) => ({ name: Buffer.from(name), value: Buffer.from(value) }));
  return labelSetKey(raw, exemplarsTable);
}

function addScope(all: Map<string, TagPart>, { bytes, start, end }: Range): void {
  const reader = new WireReader(bytes);
  reader.at = start;
  reader.end = end;
  const named: Attribute[] = [];
  while (reader.next()) {
    if (reader.is(scopeFields.name, Wire.bytes)) named.push(['name', reader.text()]);
    else if (reader.is(scopeFields.version, Wire.bytes)) named.push(['version', reader.text()]);
    else reader.skip();
  }
  addAll(all, [...readAttributes(bytes, start, end, scopeFields.attributes), ...named], 'otel_scope_');
}

/**
 * Adds attributes of one place, which count before those of the same name that are there; several of one name there
 * have their values joined.
 */
function addAll(all: Map<string, TagPart>, attributes: readonly Attribute[], prefix: string): void {
  const own = new Map<string, TagPart>();
  for (const [name, value] of attributes) {
    if (name === '' || value === '') continue;
    const attribute = `${prefix}${name}`;
    const before = own.get(attribute);
    if (before !== undefined) before.value += `;${value}`;
    else {
      const tag = tagName(attribute);
      own.set(attribute, { tag: columnNames.has(tag) ? `tag_${tag}` : tag, attribute, value });
    }
  }
  for (const [attribute, part] of own) all.set(attribute, part);
}

/** The fault of a point whose attributes are too long. */
export function longAttributes(maxBytes: number): Fault {
  return fault('parameter', Codes.schemalessData, `its attributes take more than ${maxBytes} bytes`);
}
