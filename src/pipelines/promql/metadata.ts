import type { PromqlAnswer } from '../../model/exchange.js';
import { metadataTable } from '../../transforms/points/label-set.js';
import { metricLabel } from '../series/metric-columns.js';
import { jsonArray, pieces } from './json-pieces.js';
import { readLimit } from './parameters.js';
import type { EndpointScope } from './scope.js';

/** What is known of a metric. */
interface MetricMetadata {
  readonly type: string;
  readonly help: string;
  readonly unit: string;
}

/**
 * `metadata`: type, help and unit of metrics by their names, as senders told them last. A metric of which nobody told
 * anything has the type that its table says.
 */
export async function metadata({ request, source, lists, signal }: EndpointScope): Promise<PromqlAnswer> {
  const { parameters } = request;
  const metric = parameters.get('metric') ?? '';
  const limit = readLimit(parameters);
  // Each metric has one entry, so that no limit of them leaves one out.
  readLimit(parameters, 'limit_per_metric');
  const matchers = metric === '' ? [] : [{ kind: 'equal', name: metricLabel, value: metric } as const];
  const all = new Map<string, MetricMetadata>();
  for (const [name, type] of await lists.metricTypes(matchers, signal)) all.set(name, { type, help: '', unit: '' });
  const query = { startMs: 0n, endMs: 0n, matchers };
  for (const { labels, values } of await source.sideRows(metadataTable, columns, query, 'newest', signal)) {
    const name = labels.find(([label]) => label === metricLabel)?.[1];
    const [type, help, unit] = values;
    if (name !== undefined) all.set(name, { type: textOf(type, 'unknown'), help: textOf(help), unit: textOf(unit) });
  }
  const names = [...all.keys()].sort();
  const kept = limit > 0 ? names.slice(0, limit) : names;
  return { kind: 'data', data: pieces(textsOf(kept, all)), warnings: [], infos: [] };
}

const columns = ['type', 'help', 'unit'];

function textOf(value: unknown, absent = ''): string {
  return typeof value === 'string' && value !== '' ? value : absent;
}

function* textsOf(names: readonly string[], all: ReadonlyMap<string, MetricMetadata>): Generator<string> {
  let before = '{';
  for (const name of names) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonArray([JSON.stringify(all.get(name))]);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
