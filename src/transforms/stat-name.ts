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

/** A backslash before the comma or blank that follows a word would take away its meaning. */
function withoutLastBackslash(text: string): string {
  return text.endsWith('\\') ? `${text.slice(0, -1)}_` : text;
}

function escaped(text: string): string {
  return text.replace(/[,= ]/g, '\\$&');
}

/**
 * The name of a table for the name in a bucket: white space is an underscore, as StatsD has it. A line that begins with
 * a hash would be a comment.
 */
function measurementOf(name: string): string {
  return withoutLastBackslash(name.replace(/\s/g, '_').replace(/^#/, '_'));
}

/** A tag whose name a field has, too, gets another one: a table cannot have both. */
function tagName(name: string): string {
  return fieldNames.has(name) || name.endsWith('_percentile') ? `tag_${name}` : name;
}

/**
 * The name in a bucket and the items that may be tags, with what stands between them, as InfluxDB (`,k=v,…`), Librato
 * (`#k=v,…`) and Graphite (`;k=v;…`) write them behind the name, or SignalFx anywhere in it (`[k=v,…]`).
 */
function bucketParts(bucket: string): readonly [name: string, items: readonly string[], separator: string] {
  for (const { 0: sign, index } of bucket.matchAll(/[,#;[]/g)) {
    const [name, rest] = [bucket.slice(0, index), bucket.slice(index + 1)];
    if (sign === ',' && index > 0) return [name, rest.split(','), ','];
    if (sign === '#' && index > 0 && /^[^#,=]+=/.test(rest)) return [name, rest.split(','), ','];
    if (sign === ';' && /^[^;=]+=/.test(rest)) return [name, rest.split(';'), ';'];
    const [, items, end] = (sign === '[' && /^([^[\],=]+=[^[\]]*)\](.*)$/s.exec(rest)) || [];
    if (items !== undefined) return [`${name}${end}`, items.split(','), ','];
  }
  return [bucket, [], ','];
}

type Tags = Map<string, string>;

/**
 * Takes the tags in the bucket, `key=value`; a value may hold further equals signs, and a tag without a value is none.
 * Returns the name: items that are no tags are a part of it.
 */
function takeBucketTags(tags: Tags, bucket: string): string {
  const [first, items, separator] = bucketParts(bucket);
  let name = first;
  for (const item of items) {
    const equals = item.indexOf('=');
    if (equals <= 0) name += separator + item;
    else if (equals < item.length - 1) tags.set(item.slice(0, equals), item.slice(equals + 1));
  }
  return name;
}

/**
 * Takes tags after the value: `key:value`, and a tag without a value is none; one without a key is a flag and is
 * `true`. Some clients begin each of them with `#`.
 */
function takeSuffixTags(tags: Tags, text: string): void {
  for (const part of text.split(',')) {
    const item = part.startsWith('#') ? part.slice(1) : part;
    const colon = item.indexOf(':');
    if (colon <= 0 && item !== '') tags.set(item, 'true');
    else if (colon > 0 && colon < item.length - 1) tags.set(item.slice(0, colon), item.slice(colon + 1));
  }
}

/** The series of a message. */
interface StatSeries {
  /** As line protocol begins with it: measurement, tags in order, the tag `metric_type` and a blank. */
  readonly series: Buffer;
  /**
   * Name and tags as the message has them, where other words stand for some of them in the series; left out where it
   * has them all.
   */
  readonly source?: string;
}

/** The series of a message, or why there can be no such series. */
export function statSeries(message: StatsdReader): StatSeries | string {
  const { bytes, bucketStart, bucketEnd, tagsStart, tagsEnd } = message;
  const isText = countCharacters(bytes, bucketStart, bucketEnd) >= 0 && countCharacters(bytes, tagsStart, tagsEnd) >= 0;
  if (!isText) return 'is not well-formed UTF-8';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sent: Tags = new Map();
  const name = takeBucketTags(sent, text.toString('utf8', bucketStart, bucketEnd));
  if (name === '') return 'has no name';
  if (tagsEnd > tagsStart) takeSuffixTags(sent, text.toString('utf8', tagsStart, tagsEnd));
  const measurement = measurementOf(name);
  let isSaid = measurement === name;
  const tags: Tags = new Map();
  for (const [key, value] of sortTags(sent)) {
    const words = [tagName(withoutLastBackslash(key)), withoutLastBackslash(value)] as const;
    if (tags.has(words[0])) return `has two tags ${JSON.stringify(words[0])}`;
    tags.set(...words);
    isSaid &&= words[0] === key && words[1] === value;
  }
  tags.set(typeTag, typeNames[message.kind] ?? '');
  const list = sortTags(tags).map(([key, value]) => `,${escaped(key)}=${escaped(value)}`);
  const series = Buffer.from(`${measurement.replaceAll(',', '\\,')}${list.join('')} `);
  const problem = parseSeriesKey(series, 0, series.length - 1);
  if ('message' in problem) return `cannot be stored: ${problem.message}`;
  if (isSaid) return { series };
  return { series, source: [name, ...sortTags(sent).map(([key, value]) => `${key}=${value}`)].join(',') };
}

/** True for kinds that keep the distribution of their values. */
export function isSpread(kind: number): boolean {
  return kind === StatKind.timing || kind === StatKind.histogram;
}
