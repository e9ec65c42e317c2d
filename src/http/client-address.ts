/** The address of a client as people write it: IPv4 without the prefix that it has on a socket of both kinds (RFC 4291, 2.5.5.2). */
export function plainAddress(address: string): string {
  return /^::ffff:[\d.]+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}
