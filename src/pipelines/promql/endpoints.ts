import type { PromqlAnswer, PromqlEndpoint } from '../../model/exchange.js';
import type { Label } from '../../model/label-set.js';
import { treeOf } from '../../promql/language/json.js';
import { parseSelector } from '../../promql/language/parse.js';
import { formatQuery } from '../../promql/language/print.js';
import { QueryError } from '../../promql/query-error.js';
import { labelKey } from '../series/series-labels.js';
import { queryExemplars } from './exemplars.js';
import { federate } from './federate.js';
import { jsonArray, labelsText, pieces } from './json-pieces.js';
import { metadata } from './metadata.js';
import { badParameter, parsed, queryOf, readLimit, readRange } from './parameters.js';
import { instantQuery, rangeQuery } from './query.js';
import { alerts, rules } from './rules.js';
import { type EndpointScope, truncated } from './scope.js';

type Answered = Promise<PromqlAnswer>;

const endpoints: Readonly<Record<PromqlEndpoint, (scope: EndpointScope) => Answered>> = {
  query: instantQuery,
  query_range: rangeQuery,
  series,
  labels,
  label_values: labelValues,
  metadata,
  query_exemplars: queryExemplars,
  format_query: format,
  parse_query: parse,
  tsdb: tsdbStatus,
  federate,
  rules,
  alerts,
};

/** Answers a request; rejects with a QueryError for a mistake in it. */
export function answerOf(scope: EndpointScope): Answered {
  return endpoints[scope.request.endpoint](scope);
}

/** A list as the data of an answer, cut to `limit` elements; 0 is no limit. */
function listAnswer<T>(all: readonly T[], limit: number, text: (element: T) => string): PromqlAnswer {
  const isCut = limit > 0 && all.length > limit;
  const elements = isCut ? all.slice(0, limit) : all;
  const data = pieces(jsonArray(mapped(elements, text)));
  return { kind: 'data', data, warnings: isCut ? [truncated] : [], infos: [] };
}

function* mapped<T>(elements: readonly T[], text: (element: T) => string): Generator<string> {
  for (const element of elements) yield text(element);
}

/** The selectors of `match[]`. */
function selectorsOf({ request: { parameters } }: EndpointScope) {
  return parameters.getAll('match[]').map((text) => parsed('match[]', text, parseSelector).matchers);
}

async function series(scope: EndpointScope): Answered {
  const { request, lists, signal, limits } = scope;
  const selectors = selectorsOf(scope);
  if (selectors.length === 0) throw new QueryError('bad_data', 'no match[] parameter provided');
  const limit = readLimit(request.parameters);
  const range = readRange(request.parameters);
  const all = new Map<string, readonly Label[]>();
  let count = 0;
  const take = (more: number): void => {
    count += more;
    if (count <= limits.series) return;
    const text = `the selectors match more than ${limits.series} series (promql.series)`;
    throw new QueryError('execution', text);
  };
  for (const matchers of selectors) {
    for (const labels of await lists.series(matchers, range, signal, take)) all.set(labelKey(labels), labels);
  }
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, labels]) => labels);
  return listAnswer(sorted, limit, labelsText);
}

async function labels(scope: EndpointScope): Answered {
  const { request, lists, signal } = scope;
  const limit = readLimit(request.parameters);
  const range = readRange(request.parameters);
  const selectors = selectorsOf(scope);
  const names = new Set<string>();
  for (const matchers of selectors.length === 0 ? [[]] : selectors) {
    for (const name of await lists.labelNames(matchers, range, signal)) names.add(name);
  }
  return listAnswer(inOrder(names), limit, JSON.stringify);
}

async function labelValues(scope: EndpointScope): Answered {
  const { request, lists, signal } = scope;
  const label = labelName(request.label ?? '');
  const limit = readLimit(request.parameters);
  const range = readRange(request.parameters);
  const selectors = selectorsOf(scope);
  const values = new Set<string>();
  for (const matchers of selectors.length === 0 ? [[]] : selectors) {
    for (const value of await lists.labelValues(label, matchers, range, signal)) values.add(value);
  }
  return listAnswer(inOrder(values), limit, JSON.stringify);
}

/**
 * The name of a label as a path has it: any text, or one whose other characters are written as `_<hexadecimal digits>_`
 * behind `U__`.
 */
function labelName(text: string): string {
  if (!text.startsWith('U__')) return text;
  const name = text
    .slice(3)
    .replace(/__|_[0-9A-Fa-f]{1,6}_/g, (part) => (part === '__' ? '_' : characterOf(part.slice(1, -1))));
  if (name === '') throw badParameter('name', `invalid label name: ${JSON.stringify(text)}`);
  return name;
}

function characterOf(digits: string): string {
  const code = Number.parseInt(digits, 16);
  return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
}

/** Texts in the order of their characters. */
function inOrder(texts: Iterable<string>): readonly string[] {
  return [...texts].sort();
}

/** JSON that is short as the data of an answer. */
function shortAnswer(data: unknown): PromqlAnswer {
  return { kind: 'data', data: [Buffer.from(JSON.stringify(data))], warnings: [], infos: [] };
}

async function format({ request }: EndpointScope): Answered {
  return shortAnswer(formatQuery(queryOf(request.parameters)));
}

async function parse({ request }: EndpointScope): Answered {
  return shortAnswer(treeOf(queryOf(request.parameters)));
}

/**
 * The metrics with the most series and the labels with the most values, as far as they are counted cheaply: names
 * alone.
 */
async function tsdbStatus({ request, lists, signal }: EndpointScope): Answered {
  const limit = readLimit(request.parameters) || 10;
  const counts = await lists.seriesCounts(signal);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const numSeries = sorted.reduce((sum, [, count]) => sum + count, 0);
  const seriesCountByMetricName = sorted.slice(0, limit).map(([name, value]) => ({ name, value }));
  return shortAnswer({
    headStats: { numSeries, numLabelPairs: 0, chunkCount: 0, minTime: 0, maxTime: 0 },
    seriesCountByMetricName,
    labelValueCountByLabelName: [],
    memoryInBytesByLabelName: [],
    seriesCountByLabelValuePair: [],
  });
}
