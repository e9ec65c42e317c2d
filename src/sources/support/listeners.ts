import { createSocket, type Socket as DatagramSocket, type RemoteInfo } from 'node:dgram';
import net from 'node:net';

/** Where a listener is bound; every interface when `host` is left out. */
export interface ListenAddress {
  readonly host?: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
  /** Name of the setting that the port comes from. */
  readonly setting: string;
}

/** Transport protocol of a listener. */
type Transport = 'TCP' | 'UDP';

/** A port that settings name. */
export interface ListenPort extends ListenAddress {
  readonly transport: Transport;
}

/** A TCP listener; see {@link TcpListener}. */
interface TcpListenerOptions extends ListenAddress {
  /** Connections at the same time; one more is closed at once. */
  readonly maxConnections: number;
  readonly keepAlive: boolean;
  /** How long a connection may be silent: before its first byte, a minute when left out, and after it, ten minutes. */
  readonly silence?: { readonly firstMs: number; readonly laterMs: number };
  /** Takes a connection. The other end's half may close first; the receiver of the connection ends it. */
  readonly connected: (socket: net.Socket) => void;
  /** Called for every connection that was refused because there were too many. */
  readonly refused: () => void;
}

const defaultSilence = { firstMs: 60_000, laterMs: 10 * 60_000 } as const;

/**
 * Accepts TCP connections on one port, at most so many at once, and cuts those that are idle for too long, so that no
 * client holds connections for nothing. A connection belongs to the handler that got it, and is destroyed with the
 * listener.
 */
export class TcpListener {
  readonly #options: TcpListenerOptions;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  constructor(options: TcpListenerOptions) {
    this.#options = options;
    // Half-open, because senders that end their half may still wait for what their last lines are answered.
    this.#server = net.createServer({ allowHalfOpen: true, keepAlive: options.keepAlive, noDelay: true });
    this.#server.maxConnections = options.maxConnections;
    this.#server.on('connection', (socket) => this.#take(socket));
    this.#server.on('drop', () => options.refused());
  }

  /** Open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Resolves with the port once it is bound; rejects with one clear line when it cannot be. */
  async start(): Promise<number> {
    const { host, port } = this.#options;
    await listening(this.#server, 'TCP', this.#options, (ready) => {
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, ready);
    });
    // A failure while accepting, say too many open files, costs that connection alone.
    this.#server.on('error', () => this.#options.refused());
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Accepts no more; open connections stay. Safe before the start and twice. */
  close(): void {
    if (this.#server.listening) this.#server.close();
  }

  /** Closes and destroys every connection. */
  destroy(): void {
    this.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Without a listener an error would end the process; who reads from the socket sees it as well.
    socket.on('error', () => {});
    cutWhenSilent(socket, this.#options.silence ?? defaultSilence);
    this.#options.connected(socket);
  }
}

/** A socket that is not read because its reader is held up is not silent: its sender waits. */
function cutWhenSilent(socket: net.Socket, { firstMs, laterMs }: NonNullable<TcpListenerOptions['silence']>): void {
  let hasSpoken = false;
  socket.setTimeout(firstMs);
  socket.on('timeout', () => {
    const isFirst = !hasSpoken;
    hasSpoken ||= socket.bytesRead > 0;
    if (!hasSpoken || !(isFirst || socket.isPaused())) socket.destroy();
    else socket.setTimeout(laterMs);
  });
}

/** A UDP listener; see {@link UdpListener}. */
interface UdpListenerOptions extends ListenAddress {
  /** Bytes of datagrams that the kernel keeps for a reader that is behind; it may grant less. */
  readonly receiveBufferBytes: number;
  readonly received: (datagram: Buffer, from: RemoteInfo) => void;
  /** Called with errors after the start; the listener continues. */
  readonly failed: (error: Error) => void;
}

/** Receives UDP datagrams on one port: IPv6 and IPv4 where the machine has both. */
export class UdpListener {
  readonly #options: UdpListenerOptions;
  #socket: DatagramSocket | undefined;

  constructor(options: UdpListenerOptions) {
    this.#options = options;
  }

  /** Resolves with the port once it is bound; rejects with one clear line when it cannot be. */
  async start(): Promise<number> {
    const { host } = this.#options;
    if (host !== undefined) return this.#bind(host.includes(':') ? 'udp6' : 'udp4');
    try {
      return await this.#bind('udp6');
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!hasCode(cause, 'EAFNOSUPPORT') && !hasCode(cause, 'EADDRNOTAVAIL')) throw error;
      return this.#bind('udp4');
    }
  }

  /** Receives no more. Safe before the start and twice. */
  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  async #bind(type: 'udp4' | 'udp6'): Promise<number> {
    const { host, port, received, failed, receiveBufferBytes } = this.#options;
    const socket = createSocket(type);
    try {
      await listening(socket, 'UDP', this.#options, (ready) => {
        socket.bind({ port, ...(host === undefined ? {} : { address: host }) }, ready);
      });
    } catch (error) {
      socket.close();
      throw error;
    }
    socket.setRecvBufferSize(receiveBufferBytes);
    socket.on('message', received);
    socket.on('error', failed);
    this.#socket = socket;
    return socket.address().port;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

/**
 * Whether the port is free now; true as well where listening fails for another reason, which the listener then reports.
 */
export async function canListen(transport: Transport, address: ListenAddress): Promise<boolean> {
  const shared = { ...address, failed: () => {} };
  const listener =
    transport === 'TCP'
      ? new TcpListener({
          ...shared,
          maxConnections: 1,
          keepAlive: false,
          connected: (socket) => socket.destroy(),
          refused: () => {},
        })
      : new UdpListener({ ...shared, receiveBufferBytes: 65_536, received: () => {} });
  try {
    await listener.start();
    return true;
  } catch (error) {
    return !(error instanceof Error && hasCode(error.cause, 'EADDRINUSE'));
  } finally {
    listener.close();
  }
}

/** Binds; an error of the bind becomes one line that names transport, port and setting. */
function listening(
  server: net.Server | DatagramSocket,
  transport: Transport,
  { host, port, setting }: ListenAddress,
  bind: (ready: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => {
      const why = hasCode(cause, 'EADDRINUSE') ? 'the port is in use' : cause.message;
      reject(new Error(`Cannot listen for ${transport} on ${host ?? '*'}:${port}: ${why}; see ${setting}.`, { cause }));
    };
    server.once('error', failed);
    bind(() => {
      server.removeListener('error', failed);
      resolve();
    });
  });
}
