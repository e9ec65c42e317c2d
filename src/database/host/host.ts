import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deferred } from '../../async/deferred.js';
import { freeBytesOf } from '../../bytes/free-bytes.js';
import type { HostDirectory } from '../engine/handover.js';
import { countEntries } from '../engine/log-table.js';
import { refuseUnfinished, removeFrozen } from './backup.js';
import { noContext } from './connection/connection.js';
import { Connections } from './connection/connections.js';
import { type HostOptions, isLoopback } from './connection/options.js';
import { IdleTableMerge } from './idle-table-merge.js';
import { DirectoryHeldError, type DirectoryLock, lockDirectory } from './lock.js';
import { makeScratch, type Scratch } from './scratch.js';
import { type ChannelServer, serveChannel } from './server/channel-server.js';
import { DiskReserve } from './server/disk-reserve.js';
import { FailedWrites } from './server/failed-writes.js';
import { handle } from './server/handler.js';
import { LogCount } from './server/log-count.js';
import { ResultCache } from './server/result-cache.js';
import { StatementRunner } from './server/runner.js';
import { TemporaryFiles } from './server/temporary-files.js';
import { withConnection } from './server/with-connection.js';
import { PartSpreader } from './spread.js';
import { removeTornDefinitions } from './torn-definitions.js';

/** A URL may carry a whole statement. */
const maxHeaderBytes = 1024 * 1024;
/** Longer than clients keep idle sockets, so that they close first and no request meets a closing socket. */
const keepAliveMs = 30_000;
/** How long cancelled statements and the engine itself get to let go. */
const forcedStopMs = 3_000;

/** A running engine host. */
interface Host {
  readonly port: number;
  /** Directory by which processes of its user reach it. */
  readonly directory: HostDirectory;
  /** Resolves when the memory-backed directory was removed, without which no statement can run. */
  readonly lost: Promise<void>;
  /** Calls the listener with the number of entries in the catalogue's log, whenever it may have changed. */
  watchLog(listener: (entries: number) => void): void;
  /** Resolves when the engine has run a statement and the disk has taken a write; rejects with their error. */
  works(): Promise<void>;
  /**
   * Accepts nothing new, waits for running statements (at most `timeoutMs`, then cancels them), closes the engine, and
   * gives the data directory back. Resolves with false when the engine would not let go: the process must then be ended
   * from outside.
   */
  stop(timeoutMs: number): Promise<boolean>;
}

/** The lock of an owner that started less than `youngOwnerMs` ago is retried, at most for `lockTimeoutMs`. */
const youngOwnerMs = 10_000;
const lockTimeoutMs = 3_000;
const lockRetryMs = 100;

/**
 * Locks the data directory. An engine whose service was killed during its start notices that only once it has started.
 * A service that starts again at once must not fail because of that.
 */
async function lockOnceFree(path: string, { host, port }: HostOptions): Promise<DirectoryLock> {
  const end = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      return lockDirectory(path, host, port);
    } catch (error) {
      const isYoung = error instanceof DirectoryHeldError && Date.now() - Date.parse(error.owner.since) < youngOwnerMs;
      if (!isYoung || performance.now() > end) throw error;
    }
    await sleep(lockRetryMs);
  }
}

/**
 * Opens the data directory and serves the HTTP interface. `entered` is called with the directory before the engine
 * starts in it.
 * @throws DirectoryHeldError when another process owns the directory; an Error with one clear line when the address
 * cannot be bound or would be open to the network without a password.
 */
export async function startHost(options: HostOptions, entered: (path: string) => void = () => {}): Promise<Host> {
  if (!isLoopback(options.host) && options.password === '') {
    throw new Error(`Listening on ${options.host} needs a password: set --password or SLUICE_ENGINE_SECRET.`);
  }
  const path = resolve(options.path);
  const lock = await lockOnceFree(path, options);
  let scratch: Scratch | undefined;
  let connections: Connections | undefined;
  const failedWrites = new FailedWrites(exitAfterFailedWrite);
  const diskReserve = new DiskReserve(path);
  try {
    entered(path);
    refuseUnfinished(path);
    removeTornDefinitions(path);
    removeFrozen(path);
    scratch = makeScratch(path);
    const opened = new Connections({ ...options, path }, scratch.path);
    connections = opened;
    const query = (sql: string): Promise<string> => opened.query(sql);
    await query('CREATE DATABASE IF NOT EXISTS `default`');
    await failedWrites.begin(query);
    await diskReserve.ensure();
    const running = await serve({ ...options, path }, connections, scratch, failedWrites, diskReserve);
    lock.announce(running.port);
    const { port } = running;
    const { path: scratchPath } = scratch;
    const { promise: lost, resolve: loseDirectory } = deferred();
    let isStopping = false;
    return {
      port,
      directory: hostDirectory(scratch),
      lost,
      watchLog: (listener) => running.log.watch(listener),
      works: async () => {
        // Some systems remove the files of a user at logout although programs of the user still run.
        if (!existsSync(scratchPath)) loseDirectory();
        // A stop aborts results, which are written to files, too.
        await Promise.all([isStopping ? query('SELECT 1') : failedWrites.check(query), lock.touch()]);
        if (!isStopping) await diskReserve.ensure();
      },
      stop: (timeoutMs) => {
        isStopping = true;
        return stopAll(running, lock, timeoutMs);
      },
    };
  } catch (error) {
    await connections?.close();
    scratch?.remove();
    lock.release();
    throw error;
  }
}

