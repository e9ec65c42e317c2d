import { resolveAdapterSettings, type Settings } from '../config/adapter-settings.js';
import { mistakesIn } from '../config/resolve.js';
import { EngineClient } from '../database/engine/client.js';
import { isUnknownUser } from '../database/engine/engine-faults.js';
import { isLoopback } from '../database/host/connection/options.js';
import { type EngineEndpoint, findEndpoint } from '../database/host/endpoint-file.js';
import { Codes, type Fault, FaultError, fault } from '../model/fault.js';
import { attachedEngine, type RunningEngine } from '../service/running-engine.js';
import type { LoadConnection } from './model/scenario.js';
import { serverDefaults } from './settings/keys/table.js';

const { host: defaultHost, port: defaultPort } = serverDefaults;

/** Where the engine is and as whom it is used. */
interface EngineAddress extends EngineEndpoint {
  readonly isServer: boolean;
  /** Set when user and password are told by the engine itself: those it tells now. */
  readonly renew?: () => { readonly user: string; readonly password: string } | undefined;
}

/**
 * The settings of the service as the directory of the connection (`adapter.toml`), the environment and the defaults have them.
 * @throws FaultError that names what is refused.
 */
export function settingsOf({ configDirectory }: LoadConnection): Settings {
  const argv = configDirectory === undefined ? [] : [`--dbConfigDir=${configDirectory}`];
  const resolution = resolveAdapterSettings('sluice-bench', argv, process.env);
  if (resolution.outcome === 'settings') return resolution.settings;
  throw new FaultError(fault('parameter', Codes.invalidParameters, mistakesIn(resolution).join(' ')));
}

/**
 * Where the engine is: host and port of the run where they are not the defaults, otherwise those of the settings. User and
 * password are those of the settings; an engine of this machine that runs as the same operating-system user is found without.
 */
export function addressOf(connection: LoadConnection, { database }: Settings): EngineAddress {
  const { user, password } = database;
  const [node] = database.urls;
  if (database.mode === 'cluster' && node !== undefined && !isNamed(connection))
    return { url: node, user, password, isServer: true };
  const host = connection.host === defaultHost ? reachable(database.host) : connection.host;
  const port = connection.port === defaultPort ? database.port || defaultPort : connection.port;
  if (password === '' && isLoopback(host)) {
    const endpoint = findEndpoint(port);
    if (endpoint !== undefined) return { ...endpoint, isServer: false, renew: () => findEndpoint(port) };
  }
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { url, user, password, isServer: database.mode === 'cluster' };
}

/** True where the settings lead to a cluster of several nodes, and the run names no other engine. */
export function isOnCluster(connection: LoadConnection, { database }: Settings): boolean {
  return database.mode === 'cluster' && database.cluster !== '' && !isNamed(connection);
}

function isNamed({ host, port }: LoadConnection): boolean {
  return host !== defaultHost || port !== defaultPort;
}

/** True when only the HTTP service can be reached: an engine admits clients of other machines with its password alone. */
export function isBehindService(connection: LoadConnection): boolean {
  const { url, password } = addressOf(connection, settingsOf(connection));
  return password === '' && !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** An address that is listened on, as one that can be called. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

/** A client of the engine that waits for nothing: whether anybody answers is seen at the first statement. */
export function engineAt(address: EngineAddress, connections: number, requestTimeoutMs?: number): RunningEngine {
  const client = new EngineClient({
    ...address,
    maxConnect: connections,
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
  });
  return attachedEngine(client, address.url);
}

/** Message for a person when the engine cannot be used at all; other faults stay as they are. */
export function connectionFault(failure: Fault, { url, password, renew }: EngineAddress): Fault {
  if (isUnknownUser(failure)) {
    const isGiven = password !== '';
    const cause =
      renew === undefined
        ? 'the password of ADAPTER_DATABASE_PASSWORD or adapter.toml is not its own'
        : 'another engine on that port has written its password over the one of this; start the service again';
    const hint = isGiven
      ? cause
      : 'name its password with ADAPTER_DATABASE_PASSWORD or a directory with adapter.toml (-c), or run as its user';
    const text = `The database engine at ${url} lets nobody in without its password: ${hint}`;
    // An engine that has just begun to listen is about to tell where it is.
    return fault(isGiven ? 'auth' : 'network', Codes.authenticationFailure, text, failure);
  }
  if (failure.kind !== 'network') return failure;
  return fault(
    'network',
    Codes.networkUnavailable,
    `No database at ${url}: ${unreachableWords(failure.cause)}; start the service, or name the port with -P`,
    failure,
  );
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'it does not answer',
};

/** Why a connection came to nothing, in words for a person. */
export function unreachableWords(cause: unknown): string {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const text = cause instanceof Error ? cause.message : String(cause);
  return reasons[code] ?? (text === '' ? code : text);
}
