import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import type { ListenPort } from '../sources/support/listeners.js';

/** Files of proc(5) that list the sockets of a transport, for IPv4 and IPv6. */
const socketLists = { TCP: ['tcp', 'tcp6'], UDP: ['udp', 'udp6'] } as const;
/** State of a TCP socket that listens, as the kernel prints it. */
const listening = '0A';

/** Names by which a service is started, and the one of its engine host. */
const serviceScripts: readonly string[] = ['adapter.js', 'sluice'];
const engineScript = 'engine.js';

/** A socket of another process. */
interface PortSocket {
  readonly inode: string;
  /** Id of the user whose process opened it. */
  readonly uid: string;
}

/**
 * Says what listens on a port of this machine: a Sluice with its data directory, or a process with the name of its
 * program. Of processes of other users, whose files cannot be read, it says the user's id. Undefined where the system
 * has no /proc, or the port has become free.
 */
export function portHolder({ transport, port }: Pick<ListenPort, 'transport' | 'port'>): string | undefined {
  const sockets = socketLists[transport].flatMap((list) => socketsIn(textOf(`/proc/net/${list}`), transport, port));
  const [first] = sockets;
  if (first === undefined) return undefined;
  const pid = processWith(new Set(sockets.map(({ inode }) => `socket:[${inode}]`)));
  return pid === undefined ? `a process of the user with the id ${first.uid}` : describedProcess(pid);
}

/** The sockets of a list of proc(5) that are bound to a port; of TCP only those that listen. */
function socketsIn(list: string, transport: 'TCP' | 'UDP', port: number): readonly PortSocket[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return list.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
    const isBound = local.endsWith(ending) && (transport === 'UDP' || state === listening);
    return isBound ? [{ inode, uid }] : [];
  });
}

/** The oldest process that has one of some sockets open, as far as this user may see. */
function processWith(sockets: ReadonlySet<string>): number | undefined {
  return processes().find((pid) =>
    namesIn(`/proc/${pid}/fd`).some((name) => sockets.has(linkOf(`/proc/${pid}/fd/${name}`))),
  );
}

/** The ids of all processes, from the lowest on. */
function processes(): readonly number[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((one, other) => one - other);
}

function describedProcess(pid: number): string {
  const parent = Number(statusOf(pid, 'PPid'));
  const service = scriptOf(pid) === engineScript && serviceScripts.includes(scriptOf(parent)) ? parent : pid;
  const related = serviceScripts.includes(scriptOf(service)) ? [service, ...childrenOf(service)] : [service];
  const host = related.find((candidate) => scriptOf(candidate) === engineScript);
  // An engine host works in its data directory.
  if (host !== undefined) return `process ${service}, a Sluice with the data directory ${linkOf(`/proc/${host}/cwd`)}`;
  return `process ${service} (${programOf(service)})`;
}

/** The name of the script that a Node process runs, empty for other programs. */
function scriptOf(pid: number): string {
  const [, script = ''] = textOf(`/proc/${pid}/cmdline`).split('\0');
  return basename(script);
}

function childrenOf(pid: number): readonly number[] {
  return processes().filter((candidate) => statusOf(candidate, 'PPid') === String(pid));
}

/** The name of a program, without characters that a terminal could take for commands. */
function programOf(pid: number): string {
  return textOf(`/proc/${pid}/comm`).replace(/[^\x20-\x7e]/g, '');
}

function statusOf(pid: number, field: string): string | undefined {
  return textOf(`/proc/${pid}/status`)
    .split('\n')
    .find((line) => line.startsWith(`${field}:`))
    ?.slice(field.length + 1)
    .trim();
}

/** The content of a file of /proc; empty where it cannot be read, as of a process that has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
