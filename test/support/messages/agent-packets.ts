import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { AgentPart, AgentValue } from '../../../src/transforms/parse/agentd.js';

/** A value of a list; integers are bigint. */
export type AgentNumber = readonly [kind: keyof typeof AgentValue, value: number | bigint];

/** A list of values with everything that names it. */
export interface ValueList {
  readonly host: string;
  readonly plugin: string;
  readonly pluginInstance?: string;
  readonly type: string;
  readonly typeInstance?: string;
  /** Seconds, or units of 2^-30 seconds where `isHigh`. */
  readonly time?: bigint;
  readonly isHigh?: boolean;
  readonly values: readonly AgentNumber[];
}

/** A part: type, length and content. */
export function part(type: number, content: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16BE(type);
  header.writeUInt16BE(4 + content.length, 2);
  return Buffer.concat([header, content]);
}

export function textPart(type: number, text: string): Buffer {
  return part(type, Buffer.from(`${text}\0`));
}

function numberPart(type: number, number: bigint): Buffer {
  const content = Buffer.alloc(8);
  content.writeBigUInt64BE(number);
  return part(type, content);
}

export function valuesPart(values: readonly AgentNumber[]): Buffer {
  const content = Buffer.alloc(2 + values.length * 9);
  content.writeUInt16BE(values.length);
  for (const [i, [kind, value]] of values.entries()) {
    content[2 + i] = AgentValue[kind];
    const at = 2 + values.length + i * 8;
    if (kind === 'gauge') content.writeDoubleLE(Number(value), at);
    else if (kind === 'derive') content.writeBigInt64BE(BigInt(value), at);
    else content.writeBigUInt64BE(BigInt(value), at);
  }
  return part(AgentPart.values, content);
}

/** One packet with several lists; what a list has in common with the one before is left out, as agents do. */
export function packetOf(lists: readonly ValueList[]): Buffer {
  const parts: Buffer[] = [];
  const said = new Map<number, string>();
  const say = (type: number, text: string): void => {
    if ((said.get(type) ?? '') === text) return;
    said.set(type, text);
    parts.push(textPart(type, text));
  };
  for (const list of lists) {
    say(AgentPart.host, list.host);
    if (list.time !== undefined) parts.push(numberPart(list.isHigh ? AgentPart.timeHigh : AgentPart.time, list.time));
    say(AgentPart.plugin, list.plugin);
    say(AgentPart.pluginInstance, list.pluginInstance ?? '');
    say(AgentPart.type, list.type);
    say(AgentPart.typeInstance, list.typeInstance ?? '');
    parts.push(valuesPart(list.values));
  }
  return Buffer.concat(parts);
}

/** Packets as they stand in a block, each behind its length. */
export function blockOf(packets: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    packets.flatMap((packet) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(packet.length);
      return [length, packet];
    }),
  );
}

/** A packet with the signature of a user before it. */
export function signedPacket(packet: Uint8Array, user: string, password: string): Buffer {
  const mac = createHmac('sha256', password).update(user).update(packet).digest();
  return Buffer.concat([part(AgentPart.signature, Buffer.concat([mac, Buffer.from(user)])), packet]);
}

/** A packet encrypted by a user. */
export function encryptedPacket(packet: Uint8Array, user: string, password: string): Buffer {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-ofb', createHash('sha256').update(password).digest(), iv);
  const checksum = createHash('sha1').update(packet).digest();
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(user));
  const hidden = cipher.update(Buffer.concat([checksum, packet]));
  return part(AgentPart.encryption, Buffer.concat([length, Buffer.from(user), iv, hidden]));
}
