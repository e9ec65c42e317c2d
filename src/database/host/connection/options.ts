import { availableParallelism } from 'node:os';
import { type HostDirectory, readHostDirectory } from '../../engine/handover.js';

/** Options of the engine host. */
export interface HostOptions {
  /** Data directory; created when missing, owned by one host at a time. */
  readonly path: string;
  /** Address to listen on. Anything beyond loopback needs a password. */
  readonly host: string;
  /** TCP port; 0 picks a free one. */
  readonly port: number;
  /** Statements that run side by side. */
  readonly sessions: number;
  readonly user: string;
  /** Empty: every client that reaches the port is served. */
  readonly password: string;
  /** Bytes of INSERT bodies in memory-backed temporary files; beyond it uploads wait. */
  readonly maxBodyBytes: number;
  /** Bytes the engine may use; 0 leaves its own limit, nine tenths of the machine's memory. */
  readonly maxMemoryBytes: number;
  /** Bytes that one statement may use; 0 is a third of the machine's memory, or of the container's. */
  readonly maxStatementBytes: number;
  /**
   * Bytes that the statements of one user may use together; 0 is half of the machine's memory, or of the container's.
   */
  readonly maxUserBytes: number;
  /**
   * Whether what is stored is forced to the disk before a statement ends; otherwise the system does it when it likes.
   */
  readonly sync: boolean;
  /** How long a stop waits for running statements. */
  readonly stopTimeoutMs: number;
}

/** Defaults of the engine host's options. */
export const hostDefaults: HostOptions = {
  path: './data',
  host: '127.0.0.1',
  port: 6030,
  sessions: 16,
  user: 'default',
  password: '',
  maxBodyBytes: 256 * 1024 * 1024,
  maxMemoryBytes: 0,
  maxStatementBytes: 0,
  maxUserBytes: 0,
  sync: true,
  stopTimeoutMs: 10_000,
};

/** Threads that Node itself needs beside one for each session: file writes, compression, name lookups. */
const spareThreads = 4;

/** Size of the libuv pool for a number of sessions; it only counts when set before the process starts. */
export function threadPoolSize(sessions: number): number {
  return sessions + spareThreads;
}

/** On so few processors the engine's allocator keeps freed memory in one arena, which all threads share. */
const fewProcessors = 2;

/**
 * What the environment of a host has to hold for a number of sessions. Left to itself, the allocator keeps what was
 * freed for each processor apart, for five seconds: an insert takes fresh memory because the one before it ran on
 * another processor.
 */
export function hostEnvironment(sessions: number, processors = availableParallelism()): NodeJS.ProcessEnv {
  const allocator = processors > fewProcessors ? {} : { JE_MALLOC_CONF: 'percpu_arena:disabled,narenas:1' };
  return { ...allocator, ...process.env, UV_THREADPOOL_SIZE: String(threadPoolSize(sessions)) };
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Port of a host, and the directory by which processes of its user reach it. */
export interface ReadyHost {
  readonly port: number;
  readonly directory: HostDirectory;
}

/**
 * Messages of the host to the process that started it: that it serves, why it could not start, or how many entries the
 * log of the catalogue has now.
 */
export type HostMessage = { readonly ready: ReadyHost } | { readonly failed: string } | { readonly logEntries: number };

/** Reads a message that came over the channel; undefined when it is none of ours. */
export function readHostMessage(value: unknown): HostMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('ready' in value) return readReady(value.ready);
  if ('logEntries' in value && typeof value.logEntries === 'number') return { logEntries: value.logEntries };
  if ('failed' in value && typeof value.failed === 'string') return { failed: value.failed };
  return undefined;
}

function readReady(value: unknown): HostMessage | undefined {
  if (typeof value !== 'object' || value === null || !('port' in value) || typeof value.port !== 'number')
    return undefined;
  const directory = readHostDirectory(value);
  return directory && { ready: { port: value.port, directory } };
}
