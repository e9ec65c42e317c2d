import { Codes, type Fault, fault } from '../../../model/fault.js';
import { fieldName } from '../../points/point-collector.js';
import { timeColumnName } from '../../points/point-limits.js';
import { metricProblem, type SeriesKey, SeriesTags } from '../../points/series-tags.js';
import { countCharacters } from '../../wire/utf8.js';

/** Fields of samples whose names do not depend on what was sent. */
export const expositionFields = {
  gauge: fieldName('gauge'),
  counter: fieldName('counter'),
  untyped: fieldName('value'),
  sum: fieldName('sum'),
  count: fieldName('count'),
} as const;
const fieldNames: ReadonlySet<string> = new Set([
  timeColumnName,
  ...Object.values(expositionFields).map(({ text }) => text),
]);

/** Labels that every sample gets: the address of the target as `url`, or those that a JSON object names. */
export function extraLabels(source: string): ReadonlyMap<string, string> {
  if (!source.startsWith('{')) return new Map([['url', source]]);
  const labels: unknown = JSON.parse(source);
  return new Map(Object.entries(labels ?? {}).map(([name, value]) => [name, String(value)]));
}

/**
 * A name beside others that are taken. One that is taken, with or without the prefix before it, gets the prefix: so two
 * different names never become one.
 */
function nameBeside(taken: { has(name: string): boolean }, name: string, prefix: string): string {
  let base = name;
  while (!taken.has(base)) {
    if (!base.startsWith(prefix)) return name;
    base = base.slice(prefix.length);
  }
  let free = prefix + name;
  while (taken.has(free)) free = prefix + free;
  return free;
}

/**
 * The name under which a sample's own label is stored beside `extra`, the labels that every sample gets. A label with
 * the name of an extra one gets `exported_` before its name, as in Prometheus:
 * https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config (`honor_labels`).
 */
export function ownLabelName(label: string, extra: ReadonlyMap<string, string>): string {
  return nameBeside(extra, label, 'exported_');
}

/**
 * The series of samples: a table and labels, whose values come as UTF-8 that is not checked yet. Empty labels are none.
 * A sample gets the `extra` labels, too; {@link ownLabelName} says what its own labels are named beside them. A label
 * with the name of a field gets `tag_` before it, because a table cannot have both.
 */
export function expositionSeries(
  table: string,
  labels: Iterable<readonly [name: string, value: Buffer]>,
  extra: ReadonlyMap<string, string>,
): SeriesKey | Fault {
  const tags = new SeriesTags();
  let problem = metricProblem(0, Buffer.byteLength(table), () => JSON.stringify(table));
  const add = (label: string, value: Buffer): void => {
    const name = Buffer.from(nameBeside(fieldNames, label, 'tag_'));
    const shown = (): string => JSON.stringify(label);
    problem ??= tags.nameProblem(0, shown, name) ?? tags.add(0, shown, name, value);
  };
  for (const [name, value] of labels) {
    if (value.length === 0) continue;
    if (countCharacters(value, 0, value.length) < 0) {
      return fault('parameter', Codes.schemalessData, `label ${name} is not well-formed UTF-8`);
    }
    add(ownLabelName(name, extra), value);
  }
  for (const [name, value] of extra) if (value !== '') add(name, Buffer.from(value));
  return problem === undefined ? tags.keyOf(table) : fault('parameter', problem.code, problem.message);
}
