import type { DataType } from '../../model/schema.js';
import { cutToBytes } from '../../text/cut.js';
import type { Fill } from './number-values.js';
import { below, bits32, mixed } from './random.js';

const alphabet = Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
/** Chinese characters are taken from U+4E00 on; each has three bytes. */
const firstChinese = 0x4e00;
const chineseCount = 0x9fa4 - firstChinese + 1;
const chineseBytes = 3;

/** Random text of `length` letters and digits; or of Chinese characters, as many as a column of that length holds. */
export function textFill(type: DataType, length: number, chinese: boolean): Fill {
  const characters = chinese && type.name !== 'NCHAR' ? Math.floor(length / chineseBytes) : length;
  const scratch = new Uint8Array(characters * (chinese ? chineseBytes : 1));
  const write = chinese ? writeChinese : writeLetters;
  return (column, row, count, seed, first) => {
    for (let i = 0; i < count; i++) {
      write(scratch, bits32(seed, first + i));
      column.putBytes(row + i, scratch, 0, scratch.length);
    }
  };
}

/** One of some texts, each cut to what the column holds. */
export function choiceFill(type: DataType, values: readonly string[]): Fill {
  const texts = values.map((value) => Buffer.from(fitted(value, type)));
  return (column, row, count, seed, first) => {
    for (let i = 0; i < count; i++) {
      const text = texts[below(seed, first + i, texts.length)]!;
      column.putBytes(row + i, text, 0, text.length);
    }
  };
}

/** Objects with members k0, k1, … that hold random text. */
export function jsonFill(pairs: number, length: number): Fill {
  const member = new Uint8Array(length);
  return (column, row, count, seed, first) => {
    for (let i = 0; i < count; i++) {
      const members = Array.from({ length: pairs }, (_, pair) => {
        writeLetters(member, bits32(mixed(seed, pair), first + i));
        return `"k${pair}":"${Buffer.from(member).toString('latin1')}"`;
      });
      const text = Buffer.from(`{${members.join(',')}}`);
      column.putBytes(row + i, text, 0, text.length);
    }
  };
}

/** The longest beginning of a text that a column holds: bytes count, and characters in NCHAR. */
function fitted(text: string, { name, length }: DataType): string {
  if (name === 'NCHAR') return Array.from(text).slice(0, length).join('');
  return cutToBytes(text, length);
}

function next(state: number): number {
  return (Math.imul(state, 0x19660d) + 0x3c6ef35f) | 0;
}

function writeLetters(out: Uint8Array, seed: number): void {
  let state = seed;
  for (let i = 0; i < out.length; i++) {
    state = next(state);
    out[i] = alphabet[((state >>> 16) * alphabet.length) >>> 16]!;
  }
}

function writeChinese(out: Uint8Array, seed: number): void {
  let state = seed;
  for (let at = 0; at < out.length; at += chineseBytes) {
    state = next(state);
    const code = firstChinese + Math.floor(((state >>> 16) * chineseCount) / 0x10000);
    out[at] = 0xe0 | (code >> 12);
    out[at + 1] = 0x80 | ((code >> 6) & 0x3f);
    out[at + 2] = 0x80 | (code & 0x3f);
  }
}
