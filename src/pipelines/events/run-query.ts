import { randomUUID } from 'node:crypto';
import type { SqlAnswer, SqlRequest } from '../../model/exchange.js';
import { administrator } from '../../model/rights.js';
import type { SqlPipeline } from '../../statements/sql-pipeline.js';
import type { PromqlPipeline, RuleSample } from '../promql/pipeline.js';
import { parsedRows } from '../row-lines.js';
import { shownLabels } from '../series/series-labels.js';
import type { RunQuery } from './scheduled-watch.js';

/** No password is checked: rules belong to the operator. */
const ownCredentials = { scheme: 'token', token: '' } as const;

/** Runs the queries of rules, as the administrator, through the pipeline of statements. */
export function queriesOver(sql: Pick<SqlPipeline, 'runAs'>, promql: Pick<PromqlPipeline, 'samples'>): RunQuery {
  return async (database, { language, query }, limit, signal) => {
    if (language === 'promql') return elementsOf(await promql.samples(administrator, database, query, signal), limit);
    const request: SqlRequest = {
      statement: Buffer.from(query),
      database,
      credentials: ownCredentials,
      timeZone: 'UTC',
      connectionZone: undefined,
      form: 'objects',
      rowLimit: limit,
      emptyGroups: false,
    };
    const answer = await sql.runAs(administrator, randomUUID(), request, signal);
    return answer.kind === 'rows' ? readRows(answer, limit) : [];
  };
}

/** Samples as rows: the labels as columns, the series as `element`, its `value`. */
function elementsOf(samples: readonly RuleSample[], limit: number) {
  return samples.slice(0, limit).map(({ labels, value }): Readonly<Record<string, unknown>> => {
    return { ...Object.fromEntries(labels), element: shownLabels(labels), value };
  });
}

/** The rows of an answer, at most `limit` of them. */
async function readRows(answer: Extract<SqlAnswer, { kind: 'rows' }>, limit: number) {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for await (const row of parsedRows<Readonly<Record<string, unknown>>>(answer)) {
    rows.push(row);
    if (rows.length >= limit) break;
  }
  return rows;
}
