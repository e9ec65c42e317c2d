import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { adapterOptions } from '../../../config/adapter-settings.js';
import { readTomlFile } from '../../../config/toml-file.js';
import { reasonOf } from '../../../model/fault.js';
import type { InsertMode, LoadConnection, LoadTls } from '../../model/scenario.js';
import { general, serverDefaults } from '../keys/general.js';
import type { Values } from '../keys/setting.js';
import { type LoadInput, type LoadNote, warning } from './request.js';

const fileName = 'adapter.toml';

/** Either the directory or the name of a variable that is not set. */
type Expanded = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly missing: string };

/** True for the modes whose rows take the HTTP service. */
export function isOverHttp(mode: InsertMode): boolean {
  return mode === 'rest' || mode === 'sml-rest';
}

/**
 * Where the server is: as given, otherwise as the configuration directory's `adapter.toml` says when neither host nor port
 * is given, otherwise on this machine. Of runs `overHttp` a given port other than 6030 is that of the HTTP service. The
 * result is a line for a directory that cannot be made out, for a host that no address can hold, and for certificates that cannot be read.
 */
export function readConnection(
  values: Values,
  overHttp: boolean,
  input: LoadInput,
  notes: LoadNote[],
): LoadConnection | string {
  const [host, port, directory] = [values.get(general.host), values.get(general.port), values.get(general.directory)];
  const named = directory ?? input.env.ADAPTER_DB_CONFIG_FILE;
  const expanded = expand(named === undefined || named === '' ? serverDefaults.directory : named, input.env);
  if (!expanded.ok) return `The configuration directory ${named} cannot be made out: ${expanded.missing} is not set.`;
  if (host !== undefined && !isHost(host)) {
    const hint = /:\/\/|:\d+$/.test(host) ? ': give the name alone, and the port by itself' : '';
    return `The host ${JSON.stringify(host)} is neither a name nor an address${hint}.`;
  }
  const tls = readTls(values, input);
  if (typeof tls === 'string') return tls;
  const namedPort = port === serverDefaults.port ? undefined : port;
  const usesFile = host === undefined && port === undefined;
  const file = usesFile ? readServiceFile(expanded.text, directory !== undefined, input, notes) : new Map();
  return {
    host: host ?? textOf(file.get('database.host')) ?? serverDefaults.host,
    port: port ?? portOf(file.get('database.port')) ?? serverDefaults.port,
    httpPort: (overHttp ? namedPort : undefined) ?? portOf(file.get('port')) ?? serverDefaults.httpPort,
    ...(namedPort === undefined ? {} : { namedPort }),
    ...(tls === undefined ? {} : { tls }),
    user: values.get(general.user),
    password: values.get(general.password),
    configDirectory: expanded.text,
  };
}

/** How TLS is spoken, if it is; a line for a file that cannot be read or has no certificate. */
function readTls(values: Values, input: LoadInput): LoadTls | string | undefined {
  const path = values.get(general.caFile) ?? '';
  if (path === '') return values.get(general.tls) ? { ca: undefined } : undefined;
  let ca: string;
  try {
    ca = input.readFile(path);
    createSecureContext({ ca });
  } catch (error) {
    return `The certificates in ${path} cannot be read: ${reasonOf(error)}.`;
  }
  return ca.includes('-----BEGIN CERTIFICATE-----') ? { ca } : `There is no certificate in ${path}.`;
}

/** True for what can stand in the place of a host in an address; IPv6 goes without brackets. */
function isHost(text: string): boolean {
  return !/[\s/?#@\\[\]]/.test(text) && URL.canParse(`http://${text.includes(':') ? `[${text}]` : text}:1`);
}

/** Replaces `~` at the beginning and `$NAME` or `${NAME}` anywhere. */
function expand(text: string, env: LoadInput['env']): Expanded {
  let missing: string | undefined;
  const home = text === '~' || text.startsWith('~/') ? `$HOME${text.slice(1)}` : text;
  const expanded = home.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    const value = env[name];
    if (value === undefined) missing ??= name;
    return value ?? '';
  });
  return missing === undefined ? { ok: true, text: expanded } : { ok: false, missing };
}

/** Values of the service's own settings file by flag; a file that is not there is worth a word when it was asked for. */
function readServiceFile(
  directory: string,
  asked: boolean,
  input: LoadInput,
  notes: LoadNote[],
): ReadonlyMap<string, unknown> {
  const path = join(directory, fileName);
  let text: string;
  try {
    text = input.readFile(path);
  } catch (error) {
    if (asked) notes.push(warning(`${path} is not used: ${reasonOf(error)}.`));
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
