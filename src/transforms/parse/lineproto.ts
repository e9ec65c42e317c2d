import { backslash, carriageReturn, comma, equals, hash, lineFeed, space, tab } from '../../bytes/ascii.js';
import { finishHash, hashKey, mixWord } from '../../bytes/key-table.js';
import { Codes, type Fault } from '../../model/fault.js';
import { maxColumnNameBytes } from '../../model/sent-name.js';
import { endsValue, FieldValues } from '../points/field-values.js';
import type { ParsedPoints, ParseOptions } from '../points/parse-options.js';
import { PointCollector } from '../points/point-collector.js';
import { Kind, kindWidths } from '../points/point-fields.js';
import { defaultMaxLineBytes, maxColumnsPerCall, maxRowBytes } from '../points/point-limits.js';
import { parseSeriesKey, unescapeName } from '../points/series-key.js';
import { TimeReader } from '../points/time-reader.js';
import { endOfLine } from '../wire/line-cutter.js';
import { badLine, excerpt, type LineProblem, problemFault, rowText } from '../wire/line-problem.js';
import { terminated } from '../wire/terminated.js';
import { countCharacters } from '../wire/utf8.js';

/** Reads the lines of one call. */
class LineReader {
  readonly #options: ParseOptions;
  readonly #points: PointCollector;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  readonly #maxLineBytes: number;
  readonly #values: FieldValues;
  readonly #time: TimeReader;
  /** Index of the current line, its start, and what is wrong with it. */
  #line = 0;
  #lineStart = 0;
  #problem: LineProblem | undefined;
  /** End and hash of the series key of the current line. */
  #keyEnd = 0;
  #keyHash = 0;

  constructor(bytes: Uint8Array, options: ParseOptions) {
    this.#options = options;
    // Empty text has no lines, not an empty one.
    this.#bytes = bytes.length === 0 ? bytes : terminated(bytes);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
    this.#end = this.#bytes.length;
    this.#maxLineBytes = options.maxLineBytes ?? defaultMaxLineBytes;
    this.#points = new PointCollector(options, this.#end);
    this.#values = new FieldValues(this.#bytes, this.#points.fields);
    this.#time = new TimeReader(options.precision, options);
  }