/** Ends this process at once: from now on it must not answer a statement or remove a part. */
function exitAfterFailedWrite(): void {
  process.stderr.write('sluice-engine: A file could not be written, the disk may be full; the engine restarts.\n');
  process.kill(process.pid, 'SIGKILL');
}

/** Rows may take a quarter of the directory; bodies that come over connections may take half. */
function hostDirectory({ path, freeBytes, isMemory }: Scratch): HostDirectory {
  return { path, maxBytes: isMemory ? Math.floor(freeBytes / 4) : 0 };
}

interface Running {
  readonly server: Server;
  readonly channel: ChannelServer;
  readonly connections: Connections;
  readonly scratch: Scratch;
  readonly spreader: PartSpreader;
  readonly idleTables: IdleTableMerge;
  readonly log: LogCount;
  readonly port: number;
  /** Requests in flight. */
  readonly active: Set<Promise<void>>;
}

async function serve(
  options: HostOptions,
  connections: Connections,
  scratch: Scratch,
  failedWrites: FailedWrites,
  diskReserve: DiskReserve,
): Promise<Running> {
  const spreader = new PartSpreader(options.path);
  spreader.tablesMade();
  const log = new LogCount(async () => Number(await connections.query(countEntries)));
  const results = new ResultCache((sql) => connections.query(sql));
  const active = new Set<Promise<void>>();
  const track = (work: Promise<void>): void => {
    const answered = work.finally(() => active.delete(answered));
    active.add(answered);
  };
  const idleTables = new IdleTableMerge(async (sql, signal) => {
    const request = { connectionClass: 'short', signal, owner: undefined } as const;
    const result = await withConnection(connections, request, (connection, tag) =>
      connection.run(sql, 'TSVRaw', noContext, tag),
    );
    return result?.text() ?? '';
  }, track);
  const runner = new StatementRunner({
    connections,
    results,
    failedWrites,
    diskReserve,
    idleTables,
    log,
    freeBytes: async () => freeBytesOf(await statfs(options.path)),
    tablesMade: () => spreader.tablesMade(),
  });
  const temporaryFiles = new TemporaryFiles(
    { first: scratch.path, fallback: scratch.diskPath },
    Math.min(options.maxBodyBytes, Math.floor(scratch.freeBytes / 2)),
  );
  const context = {
    connections,
    runner,
    temporaryFiles,
    user: options.user,
    password: options.password,
    timeZone: await connections.query('SELECT timezone()'),
    serverName: hostname(),
  };
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: 0, keepAliveTimeout: keepAliveMs });
  server.on('request', (request, response) => track(handle(context, request, response)));
  const port = await listen(server, options);
  const channel = await serveChannel(scratch.path, { runner, results, temporaryFiles, track }).catch(
    (error: unknown) => {
      server.close();
      throw error;
    },
  );
  return { server, channel, connections, scratch, spreader, idleTables, log, port, active };
}

function listen(server: Server, options: HostOptions): Promise<number> {
  const { host, port } = options;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const reason = 'code' in error && error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(new Error(`Cannot listen on ${host} port ${port}: ${reason}.`, { cause: error }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

async function stopAll(running: Running, lock: DirectoryLock, timeoutMs: number): Promise<boolean> {
  const { server, channel, connections, scratch, spreader, idleTables, log, active } = running;
  spreader.stop();
  idleTables.stop();
  log.stop();
  server.close();
  channel.close();
  server.closeIdleConnections();
  const settled = async (): Promise<void> => {
    while (active.size > 0) await Promise.allSettled(active);
  };
  if (!(await within(settled(), timeoutMs))) {
    await within(connections.cancelAll(), forcedStopMs);
    server.closeAllConnections();
    channel.closeAllConnections();
    await within(settled(), forcedStopMs);
  }
  server.closeAllConnections();
  channel.closeAllConnections();
  const closed = active.size === 0 && (await within(connections.close(), forcedStopMs));
  scratch.remove();
  // The lock of a dead owner can be taken over. While the engine still writes, the lock must stay.
  if (closed) lock.release();
  return closed;
}

/** True when the work ended in time, also when it failed. */
async function within(work: Promise<void>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  const ended = work.then(
    () => true,
    () => true,
  );
  const late = sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([ended, late]);
  timer.abort();
  return inTime;
}
