import { type ColumnMeta, isWhole, type SqlAnswer, type SqlRequest } from '../../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import { restErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { sendAffected, sendGuardRefusal, sendRows, sendWholeRows } from '../answer/reply.js';
import { sendRequest } from '../answer/send-request.js';
import { isFault } from '../request/auth.js';
import type { AdmittedCall, Call, Handler, HandlerContext, Reply } from '../request/call.js';
import { refuseAfterLogIn } from '../request/log-in-first.js';
import { redactUri } from '../request/redact.js';
import { isQuery } from '../request/statement-text.js';
import { readSqlRequest } from './sql-admission.js';

/** `POST /rest/sql` and `POST /rest/sql/<db>`: one statement in, one JSON body out. */
export function sqlHandler(context: HandlerContext): Handler<AdmittedCall> {
  const { intake } = context;
  return async (call) => {
    const { id } = call;
    const read = await readSqlRequest(call, context);
    if (isFault(read)) {
      const unknown = (failure: Fault) => refuse(call, context, failure);
      return refuseAfterLogIn(intake, call.credentials, { unknown, known: () => refuse(call, context, read) });
    }
    const { sql, release } = read;
    // The body took its time.
    const state = intake.guard();
    if (state === 'all-paused' || (state === 'query-paused' && isQuery(sql.statement))) {
      release();
      return sendGuardRefusal(call, context, state);
    }
    record(call, context, id, sql.statement);
    const outcome = await sendRequest<SqlRequest, SqlAnswer>((exchange) => intake.sql(exchange), id, sql, call.aborted);
    release();
    if (outcome.kind === 'refused') return refuse(call, context, outcome.fault);
    if (outcome.answer.kind === 'affected')
      return sendAffected(call.reply, outcome.answer.rows, sql.form === 'objects');
    const { meta, lines } = outcome.answer;
    if (!isWhole(lines)) return streamRows(call, context, sql, meta, lines);
    if (call.aborted.aborted) return undefined;
    return sendWholeRows(call, { meta, rowLimit: sql.rowLimit, lines });
  };
}

function record({ request, head }: Call, { recordSql }: HandlerContext, requestId: string, statement: Buffer): void {
  if (recordSql === undefined) return;
  const { method, url } = request;
  recordSql({ requestId, uri: redactUri(url), method, client: head.client, statement: statement.toString() });
}

/**
 * `POST /rest/sql/`: a trailing slash is not a database; the client is sent to the route it meant, with its method and
 * body.
 */
export const bareSqlHandler: Handler = async ({ query, reply }) => {
  const parameters = query.size > 0 ? `?${query}` : '';
  return reply.code(307).header('location', `/rest/sql${parameters}`).header('content-length', 0).send();
};

function refuse(call: Call, context: HandlerContext, failure: Fault): Reply {
  return restErrors(call, refusalOf(failure), context.settings);
}

/** The first chunk is awaited before the status goes out: what fails until then still gets a proper error body. */
async function streamRows(
  call: Call,
  context: HandlerContext,
  sql: SqlRequest,
  meta: readonly ColumnMeta[],
  pieces: AsyncIterable<Uint8Array>,
): Promise<Reply | undefined> {
  const lines = pieces[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array, unknown>;
  try {
    first = await lines.next();
  } catch (error) {
    return refuse(call, context, faultOf(call, context, error));
  }
  if (call.aborted.aborted) {
    if (first.done !== true) await lines.return?.();
    return undefined;
  }
  return sendRows(call, { meta, rowLimit: sql.rowLimit, first, lines }, context.log);
}

function faultOf(call: Call, context: HandlerContext, error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  if (!call.aborted.aborted) {
    context.log.error({ requestId: call.request.id, err: error }, 'A result failed before its first row.');
  }
  return fault('database', Codes.free, 'internal error', error);
}
