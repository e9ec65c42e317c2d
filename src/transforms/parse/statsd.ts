import { atSign, colon, hash, lineFeed, minus, pipe, plus, space, underscore } from '../../bytes/ascii.js';
import { NumberReader } from '../../bytes/number-reader.js';
import type { RowReject } from '../../model/delivery.js';
import { Codes, fault } from '../../model/fault.js';
import { maxDetailedRejects } from '../points/point-limits.js';
import { excerpt } from '../wire/line-problem.js';

const lowerC = 0x63;
const lowerE = 0x65;
const upperT = 0x54;
/** Greatest number of seconds whose microseconds are exact and can be a time of a row. */
const maxSeconds = 2 ** 33;

/** Kinds of what is collected about a name; distributions are histograms, meters are counters. */
export const StatKind = { counter: 0, gauge: 1, set: 2, timing: 3, histogram: 4 } as const;

const kindByLetter: Readonly<Record<number, number>> = {
  [lowerC]: StatKind.counter,
  // Counters of Brubeck, and meters of Netdata.
  67: StatKind.counter,
  109: StatKind.counter,
  103: StatKind.gauge,
  115: StatKind.set,
  104: StatKind.histogram,
  100: StatKind.histogram,
};

/** Takes the messages that a {@link StatsdReader} finds; returns why one cannot be taken, if so. */
interface StatTaker {
  take(message: StatsdReader): string | undefined;
}

/** Messages that describe an event or the state of a service and are no metrics. */
function isNoMetric(bytes: Uint8Array, start: number): boolean {
  if (bytes[start] !== underscore) return false;
  if (bytes[start + 1] === lowerE) return bytes[start + 2] === 0x7b;
  return bytes[start + 1] === 0x73 && bytes[start + 2] === lowerC && bytes[start + 3] === pipe;
}

/**
 * Words before the colon of segments about the sender, whose values may hold colons: container, external data,
 * cardinality.
 */
const senderWords: readonly Buffer[] = ['c:', 'e:', 'card:'].map((word) => Buffer.from(word));

/** True when a segment about the sender begins at `start`. */
function isAboutSender(bytes: Uint8Array, start: number): boolean {
  for (const word of senderWords) {
    let at = 0;
    while (at < word.length && bytes[start + at] === word[at]) at++;
    if (at === word.length) return true;
  }
  return false;
}

/** First position in `bytes[from, end)` of `byte`; `end` when there is none. */
function positionOf(bytes: Uint8Array, from: number, end: number, byte: number): number {
  for (let position = from; position < end; position++) if (bytes[position] === byte) return position;
  return end;
}

/**
 * Reads StatsD lines: `bucket:value|type`, after it in any order `|@rate`, `|#tag:value,...` and `|Tseconds`, more
 * values or whole bits after further colons. The value of a set is one text, in which colons mean nothing. Its fields
 * are the message being read, so that a message costs no object. Bits of a line are taken from left to right; the first
 * bad one ends the line, and neither takes another line with it.
 */
