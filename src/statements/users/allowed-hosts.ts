import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import type { UserDef } from '../../database/catalogue/principals.js';

/** An address, or a network when `prefix` is given, in bits. */
interface Host {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefix: number | undefined;
}

const mapped = '::ffff:';
const mappedBits = 96;

/**
 * Reads an IPv4 or IPv6 address or network; one of IPv4 inside IPv6 (RFC 4291, 2.5.5.2) is of IPv4. Undefined for
 * another text.
 */
function readHost(text: string): Host | undefined {
  const [, written = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const version = isIP(written);
  if (version === 0) return undefined;
  const prefix = bits === undefined ? undefined : Number(bits);
  if (version === 4) return checked({ address: written, family: 'ipv4', prefix });
  const { address } = new SocketAddress({ address: written, family: 'ipv6' });
  const inner = address.slice(mapped.length);
  if (!address.startsWith(mapped) || !isIPv4(inner)) return checked({ address, family: 'ipv6', prefix });
  return checked({ address: inner, family: 'ipv4', prefix: prefix === undefined ? undefined : prefix - mappedBits });
}

function checked(host: Host): Host | undefined {
  const { family, prefix = 0 } = host;
  return prefix >= 0 && prefix <= (family === 'ipv4' ? 32 : 128) ? host : undefined;
}

/**
 * The one way to write an address such as `10.0.0.1`, or a network such as `10.0.0.0/8`; undefined for another text.
 */
export function normalizedHost(text: string): string | undefined {
  const host = readHost(text);
  if (host === undefined) return undefined;
  return host.prefix === undefined ? host.address : `${host.address}/${host.prefix}`;
}

type HostList = Readonly<Record<Host['family'], BlockList>>;

/** By the definition of a user, which is another one after each ALTER USER. */
const lists = new WeakMap<UserDef, HostList>();

function listOf(user: UserDef): HostList {
  let list = lists.get(user);
  if (list === undefined) {
    // One list per family: a list of the runtime takes an IPv4 address for one in an IPv6 network such as ::/0.
    list = { ipv4: new BlockList(), ipv6: new BlockList() };
    for (const text of user.hosts) {
      const host = readHost(text);
      if (host === undefined) continue;
      const { address, family, prefix } = host;
      if (prefix === undefined) list[family].addAddress(address, family);
      else list[family].addSubnet(address, prefix, family);
    }
    lists.set(user, list);
  }
  return list;
}

/** True when a user without a HOST list, or one whose list has `address`, calls from there. */
export function isAllowedFrom(user: UserDef, address: string): boolean {
  if (user.hosts.length === 0) return true;
  const host = readHost(address);
  return host !== undefined && listOf(user)[host.family].check(host.address, host.family);
}