  read(): ParsedPoints {
    const bytes = this.#bytes;
    let at = 0;
    const { marks } = this.#points;
    let textEnd = this.#options.texts?.[0]?.end ?? this.#end;
    while (at < this.#end) {
      if (marks !== undefined && at >= textEnd) {
        const text = marks.begin(at, this.#line);
        this.#time.begin(text.times);
        textEnd = text.end;
      }
      this.#lineStart = at;
      let byte = bytes[at]!;
      while (byte === space || byte === tab) byte = bytes[++at]!;
      if (byte === carriageReturn && bytes[at + 1] === lineFeed) byte = bytes[++at]!;
      if (byte === lineFeed) {
        at++;
        this.#line++;
      } else if (byte === hash) {
        at = bytes.indexOf(lineFeed, at) + 1;
        this.#line++;
      } else {
        at = this.#readLine(at);
      }
    }
    return this.#points.finish(this.#line, this.#time.usesNow);
  }

  /** Reads the line whose first byte that is no blank is at `start`, and returns the position after it. */
  #readLine(start: number): number {
    this.#values.lineBreaks = 0;
    const next = this.#readPoint(start);
    if (next >= 0) {
      this.#line += 1 + this.#values.lineBreaks;
      return next;
    }
    const end = endOfLine(this.#bytes, this.#lineStart, this.#end, this.#maxLineBytes);
    if (this.#problem !== undefined) {
      const problem = end - this.#lineStart > this.#maxLineBytes ? this.#tooLong() : this.#problem;
      const text = this.#points.describes ? rowText(this.#bytes, this.#lineStart, end) : undefined;
      this.#points.reject(this.#line, problemFault(problem, this.#lineStart), text);
    }
    for (let at = this.#lineStart; at < end; at++) if (this.#bytes[at] === lineFeed) this.#line++;
    return end;
  }

  #tooLong(): LineProblem {
    return badLine(this.#lineStart, `the line is longer than ${this.#maxLineBytes} bytes`);
  }

  /** Notes what is wrong with the line and returns -1. */
  #fail(problem: LineProblem | undefined): number {
    this.#problem = problem;
    return -1;
  }

  /** Reads one point and commits it. Returns the position after the line, or -1 and leaves no trace of it. */
  #readPoint(start: number): number {
    const points = this.#points;
    if (!this.#resume(start)) {
      if (!this.#scanKey(start)) return this.#fail(badLine(this.#keyEnd, 'the line has no fields'));
      if (!points.find(this.#bytes, this.#view, start, this.#keyEnd, this.#keyHash)) {
        const key = parseSeriesKey(this.#bytes, start, this.#keyEnd);
        if ('message' in key) return this.#fail(key);
        const refused = points.introduce(key);
        if (refused !== undefined) return this.#failAt(start, refused);
      }
    }
    const refused = points.refusal();
    if (refused !== undefined) return this.#failAt(this.#lineStart, refused);
    const end = this.#readFields();
    if (end < 0) {
      points.drop();
      return -1;
    }
    const words = this.#time.words;
    const unstorable = points.commit(words, this.#bytes);
    return unstorable === undefined ? end : this.#failAt(start, unstorable);
  }

  #failAt(at: number, { code, message }: Fault): number {
    return this.#fail({ at, code, message });
  }

  /**
   * Begins a point of the expected series if its key stands at `start`; a scan for the end of the key would end with
   * it.
   */
  #resume(start: number): boolean {
    const bytes = this.#bytes;
    const { dictionary } = this.#options;
    const { expected } = this.#points;
    if (expected < 0) return false;
    const length = dictionary.keyLength(expected);
    const end = start + length;
    if (end >= this.#end || bytes[end] !== space || bytes[end - 1] === backslash) return false;
    if (!dictionary.hasPart(expected, 0, bytes, this.#view, start, length)) return false;
    this.#keyEnd = end;
    this.#points.resume(expected);
    return true;
  }

  /**
   * Finds the end of the series key and hashes it, four bytes at a time. False when the line ends before a space does.
   * The fast way meets only keys without escaped blanks and control characters; for others, and near the end of the
   * text, the key is scanned again byte by byte.
   */
  #scanKey(start: number): boolean {
    const view = this.#view;
    const last = this.#end - 4;
    let value = this.#options.dictionary.seed;
    for (let at = start; at <= last; at += 4) {
      const word = view.getInt32(at, true);
      // Sets the top bit of each byte below 0x21; the lowest one set is exact, borrows disturb only those above it.
      const low = (word - 0x21212121) & ~word & 0x80808080;
      if (low === 0) {
        value = mixWord(value, word);
        continue;
      }
      const skipped = (31 - Math.clz32(low & -low)) >> 3;
      const keyEnd = at + skipped;
      if (this.#bytes[keyEnd] !== space || this.#bytes[keyEnd - 1] === backslash) break;
      if (skipped > 0) value = mixWord(value, word & ((1 << (skipped * 8)) - 1));
      this.#keyEnd = keyEnd;
      this.#keyHash = finishHash(value, keyEnd - start);
      return true;
    }
    return this.#scanUnusualKey(start);
  }

  #scanUnusualKey(start: number): boolean {
    const bytes = this.#bytes;
    let at = start;
    while (bytes[at] !== lineFeed && (bytes[at] !== space || bytes[at - 1] === backslash)) at++;
    this.#keyEnd = at;
    this.#keyHash = hashKey(bytes, this.#view, start, at, this.#options.dictionary.seed);
    return bytes[at] === space;
  }

  /** Reads fields and timestamp after the series key. Returns the position after the line, or -1. */
  #readFields(): number {
    let at = this.#readFieldSet();
    if (at >= 0) at = this.#readTime(at);
    if (at < 0 || at - this.#lineStart <= this.#maxLineBytes) return at;
    return this.#fail(this.#tooLong());
  }

  /** Reads all fields and returns the position after the last one. */
  #readFieldSet(): number {
    const bytes = this.#bytes;
    const points = this.#points;
    const { fields, table } = points;
    const limit = this.#lineStart + this.#maxLineBytes;
    let at = this.#keyEnd;
    while (bytes[at] === space) at++;
    let rowBytes = 0;
    let index = 0;
    let nameEnd = 0;
    for (; ; index++) {
      fields.reserve(index);
      let slot = table.predicted(bytes, at, index);
      if (slot >= 0) {
        nameEnd = at + table.columns[slot]!.raw.length - 1;
      } else {
        nameEnd = endOfFieldName(bytes, at);
        if (bytes[nameEnd] !== equals) return this.#failName(at, nameEnd);
        slot = table.find(bytes, at, nameEnd, index);
      }
      const next = this.#values.read(nameEnd + 1, index, limit);
      if (next < 0) return this.#failValue(at, nameEnd, this.#values.problem);
      if (slot < 0) {
        slot = this.#addField(at, nameEnd, index);
        if (slot < 0) return -1;
      }
      const kind = fields.kinds[index]!;
      const conflict = points.use(slot, kind);
      if (conflict !== undefined) return this.#failField(at, nameEnd, conflict);
      fields.slots[index] = slot;
      rowBytes += kindWidths[kind]!;
      if (kind >= Kind.varchar) rowBytes += this.#variableBytes(kind, index);
      if (bytes[next] !== comma) {
        if (!endsValue(bytes[next]!)) return this.#failValue(at, nameEnd, this.#values.notAValue(nameEnd + 1));
        at = next;
        break;
      }
      at = next + 1;
    }
    points.fieldCount = index + 1;
    if (rowBytes > maxRowBytes) {
      const message = `the fields take ${rowBytes} bytes, a row holds at most ${maxRowBytes}`;
      return this.#fail({ at: this.#keyEnd, code: Codes.rowTooLong, message });
    }
    if (points.isTooWide()) {
      return this.#fail(badLine(this.#keyEnd, `more than ${maxColumnsPerCall} columns in one piece of text`));
    }
    return at;
  }

  #variableBytes(kind: number, index: number): number {
    const { fields } = this.#points;
    return kind === Kind.nchar ? fields.characters[index]! * 4 : fields.ends[index]! - fields.starts[index]!;
  }

  /** Reads what follows the fields: a timestamp or nothing, and the end of the line. */
  #readTime(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    while (bytes[at] === space) at++;
    const byte = bytes[at]!;
    if (byte === lineFeed || (byte === carriageReturn && bytes[at + 1] === lineFeed)) {
      this.#time.now();
      return byte === lineFeed ? at + 1 : at + 2;
    }
    if (at === start) return this.#fail(badLine(at, 'a carriage return stands before the end of the line'));
    at = this.#time.read(bytes, at, this.#end);
    if (at < 0) return this.#fail(this.#time.problem);
    while (bytes[at] === space) at++;
    if (bytes[at] === carriageReturn) at++;
    if (bytes[at] === lineFeed) return at + 1;
    const stop = this.#values.endOfValue(at);
    return this.#fail(badLine(at, `${excerpt(bytes, at, Math.max(stop, at + 1))} follows the timestamp`));
  }

  #addField(start: number, end: number, index: number): number {
    const bytes = this.#bytes;
    if (start === end) return this.#fail(badLine(start, 'a field has no name'));
    const shown = excerpt(bytes, start, end);
    if (countCharacters(bytes, start, end) < 0) {
      return this.#fail(badLine(start, `field name ${shown} is not well-formed UTF-8`));
    }
    const name = unescapeName(bytes, start, end, false);
    if (name.length > maxColumnNameBytes) {
      return this.#fail(badLine(start, `field name ${shown} is longer than ${maxColumnNameBytes} bytes`));
    }
    const slot = this.#points.addColumn(name.toString(), this.#points.fields.kinds[index]!, index);
    if (typeof slot === 'number') return slot;
    return this.#fail({ at: start, code: slot.code, message: `field ${shown} ${slot.message}` });
  }

