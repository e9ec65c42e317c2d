import { carriageReturn, hash, lineFeed, space } from '../../../bytes/ascii.js';
import { countByte } from '../../../bytes/count-byte.js';
import { putVarint, varintLength } from '../../../bytes/varint.js';
import { readExpositionHead } from '../../../model/exposition-head.js';
import { countRows, cutMessage, type MessageShape, type PieceLimits } from '../../wire/message-pieces.js';
import { WireReader } from '../../wire/protobuf.js';
import { terminated } from '../../wire/terminated.js';
import { nameText, SampleReader } from './lines.js';
import { commentText, endOfOpenMetrics, familySuffixes, readTypeLine } from './words.js';

/** After so many lines without a sample between them every point has ended. */
const mostBadLines = 500;
/** A point has one sample for each of its fields, which are columns; those behind them have no other fields. */
const mostSamplesOfPoint = 4_096;
/** A name, a blank, a digit and a line feed. */
const shortestLineBytes = 4;

/** A scrape or push with some of the samples of another one. */
interface ExpositionPiece {
  readonly bytes: Uint8Array;
  /** Lines of the other one that it has, or metrics. */
  readonly rows: number;
  /** Lines before them with the types of their names, that an earlier piece has, too. */
  readonly repeatedRows?: number;
  /** It stands for a line or metric that is longer than a row may be. */
  readonly tooLong?: boolean;
}

/**
 * Cuts what `parseExposition` reads into pieces with about as many lines or metrics each as `limits` say, which
 * together say what it says; undefined where it has at most `most`. Samples of one point stay together. Throws a
 * FaultError of kind `parameter` where delimited messages are malformed.
 */
export function cutExposition(
  bytes: Uint8Array,
  most: number,
  limits: PieceLimits,
): Iterable<ExpositionPiece> | undefined {
  const { form, start } = readExpositionHead(bytes);
  if (form === 'protobuf') {
    const isShort = bytes.length <= limits.rowBytes && countMetrics(bytes, start) <= most;
    return isShort ? undefined : cutFamilies(bytes, start, limits);
  }
  const isShort = bytes.length <= limits.rowBytes && countByte(bytes, lineFeed) <= most;
  if (isShort || bytes.length <= most * shortestLineBytes) return undefined;
  return new TextCutter(terminated(bytes), start, form === 'openmetrics').cut(limits);
}

/** A comment that says the type of a name. */
interface TypeLine {
  readonly bytes: Uint8Array;
  /** Number of the piece that has it. */
  readonly piece: number;
}

class TextCutter {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #isOpenMetrics: boolean;
  readonly #samples: SampleReader;
  readonly #types = new Map<string, TypeLine>();
  /** Types that the current piece needs, by name. */
  readonly #repeated = new Map<string, Uint8Array>();
  #piece = 0;
  /** Name of the last sample as it stands there, and where its line is. */
  #lastName = '';
  #lastStart = 0;
  #lastEnd = 0;
  /** Lines without a sample since the last sample or piece. */
  #badLines = 0;

  constructor(bytes: Uint8Array, start: number, isOpenMetrics: boolean) {
    this.#bytes = bytes;
    this.#start = start;
    this.#isOpenMetrics = isOpenMetrics;
    this.#samples = new SampleReader(bytes, isOpenMetrics);
  }

