import type { Fault } from '../../../model/fault.js';
import { quotedName, quotedText } from '../../../text/quoted-name.js';
import { refusalOf } from '../../answer/refusal.js';
import { safeJson, sendJson } from '../../answer/reply.js';
import { isFault } from '../../request/auth.js';
import type { AdmittedCall, Handler, HandlerContext, KnownCall, Reply } from '../../request/call.js';
import { parameterFault } from '../../request/parameters.js';
import { collectBody } from '../../request/request-body.js';
import { influx1Errors, nameInflux } from './influx.js';
import { type InfluxStatement, readInfluxQl } from './influx-ql.js';
import { databaseOptions, expirySeconds, type InfluxRows, isSystem, runSql } from './influx-sql.js';

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
 * `GET /query` and `POST /query`: the statements that clients of version 1 send around their writes, run as SQL with
 * the rights of the user. Anything else is 400 with the way to query instead. `q` stands in the query string or in a
 * form.
 */
export function influxQueryHandler(context: HandlerContext): Handler<KnownCall> {
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
 * The parameters of the query string, or of the form where that has the statements. Without need the body is not read:
 * there are clients that say of an empty one that it is gzipped.
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
): Promise<Reply> {
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

type RunSql = (statement: string) => Promise<InfluxRows>;

/** What a statement is answered beside its number. */
interface Result {
  readonly series?: readonly Series[];
  readonly messages?: readonly { readonly level: 'warning'; readonly text: string }[];
}

async function answerTo(statement: InfluxStatement, current: string, sql: RunSql): Promise<Result | Fault> {
  switch (statement.kind) {
    case 'create-database': {
      const result = await sql(
        `CREATE DATABASE IF NOT EXISTS ${quotedName(statement.name)} ${databaseOptions(statement.keepMinutes)}`,
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

/** The one policy of a database: how long it keeps rows. */
async function policiesOf(database: string, sql: RunSql): Promise<Series | Fault> {
  if (database === '') return parameterFault('database name required');
  const rows = await sql(`SELECT \`keep\` FROM information_schema.ins_databases WHERE name = ${quotedText(database)}`);
  if (isFault(rows)) return rows;
  const keep = rows[0]?.[0];
  if (typeof keep !== 'string') return parameterFault(`database not found: ${database}`);
  const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'];
  return { columns, values: [['autogen', durationOf(keep), '168h0m0s', 1, true]] };
}

/** How long rows are kept, as InfluxQL shows it: `0s` is for ever. */
function durationOf(keep: string): string {
  const seconds = expirySeconds(keep);
  return seconds === 0 ? '0s' : `${Math.floor(seconds / 3600)}h0m0s`;
}

/**
 * `/api/v3/query_sql` and `/api/v3/query_influxql`: 400 with the way to query here. Clients of version 3 see by
 * the status whether their token is right.
 */
export function influxQuery3Handler({ settings }: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const message =
      'queries of InfluxDB 3 are not answered here; ask in SQL: POST /rest/sql/<database>, with SQL as the body';
    return influx1Errors(call, refusalOf(parameterFault(message), 'parameter'), settings);
  };
}
