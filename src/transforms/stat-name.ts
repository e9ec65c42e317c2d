import { StatKind, type StatsdReader } from './parse/statsd.js';
import { timeColumnName } from './points/point-limits.js';
import { parseSeriesKey } from './points/series-key.js';
import { sortTags } from './points/sub-table-name.js';
import { countCharacters } from './wire/utf8.js';

/** Values of the tag `metric_type`, by kind. */
const typeNames: readonly string[] = ['counter', 'gauge', 'set', 'timing', 'histogram'];
const typeTag = 'metric_type';

/** Fields that statistics have, which therefore cannot be tags. */
const statFields = ['value', 'mean', 'stddev', 'sum', 'upper', 'lower', 'count'];
const fieldNames: ReadonlySet<string> = new Set([...statFields, typeTag, timeColumnName]);

/** A backslash before the comma or blank that follows a name would take away its meaning. */
function withoutLastBackslash(text: string): string {
  return text.endsWith('\\') ? `${text.slice(0, -1)}_` : text;
}

function escaped(text: string): string {
  return withoutLastBackslash(text.replace(/[,= ]/g, '\\$&'));
}

/** A tag whose name a field has, too, gets another one: a table cannot have both. */
function tagName(name: string): string {
  return fieldNames.has(name) || name.endsWith('_percentile') ? `tag_${name}` : name;
}

/**
 * A bucket with tags behind its name as InfluxDB (`,k=v,…`), Librato (`#k=v,…`) and Graphite (`;k=v;…`) write them, or anywhere in it as SignalFx
 * does (`[k=v,…]`).
 */
const taggedBucket = /^(.*?)(?:(?<=.),(.*)|(?<=.)#([^#,=]+=.*)|;([^;=]+=.*)|\[([^[\],=]+=[^[\]]*)\](.*))$/s;

/** The name in a bucket and the items behind it, which may be tags. */
function bucketParts(bucket: string): readonly [name: string, items: readonly string[]] {
  const [, name, comma, hash, semicolon, bracket, rest = ''] = taggedBucket.exec(bucket) ?? [];
  if (name === undefined) return [bucket, []];
  if (semicolon !== undefined) return [name, semicolon.split(';')];
  return [name + rest, (comma ?? hash ?? bracket ?? '').split(',')];
}

/** Tags in the bucket: `key=value`, a value may hold further equals signs. Items without a key or a value are no tags. */
function addBucketTags(tags: Map<string, string>, items: readonly string[]): void {
  for (const item of items) {
    const equals = item.indexOf('=');
    if (equals > 0 && equals < item.length - 1) tags.set(tagName(item.slice(0, equals)), item.slice(equals + 1));
  }
}

/** Tags after the value: `key:value`; one without a colon is a flag and is `true`. Some clients begin each of them with `#`. */
function addSuffixTags(tags: Map<string, string>, text: string): void {
  for (const part of text.split(',')) {
    const item = part.startsWith('#') ? part.slice(1) : part;
    const colon = item.indexOf(':');
    if (colon < 0 && item !== '') tags.set(tagName(item), 'true');
    else if (colon > 0 && colon < item.length - 1) tags.set(tagName(item.slice(0, colon)), item.slice(colon + 1));
  }
}

/**
 * The series of a message as line protocol begins with it: measurement, tags in order, the tag `metric_type` and a blank.
 * The name ends at the first white space. Returns the bytes, or why there can be no such series.
 */
export function statSeries(message: StatsdReader): Buffer | string {
  const { bytes, bucketStart, bucketEnd, tagsStart, tagsEnd } = message;
  const isText = countCharacters(bytes, bucketStart, bucketEnd) >= 0 && countCharacters(bytes, tagsStart, tagsEnd) >= 0;
  if (!isText) return 'is not well-formed UTF-8';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [first, items] = bucketParts(text.toString('utf8', bucketStart, bucketEnd));
  const [name = ''] = first.split(/\s/, 1);
  if (name === '') return 'has no name';
  const tags = new Map<string, string>();
  addBucketTags(tags, items);
  if (tagsEnd > tagsStart) addSuffixTags(tags, text.toString('utf8', tagsStart, tagsEnd));
  tags.set(typeTag, typeNames[message.kind] ?? '');
  const list = sortTags(tags).map(([key, value]) => `,${escaped(key)}=${escaped(value)}`);
  const measurement = withoutLastBackslash(name.startsWith('#') ? `_${name.slice(1)}` : name);
  const series = Buffer.from(`${measurement}${list.join('')} `);
  const key = parseSeriesKey(series, 0, series.length - 1);
  return 'message' in key ? `cannot be stored: ${key.message}` : series;
}

/** True for kinds that keep the distribution of their values. */
export function isSpread(kind: number): boolean {
  return kind === StatKind.timing || kind === StatKind.histogram;
}
