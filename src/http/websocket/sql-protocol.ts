import { version } from '../../model/version.js';
import type { BinaryAction, SocketProtocol, TextAction } from './protocol.js';
import { SqlSession } from './sql-session.js';

/** The state of a server that serves everything, as clients have it. */
const serviceOk = 2;

const text: Readonly<Record<string, TextAction<SqlSession>>> = {
  version: { isPublic: true, run: () => ({ version }) },
  check_server_status: { isPublic: true, run: () => ({ status: serviceOk, details: '' }) },
  conn: { isPublic: true, run: (session, args) => session.connect(args) },
  options_connection: { run: (session, args) => session.setOptions(args) },
  get_current_db: { run: (session) => session.currentDatabase() },
  get_server_info: { run: (session) => session.serverInfo() },
  get_connection_info: { run: (session) => session.connectionInfo() },
};

const binary: Readonly<Record<number, BinaryAction<SqlSession>>> = {};

/** Queries, binding and schemaless writes, each action a row. */
export const sqlProtocol: SocketProtocol<SqlSession> = {
  begin: (link, context) => new SqlSession(link, context),
  text: new Map(Object.entries(text)),
  binary: new Map(Object.entries(binary).map(([number, action]) => [Number(number), action])),
};
