import { apostrophe, backslash } from '../../bytes/ascii.js';
import { type DataType, isVariable, type TagValue } from '../../model/schema.js';
import type { ByteWriter } from './byte-writer.js';

/** Bytes that a string literal cannot hold as they are, and the letters that stand for them behind a backslash. */
const escapes = new Uint8Array(256);
escapes[apostrophe] = apostrophe;
escapes[backslash] = backslash;
escapes[0x0a] = 0x6e;
escapes[0x0d] = 0x72;
escapes[0x09] = 0x74;

/** Writes text, given in UTF-8, as a string literal of the dialect. */
export function writeString(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  out.reserve((end - start) * 2 + 2);
  const target = out.bytes;
  let { at } = out;
  target[at++] = apostrophe;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    const escaped = escapes[byte]!;
    if (escaped !== 0) target[at++] = backslash;
    target[at++] = escaped === 0 ? byte : escaped;
  }
  target[at++] = apostrophe;
  out.at = at;
}

/** Text as a string literal of the dialect. */
function stringLiteral(text: string): string {
  const letters: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' };
  return `'${text.replace(/['\\\n\r\t]/g, (letter) => `\\${letters[letter] ?? letter}`)}'`;
}

/** A tag as a literal of the dialect. */
export function tagLiteral({ name }: DataType, value: TagValue): string {
  if (value === undefined) return 'NULL';
  if (name === 'VARBINARY' || name === 'BLOB') return `'\\x${value}'`;
  return isVariable(name) ? stringLiteral(value) : value;
}
