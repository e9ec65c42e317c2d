import type { FastifyReply } from 'fastify';
import { isWhole, type SqlAnswer, type SqlRequest } from '../../../model/exchange.js';
import type { Fault } from '../../../model/fault.js';
import { quotedName } from '../../../text/quoted-name.js';
import { ask } from '../../answer/exchange.js';
import { refusalOf } from '../../answer/refusal.js';
import { safeJson, sendJson } from '../../answer/reply.js';
import { isFault } from '../../request/auth.js';
import type { AdmittedCall, Handler, HandlerContext } from '../../request/call.js';
import { parameterFault } from '../../request/parameters.js';
import { collectBody } from '../../request/request-body.js';
import { influx1Errors, nameInflux } from './influx.js';
import { type InfluxStatement, readInfluxQl } from './influx-ql.js';

/** Longest text of statements. */
const maxQueryBytes = 64 * 1024;
const elsewhere =
  'InfluxQL is answered as far as clients need it to write (CREATE DATABASE, DROP DATABASE, SHOW DATABASES, SHOW RETENTION POLICIES); ask in SQL: POST /rest/sql';
const policyNote = 'retention policies mean nothing here: ALTER DATABASE name KEEP days says how long rows are kept';

interface Series {
  readonly name?: string;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

/**
 * `GET /query` and `POST /query`: the statements that clients of version 1 send around their writes, run as SQL with the rights of
 * the user. Anything else is 400 with the way to ask instead. `q` stands in the query string or in a form.
 */
export function influxQueryHandler(context: HandlerContext): Handler<AdmittedCall> {
  const { settings } = context;
  return async (call) => {
    const refuse = (failure: Fault) => influx1Errors(call, refusalOf(failure, 'parameter'), settings);
    const parameters = await readParameters(call, context);
    if (isFault(parameters)) return refuse(parameters);
    const statements = readInfluxQl(parameters.get('q') ?? '');
    if (statements.length === 0) return refuse(parameterFault('missing required parameter "q"'));
    const known: InfluxStatement[] = [];
    for (const statement of statements) {
      if ('problem' in statement)
        return refuse(parameterFault(`error parsing query: ${statement.problem}. ${elsewhere}`));
      known.push(statement);
    }
    return run(call, context, known, parameters.get('db') ?? '');
  };
}

/**
 * The parameters of the query string, or of the form where that has the statements. Without need the body is not looked at: there are
 * clients that say of an empty one that it is gzipped.
 */
async function readParameters(call: AdmittedCall, context: HandlerContext): Promise<URLSearchParams | Fault> {
  const { request, query } = call;
  if (request.method !== 'POST' || query.has('q')) return query;
  const body = await collectBody(call, context, { maxBytes: maxQueryBytes, what: 'query' });
  if (isFault(body)) return body;
  const form = new URLSearchParams(body.bytes.toString());
  body.release();
  if (!form.has('db') && query.has('db')) form.set('db', query.get('db') ?? '');
  return form;
}

/** Runs statements one after the other; the first that fails ends them, as the error of its result. */
async function run(
  call: AdmittedCall,
  context: HandlerContext,
  statements: readonly InfluxStatement[],
  database: string,
): Promise<FastifyReply> {
  const results: object[] = [];
  for (const [id, statement] of statements.entries()) {
    const result = await answerTo(statement, database, (sql) => runSql(call, context, sql));
    if (isFault(result)) {
      const refusal = refusalOf(result);
      if (refusal.status === 401 || refusal.status >= 500) return influx1Errors(call, refusal, context.settings);
      results.push({ statement_id: id, error: result.message });
      break;
    }
    results.push({ statement_id: id, ...result });
  }
  return sendJson(nameInflux(call.reply), 200, safeJson({ results }));
}

type RunSql = (statement: string) => Promise<readonly (readonly unknown[])[] | Fault>;

/** What a statement is answered beside its number. */
interface Result {
  readonly series?: readonly Series[];
  readonly messages?: readonly { readonly level: 'warning'; readonly text: string }[];
}

async function answerTo(statement: InfluxStatement, current: string, sql: RunSql): Promise<Result | Fault> {
  switch (statement.kind) {
    case 'create-database': {
      const result = await sql(
        `CREATE DATABASE IF NOT EXISTS ${quotedName(statement.name)} PRECISION 'ns'${keepOptions(statement.keepMinutes)}`,
      );
      return isFault(result) ? result : {};
    }
    case 'drop-database': {
      const result = await sql(`DROP DATABASE IF EXISTS ${quotedName(statement.name)}`);
      return isFault(result) ? result : {};
    }
    case 'show-databases': {
      const values = await sql('SHOW DATABASES');
      if (isFault(values)) return values;
      return {
        series: [{ name: 'databases', columns: ['name'], values: values.filter(([name]) => !isSystem(String(name))) }],
      };
    }
    case 'show-retention-policies': {
      const policies = await policiesOf(statement.database ?? current, sql);
      return isFault(policies) ? policies : { series: [policies] };
    }
    case 'retention-policy': {
      const policies = await policiesOf(statement.database, sql);
      return isFault(policies) ? policies : { messages: [{ level: 'warning', text: policyNote }] };
    }
  }
}

const dayMinutes = 24 * 60;
/** Least and most that a database keeps rows, and the longest part that it is stored in by default. */
const [leastKeep, mostKeep, usualPart] = [dayMinutes, 365_000 * dayMinutes, 10 * dayMinutes];

/** Options of a database that keeps rows so long; a day at least. Three parts of it must fit into that time. */
function keepOptions(minutes: number | undefined): string {
  if (minutes === undefined) return '';
  const keep = Math.min(mostKeep, Math.max(leastKeep, minutes));
  return ` KEEP ${keep}m DURATION ${Math.min(usualPart, Math.floor(keep / 3))}m`;
}

function isSystem(name: string): boolean {
  return name === 'information_schema' || name === 'performance_schema';
}

/** The one policy of a database: how long it keeps rows. */
async function policiesOf(database: string, sql: RunSql): Promise<Series | Fault> {
  if (database === '') return parameterFault('database name required');
  const name = database.replaceAll("'", "''");
  const rows = await sql(`SELECT \`keep\` FROM information_schema.ins_databases WHERE name = '${name}'`);
  if (isFault(rows)) return rows;
  const keep = rows[0]?.[0];
  if (typeof keep !== 'string') return parameterFault(`database not found: ${database}`);
  const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'];
  return { columns, values: [['autogen', `${hoursIn(keep)}h0m0s`, '168h0m0s', 1, true]] };
}

const unitHours: Readonly<Record<string, number>> = { m: 1 / 60, h: 1, d: 24 };

/** Whole hours of the longest of the spans in `KEEP`. */
function hoursIn(keep: string): number {
  const spans = [...keep.matchAll(/(\d+)([mhd])/g)].map(([, count, unit = 'd']) => Number(count) * unitHours[unit]!);
  return Math.floor(Math.max(0, ...spans));
}

async function runSql(
  { id, credentials, aborted }: AdmittedCall,
  { intake }: HandlerContext,
  text: string,
): Promise<readonly (readonly unknown[])[] | Fault> {
  const request: SqlRequest = {
    statement: Buffer.from(text),
    database: undefined,
    credentials,
    timeZone: 'UTC',
    connectionZone: undefined,
    keyed: false,
    rowLimit: -1,
  };
  const outcome = await ask<SqlRequest, SqlAnswer>((exchange) => intake.sql(exchange), id, request, aborted);
  if (outcome.kind === 'refused') return outcome.fault;
  if (outcome.answer.kind === 'affected') return [];
  const { lines } = outcome.answer;
  const pieces: Uint8Array[] = [];
  if (isWhole(lines)) pieces.push(...lines);
  else for await (const piece of lines) pieces.push(piece);
  const rows: unknown = JSON.parse(
    `[${Buffer.concat(pieces).toString().trim().split('\n').filter(Boolean).join(',')}]`,
  );
  return Array.isArray(rows) ? rows.filter((row) => Array.isArray(row)) : [];
}
