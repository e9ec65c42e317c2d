import { hash } from 'node:crypto';
import { parseJson } from '../text/json.js';
import type { TagValue } from './schema.js';

/** Table of all series of a database that have labels; other tables of labelled series are beside it. */
export const metricsTable = 'metrics';

export type Label = readonly [name: string, value: string];

/** The label that is the name of the metric. */
const metricLabel = '__name__';

/** The name of a sub-table that is known by a text: `t_` and its MD5. */
export function fingerprintName(text: string): string {
  return `t_${hash('md5', text)}`;
}

/**
 * Name of the sub-table of sorted labels: `t_` and the MD5 of `<name>=<value>,...`, a fingerprint that clients know and
 * no protection. Where commas and equals signs in the labels would let two label sets have the same text, their JSON
 * text behind a NUL takes its place. Sub-tables of the tables beside `metrics` have the name of the table and another
 * NUL before it.
 */
export function labelSetName(labels: readonly Label[], table: string): string {
  const text = labels.every(isPlain)
    ? labels.map(([name, value]) => `${name}=${value}`).join(',')
    : `\0${JSON.stringify(labels)}`;
  return fingerprintName(table === metricsTable ? text : `\0${table}\0${text}`);
}

/** True when a name can be separated from its neighbours in the plain text. */
export function isPlainName(name: string): boolean {
  return !/[\0,=]/.test(name);
}

/**
 * True when the label can be separated from its neighbours in the plain text: what follows a comma in it has no equals
 * sign.
 */
export function isPlain([name, value]: Label): boolean {
  if (!isPlainName(name)) return false;
  const comma = value.indexOf(',');
  return comma < 0 || !value.includes('=', comma);
}

/** The name of the metric among labels; undefined where they have none. */
export function metricAmong(labels: readonly Label[]): string | undefined {
  return labels.find(([name]) => name === metricLabel)?.[1];
}

/**
 * The metric of a sub-table whose name is that of its labels, as {@link labelSetName} gives it; undefined for all
 * others, so that the name alone decides.
 */
export function metricOf(superTable: string, name: string, tags: ReadonlyMap<string, TagValue>): string | undefined {
  const [text] = tags.values();
  if (tags.size !== 1 || text === undefined || !text.includes(metricLabel) || !/^t_[0-9a-f]{32}$/.test(name))
    return undefined;
  const labels = labelsOf(text)?.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return labels !== undefined && labelSetName(labels, superTable) === name ? metricAmong(labels) : undefined;
}

/** The labels of a JSON object of texts, those without an empty value; undefined for anything else. */
function labelsOf(json: string): Label[] | undefined {
  const object = parseJson(json);
  if (typeof object !== 'object' || object === null) return undefined;
  const labels: Label[] = [];
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== 'string') return undefined;
    if (value !== '') labels.push([name, value]);
  }
  return labels;
}
