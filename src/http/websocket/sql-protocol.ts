import { expectedFault, FaultError } from '../../model/fault.js';
import { notSupported } from '../../model/refusals.js';
import { version } from '../../model/version.js';
import type { Arguments } from './arguments.js';
import { fetch, fetchBlock, fetchRawBlock, messageText, refusedFetch } from './fetch.js';
import type {
  BinaryAction,
  BinaryMessage,
  SocketAnswer,
  SocketProtocol,
  SocketRequest,
  TextAction,
} from './protocol.js';
import { writeRawBlock } from './raw-writes.js';
import { insertSchemaless } from './schemaless.js';
import { SqlSession } from './sql-session.js';
import { binaryStatementActions, statementActions } from './statement-actions.js';
import { describeStatement } from './statements.js';

/** The state of a server that serves everything, as clients have it. */
const serviceOk = 2;

const text: Readonly<Record<string, TextAction<SqlSession>>> = {
  version: { isPublic: true, run: () => ({ version }) },
  check_server_status: { isPublic: true, run: () => ({ status: serviceOk, details: '' }) },
  conn: { isPublic: true, run: (session, args, request) => session.connect(args, request) },
  query: { run: (session, args, request) => session.query(args.text('sql'), request) },
  fetch: { run: fetch, errorMembers: (args) => ({ id: args.id('id') }) },
  fetch_block: { run: fetchBlock },
  free_result: { run: freeResult },
  num_fields: { run: (session, args) => ({ num_fields: session.results.get(args.id('result_id')).meta.length }) },
  options_connection: { run: (session, args) => session.setOptions(args) },
  get_current_db: { run: (session) => session.currentDatabase() },
  get_server_info: { run: (session) => session.serverInfo() },
  insert: { run: insertSchemaless },
  ...statementActions,
  get_connection_info: { run: (session) => session.connectionInfo() },
};

const binary: Readonly<Record<number, BinaryAction<SqlSession>>> = {
  ...binaryStatementActions,
  6: {
    name: 'binary_query',
    run: (session, message, request) => session.query(messageText(message, 'binary query'), request),
  },
  3: refusedAction('write_raw'),
  4: { name: 'write_raw_block', run: writeRawBlock },
  5: { name: 'write_raw_block_with_fields', run: writeRawBlock },
  10: { name: 'validate_sql', run: validate },
  7: { name: 'fetch_raw_block', run: fetchRawBlock, refuse: refusedFetch },
};

/** Raw messages of topics hold definitions of tables, too. */
function refusedAction(name: string): BinaryAction<SqlSession> {
  return {
    name,
    run: () => {
      throw new FaultError(notSupported(name));
    },
  };
}

/** The code of the error of a statement, 0 where it has none; the statement does not run. */
async function validate(session: SqlSession, message: BinaryMessage, request: SocketRequest): Promise<SocketAnswer> {
  const statement = Buffer.from(messageText(message, 'validate SQL'));
  try {
    await describeStatement(session, { statement }, request);
  } catch (error) {
    return { result_code: expectedFault(error).code };
  }
  return { result_code: 0 };
}

/** Clients wait for no answer. */
async function freeResult(session: SqlSession, args: Arguments): Promise<undefined> {
  await session.results.free(args.id('id'));
}

/** Queries, binding and schemaless writes, each action a row. */
export const sqlProtocol: SocketProtocol<SqlSession> = {
  begin: (link, context) => new SqlSession(link, context),
  text: new Map(Object.entries(text)),
  binary: new Map(Object.entries(binary).map(([number, action]) => [Number(number), action])),
};
