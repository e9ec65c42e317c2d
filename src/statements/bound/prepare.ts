import type { Exchange, PreparedStatement, PrepareRequest, SqlRequest } from '../../model/exchange.js';
import { parseStatement } from '../../sql/parser/statement.js';
import type { RowsContext } from '../inserts/insert-rows.js';
import { RequestReply, type RequestReplyContext } from '../request-reply.js';
import { knownTables } from './insert-bound.js';
import { fieldsOf, writtenText } from './statement.js';
import { readTemplate } from './template.js';

/** Context of prepared statements. */
interface PrepareContext extends RequestReplyContext, RowsContext {}

/** Says what the parameters of statements stand for. A statement without parameters must be one of the dialect. */
export class PreparePipeline extends RequestReply<PrepareRequest, PreparedStatement> {
  constructor(context: PrepareContext) {
    super('prepare', context, ({ request }: Exchange<PrepareRequest, PreparedStatement>, user) =>
      prepared(request, user, context),
    );
  }
}

async function prepared(request: PrepareRequest, user: string, context: RowsContext): Promise<PreparedStatement> {
  const { statement, database, table } = request;
  const template = readTemplate(statement.toString('utf8'));
  if (template.kind === 'text') {
    const isInsert = /^\s*(?:insert|import)\b/i.test(template.pieces[0] ?? '');
    const parameters = template.pieces.length - 1;
    if (parameters === 0 && !isInsert) parseStatement(template.pieces[0] ?? '');
    return { isInsert, parameters, fields: isInsert ? [] : undefined };
  }
  const fields = await fieldsOf(template, table, knownTables({ database, user }, context));
  const tags = template.using?.tags.filter((tag) => tag === undefined).length ?? 0;
  return { isInsert: true, parameters: template.values + tags + Number(template.table === undefined), fields };
}

/** A query with the values of its parameters in their places; any other statement as it is. */
export function withParameters(request: SqlRequest): SqlRequest {
  const { bound, statement } = request;
  if (bound === undefined) return request;
  const template = readTemplate(statement.toString('utf8'));
  if (template.kind === 'insert') return request;
  return { ...request, statement: writtenText(template, bound.tables), bound: undefined };
}
