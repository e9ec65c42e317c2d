import { Access } from '../../database/catalogue/rights.js';
import type { Cell } from '../../database/engine/engine.js';
import type { SqlRequest } from '../../model/exchange.js';
import { Codes, FaultError } from '../../model/fault.js';
import type { DataType } from '../../model/schema.js';
import { type CallInValues, callsInValues } from '../../sql/insert/calls.js';
import { parseStatement } from '../../sql/parser/statement.js';
import { planQuery } from '../../sql/plan/query.js';
import type { Query } from '../../sql/syntax/ast.js';
import { collectTables } from '../../sql/values/context.js';
import { quotedText } from '../../text/quoted-name.js';
import type { Asked, StatementContext } from './context.js';
import { queryContext } from './query-names.js';

/** Calls that one query of the engine computes. */
const callsPerQuery = 500;
/** Longer statements are not searched for calls, which would hold up others. */
const longestSearched = 1024 * 1024;

/** Runs a statement; when it is refused for a call of a function among its values, once more with the values of its calls. */
export async function withCalls<T>(
  asked: Asked,
  context: StatementContext,
  run: (asked: Asked, isComputed: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await run(asked, false);
  } catch (error) {
    const request = await withComputedValues(error, asked, context);
    if (request === undefined) throw error;
    return run({ ...asked, request }, true);
  }
}

/**
 * A refused statement with its calls of functions replaced by their values; undefined where it has none, or was refused for
 * something else than its text. Throws what a call is refused with.
 */
async function withComputedValues(
  error: unknown,
  asked: Asked,
  context: StatementContext,
): Promise<SqlRequest | undefined> {
  if (!(error instanceof FaultError) || error.fault.code !== Codes.insertSyntax) return undefined;
  const { request } = asked;
  const calls = request.statement.length > longestSearched ? [] : callsInValues(request.statement);
  if (calls.length === 0) return undefined;
  const pieces: Buffer[] = [];
  let done = 0;
  for (let at = 0; at < calls.length; ) {
    const together = sameDatabase(calls, at);
    const texts = together.map(({ start, end }) => request.statement.toString('utf8', start, end));
    const values = await computed(texts, together[0]?.database, asked, context);
    if (values === undefined) return undefined;
    for (const [i, { start, end }] of together.entries()) {
      pieces.push(request.statement.subarray(done, start), values[i]!);
      done = end;
    }
    at += together.length;
  }
  return { ...request, statement: Buffer.concat([...pieces, request.statement.subarray(done)]) };
}

/** The calls from one on that are computed together: those of tables of one database, whose precision counts. */
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
  { request, user }: Asked,
  context: StatementContext,
): Promise<Buffer[] | undefined> {
  const query = queryOf(calls);
  if (query === undefined) return undefined;
  const own = { ...request, database: database ?? request.database, keyed: false, rowLimit: -1 };
  const names = await queryContext([], () => undefined, own, new Access(context.catalogue, user), 'READ', context);
  const known = withoutPlace(() => planQuery(query, names));
  const isShape = known.meta.map(({ type }) => type.name === 'GEOMETRY');
  // Shapes are written as text.
  const printed = isShape.includes(true)
    ? queryOf(calls.map((call, at) => (isShape[at] ? `ST_AsText(${call})` : call)))
    : undefined;
  const { sql, settings, meta } = printed === undefined ? known : withoutPlace(() => planQuery(printed, names));
  // Numbers of 64 bits come as text, so that no digit is lost.
  const [row] = await context.engine.rows(`${sql} SETTINGS ${settings}, output_format_json_quote_64bit_integers = 1`);
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
