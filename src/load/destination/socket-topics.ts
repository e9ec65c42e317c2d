import type { WantedConsumer } from '../../model/topic-message.js';
import type { ConsumerPort, ReceivedMessage, SubscribeAs } from '../model/ports.js';
import { rowsOfRawBlock } from './raw-rows.js';
import { ServiceSocket, type SocketAddress, type SocketMembers } from './service-socket.js';

/** Bytes in front of the block that `fetch_block` gives. */
const blockHeadBytes = 24;
/** The longest wait of one request for a message, after which the next one follows. */
const maxWaitMs = 1_000;

/** Topics through the service, over `/rest/tmq`. */
export function socketTopics(address: SocketAddress): SubscribeAs {
  return async (topics, consumer) => {
    const remote = new RemoteConsumer(address, topics, consumer);
    await remote.join();
    return remote;
  };
}

/** A consumer over WebSocket. It joins its group again after its connection was lost. */
class RemoteConsumer implements ConsumerPort {
  readonly #address: SocketAddress;
  readonly #topics: readonly string[];
  readonly #consumer: WantedConsumer;
  #socket: ServiceSocket | undefined;

  constructor(address: SocketAddress, topics: readonly string[], consumer: WantedConsumer) {
    this.#address = address;
    this.#topics = topics;
    this.#consumer = consumer;
  }

  /** Joins the group, unless it has done so over the connection that is open. */
  async join(): Promise<ServiceSocket> {
    if (this.#socket?.isLost === false) return this.#socket;
    const { user, password } = this.#address;
    const { group, clientId, offsetReset, autoCommit, autoCommitIntervalMs, withTableName } = this.#consumer;
    const socket = await ServiceSocket.open(this.#address, '/rest/tmq');
    try {
      await socket.request('subscribe', {
        user,
        password,
        topics: [...this.#topics],
        group_id: group,
        client_id: clientId,
        offset_reset: offsetReset,
        auto_commit: String(autoCommit),
        auto_commit_interval_ms: String(autoCommitIntervalMs),
        with_table_name: String(withTableName),
      });
    } catch (error) {
      socket.close();
      throw error;
    }
    this.#socket = socket;
    return socket;
  }

  async poll(waitMs: number, signal: AbortSignal): Promise<ReceivedMessage | undefined> {
    const socket = await this.join();
    const until = waitMs < 0 ? Number.POSITIVE_INFINITY : performance.now() + waitMs;
    for (;;) {
      const blocking_time = Math.round(Math.max(0, Math.min(maxWaitMs, until - performance.now())));
      const polled = await socket.request('poll', { blocking_time });
      if (polled.have_message === true) return this.#read(socket, polled);
      if (signal.aborted || performance.now() >= until) return undefined;
    }
  }

  async #read(socket: ServiceSocket, polled: SocketMembers): Promise<ReceivedMessage> {
    const { message_id, topic, database, vgroup_id } = polled;
    const names: string[] = [];
    const rows: string[] = [];
    for (;;) {
      const { completed, table_name } = await socket.request('fetch', { message_id });
      if (completed === true) break;
      const block = await socket.requestBytes('fetch_block', { message_id });
      const own = rowsOfRawBlock(block.subarray(blockHeadBytes));
      for (const row of own) {
        names.push(String(table_name));
        rows.push(row);
      }
    }
    const table = names[0] ?? '';
    return { topic: String(topic), database: String(database), table, vgroup: Number(vgroup_id), names, rows };
  }

  async commit(): Promise<void> {
    // What a lost connection had given out comes again, so there is nothing to commit.
    if (this.#socket?.isLost === false) await this.#socket.request('commit', { message_id: 0 });
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket?.isLost !== false) return;
    try {
      await socket.request('unsubscribe', {});
    } finally {
      socket.close();
    }
  }
}
