import { applySign, setInteger, setProduct, toBigInt } from '../../bytes/words.js';
import { type Precision, ticksPerSecond } from '../../model/schema.js';
import type { Duration } from '../syntax/ast.js';
import { addMonthsToDay, daysFromCivil, daysInMonth } from './calendar.js';
import { type ZoneOffsets, zoneOffsets } from './zone.js';

const secondsPerDay = 86400;
const maxZoneSeconds = 15 * 3600;
const byteOf = { plus: 43, minus: 45, dot: 46, zero: 48, colon: 58, blank: 32 } as const;

/**
 * Reads timestamp text in every form of the dialect: a date, alone or with a time of day after `T` or a blank, with an
 * optional fraction and an optional `Z`, `+08:00`, `+0800` or `+08`; without a zone it is local time. Works on bytes
 * and keeps its result in fields, so that nothing is allocated for a value.
 */
export class TimestampReader {
  /** Unix seconds of the last value read, rounded down. */
  seconds = 0;
  /** Nanoseconds after {@link seconds}; digits of the fraction beyond the ninth are dropped. */
  nanos = 0;
  readonly #zone: ZoneOffsets;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;
  #localDay = Number.NaN;
  #localDayUtc = 0;
  #localDaySteady = false;
  #date = -1;
  #day = 0;

  constructor(zone: ZoneOffsets) {
    this.#zone = zone;
  }

