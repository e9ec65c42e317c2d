import type { Connection } from '../connection/connection.js';
import type { Connections, Lane } from '../connection/connections.js';
import type { EngineException } from '../connection/exception.js';

/** How a connection is taken. */
interface Taking {
  readonly lane: Lane;
  /** Fires when the client has gone away. */
  readonly signal: AbortSignal;
  /** User whose memory the statement counts as. */
  readonly owner: string | undefined;
  /** A connection that is held already, instead of a shared one, and how it is given back. */
  readonly taken?: readonly [Connection, () => Promise<void>] | undefined;
}

/**
 * Runs work on a connection, cancels it when the client goes away, and gives the connection back in any case. Undefined where the client has
 * gone before. Rejects with the host's own reason where the host has ended the statement, else as the work rejects.
 */
export async function onConnection<T>(
  connections: Connections,
  { lane, signal, owner, taken }: Taking,
  work: (connection: Connection, tag: string, brokenOff: () => EngineException | undefined) => Promise<T>,
): Promise<T | undefined> {
  const [connection, giveBack] = taken ?? (await takeShared(connections, lane, signal));
  const tag = connections.newTag();
  let why: EngineException | undefined;
  let stopCancelling: (() => void) | undefined;
  const cancel = (): void => {
    // The data in the pipe has no reader left; the statement ends only when its writes go through.
    connection.resume();
    stopCancelling ??= connections.cancel(tag);
  };
  const breakOff = (reason: EngineException): void => {
    why = reason;
    cancel();
  };
  const stopCounting = owner === undefined ? undefined : connections.userMemory.count(owner, tag, breakOff);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return signal.aborted ? undefined : await work(connection, tag, () => why);
  } catch (error) {
    throw why ?? error;
  } finally {
    signal.removeEventListener('abort', cancel);
    stopCounting?.();
    stopCancelling?.();
    await giveBack();
  }
}

async function takeShared(
  connections: Connections,
  lane: Lane,
  signal: AbortSignal,
): Promise<[Connection, () => Promise<void>]> {
  const connection = await connections.take(lane, signal);
  return [connection, () => connections.give(connection)];
}
