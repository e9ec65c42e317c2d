import { apostrophe, dot, lowerE, lowerX, minus, openParenthesis, plus, quote, zero } from '../../bytes/ascii.js';
import { setBigInt, setInteger, toBigInt } from '../../bytes/words.js';
import { type Precision, ticksPerSecond } from '../../model/schema.js';
import type { Duration, DurationUnit } from '../syntax/ast.js';
import { timestampOutOfRange } from '../syntax/faults.js';
import { addDuration, setTicks, startOfDay, TimestampReader, ticksOfNanos } from '../times/timestamp.js';
import { zoneOffsets } from '../times/zone.js';
import { type Cursor, isBlank, isWordByte, Token } from './cursor.js';
import { fastInteger, fastWide, parseScaled } from './number.js';

const units: readonly DurationUnit[] = ['b', 'u', 'a', 's', 'm', 'h', 'd', 'w', 'n', 'y'];
const maxDurationDigits = 15;
const minTicks = -(1n << 63n);
const maxTicks = (1n << 63n) - 1n;

/**
 * Reads time values of one precision: ticks, timestamp text, NOW and TODAY, each with an optional duration added or
 * taken off. NOW is the same for the whole statement.
 */
export class TimeReader {
  /** Ticks of the last value read, as a low and a high word. */
  readonly ticks = new Uint32Array(2);
  readonly #cursor: Cursor;
  readonly #precision: Precision;
  readonly #perSecond: number;
  readonly #zone: string;
  readonly #now: bigint;
  readonly #reader: TimestampReader;

  constructor(cursor: Cursor, precision: Precision, zone: string, nowNs: bigint) {
    this.#cursor = cursor;
    this.#precision = precision;
    this.#perSecond = ticksPerSecond(precision);
    this.#zone = zone;
    this.#now = ticksOfNanos(nowNs, precision);
    this.#reader = new TimestampReader(zoneOffsets(zone));
  }

  /** Reads the value that comes next into `ticks`; false when it is NULL. */
  read(): boolean {
    const cursor = this.#cursor;
    const byte = cursor.bytes[cursor.at];
    if (byte === apostrophe || byte === quote) return this.#readText();
    const ticks = fastInteger(cursor);
    if (!Number.isNaN(ticks)) setInteger(this.ticks, ticks);
    else if (!fastWide(cursor, this.ticks, true)) return this.#readOther();
    if (isBlank(cursor.bytes[cursor.at])) this.#readOffset();
    return true;
  }

  #readText(): boolean {
    const cursor = this.#cursor;
    const start = cursor.at;
    cursor.readString();
    const { text, textStart, textEnd } = cursor;
    if (textStart === textEnd) throw cursor.syntaxError('invalid timestamp', start);
    if (this.#reader.read(text, textStart, textEnd)) {
      if (!setTicks(this.ticks, this.#reader.seconds, this.#reader.nanos, this.#perSecond)) throw timestampOutOfRange();
    } else {
      if (cursor.textIs('NULL')) return false;
      if (!this.#setNamed()) this.#setInteger('invalid timestamp format', start);
    }
    this.#readOffset();
    return true;
  }

  #readOther(): boolean {
    const cursor = this.#cursor;
    const start = cursor.at;
    const token = cursor.readValue();
    if (token === Token.null) return false;
    if (token === Token.number) this.#setInteger('invalid timestamp', start);
    else if (token !== Token.word) throw cursor.syntaxError('invalid timestamp', start);
    else this.#setWord(start);
    this.#readOffset();
    return true;
  }

  /** Takes the last literal as ticks; fails with the reason when it is not a whole number. */
  #setInteger(reason: string, start: number): void {
    const { text, textStart, textEnd } = this.#cursor;
    const isHex = [1, 2].some((at) => (text[textStart + at]! | 32) === lowerX);
    for (let at = textStart; at < textEnd; at++) {
      const byte = text[at]!;
      if (byte === dot || (!isHex && (byte | 32) === lowerE)) throw this.#cursor.syntaxError(reason, start);
    }
    const value = parseScaled(text, textStart, textEnd, 0);
    if (value === undefined) throw this.#cursor.syntaxError(reason, start);
    this.#set(value);
  }

  /** Takes quoted NOW and TODAY, with brackets or without; false for another text. */
  #setNamed(): boolean {
    const cursor = this.#cursor;
    const now = cursor.textIs('NOW') || cursor.textIs('NOW()');
    if (!now && !cursor.textIs('TODAY') && !cursor.textIs('TODAY()')) return false;
    this.#set(this.#named(now));
    return true;
  }

  #named(now: boolean): bigint {
    return now ? this.#now : startOfDay(this.#now, this.#precision, this.#zone);
  }

  #setWord(start: number): void {
    const cursor = this.#cursor;
    const now = cursor.textIs('NOW');
    if (cursor.textIs('TIMESTAMP')) {
      this.#setLiteral(start);
      return;
    }
    if (!now && !cursor.textIs('TODAY')) throw cursor.syntaxError('invalid data or symbol', start);
    if (cursor.skip(openParenthesis)) cursor.expectClose();
    this.#set(this.#named(now));
  }

  /** Reads the text of `TIMESTAMP '…'`. */
  #setLiteral(start: number): void {
    const cursor = this.#cursor;
    cursor.skipBlanks();
    const byte = cursor.bytes[cursor.at];
    if (byte !== apostrophe && byte !== quote) throw cursor.syntaxError('invalid data or symbol', start);
    const textAt = cursor.at;
    cursor.readString();
    const { text, textStart, textEnd } = cursor;
    if (!this.#reader.read(text, textStart, textEnd)) throw cursor.syntaxError('invalid timestamp format', textAt);
    if (!setTicks(this.ticks, this.#reader.seconds, this.#reader.nanos, this.#perSecond)) throw timestampOutOfRange();
  }

  /** Reads `± duration` behind a value, when there is one. */
  #readOffset(): void {
    const cursor = this.#cursor;
    cursor.skipBlanks();
    const sign = cursor.bytes[cursor.at];
    if (sign !== plus && sign !== minus) return;
    cursor.at++;
    cursor.skipBlanks();
    const duration = this.#readDuration(sign === minus ? -1 : 1);
    this.#set(addDuration(toBigInt(this.ticks), duration, this.#precision, this.#zone));
  }

  #readDuration(sign: number): Duration {
    const cursor = this.#cursor;
    const start = cursor.at;
    let count = 0;
    let digit = cursor.bytes[cursor.at]! - zero;
    while (digit >= 0 && digit <= 9) {
      count = count * 10 + digit;
      digit = cursor.bytes[++cursor.at]! - zero;
    }
    const digits = cursor.at - start;
    const letter = String.fromCharCode(cursor.bytes[cursor.at] ?? 0).toLowerCase();
    const unit = units.find((known) => known === letter);
    cursor.at++;
    if (digits === 0 || digits > maxDurationDigits || unit === undefined || isWordByte(cursor.bytes[cursor.at])) {
      throw cursor.syntaxError('invalid timestamp', start);
    }
    return { count: sign * count, unit };
  }

  #set(ticks: bigint): void {
    if (ticks < minTicks || ticks > maxTicks) throw timestampOutOfRange();
    setBigInt(this.ticks, ticks);
  }
}
