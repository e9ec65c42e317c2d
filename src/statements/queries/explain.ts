import type { Engine, ResultOptions } from '../../database/engine/engine.js';
import type { SqlAnswer } from '../../model/exchange.js';
import { dataType } from '../../model/schema.js';
import { arrayRowFormat, withSettings } from '../../sql/engine/settings.js';
import { outline } from '../../sql/plan/explain.js';
import { planQuery, type QueryPlan } from '../../sql/plan/query.js';
import type { Query } from '../../sql/syntax/ast.js';
import type { Explain } from '../../sql/syntax/ast-statement.js';
import type { QueryContext } from '../../sql/values/context.js';
import { listingAnswer, type RequestScope, runRegistered, type StatementContext, upToDate } from '../context.js';
import type { Listing } from '../definitions/listing.js';
import { readable, stored } from './queries.js';

/** Runs EXPLAIN, which SHOW QUERIES lists and KILL QUERY cancels like a query. */
export async function answerExplain(
  written: Query,
  how: Explain,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const { request } = scope;
  const listing = await runRegistered(scope, context, ({ signal }) =>
    upToDate(context, async (mayAssume) => {
      await stored(written, request.database, context);
      const text = request.statement.toString('utf8');
      const { query, context: names } = await readable(written, scope, context);
      const explained = { written, text, query, context: { ...names, mayAssume } };
      return explain(explained, how, context.engine, { signal, owner: scope.user });
    }),
  );
  return listingAnswer(listing, scope);
}

/** A query to be explained, as it was written and as it is planned. */
interface ExplainedQuery {
  readonly written: Query;
  /** The statement that the query was read from. */
  readonly text: string;
  /** The same with its views written out. */
  readonly query: Query;
  readonly context: QueryContext;
}

/** Longest row of text, in bytes. */
const maxLineBytes = 16_384;

/**
 * The rows of EXPLAIN: the steps of the query; when verbose, also the statement of the engine that they become and the
 * engine's own plan with what its indexes leave; to analyse, the query runs, and its cost is shown. Throws the
 * FaultErrors of the query.
 */
async function explain(
  { written, text, query, context }: ExplainedQuery,
  { analyze, verbose }: Explain,
  engine: Engine,
  how: ResultOptions,
): Promise<Listing> {
  const plan = planQuery(query, context);
  const lines = outline(written, text, context);
  if (analyze) lines.push(...(await measured(plan, engine, how)));
  if (verbose) {
    const steps = await engine.rows(`EXPLAIN indexes = 1 ${withSettings(plan.sql, plan.settings)}`);
    lines.push(`Statement: ${plan.sql}`, 'Plan of the engine:', ...steps.map(([step]) => `   ${String(step)}`));
  }
  const meta = [{ name: 'QUERY_PLAN', type: dataType('VARCHAR', maxLineBytes) }];
  return { meta, rows: lines.map((line) => [Buffer.from(line).toString('utf8', 0, maxLineBytes)]) };
}

/** Runs a query to its end, discards its rows and returns their number, bytes and time. */
async function measured({ sql, settings }: QueryPlan, engine: Engine, how: ResultOptions): Promise<string[]> {
  const began = performance.now();
  let rows = 0;
  let bytes = 0;
  for await (const piece of await engine.result(
    { statement: withSettings(sql, settings), format: arrayRowFormat },
    how,
  )) {
    bytes += piece.length;
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++;
  }
  return [`Rows: ${rows}`, `Bytes of the answer: ${bytes}`, `Time: ${(performance.now() - began).toFixed(1)} ms`];
}
