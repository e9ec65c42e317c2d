import type { Connection } from '../connection/connection.js';
import type { ConnectionClass, Connections } from '../connection/connections.js';
import type { EngineException } from '../connection/exception.js';

/** Which connection a statement needs. */
interface ConnectionRequest {
  readonly connectionClass: ConnectionClass;
  /** Fires when the client has gone away. */
  readonly signal: AbortSignal;
  /** User whose memory the statement counts as. */
  readonly owner: string | undefined;
  /** A session's own connection instead of a shared one, and how it is given back. */
  readonly taken?: readonly [Connection, () => Promise<void>] | undefined;
}

/**
 * Runs work on a connection, cancels it when the client disconnects, and always gives the connection back. Returns
 * undefined if the client has disconnected before. Rejects with the host's reason if the host has cancelled the
 * statement, else as the work rejects.
 */
export async function withConnection<T>(
  connections: Connections,
  { connectionClass, signal, owner, taken }: ConnectionRequest,
  work: (connection: Connection, tag: string, cancelled: () => EngineException | undefined) => Promise<T>,
): Promise<T | undefined> {
  const [connection, giveBack] = taken ?? (await takeShared(connections, connectionClass, signal));
  const tag = connections.newTag();
  let cancelReason: EngineException | undefined;
  let stopCancelling: (() => void) | undefined;
  const cancel = (): void => {
    // Nobody reads the pipe now; the statement ends only when its writes succeed.
    connection.resume();
    stopCancelling ??= connections.cancel(tag);
  };
  const cancelFor = (reason: EngineException): void => {
    cancelReason = reason;
    cancel();
  };
  const stopCounting = owner === undefined ? undefined : connections.userMemory.count(owner, tag, cancelFor);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return signal.aborted ? undefined : await work(connection, tag, () => cancelReason);
  } catch (error) {
    throw cancelReason ?? error;
  } finally {
    signal.removeEventListener('abort', cancel);
    stopCounting?.();
    stopCancelling?.();
    await giveBack();
  }
}

async function takeShared(
  connections: Connections,
  connectionClass: ConnectionClass,
  signal: AbortSignal,
): Promise<[Connection, () => Promise<void>]> {
  const connection = await connections.take(connectionClass, signal);
  return [connection, () => connections.give(connection)];
}