export class StatsdReader {
  bytes: Uint8Array = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);
  /** The bucket, `bytes[bucketStart, bucketEnd)`: the name, and tags in it as `,key=value`. */
  bucketStart = 0;
  bucketEnd = 0;
  /** The text after `|#`; empty without one. */
  tagsStart = 0;
  tagsEnd = 0;
  /** One of {@link StatKind}. */
  kind = 0;
  /** The number, for all kinds but sets. */
  value = 0;
  /**
   * True when the number carries a sign: it may change a gauge instead of setting it. Times have none; histograms may
   * be of anything.
   */
  isSigned = false;
  /** Text of the value, for sets. */
  valueStart = 0;
  valueEnd = 0;
  /** Sample rate, above 0 and at most 1. */
  rate = 1;
  /** The time that the message brings, in seconds, and its text; 0 when it brings none. */
  seconds = 0;
  timeStart = 0;
  timeEnd = 0;
  /** Lines, messages taken, lines with something wrong, and lines that are no metrics, since the last `begin`. */
  lines = 0;
  messages = 0;
  rejectedLines = 0;
  ignoredLines = 0;
  rejects: RowReject[] = [];
  readonly #numbers = new NumberReader();
  /** What is wrong with the segments behind the type. */
  #problem = '';

  /** Reads all lines of a text; what was read of the one before is forgotten. */
  read(bytes: Uint8Array, taker: StatTaker): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.lines = 0;
    this.messages = 0;
    this.rejectedLines = 0;
    this.ignoredLines = 0;
    this.rejects = [];
    const end = bytes.length;
    let start = 0;
    while (start < end) {
      const lineEnd = positionOf(bytes, start, end, lineFeed);
      this.#readLine(start, lineEnd, taker);
      this.lines++;
      start = lineEnd + 1;
    }
  }

  #readLine(from: number, to: number, taker: StatTaker): void {
    const { bytes } = this;
    let start = from;
    let end = to;
    while (start < end && bytes[start]! <= space) start++;
    while (start < end && bytes[end - 1]! <= space) end--;
    if (start === end) return;
    if (isNoMetric(bytes, start)) {
      this.ignoredLines++;
      return;
    }
    this.bucketStart = start;
    this.bucketEnd = positionOf(bytes, start, end, colon);
    let next = this.bucketEnd < end ? this.bucketEnd + 1 : this.#fail(end, 'has no colon');
    while (next > 0) next = this.#readBit(next, end, taker);
  }

  /** Reads the bit at `start` and returns where the next one begins; 0 after the last one, and after a bad one. */
  #readBit(start: number, end: number, taker: StatTaker): number {
    const { bytes } = this;
    const valuesEnd = positionOf(bytes, start, end, pipe);
    if (valuesEnd === end) return this.#fail(end, 'has no type after its value');
    const typeEnd = this.#endOfSegment(valuesEnd + 1, end);
    const kind = this.#kindAt(valuesEnd + 1, typeEnd);
    if (kind === undefined) return this.#fail(end, 'has a type that is not known');
    this.kind = kind;
    const next = this.#readSegments(typeEnd, end);
    if (next < 0) return this.#fail(end, this.#problem);
    let valueStart = start;
    for (;;) {
      const valueEnd = kind === StatKind.set ? valuesEnd : positionOf(bytes, valueStart, valuesEnd, colon);
      const problem = this.#readValue(valueStart, valueEnd) ?? taker.take(this);
      if (problem !== undefined) return this.#fail(end, problem);
      this.messages++;
      if (valueEnd === valuesEnd) break;
      valueStart = valueEnd + 1;
    }
    return next < end ? next + 1 : 0;
  }

  #kindAt(start: number, end: number): number | undefined {
    const { bytes } = this;
    if (end - start === 1) return kindByLetter[bytes[start]!];
    return end - start === 2 && bytes[start] === 0x6d && bytes[start + 1] === 0x73 ? StatKind.timing : undefined;
  }

  #endOfSegment(from: number, end: number): number {
    let position = from;
    while (position < end && this.bytes[position] !== pipe && this.bytes[position] !== colon) position++;
    return position;
  }

  /**
   * Reads what follows the type: the sample rate, tags, the time, and segments that mean nothing here. Returns the
   * position of the colon before the next bit or the end of the line; -1 sets `#problem`.
   */
  #readSegments(from: number, end: number): number {
    const { bytes } = this;
    this.rate = 1;
    this.seconds = 0;
    this.timeStart = 0;
    this.timeEnd = 0;
    this.tagsStart = 0;
    this.tagsEnd = 0;
    let position = from;
    while (position < end && bytes[position] === pipe) {
      const start = position + 1;
      const first = bytes[start];
      if (first === hash) {
        position = positionOf(bytes, start, end, pipe);
        this.tagsStart = start + 1;
        this.tagsEnd = position;
      } else if (isAboutSender(bytes, start)) {
        position = positionOf(bytes, start, end, pipe);
      } else {
        position = this.#endOfSegment(start, end);
        if (first === atSign && !this.#readRate(start + 1, position)) return -1;
        if (first === upperT && !this.#readTime(start + 1, position)) return -1;
      }
    }
    return position;
  }

  /** Takes a rate above 0 and at most 1; every other one is as good as none. False when there is white space in it. */
  #readRate(start: number, end: number): boolean {
    for (let position = start; position < end; position++) {
      if (this.bytes[position]! > space) continue;
      this.#problem = 'has white space in its sample rate';
      return false;
    }
    const rate = this.#numbers.read(this.bytes, start, end) ? this.#numbers.double() : 0;
    if (rate > 0 && rate <= 1) this.rate = rate;
    return true;
  }

  /**
   * Takes a time in whole seconds after 1970, as counters and gauges of DogStatsD may bring one. False sets `#problem`.
   */
  #readTime(start: number, end: number): boolean {
    const seconds = this.#numbers.read(this.bytes, start, end) ? this.#numbers.double() : 0;
    if (!Number.isInteger(seconds) || seconds <= 0 || seconds > maxSeconds) {
      this.#problem = 'has a time that is not in whole seconds after 1970 and before 2242';
      return false;
    }
    this.seconds = seconds;
    this.timeStart = start;
    this.timeEnd = end;
    return true;
  }

  /** Reads one value; returns what is wrong with it, if so. */
  #readValue(start: number, end: number): string | undefined {
    if (start === end) return 'has no value';
    this.valueStart = start;
    this.valueEnd = end;
    if (this.kind === StatKind.set) return undefined;
    const first = this.bytes[start];
    this.isSigned = first === plus || first === minus;
    if (this.isSigned && this.kind === StatKind.timing) return 'has a sign before a value that cannot have one';
    if (!this.#numbers.read(this.bytes, start, end)) return 'has a value that is not a number';
    this.value = this.#numbers.double();
    return Number.isFinite(this.value) ? undefined : 'has a value that is out of range';
  }

  /** Counts the line, which ends here. */
  #fail(end: number, problem: string): number {
    this.rejectedLines++;
    if (this.rejects.length < maxDetailedRejects) {
      const message = `line ${excerpt(this.bytes, this.bucketStart, end)} ${problem}`;
      this.rejects.push({ row: this.lines, fault: fault('syntax', Codes.lineSyntax, message) });
    }
    return 0;
  }
}
