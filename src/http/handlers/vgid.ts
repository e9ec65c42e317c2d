import { countJsonMarks } from '../../bytes/json-marks.js';
import { Codes, type Fault, fault, reasonOf } from '../../model/fault.js';
import { restErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { safeJson, sendJson } from '../answer/reply.js';
import { maxVgroupNames } from '../api/sql.js';
import { isFault } from '../request/auth.js';
import type { Handler, HandlerContext, KnownCall } from '../request/call.js';
import { collectBody } from '../request/request-body.js';

const illegalParams = fault('parameter', Codes.free, 'illegal params');

/** The longest body that lists names, in bytes. */
const maxBodyBytes = 32 * 1024 * 1024;

/** Question of one call. */
interface Question {
  readonly database: string;
  readonly tables: readonly string[];
}

/** `GET /rest/vgid?db=<db>&table=<table>`: the vgroup of a table, which need not exist; the database must. */
export function vgroupHandler(context: HandlerContext): Handler<KnownCall> {
  return answering(
    context,
    async ({ query }) => {
      const [database, table] = [query.get('db') ?? '', query.get('table') ?? ''];
      return database === '' || table === '' ? illegalParams : { database, tables: [table] };
    },
    ([vgID]) => ({ code: 0, vgID }),
  );
}

/** `POST /rest/sql/<db>/vgid`: the vgroups of the tables that the body names in a JSON array, in its order. */
export function vgroupsHandler(context: HandlerContext): Handler<KnownCall> {
  return answering(
    context,
    async (call) => {
      const { intake } = context;
      const database = call.params.db ?? '';
      // A user who may not see the database sends no body.
      const sight = await intake.vgroups(call.user, database, []);
      if (isFault(sight)) return sight;
      const body = await collectBody(call, context, { maxBytes: maxBodyBytes, what: 'list of names' });
      if (isFault(body)) return body;
      const tables = namesIn(body.bytes);
      body.release();
      return Array.isArray(tables) ? { database, tables } : tables;
    },
    (vgIDs) => ({ code: 0, vgIDs }),
  );
}

function namesIn(body: Buffer): string[] | Fault {
  // Names may hold commas and escapes, but not that many.
  if (countJsonMarks(body) > 2 * maxVgroupNames) return illegalParams;
  let content: unknown;
  try {
    content = JSON.parse(body.toString('utf8'));
  } catch (error) {
    return fault('parameter', Codes.free, `the body is not JSON: ${reasonOf(error)}`);
  }
  if (!Array.isArray(content) || content.length === 0 || content.length > maxVgroupNames) return illegalParams;
  const names: string[] = [];
  for (const name of content) {
    if (typeof name !== 'string' || name === '') {
      return fault('parameter', Codes.free, 'the body must be an array of table names');
    }
    names.push(name);
  }
  return names;
}

function answering(
  { intake, settings }: HandlerContext,
  read: (call: KnownCall) => Promise<Question | Fault>,
  shape: (vgroups: readonly number[]) => object,
): Handler<KnownCall> {
  return async (call) => {
    const question = await read(call);
    if (isFault(question)) return restErrors(call, refusalOf(question, 'parameter'), settings);
    const vgroups = await intake.vgroups(call.user, question.database, question.tables);
    if (isFault(vgroups)) return restErrors(call, refusalOf(vgroups), settings);
    return sendJson(call.reply, 200, safeJson(shape(vgroups)));
  };
}
