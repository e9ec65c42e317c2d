import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { adapterOptions } from '../../config/adapter-settings.js';
import { readTomlFile } from '../../config/toml-file.js';
import { reasonOf } from '../../model/fault.js';
import type { LoadConnection, LoadTls } from '../model/scenario.js';
import { type LoadInput, type LoadNote, warning } from './input.js';
import type { Values } from './keys/setting.js';
import { general, serverDefaults } from './keys/table.js';

const fileName = 'adapter.toml';

/** The connection cannot be as the settings say: a sentence. */
class ConnectionMistake extends Error {}

/**
 * Where the server is: as the settings say, otherwise as the configuration directory's `adapter.toml` does when they
 * name neither host nor port, otherwise on this machine. Of runs `overHttp` a port other than 6030 is that of the HTTP
 * service. The result is a sentence for a directory or a host that is invalid, and for certificates that cannot be
 * read.
 */
export function readConnection(
  values: Values,
  overHttp: boolean,
  input: LoadInput,
  notes: LoadNote[],
): LoadConnection | string {
  try {
    return connectionOf(values, overHttp, input, notes);
  } catch (error) {
    if (error instanceof ConnectionMistake) return error.message;
    throw error;
  }
}

function connectionOf(values: Values, overHttp: boolean, input: LoadInput, notes: LoadNote[]): LoadConnection {
  const { host, port, directory, user, password } = values.all(general);
  const configDirectory = expanded(
    (directory ?? input.env.ADAPTER_DB_CONFIG_FILE) || serverDefaults.directory,
    input.env,
  );
  if (host !== undefined && !isHost(host)) {
    const hint = /:\/\/|:\d+$/.test(host) ? ': give the name alone, and the port by itself' : '';
    throw new ConnectionMistake(`The host ${JSON.stringify(host)} is neither a name nor an address${hint}.`);
  }
  const tls = readTls(values, input);
  const namedPort = port === serverDefaults.port ? undefined : port;
  const usesFile = host === undefined && port === undefined;
  const file = usesFile ? readServiceFile(configDirectory, directory !== undefined, input, notes) : new Map();
  return {
    host: host ?? textOf(file.get('database.host')) ?? serverDefaults.host,
    port: port ?? portOf(file.get('database.port')) ?? serverDefaults.port,
    httpPort: (overHttp ? namedPort : undefined) ?? portOf(file.get('port')) ?? serverDefaults.httpPort,
    ...(namedPort === undefined ? {} : { namedPort }),
    ...(tls === undefined ? {} : { tls }),
    user,
    password,
    configDirectory,
  };
}

/** How TLS is spoken; undefined is plain HTTP. */
function readTls(values: Values, input: LoadInput): LoadTls | undefined {
  const path = values.get(general.caFile);
  if (path === undefined) return values.get(general.tls) ? { ca: undefined } : undefined;
  let ca: string;
  try {
    ca = input.readFile(path);
    createSecureContext({ ca });
  } catch (error) {
    throw new ConnectionMistake(`The certificates in ${path} cannot be read: ${reasonOf(error)}.`);
  }
  if (ca.includes('-----BEGIN CERTIFICATE-----')) return { ca };
  throw new ConnectionMistake(`There is no certificate in ${path}.`);
}

/** True for what can stand in the place of a host in an address; IPv6 goes without brackets. */
function isHost(text: string): boolean {
  return !/[\s/?#@\\[\]]/.test(text) && URL.canParse(`http://${text.includes(':') ? `[${text}]` : text}:1`);
}

/** Replaces `~` at the beginning and `$NAME` or `${NAME}` anywhere. */
function expanded(directory: string, env: LoadInput['env']): string {
  const home = directory === '~' || directory.startsWith('~/') ? `$HOME${directory.slice(1)}` : directory;
  return home.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    const value = env[name];
    if (value !== undefined) return value;
    throw new ConnectionMistake(`The configuration directory ${directory} cannot be made out: ${name} is not set.`);
  });
}

/** Values of the service's settings file by flag; a missing file is a warning where the run `names` its directory. */
function readServiceFile(
  directory: string,
  names: boolean,
  input: LoadInput,
  notes: LoadNote[],
): ReadonlyMap<string, unknown> {
  const path = join(directory, fileName);
  let text: string;
  try {
    text = input.readFile(path);
  } catch (error) {
    if (names) notes.push(warning(`${path} is not used: ${reasonOf(error)}.`));
    return new Map();
  }
  const { values, errors } = readTomlFile(adapterOptions, path, text);
  notes.push(...errors.map(warning));
  return new Map([...values].map(([flag, { value }]) => [flag, value]));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A port of 0 is chosen at each start and so says nothing. */
function portOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
