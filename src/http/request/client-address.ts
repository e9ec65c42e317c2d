import { isIPv4 } from 'node:net';
import type { Credentials } from '../../model/exchange.js';

const prefix = '::ffff:';

/**
 * The address of a client as people write it: IPv4 without the prefix that it has on a socket of both kinds (RFC 4291,
 * 2.5.5.2).
 */
export function plainAddress(address: string): string {
  if (address.slice(0, prefix.length).toLowerCase() !== prefix) return address;
  const rest = address.slice(prefix.length);
  return isIPv4(rest) ? rest : address;
}

/** The client of a request: its address as people write it, and the foreign page that it calls for. */
interface Client {
  readonly client: string;
  readonly foreignPage: string | undefined;
}

/** Credentials with the address of the client that sent them, and the foreign page that it calls for. */
export function fromClient({ client: from, foreignPage }: Client, proof: Credentials): Credentials {
  if (proof.scheme === 'token' || foreignPage === undefined) return { ...proof, from };
  return { ...proof, from, foreignPage };
}