  #failName(start: number, end: number): number {
    if (start === end) {
      const byte = this.#bytes[start];
      const atEnd = byte === lineFeed || byte === space;
      return this.#fail(badLine(start, atEnd ? 'a field is missing' : 'a field has no name'));
    }
    return this.#fail(badLine(start, `field ${excerpt(this.#bytes, start, end)} has no value`));
  }

  #failValue(start: number, end: number, problem: LineProblem | undefined): number {
    if (problem === undefined) return this.#fail(undefined);
    const message = `field ${excerpt(this.#bytes, start, end)}: ${problem.message}`;
    return this.#fail({ at: problem.at, code: problem.code, message });
  }

  #failField(start: number, end: number, { code, message }: Fault): number {
    return this.#fail({ at: start, code, message: `field ${excerpt(this.#bytes, start, end)} ${message}` });
  }
}

/**
 * Reads whole lines of line protocol into column blocks, one table each. A line break inside a quoted string belongs to
 * the string; the last line may lack its line break. Blank lines and lines whose first character is `#` are skipped.
 *
 * A bad line is rejected as a whole and its neighbours are kept; the caller decides whether any of them is stored then.
 * Never throws for bad text. Sub-tables that are not registered travel in `newSubTables` of every block that refers to
 * them.
 */
export function parseLineProtocol(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  return new LineReader(bytes, options).read();
}

/** Position of the first unescaped equals sign, comma, space or line break from `start` on; there must be one. */
function endOfFieldName(bytes: Uint8Array, start: number): number {
  for (let at = start; ; at++) {
    const byte = bytes[at]!;
    if (byte === equals || byte === comma || byte === space || byte === lineFeed) return at;
    if (byte !== backslash) continue;
    const next = bytes[at + 1]!;
    if (next === equals || next === comma || next === space) at++;
  }
}
