import type { PromqlAnswer } from '../../model/exchange.js';
import type { Label } from '../../model/label-set.js';
import { childrenOf, type Expr, type VectorSelector } from '../../promql/language/tree.js';
import { parseJson } from '../../text/json.js';
import { exemplarsTable } from '../../transforms/points/label-set.js';
import { labelKey, type SideRow } from '../series/series-labels.js';
import { jsonArray, labelsText, numberText, pieces, timeText } from './json-pieces.js';
import { queryOf, readRange } from './parameters.js';
import type { EndpointScope } from './scope.js';

/** Most exemplars of an answer. */
const mostExemplars = 10_000;

/** `query_exemplars`: exemplars of the series that the selectors of a query select. */
export async function queryExemplars({ request, source, signal }: EndpointScope): Promise<PromqlAnswer> {
  const { parameters } = request;
  const range = readRange(parameters) ?? { startMs: -8_640_000_000_000_000n, endMs: 8_640_000_000_000_000n };
  const series = new Map<string, { readonly labels: readonly Label[]; readonly rows: SideRow[] }>();
  let left = mostExemplars;
  for (const { matchers } of selectorsIn(queryOf(parameters))) {
    const rows = await source.sideRows(exemplarsTable, ['v', 'exemplar'], { matchers, ...range }, left + 1, signal);
    for (const row of rows.slice(0, left)) {
      const key = labelKey(row.labels);
      const known = series.get(key);
      if (known === undefined) series.set(key, { labels: row.labels, rows: [row] });
      else known.rows.push(row);
    }
    left = Math.max(0, left - rows.length);
  }
  const warnings = left === 0 ? [`results truncated to ${mostExemplars} exemplars`] : [];
  const texts = [...series.values()].map(({ labels, rows }) => seriesText(labels, rows));
  return { kind: 'data', data: pieces(jsonArray(texts)), warnings, infos: [] };
}

/** The selectors in an expression. */
function selectorsIn(expr: Expr): readonly VectorSelector[] {
  return expr.kind === 'vector' ? [expr] : childrenOf(expr).flatMap(selectorsIn);
}

function seriesText(labels: readonly Label[], rows: readonly SideRow[]): string {
  const exemplars = rows.map(({ timeMs, values: [value, own] }) => {
    const text = numberText(typeof value === 'number' ? value : Number.NaN);
    return `{"labels":${ownLabels(own)},"value":"${text}","timestamp":${timeText(timeMs)}}`;
  });
  return `{"seriesLabels":${labelsText(labels)},"exemplars":[${exemplars.join(',')}]}`;
}

/** The labels of an exemplar, as they are stored, as a JSON object. */
function ownLabels(text: unknown): string {
  const value = typeof text === 'string' ? parseJson(text) : undefined;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '{}';
}
