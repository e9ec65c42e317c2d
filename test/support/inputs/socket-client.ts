import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import { type ExactJson, exactJsonText, parseExactJson } from '../../../src/text/exact-json.js';

type Members = { readonly [name: string]: ExactJson | undefined };

/** A text answer. */
export interface SocketReply extends Members {
  readonly code: number;
  readonly message: string;
  readonly action: string;
  readonly req_id: number | bigint;
}

/** A client of the WebSocket interface that pairs answers with its requests. */
export class SocketClient {
  readonly socket: WebSocket;
  /** Everything that came, text as it is. */
  readonly messages: (string | Buffer)[] = [];
  #requests = 0n;
  /** Called when something has come, or the connection has closed. */
  #waiting: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      this.messages.push(isBinary ? Buffer.from(data as Buffer) : String(data));
      this.#wake();
    });
    socket.on('close', () => this.#wake());
    socket.on('error', () => undefined);
  }

  /** Opens a connection; rejects with the status where the upgrade is refused. */
  static async open(port: number, path = '/ws', options: ClientOptions = {}): Promise<SocketClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
    const client = new SocketClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, response) => reject(new Error(String(response.statusCode))));
    });
    return client;
  }

  /** The same, logged in. */
  static async logIn(port: number, members: Members, path = '/ws', options: ClientOptions = {}): Promise<SocketClient> {
    const client = await SocketClient.open(port, path, options);
    const { code, message } = await client.request('conn', members);
    if (code !== 0) throw new Error(message);
    return client;
  }

  /** Sends an action and gives its text answer. */
  async request(action: string, members: Members = {}): Promise<SocketReply> {
    return this.reply(this.tell(action, members));
  }

  /** Sends an action and waits for nothing. */
  tell(action: string, members: Members = {}): bigint {
    const id = ++this.#requests;
    this.socket.send(exactJsonText({ action, args: { req_id: id, ...members } }));
    return id;
  }

  /** The binary message that comes next behind what `send` does. */
  nextBinary(send: () => void): Promise<Buffer> {
    const before = this.messages.length;
    send();
    return this.#wait(() => {
      const [answer] = this.messages.length > before ? this.messages.splice(before) : [];
      if (typeof answer === 'string') throw new Error(`An answer is no block: ${answer}`);
      return answer;
    });
  }

  /** The text answer to a request. */
  reply(id: bigint): Promise<SocketReply> {
    return this.#wait(() => this.#replies().find((each) => BigInt(each.req_id) === id));
  }

  /** Sends a binary action; `body` follows the header. */
  send(action: number, id: bigint, body: Uint8Array): bigint {
    const requestId = ++this.#requests;
    const header = Buffer.alloc(24);
    header.writeBigUInt64LE(requestId, 0);
    header.writeBigUInt64LE(id, 8);
    header.writeBigUInt64LE(BigInt(action), 16);
    this.socket.send(Buffer.concat([header, body]));
    return requestId;
  }

  /** Sends a binary action and gives the binary answer that carries its request id at `offset`. */
  async fetch(action: number, id: bigint, body: Uint8Array, offset = 26): Promise<Buffer> {
    const requestId = this.send(action, id, body);
    const answer = await this.#wait(() =>
      this.messages.find((each): each is Buffer => Buffer.isBuffer(each) && each.readBigUInt64LE(offset) === requestId),
    );
    this.messages.splice(this.messages.indexOf(answer), 1);
    return answer;
  }

  /** Resolves with the close code. */
  async closed(): Promise<number> {
    if (this.socket.readyState === WebSocket.CLOSED) return 0;
    const [code] = await once(this.socket, 'close');
    return Number(code);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** What `find` gives once it gives something; rejects when the connection has closed before. */
  async #wait<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const value = find();
      if (value !== undefined) return value;
      if (this.socket.readyState !== WebSocket.OPEN) throw new Error('The connection has no answer.');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #replies(): SocketReply[] {
    return this.messages.flatMap((each) => {
      const value = typeof each === 'string' ? parseExactJson(each) : undefined;
      return isReply(value) ? [value] : [];
    });
  }
}

function isReply(value: ExactJson | undefined): value is SocketReply {
  return typeof value === 'object' && value !== null && 'req_id' in value;
}
