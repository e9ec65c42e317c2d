import net from 'node:net';
import tls from 'node:tls';
import type { ComponentLog } from '../../model/component.js';
import type { TlsSettings } from '../../model/tls-settings.js';
import { readCertificate, watchCertificate } from './certificate.js';

/** First byte of a TLS handshake; no method of HTTP begins with it. */
const handshakeByte = 0x16;
/** Silence of a new connection before its first byte, and the longest handshake. */
const patienceMs = 10_000;

const plainRefusal = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/plain',
  'Connection: close',
  '',
  'This port speaks TLS: use https.\n',
].join('\r\n');

/** A port on which TLS is spoken, and plain HTTP by those who may. */
export interface TlsPort {
  readonly server: net.Server;
  /** Cuts connections that have not said yet what they speak, and forgets the files. */
  release(): void;
}

/**
 * Makes the port: what comes is told apart by its first byte and handed to `serve`, decrypted. The files are read again
 * when they change; open connections stay as they are, and files that do not belong together leave what was. Throws
 * when a file cannot be read at first, or is no certificate or key.
 */
export function createTlsPort(settings: TlsSettings, log: ComponentLog, serve: (socket: net.Socket) => void): TlsPort {
  const options = { ...readCertificate(settings), ALPNProtocols: ['http/1.1'], handshakeTimeout: patienceMs };
  const secure = tls.createServer(options, serve);
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  const silent = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    silent.add(socket);
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => silent.delete(socket));
    socket.once('readable', () => {
      const first: Buffer | null = socket.read();
      if (first === null) return;
      silent.delete(socket);
      socket.setTimeout(0).removeAllListeners('timeout');
      socket.unshift(first);
      if (first[0] === handshakeByte) secure.emit('connection', socket);
      else if (mayBePlain(socket, settings)) serve(socket);
      else socket.end(plainRefusal);
    });
  });
  const stopWatching = watchCertificate(settings, log, (renewed) => secure.setSecureContext(renewed));
  return {
    server,
    release: () => {
      stopWatching();
      for (const socket of silent) socket.destroy();
    },
  };
}

function mayBePlain({ remoteAddress = '' }: net.Socket, { plainHttp }: TlsSettings): boolean {
  if (plainHttp === 'all') return true;
  return plainHttp === 'loopback' && /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(remoteAddress);
}
