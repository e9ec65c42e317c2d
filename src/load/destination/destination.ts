import { setMaxListeners } from 'node:events';
import { FaultError, fault, isTransientError } from '../../model/fault.js';
import { retried } from '../execution/attempts.js';
import { faultLine } from '../execution/statements.js';
import { cutAfterGrace, firstResponse } from '../execution/stopping.js';
import type { RunLog, RunSql } from '../model/ports.js';
import type { Attempts, LoadConnection } from '../model/scenario.js';
import type { EmbeddedLimits, EmbeddedService } from './embedded-service.js';
import { HttpService, unreachableWords } from './http-service.js';
import { httpStatements, pingHttp } from './http-statements.js';

/** The two ways to the database: through the service's own pipelines in this process, or through the HTTP service. */
type Way = 'embedded' | 'http';

/** What a run needs to reach the database. */
interface DestinationNeeds {
  readonly connection: LoadConnection;
  /** The way of its statements. */
  readonly statements: Way;
  /** The ways of its rows, where they differ from that. */
  readonly rows?: readonly Way[];
  /** Attempts to reach the database first. Left out, the first statement over HTTP is the only one. */
  readonly attempts?: Attempts;
  readonly limits: EmbeddedLimits;
  /** Connections to the HTTP service at most. */
  readonly httpConnections: number;
  /** How long the HTTP service may be silent, where not as long as usual. */
  readonly requestTimeoutMs?: number;
}

/** Surroundings of a run. */
export interface DestinationContext {
  readonly version: string;
  readonly log: RunLog;
  /** Fires when a person stops the run. */
  readonly stop: AbortSignal;
}

/** The ways to the database that a run uses. Where the embedded service cannot be reached, HTTP takes its place. */
interface Destination {
  readonly run: RunSql;
  readonly embedded: EmbeddedService | undefined;
  readonly http: HttpService | undefined;
  /** Fires when nothing may wait any longer. */
  readonly cut: AbortSignal;
}

/** How long a server may take to respond as an HTTP service. */
const fallbackTimeoutMs = 5000;

/**
 * Opens the ways that a run needs, does its work, and closes them. Throws a FaultError when the database cannot be
 * reached, and a StoppedBeforehand when a person stops the run before it is.
 */
export async function withDestination<T>(
  needs: DestinationNeeds,
  context: DestinationContext,
  work: (destination: Destination) => Promise<T>,
): Promise<T> {
  const opened = await openWays(needs, context);
  const { embedded, http } = opened;
  const run =
    http !== undefined && (needs.statements === 'http' || embedded === undefined)
      ? httpStatements(http)
      : embedded?.run;
  if (run === undefined) throw new Error('A run has no way to the database.');
  const cut = new AbortController();
  setMaxListeners(0, cut.signal);
  const cancelCut = cutAfterGrace(context, () => {
    embedded?.cut();
    http?.close();
    cut.abort();
  });
  try {
    return await work({ run, embedded, http, cut: cut.signal });
  } finally {
    cancelCut();
    await close(opened);
  }
}

type Opened = Pick<Destination, 'embedded' | 'http'>;

async function close({ embedded, http }: Opened): Promise<void> {
  http?.close();
  await embedded?.stop();
}

async function openWays(needs: DestinationNeeds, context: DestinationContext): Promise<Opened> {
  const needed = new Set([needs.statements, ...(needs.rows ?? [])]);
  const attempts = needs.attempts ?? { more: 0, intervalMs: 0 };
  const opened = needed.has('embedded')
    ? await untilReached(() => openEmbedded(needs, context), attempts, context)
    : { embedded: undefined, http: undefined };
  if (opened.http !== undefined || !needed.has('http')) return opened;
  const http = httpServiceOf(needs, needs.connection.httpPort);
  try {
    const otherwise = `No service at ${http.url}`;
    const reach = () => firstResponse({ response: pingHttp(http), otherwise, stop: context.stop });
    if (needs.attempts !== undefined) await untilReached(reach, attempts, context);
  } catch (error) {
    await close({ ...opened, http });
    throw error;
  }
  return { ...opened, http };
}

/**
 * The embedded service; where its engine cannot be reached, the HTTP service of the same server, for which address,
 * user and password are enough. Only the named port is tried where the run names one: another server may listen on the
 * usual one. Throws the FaultError of the engine when there is no HTTP service either, and that of HTTP when it does
 * not know user or password.
 */
async function openEmbedded(needs: DestinationNeeds, context: DestinationContext): Promise<Opened> {
  const { connection, limits } = needs;
  const { isBehindHttp, openEmbeddedService } = await import('./embedded-service.js');
  if (isBehindHttp(connection)) return openFallback(needs, context);
  try {
    return { embedded: await openEmbeddedService(connection, context, limits), http: undefined };
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.kind === 'auth') throw error;
    const opened = await openFallback(needs, context).catch((failure: unknown) => {
      throw failure instanceof FaultError && failure.fault.kind !== 'auth' ? error : failure;
    });
    context.log.debug(`The database was not reached directly: ${error.fault.message}.`);
    return opened;
  }
}

/** The HTTP service in the place of the embedded one, once it has responded to this user. */
async function openFallback(needs: DestinationNeeds, { log, stop }: DestinationContext): Promise<Opened> {
  const { namedPort, httpPort } = needs.connection;
  const http = httpServiceOf(needs, namedPort ?? httpPort);
  const otherwise = `No HTTP service at ${http.url}`;
  try {
    await firstResponse({ response: pingHttp(http), otherwise, stop, timeoutMs: fallbackTimeoutMs });
  } catch (error) {
    http.close();
    if (!(error instanceof FaultError) || error.fault.kind === 'auth') throw error;
    const { kind, code, message, cause } = error.fault;
    const reason = cause === undefined ? message : unreachableWords(cause);
    throw new FaultError(fault(kind, code, `${otherwise}: ${reason}; -P names its port`, error.fault));
  }
  log.info(`Statements and rows go through the HTTP service at ${http.url}.`);
  return { embedded: undefined, http };
}

function httpServiceOf(needs: DestinationNeeds, port: number): HttpService {
  const { host, user, password, tls } = needs.connection;
  const { httpConnections: connections, requestTimeoutMs } = needs;
  return new HttpService({
    host,
    port,
    user,
    password,
    tls,
    connections,
    ...(requestTimeoutMs && { requestTimeoutMs }),
  });
}

/** The first success, over outages that pass; other faults are final. */
async function untilReached<T>(
  reach: () => Promise<T>,
  attempts: Attempts,
  { log, stop }: DestinationContext,
): Promise<T> {
  type Ending = { readonly value: T } | { readonly error: unknown };
  const ending = await retried<Ending>({
    attempts,
    log,
    stop,
    verb: 're-connect',
    run: () =>
      reach()
        .then((value) => ({ value }))
        .catch((error: unknown) => ({ error })),
    reasonToRetry: (result) =>
      'error' in result && isTransientError(result.error) ? faultLine(result.error.fault) : undefined,
  });
  if ('error' in ending) throw ending.error;
  return ending.value;
}
