import { WebSocket } from 'ws';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';
import { type ExactJson, exactJsonText, parseExactJson } from '../../text/exact-json.js';

/** Where a connection of WebSocket goes, and for which user. */
export interface SocketAddress {
  /** Without a path. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Certificates of the authorities that count with TLS; undefined for those that Node knows. */
  readonly ca: string | undefined;
  /** How long the service may be silent while an answer is awaited. */
  readonly requestTimeoutMs: number;
}

/** The members of an answer. */
export type SocketMembers = { readonly [name: string]: ExactJson | undefined };

interface WaitingRequest {
  resolve(answer: Buffer | string): void;
  reject(error: unknown): void;
}

/**
 * A connection of WebSocket to the service. Its requests run one after the other. All methods throw a FaultError: of
 * kind `network` when the connection is lost, after which it is of no more use.
 */
export class ServiceSocket {
  readonly #socket: WebSocket;
  readonly #address: SocketAddress;
  #waiting: WaitingRequest | undefined;
  #failure: FaultError | undefined;

  private constructor(socket: WebSocket, address: SocketAddress) {
    this.#socket = socket;
    this.#address = address;
    socket.on('message', (data: Buffer, isBinary) => this.#end(({ resolve }) => resolve(isBinary ? data : `${data}`)));
    socket.on('error', (error) => this.#lost(reasonOf(error)));
    socket.on('close', (_code, reason) => this.#lost(reason.length > 0 ? `${reason}` : 'the connection was closed'));
  }

  /** Opens a connection to a path. */
  static async open(address: SocketAddress, path: string): Promise<ServiceSocket> {
    const { url, ca, requestTimeoutMs } = address;
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, {
      perMessageDeflate: false,
      handshakeTimeout: requestTimeoutMs,
      ...(ca === undefined ? {} : { ca }),
    });
    const connection = new ServiceSocket(socket, address);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('close', () => reject(connection.#failure));
    });
    return connection;
  }

  /** True once the connection is lost. */
  get isLost(): boolean {
    return this.#failure !== undefined;
  }

  /** Requests an action whose answer is a text. */
  async request(action: string, args: SocketMembers): Promise<SocketMembers> {
    return membersOf(await this.#exchange(exactJsonText({ action, args })));
  }

  /** Requests an action whose answer is binary. */
  async requestBytes(action: string, args: SocketMembers): Promise<Buffer> {
    const answer = await this.#exchange(exactJsonText({ action, args }));
    if (typeof answer !== 'string') return answer;
    membersOf(answer);
    throw new FaultError(fault('database', Codes.free, `the answer to ${action} has no rows`));
  }

  close(): void {
    this.#socket.close();
  }

  #exchange(message: string | Uint8Array): Promise<Buffer | string> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waiting !== undefined) throw new Error('A connection has one request at a time.');
    const { requestTimeoutMs } = this.#address;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#lost(`no answer within ${requestTimeoutMs} ms`);
        this.#socket.terminate();
      }, requestTimeoutMs);
      this.#waiting = {
        resolve: (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#socket.send(message);
    });
  }

  #lost(reason: string): void {
    const text = `The service at ${this.#address.url} cannot be reached: ${reason}`;
    this.#failure ??= new FaultError(fault('network', Codes.networkUnavailable, text));
    this.#end(({ reject }) => reject(this.#failure));
  }

  #end(how: (waiting: WaitingRequest) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) how(waiting);
  }
}

/** The members of a text answer. Throws the FaultError of one with an error. */
function membersOf(answer: Buffer | string): SocketMembers {
  const members = typeof answer === 'string' ? parseExactJson(answer) : undefined;
  if (!isMembers(members)) {
    throw new FaultError(fault('network', Codes.networkUnavailable, 'The answer of the service is no JSON object.'));
  }
  const { code, message } = members;
  if (code === 0) return members;
  const number = typeof code === 'number' ? code : Codes.free;
  const isAuth = number === Codes.authenticationFailure;
  const kind = isAuth ? 'auth' : number === Codes.networkUnavailable ? 'network' : 'database';
  throw new FaultError(fault(kind, number, String(message)));
}

function isMembers(value: ExactJson | undefined): value is SocketMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