  *cut({ rows: maxRows, rowBytes }: PieceLimits): Generator<ExpositionPiece> {
    const bytes = this.#bytes;
    let from = this.#start;
    let rows = 0;
    for (let at = from; at < bytes.length; rows++) {
      const next = bytes.indexOf(lineFeed, at) + 1;
      if (next - at > rowBytes + 1) {
        if (rows > 0) yield this.#pieceOf(from, at, rows);
        yield { bytes: bytes.subarray(0, this.#start), rows: 1, tooLong: true };
        this.#begin();
        from = next;
        at = next;
        // Counted from the next line on.
        rows = -1;
        continue;
      }
      let end = next - 1;
      if (bytes[end - 1] === carriageReturn && end > at) end--;
      let start = at;
      while (start < end && bytes[start]! <= space) start++;
      const isSample = start < end && bytes[start] !== hash;
      const isOver = this.#badLines >= mostBadLines || rows >= maxRows + mostSamplesOfPoint;
      if (rows >= maxRows && (isOver || (isSample && this.#beginsPoint(start, end)))) {
        yield this.#pieceOf(from, at, rows);
        this.#begin();
        from = at;
        rows = 0;
      }
      if (isSample) this.#readSample(start, end);
      else {
        this.#badLines++;
        // Text behind the end is an error, and stays with it.
        if (start < end && this.#readComment(start, end)) break;
      }
      at = next;
    }
    yield this.#pieceOf(from, bytes.length, countByte(bytes.subarray(from), lineFeed));
  }

  #begin(): void {
    this.#piece++;
    this.#repeated.clear();
    this.#badLines = 0;
    this.#lastName = '';
  }

  #pieceOf(from: number, to: number, rows: number): ExpositionPiece {
    const bytes = this.#bytes;
    const repeated = [...this.#repeated.values()];
    const isLast = to === bytes.length;
    const ending = this.#isOpenMetrics && !isLast ? [Buffer.from(`${endOfOpenMetrics}\n`)] : [];
    const parts = [bytes.subarray(0, this.#start), ...repeated, bytes.subarray(from, to), ...ending];
    return { bytes: Buffer.concat(parts), rows, repeatedRows: repeated.length };
  }

  /** Notes the type that a comment says; true where it ends the text. */
  #readComment(start: number, end: number): boolean {
    const text = commentText(this.#bytes, start, end);
    const typed = readTypeLine(text);
    if (typed !== undefined) {
      this.#types.set(typed.name, { bytes: Buffer.from(`${text}\n`), piece: this.#piece });
      this.#lastName = '';
    }
    return this.#isOpenMetrics && text === endOfOpenMetrics;
  }

  #readSample(start: number, end: number): void {
    const samples = this.#samples;
    if (!samples.read(start, end)) {
      this.#badLines++;
      return;
    }
    this.#badLines = 0;
    this.#lastStart = start;
    this.#lastEnd = end;
    const { nameStart, nameEnd } = samples;
    const raw = Buffer.from(this.#bytes.subarray(nameStart, nameEnd)).toString('latin1');
    if (raw === this.#lastName) return;
    this.#lastName = raw;
    const name = nameText(this.#bytes, nameStart, nameEnd);
    for (const typed of [name, name.replace(familySuffixes, '')]) {
      const type = this.#types.get(typed);
      if (type !== undefined && type.piece < this.#piece && !this.#repeated.has(typed))
        this.#repeated.set(typed, type.bytes);
    }
  }

  /** True when a sample is of another point than the last one. */
  #beginsPoint(start: number, end: number): boolean {
    const key = this.#keyOf(start, end);
    return key !== undefined && key !== this.#keyOf(this.#lastStart, this.#lastEnd);
  }

  /**
   * The name of a sample's family, its time and its labels, without the bound or quantile; undefined when it is not a
   * sample.
   */
  #keyOf(start: number, end: number): string | undefined {
    const samples = this.#samples;
    const bytes = this.#bytes;
    if (!samples.read(start, end)) return undefined;
    let key = nameText(bytes, samples.nameStart, samples.nameEnd).replace(familySuffixes, '');
    if (samples.hasTime) key += `\n${samples.seconds}.${samples.nanos}`;
    for (let label = 0; label < samples.labels; label++) {
      const name = nameText(bytes, samples.labelStart(label), samples.labelEnd(label));
      if (name !== 'le' && name !== 'quantile') key += `\n${name}\n${samples.labelValue(label)}`;
    }
    return key;
  }
}

/** Metrics are in the fields 4 of a family, see https://github.com/prometheus/client_model. */
const familyShape: MessageShape = { steps: [new Set([4])], apart: new Set() };

/** The delimited families, each with its length before it. */
function* families(bytes: Uint8Array, start: number): Generator<{ start: number; family: Uint8Array }> {
  const reader = new WireReader(bytes);
  reader.at = start;
  while (reader.at < bytes.length) {
    const begin = reader.at;
    const end = reader.enter();
    yield { start: begin, family: bytes.subarray(reader.at, end) };
    reader.at = end;
  }
}

/** Metrics, and families without any, which take their time, too. */
function countMetrics(bytes: Uint8Array, start: number): number {
  let metrics = 0;
  for (const { family } of families(bytes, start)) metrics += Math.max(1, countRows(family, familyShape));
  return metrics;
}

function* cutFamilies(bytes: Uint8Array, start: number, limits: PieceLimits): Generator<ExpositionPiece> {
  const head = bytes.subarray(0, start);
  let from = start;
  let [rows, empty] = [0, 0];
  for (const { start: at, family } of families(bytes, start)) {
    const metrics = countRows(family, familyShape);
    if (rows + empty > 0 && rows + empty + metrics > limits.rows) {
      yield { bytes: Buffer.concat([head, bytes.subarray(from, at)]), rows };
      from = at;
      [rows, empty] = [0, 0];
    }
    rows += metrics;
    if (metrics === 0) empty++;
    if (metrics <= limits.rows && family.length <= limits.rowBytes) continue;
    for (const piece of cutMessage(family, familyShape, limits)) {
      const length = Buffer.alloc(varintLength(piece.bytes.length));
      putVarint(length, 0, piece.bytes.length);
      yield { ...piece, bytes: Buffer.concat([head, length, piece.bytes]) };
    }
    from = at + varintLength(family.length) + family.length;
    [rows, empty] = [0, 0];
  }
  if (from < bytes.length) yield { bytes: Buffer.concat([head, bytes.subarray(from)]), rows };
}
