import { FaultError, fault } from '../model/fault.js';
import { isBehindService, unreachableWords } from './engine-address.js';
import { firstAnswer } from './execution/stopping.js';
import type { RunLog } from './model/ports.js';
import type { LoadConnection } from './model/scenario.js';
import { HttpService } from './sinks/http-service.js';
import { restStatements } from './sinks/rest-statements.js';

/** How long a server may take to say that it is an HTTP service. */
const firstAnswerTimeoutMs = 5000;

/** Facts for the search for the HTTP service. */
interface ServiceSearch {
  readonly connection: LoadConnection;
  /** Connections at most. */
  readonly connections: number;
  readonly requestTimeoutMs?: number;
  readonly log: RunLog;
  readonly stop: AbortSignal;
}

/**
 * Result of `open`, which uses the database itself; where that cannot be reached, the HTTP service of the same server, for which address,
 * user and password are enough. Only the named port is asked where one is named: another server may listen on the usual one. Throws the
 * FaultError of the database when there is no service either, and the service's own when it does not know user or password.
 */
export async function openOrService<T>(open: () => Promise<T>, search: ServiceSearch): Promise<T | HttpService> {
  const { connection, log } = search;
  if (isBehindService(connection)) return answeringService(search);
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.kind === 'auth') throw error;
    const service = await answeringService(search).catch((failure: unknown) => {
      if (failure instanceof FaultError && failure.fault.kind !== 'auth') throw error;
      throw failure;
    });
    log.info(`The database itself cannot be used (${error.fault.message}).`);
    return service;
  }
}

/** The HTTP service, when it answers this user; everything then goes through it. */
async function answeringService({
  connection,
  connections,
  requestTimeoutMs,
  log,
  stop,
}: ServiceSearch): Promise<HttpService> {
  const { host, namedPort, httpPort, user, password, tls } = connection;
  const limits = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
  const service = new HttpService({ host, port: namedPort ?? httpPort, user, password, tls, connections, ...limits });
  const otherwise = `No HTTP service at ${service.url}`;
  try {
    const ask = askVersion(service);
    await firstAnswer({ ask, otherwise, stop, timeoutMs: firstAnswerTimeoutMs, tooLate: () => {} });
  } catch (error) {
    service.close();
    if (!(error instanceof FaultError) || error.fault.kind === 'auth') throw error;
    const { kind, code, message, cause } = error.fault;
    const reason = cause === undefined ? message : unreachableWords(cause);
    throw new FaultError(fault(kind, code, `${otherwise}: ${reason}; -P names its port`, error.fault));
  }
  log.info(`Statements and rows go through the HTTP service at ${service.url}.`);
  return service;
}

/** Sees whether the service answers, and to this user. */
export async function askVersion(http: HttpService): Promise<void> {
  const answer = await restStatements(http)('SELECT SERVER_VERSION()');
  if (answer.kind === 'rows') for await (const _ of answer.lines);
}
