import { Access } from '../../database/catalogue/rights.js';
import type { Cell } from '../../database/engine/engine.js';
import type { SqlRequest } from '../../model/exchange.js';
import { Codes, FaultError } from '../../model/fault.js';
import type { DataType } from '../../model/schema.js';
import { withSettings } from '../../sql/engine/settings.js';
import { type CallInValues, callsInValues } from '../../sql/insert/calls.js';
import { parseStatement } from '../../sql/parser/statement.js';
import { planQuery } from '../../sql/plan/query.js';
import type { Query } from '../../sql/syntax/ast.js';
import { collectTables } from '../../sql/values/context.js';
import { quotedText } from '../../text/quoted-name.js';
import type { RequestScope, StatementContext } from '../context.js';
import { queryContext } from '../queries/query-names.js';

/** Calls that one query of the engine computes. */
const callsPerQuery = 500;
/** Longest statement that is searched for calls, in bytes: a search blocks the event loop. */
const longestSearched = 1024 * 1024;

/** Runs a statement. When it fails because its values call functions, it retries with the results of the calls. */
export async function withCalls<T>(
  scope: RequestScope,
  context: StatementContext,
  run: (scope: RequestScope, isComputed: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await run(scope, false);
  } catch (error) {
    const request = await withComputedValues(error, scope, context);
    if (request === undefined) throw error;
    return run({ ...scope, request }, true);
  }
}

/**
 * A failed statement with its calls of functions replaced by their values; undefined when it has none, or failed for
 * another reason than its text. Throws the FaultErrors of the calls.
 */
async function withComputedValues(
  error: unknown,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlRequest | undefined> {
  if (!(error instanceof FaultError) || error.fault.code !== Codes.insertSyntax) return undefined;
  const { request } = scope;
  const calls = request.statement.length > longestSearched ? [] : callsInValues(request.statement);
  if (calls.length === 0) return undefined;
  const pieces: Buffer[] = [];
  let done = 0;
  for (let at = 0; at < calls.length; ) {
    const batch = sameDatabase(calls, at);
    const texts = batch.map(({ start, end }) => request.statement.toString('utf8', start, end));
    const values = await computed(texts, batch[0]?.database, scope, context);
    if (values === undefined) return undefined;
    for (const [i, { start, end }] of batch.entries()) {
      pieces.push(request.statement.subarray(done, start), values[i]!);
      done = end;
    }
    at += batch.length;
  }
  return { ...request, statement: Buffer.concat([...pieces, request.statement.subarray(done)]) };
}

/** The batch of calls from `from` on: those into tables of one database, because its precision matters. */
function sameDatabase(calls: readonly CallInValues[], from: number): CallInValues[] {
  const end = calls.findIndex(({ database }, at) => at > from && database !== calls[from]?.database);
  return calls.slice(from, Math.min(end < 0 ? calls.length : end, from + callsPerQuery));
}

/** A query of one row with the values of calls; undefined where they are none, or read tables. */
function queryOf(calls: readonly string[]): Query | undefined {
  try {
    const parsed = parseStatement(`SELECT ${calls.join(', ')} FROM TEXT(\`one row\` INT) VALUES (0)`);
    if (parsed.kind !== 'query' || collectTables(parsed.query).length > 0) return undefined;
    return parsed.query;
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}

/** The values of calls as literals of the dialect; undefined where they are none, or read tables. */
async function computed(
  calls: readonly string[],
  database: string | undefined,
  { request, user }: RequestScope,
  context: StatementContext,
): Promise<Buffer[] | undefined> {
  const query = queryOf(calls);
  if (query === undefined) return undefined;
  const own = { ...request, database: database ?? request.database, form: 'arrays' as const, rowLimit: -1 };
  const names = await queryContext([], () => undefined, own, new Access(context.catalogue, user), 'READ', context);
  const known = withoutPlace(() => planQuery(query, names));
  const isShape = known.meta.map(({ type }) => type.name === 'GEOMETRY');
  // Shapes are written as text.
  const printed = isShape.includes(true)
    ? queryOf(calls.map((call, at) => (isShape[at] ? `ST_AsText(${call})` : call)))
    : undefined;
  const { sql, settings, meta } = printed === undefined ? known : withoutPlace(() => planQuery(printed, names));
  // Numbers of 64 bits come as text, so that no digit is lost.
  const [row] = await context.engine.system.rows(
    withSettings(sql, settings, 'output_format_json_quote_64bit_integers = 1'),
  );
  return meta.map(({ type }, at) => literal(row?.[at] ?? null, type));
}

/** The place of a mistake is that in the query, not that in the statement. */
function withoutPlace<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const { place: _, ...rest } = error.fault;
    throw new FaultError(rest);
  }
}

function literal(value: Cell | object, { name }: DataType): Buffer {
  if (value === null) return Buffer.from('NULL');
  // What TO_JSON gives stands in the row as it is.
  if (typeof value === 'object') return Buffer.from(quotedText(JSON.stringify(value)));
  if (typeof value !== 'string' || /INT|DECIMAL/.test(name)) return Buffer.from(String(value));
  if (name !== 'VARBINARY') return Buffer.from(quotedText(value));
  // One character per byte, so that nothing is read as UTF-8.
  return Buffer.from(quotedText(Buffer.from(value, 'hex').toString('latin1')), 'latin1');
}
