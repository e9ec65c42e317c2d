import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type MonoTypeOperatorFunction, map } from 'rxjs';
import type { Batch, ByteBlock } from '../model/batch.js';
import { AgentPart } from './parse/agentd.js';

const headerBytes = 4;
const macBytes = 32;
const ivBytes = 16;
const checksumBytes = 20;

/** How much a packet must prove: nothing, that a known user signed it, or that one encrypted it. */
type SecurityLevel = 'none' | 'sign' | 'encrypt';

/** Security that packets must have to be read. */
interface PacketSecurity {
  readonly level: SecurityLevel;
  /** Passwords by user; undefined without a user file. */
  readonly users: ReadonlyMap<string, string> | undefined;
}

/** Packets that were not let in, since the start. */
export interface PacketRefusals {
  /** Signature or checksum wrong, or the user not known. */
  forged: number;
  /** Less secure than the level. */
  unprotected: number;
}

/** Reads a user file: a line a user, `name: password`; blank lines and comments are skipped. */
export function parseUserFile(text: string): Map<string, string> {
  const users = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (name !== '' && !name.startsWith('#')) users.set(name, line.slice(colon + 1).trim());
  }
  return users;
}

/** The parts behind the signature when it is right, or may be left unchecked. */
function signed(packet: Buffer, length: number, { level, users }: PacketSecurity): Buffer | 'forged' | 'unprotected' {
  if (length <= headerBytes + macBytes || length > packet.length) return 'forged';
  if (level === 'encrypt') return 'unprotected';
  // Without a user file nothing can be checked; where nothing need be proven that does no harm.
  if (users === undefined) return level === 'none' ? packet.subarray(length) : 'forged';
  const user = packet.toString('utf8', headerBytes + macBytes, length);
  const password = users.get(user);
  if (password === undefined) return 'forged';
  const mac = createHmac('sha256', password)
    .update(packet.subarray(headerBytes + macBytes))
    .digest();
  const isRight = timingSafeEqual(mac, packet.subarray(headerBytes, headerBytes + macBytes));
  return isRight ? packet.subarray(length) : 'forged';
}

/** The parts inside an encrypted packet. */
function decrypted(packet: Buffer, length: number, { users }: PacketSecurity): Buffer | 'forged' {
  const userStart = headerBytes + 2;
  if (length < userStart + ivBytes + checksumBytes || length > packet.length) return 'forged';
  const ivStart = userStart + packet.readUInt16BE(headerBytes);
  const start = ivStart + ivBytes;
  const password = users?.get(packet.toString('utf8', userStart, Math.min(ivStart, length)));
  if (password === undefined || start + checksumBytes > length) return 'forged';
  const key = createHash('sha256').update(password).digest();
  const decipher = createDecipheriv('aes-256-ofb', key, packet.subarray(ivStart, start));
  const plain = Buffer.concat([decipher.update(packet.subarray(start, length)), decipher.final()]);
  const checksum = createHash('sha1').update(plain.subarray(checksumBytes)).digest();
  return timingSafeEqual(checksum, plain.subarray(0, checksumBytes)) ? plain.subarray(checksumBytes) : 'forged';
}

/** The parts of a packet that is let in, checked and decrypted; or why it is not. */
export function openPacket(packet: Buffer, security: PacketSecurity): Buffer | 'forged' | 'unprotected' {
  const type = packet.length < headerBytes ? -1 : packet.readUInt16BE(0);
  if (type === AgentPart.signature) return signed(packet, packet.readUInt16BE(2), security);
  if (type === AgentPart.encryption) return decrypted(packet, packet.readUInt16BE(2), security);
  return security.level === 'none' ? packet : 'unprotected';
}

/**
 * Lets in the packets that the security level allows: signatures are checked (HMAC-SHA256), encrypted packets
 * (AES-256-OFB with a SHA-1 checksum) are decrypted, and refused ones are counted and logged. A block of packets stays
 * one batch.
 */
export function openPackets(
  security: PacketSecurity,
  refusals: PacketRefusals,
  refused: (why: keyof PacketRefusals) => void,
): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  return map((batch) => {
    const { payload } = batch;
    const block = Buffer.from(payload.bytes.buffer, payload.bytes.byteOffset, payload.bytes.length);
    const opened: Buffer[] = [];
    for (let at = 0; at + 2 <= block.length; ) {
      const start = at + 2;
      at = start + block.readUInt16BE(at);
      const parts = openPacket(block.subarray(start, at), security);
      if (typeof parts === 'string') {
        refusals[parts]++;
        refused(parts);
        continue;
      }
      const length = Buffer.alloc(2);
      length.writeUInt16BE(parts.length);
      opened.push(length, parts);
    }
    return { ...batch, payload: { ...payload, bytes: Buffer.concat(opened) } };
  });
}
