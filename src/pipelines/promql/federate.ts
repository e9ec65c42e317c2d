import type { PromqlAnswer } from '../../model/exchange.js';
import { QueryBudget } from '../../promql/budget.js';
import { parseSelector } from '../../promql/language/parse.js';
import { metricLabel } from '../series/metric-columns.js';
import { labelKey } from '../series/series-labels.js';
import { numberText, pieces } from './json-pieces.js';
import { type NewestSample, newestSamples } from './newest-samples.js';
import { parsed } from './parameters.js';
import { limitsOf } from './query.js';
import type { EndpointScope } from './scope.js';

/** `federate`: the newest samples of series in the text format, for a Prometheus server that scrapes them. */
export async function federate({ request, source, signal, limits }: EndpointScope): Promise<PromqlAnswer> {
  const all = new Map<string, NewestSample>();
  const at = { timeMs: Date.now(), lookbackMs: limits.lookbackMs };
  const budget = new QueryBudget(limitsOf(limits), signal);
  for (const text of request.parameters.getAll('match[]')) {
    const { matchers } = parsed('match[]', text, parseSelector);
    for (const sample of await newestSamples(source, matchers, at, budget)) all.set(labelKey(sample.labels), sample);
  }
  const byMetric = new Map<string, NewestSample[]>();
  for (const sample of all.values()) {
    const name = sample.labels.find(([label]) => label === metricLabel)?.[1] ?? '';
    const others = byMetric.get(name);
    if (others === undefined) byMetric.set(name, [sample]);
    else others.push(sample);
  }
  return { kind: 'data', data: pieces(linesOf(byMetric)), warnings: [], infos: [] };
}

function* linesOf(byMetric: ReadonlyMap<string, readonly NewestSample[]>): Generator<string> {
  for (const name of [...byMetric.keys()].sort()) {
    const isPlain = plainMetric.test(name);
    yield `# TYPE ${isPlain ? name : quoted(name)} untyped\n`;
    for (const { labels, timeMs, value } of byMetric.get(name) ?? []) {
      const own = labels.filter(([label]) => label !== metricLabel);
      const pairs = own.map(([label, text]) => `${plainLabel.test(label) ? label : quoted(label)}=${quoted(text)}`);
      if (!isPlain) pairs.unshift(quoted(name));
      const braces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
      yield `${isPlain ? name : ''}${braces} ${numberText(value)} ${timeMs}\n`;
    }
  }
}

const plainMetric = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const plainLabel = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function quoted(text: string): string {
  return `"${text.replace(/[\\"\n]/g, (character) => escapes[character] ?? character)}"`;
}