  /** Reads the whole of `bytes[start, end)`; false when it is no timestamp. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.nanos = 0;
    if (!this.#readDate()) return false;
    if (this.#at === end) {
      this.seconds = this.#fromLocal(0);
      return true;
    }
    const separator = bytes[this.#at++]!;
    if (separator !== 84 && separator !== 116 && separator !== byteOf.blank) return false;
    const secondOfDay = this.#readTime();
    if (secondOfDay < 0) return false;
    if (this.#at === end) {
      this.seconds = this.#fromLocal(secondOfDay);
      return true;
    }
    const offset = this.#readZone();
    this.seconds = this.#day * secondsPerDay + secondOfDay - offset;
    return !Number.isNaN(offset) && this.#at === end;
  }

  #readDate(): boolean {
    const first = this.#at;
    const year = this.#digits(4);
    if (this.#at - first !== 4 || !this.#skip(byteOf.minus)) return false;
    const month = this.#digits(2);
    if (!this.#skip(byteOf.minus)) return false;
    const day = this.#digits(2);
    const date = year * 512 + month * 32 + day;
    if (date === this.#date) return true;
    if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return false;
    this.#date = date;
    this.#day = daysFromCivil(year, month, day);
    return true;
  }

  /** Second of the day, or -1. */
  #readTime(): number {
    const hour = this.#digits(2);
    if (!this.#skip(byteOf.colon)) return -1;
    const minute = this.#digits(2);
    if (!this.#skip(byteOf.colon)) return -1;
    const second = this.#digits(2);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return -1;
    if (this.#skip(byteOf.dot) && !this.#readFraction()) return -1;
    return hour * 3600 + minute * 60 + second;
  }

  #readFraction(): boolean {
    const bytes = this.#bytes;
    const first = this.#at;
    let nanos = 0;
    let unit = 100000000;
    let at = first;
    for (; at < this.#end; at++) {
      const digit = bytes[at]! - byteOf.zero;
      if (digit < 0 || digit > 9) break;
      nanos += digit * unit;
      unit = unit > 1 ? unit / 10 : 0;
    }
    this.nanos = nanos;
    this.#at = at;
    return at > first;
  }

  /** Offset of a written zone in seconds east, or NaN. */
  #readZone(): number {
    const sign = this.#bytes[this.#at++]!;
    if (sign === 90 || sign === 122) return 0;
    if (sign !== byteOf.plus && sign !== byteOf.minus) return Number.NaN;
    const first = this.#at;
    const hours = this.#digits(2);
    if (this.#at - first !== 2) return Number.NaN;
    let minutes = 0;
    if (this.#at < this.#end) {
      this.#skip(byteOf.colon);
      const from = this.#at;
      minutes = this.#digits(2);
      if (this.#at - from !== 2 || minutes > 59) return Number.NaN;
    }
    const offset = hours * 3600 + minutes * 60;
    if (offset >= maxZoneSeconds) return Number.NaN;
    return sign === byteOf.minus ? -offset : offset;
  }

  #fromLocal(secondOfDay: number): number {
    if (this.#day !== this.#localDay) {
      this.#localDay = this.#day;
      this.#localDayUtc = this.#zone.toUtc(this.#day * secondsPerDay);
      this.#localDaySteady = this.#zone.isSteady(this.#day * secondsPerDay);
    }
    if (this.#localDaySteady) return this.#localDayUtc + secondOfDay;
    return this.#zone.toUtc(this.#day * secondsPerDay + secondOfDay);
  }

  /** Value of one to `most` digits, or -1 without any. */
  #digits(most: number): number {
    const limit = Math.min(this.#end, this.#at + most);
    let at = this.#at;
    let value = 0;
    for (; at < limit; at++) {
      const digit = this.#bytes[at]! - byteOf.zero;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (at === this.#at) return -1;
    this.#at = at;
    return value;
  }

  #skip(byte: number): boolean {
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }
}

/** Sets `seconds` and `nanos` (0 to 999,999,999) as ticks in two words; false when they do not fit 64 bits. */
export function setTicks(out: Uint32Array, seconds: number, nanos: number, perSecond: number): boolean {
  const rest = Math.floor(nanos / (1e9 / perSecond));
  const ticks = seconds * perSecond + rest;
  if (Math.abs(ticks) <= Number.MAX_SAFE_INTEGER) {
    setInteger(out, ticks);
    return true;
  }
  if (Math.abs(seconds) >= 5e11) return false;
  if (seconds >= 0) return applySign(out, setProduct(out, seconds, perSecond, rest), false, true);
  // a whole second is borrowed so that both parts of the magnitude are positive
  const high =
    rest === 0 ? setProduct(out, -seconds, perSecond, 0) : setProduct(out, -seconds - 1, perSecond, perSecond - rest);
  return applySign(out, high, true, true);
}

/**
 * Ticks of timestamp text, undefined when it is none or lies outside 64 bits. `zone` (an IANA name) is where text
 * without a zone of its own is local.
 */
export function parseTimestamp(text: string, precision: Precision, zone: string): bigint | undefined {
  const reader = new TimestampReader(zoneOffsets(zone));
  const bytes = Buffer.from(text);
  const words = new Uint32Array(2);
  if (!reader.read(bytes, 0, bytes.length)) return undefined;
  return setTicks(words, reader.seconds, reader.nanos, ticksPerSecond(precision)) ? toBigInt(words) : undefined;
}

const unitNanos = {
  b: 1n,
  u: 1000n,
  a: 1000000n,
  s: 1000000000n,
  m: 60000000000n,
  h: 3600000000000n,
  d: 86400000000000n,
  w: 604800000000000n,
  n: undefined,
  y: undefined,
} as const;

/** Ticks of a duration of fixed length, cut off below one tick; undefined for calendar months and years. */
export function durationTicks(duration: Duration, precision: Precision): bigint | undefined {
  const nanos = unitNanos[duration.unit];
  if (nanos === undefined) return undefined;
  return (BigInt(duration.count) * nanos) / BigInt(1e9 / ticksPerSecond(precision));
}

/**
 * Adds a duration, of negative count to go back. Calendar months and years keep the local time of day in `zone`; a day
 * that the month does not have becomes its last.
 */
export function addDuration(ticks: bigint, duration: Duration, precision: Precision, zone: string): bigint {
  const fixed = durationTicks(duration, precision);
  if (fixed !== undefined) return ticks + fixed;
  const offsets = zoneOffsets(zone);
  const [seconds, rest] = splitSeconds(ticks, precision);
  const local = seconds + offsets.offsetAt(seconds);
  const day = Math.floor(local / secondsPerDay);
  const days = addMonthsToDay(day, duration.count * (duration.unit === 'y' ? 12 : 1));
  const moved = offsets.toUtc(days * secondsPerDay + (local - day * secondsPerDay));
  return BigInt(moved) * BigInt(ticksPerSecond(precision)) + rest;
}

/** The midnight in `zone` that began the local day of an instant: TODAY(). */
export function startOfDay(ticks: bigint, precision: Precision, zone: string): bigint {
  const offsets = zoneOffsets(zone);
  const [seconds] = splitSeconds(ticks, precision);
  const day = Math.floor((seconds + offsets.offsetAt(seconds)) / secondsPerDay);
  return BigInt(offsets.toUtc(day * secondsPerDay)) * BigInt(ticksPerSecond(precision));
}

/** Ticks of an instant given in Unix nanoseconds, rounded down. */
export function ticksOfNanos(nanos: bigint, precision: Precision): bigint {
  const perTick = BigInt(1e9 / ticksPerSecond(precision));
  const ticks = nanos / perTick;
  return nanos < 0n && ticks * perTick !== nanos ? ticks - 1n : ticks;
}

function splitSeconds(ticks: bigint, precision: Precision): [seconds: number, rest: bigint] {
  const perSecond = BigInt(ticksPerSecond(precision));
  const rest = ((ticks % perSecond) + perSecond) % perSecond;
  return [Number((ticks - rest) / perSecond), rest];
}
