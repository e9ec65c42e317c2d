import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeBytesOf } from '../../bytes/free-bytes.js';
import type { HandoverPlace } from '../engine/handover.js';
import { countEntries } from '../engine/log-table.js';
import { refuseUnfinished, removeFrozen } from './backup.js';
import { noContext } from './connection/connection.js';
import { Connections } from './connection/connections.js';
import { type HostOptions, isLoopback } from './connection/options.js';
import { Ballast } from './door/ballast.js';
import { FailedWrites } from './door/failed-writes.js';
import { handle } from './door/handler.js';
import { KeptAnswers } from './door/kept-answers.js';
import { LogCount } from './door/log-count.js';
import { onConnection } from './door/on-connection.js';
import { openShortDoor, type ShortDoor } from './door/short-door.js';
import { Spool } from './door/spool.js';
import { DirectoryHeldError, type DirectoryLock, lockDirectory } from './lock.js';
import { RestingTables } from './resting-tables.js';
import { makeScratch, type Scratch } from './scratch.js';
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
  /** Where processes of this machine may leave rows, if the system has memory that works like a directory. */
  readonly handover: HandoverPlace | undefined;
  /** Resolves when the place in memory was removed, without which no statement can be answered. */
  readonly lost: Promise<void>;
  /** Calls the listener with the number of entries in the catalogue's log, whenever it may have changed. */
  watchLog(listener: (entries: number) => void): void;
  /** Resolves when the engine has answered a statement and the disk a change; rejects with what they say instead. */
  works(): Promise<void>;
  /**
   * Takes nothing new, waits for what runs (at most `timeoutMs`, then cancels it), closes the engine, and gives the data
   * directory back. Resolves with false when the engine would not let go: the process must then be ended from outside.
   */
  stop(timeoutMs: number): Promise<boolean>;
}

/** An owner that began so short a time ago is waited for, so long and so often asked. */
const youngMs = 10_000;
const patienceMs = 3_000;
const againMs = 100;

/**
 * Takes the data directory. An engine whose service was killed while the engine started notices that only once it has started: a service that is
 * started again at once must not fail for that.
 */
async function lockOnceFree(path: string, { host, port }: HostOptions): Promise<DirectoryLock> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return lockDirectory(path, host, port);
    } catch (error) {
      const isYoung = error instanceof DirectoryHeldError && Date.now() - Date.parse(error.owner.since) < youngMs;
      if (!isYoung || performance.now() > end) throw error;
    }
    await sleep(againMs);
  }
}

/**
 * Opens the data directory and serves the HTTP interface. `entered` is told of the directory before the engine is started in it.
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
  const failedWrites = new FailedWrites(endTorn);
  const ballast = new Ballast(path);
  try {
    entered(path);
    refuseUnfinished(path);
    removeTornDefinitions(path);
    removeFrozen(path);
    scratch = makeScratch(path);
    const opened = new Connections({ ...options, path }, scratch.path);
    connections = opened;
    const ask = (sql: string): Promise<string> => opened.ask(sql);
    await ask('CREATE DATABASE IF NOT EXISTS `default`');
    await failedWrites.begin(ask);
    await ballast.keep();
    const running = await serve({ ...options, path }, connections, scratch, failedWrites, ballast);
    lock.announce(running.port);
    const { port, lost } = running;
    let isStopping = false;
    return {
      port,
      handover: handoverPlace(scratch),
      lost,
      watchLog: (listener) => running.log.watch(listener),
      works: async () => {
        // The end breaks off results, which are written to files, too.
        await Promise.all([isStopping ? ask('SELECT 1') : failedWrites.look(ask), lock.touch()]);
        if (!isStopping) await ballast.keep();
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

/** Ends this process at once: nothing may be answered any more, and no part be removed. */
function endTorn(): void {
  process.stderr.write('sluice-engine: A file could not be written, the disk may be full; the engine starts again.\n');
  process.kill(process.pid, 'SIGKILL');
}

/** Bodies that come over connections may take half of the room. */
function handoverPlace({ path, freeBytes, isMemory }: Scratch): HandoverPlace | undefined {
  return isMemory ? { path, maxBytes: Math.floor(freeBytes / 4) } : undefined;
}

interface Running {
  readonly server: Server;
  readonly short: ShortDoor;
  readonly connections: Connections;
  readonly scratch: Scratch;
  readonly spreader: PartSpreader;
  readonly resting: RestingTables;
  readonly log: LogCount;
  readonly port: number;
  /** Requests being answered. */
  readonly active: Set<Promise<void>>;
  readonly lost: Promise<void>;
}

async function serve(
  options: HostOptions,
  connections: Connections,
  scratch: Scratch,
  failedWrites: FailedWrites,
  ballast: Ballast,
): Promise<Running> {
  const spreader = new PartSpreader(options.path);
  spreader.tablesMade();
  const log = new LogCount(async () => Number(await connections.ask(countEntries)));
  const answers = new KeptAnswers((sql) => connections.ask(sql));
  const active = new Set<Promise<void>>();
  const begun = (work: Promise<void>): void => {
    const answered = work.finally(() => active.delete(answered));
    active.add(answered);
  };
  const resting = new RestingTables(async (sql, signal) => {
    const how = { lane: 'short', signal, owner: undefined } as const;
    const result = await onConnection(connections, how, (connection, tag) =>
      connection.run(sql, 'TSVRaw', noContext, tag),
    );
    return result?.text() ?? '';
  }, begun);
  const context = {
    connections,
    answers,
    failedWrites,
    ballast,
    resting,
    freeBytes: async () => freeBytesOf(await statfs(options.path)),
    tablesMade: () => spreader.tablesMade(),
    log,
    spool: new Spool(
      { first: scratch.path, otherwise: scratch.diskPath },
      Math.min(options.maxSpoolBytes, Math.floor(scratch.freeBytes / 2)),
    ),
    user: options.user,
    password: options.password,
    timeZone: await connections.ask('SELECT timezone()'),
    serverName: hostname(),
  };
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: 0, keepAliveTimeout: keepAliveMs });
  const lost = new Promise<void>((resolve) => {
    server.on('request', (request, response) => {
      const answered = handle(context, request, response).finally(() => {
        // Systems that clean up behind a user who has logged out do so below the feet of what the user left running.
        if (response.statusCode === 500 && !existsSync(scratch.path)) resolve();
      });
      begun(answered);
    });
  });
  const port = await listen(server, options);
  const short = openShortDoor(scratch.path, connections, answers, begun);
  return { server, short, connections, scratch, spreader, resting, log, port, active, lost };
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
  const { server, short, connections, scratch, spreader, resting, log, active } = running;
  spreader.stop();
  resting.stop();
  log.stop();
  server.close();
  short.close();
  server.closeIdleConnections();
  const settled = async (): Promise<void> => {
    while (active.size > 0) await Promise.allSettled(active);
  };
  if (!(await within(settled(), timeoutMs))) {
    await within(connections.cancelAll(), forcedStopMs);
    server.closeAllConnections();
    short.closeAllConnections();
    await within(settled(), forcedStopMs);
  }
  server.closeAllConnections();
  short.closeAllConnections();
  const closed = active.size === 0 && (await within(connections.close(), forcedStopMs));
  scratch.remove();
  // A lock whose owner is dead can be taken over; one that is gone while the engine still writes could not be trusted.
  if (closed) lock.release();
  return closed;
}

/** True when the work ended in time, well or not. */
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
