import type { ExactJson } from '../../../src/text/exact-json.js';
import { rowsOfRawBlock } from './raw-block.js';
import { SocketClient, type SocketReply } from './socket-client.js';

type Members = { readonly [name: string]: ExactJson | undefined };

/** A message with its rows, each as the name of its table and its values. */
export interface ReadMessage {
  readonly reply: SocketReply;
  readonly rows: (readonly [table: string, values: unknown[]])[];
}

/** A consumer of topics over WebSocket. */
export class TopicClient {
  readonly client: SocketClient;
  #last: ExactJson = 0;

  private constructor(client: SocketClient) {
    this.client = client;
  }

  /** Joins a group; rejects with the code and the message of a refusal. */
  static async subscribe(port: number, topics: readonly string[], members: Members): Promise<TopicClient> {
    const client = await SocketClient.open(port, '/rest/tmq');
    const known = { user: 'root', password: 'taosdata', offset_reset: 'earliest' };
    const { code, message } = await client.request('subscribe', { ...known, topics, ...members });
    if (code === 0) return new TopicClient(client);
    client.socket.close();
    throw new Error(`${code}: ${message}`);
  }

  /** Sends an action; rejects with the code and the message of a refusal. */
  async request(action: string, members: Members = {}): Promise<SocketReply> {
    const reply = await this.client.request(action, members);
    if (reply.code !== 0) throw new Error(`${reply.code}: ${reply.message}`);
    return reply;
  }

  /** The next message and its rows, block by block; undefined when none came. */
  async poll(waitMs = 1_000): Promise<ReadMessage | undefined> {
    const reply = await this.request('poll', { blocking_time: waitMs, message_id: this.#last });
    if (reply.have_message !== true) return undefined;
    this.#last = reply.message_id ?? 0;
    return { reply, rows: await this.rows(this.#last) };
  }

  /** The rows of a message. */
  async rows(id: ExactJson): Promise<ReadMessage['rows']> {
    const rows: ReadMessage['rows'] = [];
    for (;;) {
      const { completed, table_name: table, fields_types: types } = await this.request('fetch', { message_id: id });
      if (completed === true) return rows;
      const bytes = await this.client.nextBinary(() => this.client.tell('fetch_block', { message_id: id }));
      const columns = Array.isArray(types) ? types.map((type) => ({ type: Number(type), scale: 0 })) : [];
      for (const values of rowsOfRawBlock(bytes.subarray(24), columns)) rows.push([String(table), values]);
    }
  }

  /** All that comes until nothing has come for a while, as `name values`. */
  async drain(quietMs = 500): Promise<string[]> {
    const all: string[] = [];
    for (;;) {
      const message = await this.poll(quietMs);
      if (message === undefined) return all;
      all.push(...message.rows.map(([table, values]) => `${table} ${values.join(' ')}`));
    }
  }

  close(): void {
    this.client.socket.close();
  }
}
