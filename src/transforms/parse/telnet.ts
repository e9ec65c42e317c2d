import { backslash, carriageReturn, equals, lineFeed, quote, space, tab } from '../../bytes/ascii.js';
import { AssembledKey } from '../../bytes/assembled-key.js';
import type { Fault } from '../../model/fault.js';
import { FieldValues } from '../points/field-values.js';
import type { ParsedPoints, ParseOptions } from '../points/parse-options.js';
import { fieldName, PointCollector } from '../points/point-collector.js';
import { Kind } from '../points/point-fields.js';
import { defaultMaxLineBytes } from '../points/point-limits.js';
import { PointTimes } from '../points/point-times.js';
import { metricProblem, type SeriesKey, SeriesTags } from '../points/series-tags.js';
import { badLine, excerpt, type LineProblem, problemFault } from '../wire/line-problem.js';
import { terminated } from '../wire/terminated.js';
import { countCharacters } from '../wire/utf8.js';

/** Column that the value of a point is stored in. */
export const valueField = fieldName('_value');

/** Reads metric and tags of a series that was not met before; `tags` ends where the last tag does. */
function parseTelnetKey(
  bytes: Uint8Array,
  metric: readonly [start: number, end: number],
  tags: readonly [start: number, end: number],
): SeriesKey | LineProblem {
  const [start, end] = metric;
  const wellFormed = countCharacters(bytes, start, end) >= 0 && countCharacters(bytes, ...tags) >= 0;
  if (!wellFormed) return badLine(start, 'metric or tags are not well-formed UTF-8');
  const problem = metricProblem(start, end - start, () => excerpt(bytes, start, end));
  if (problem !== undefined) return problem;
  const series = new SeriesTags();
  for (let at = tags[0]; at < tags[1]; ) {
    let stop = at;
    while (stop < tags[1] && bytes[stop] !== space) stop++;
    const wrong = addTag(series, bytes, at, stop);
    if (wrong !== undefined) return wrong;
    at = stop;
    while (at < tags[1] && bytes[at] === space) at++;
  }
  return series.keyOf(Buffer.from(bytes.subarray(start, end)).toString());
}

/** Adds the tag `bytes[start, end)`: a name, one equals sign, a value. */
function addTag(series: SeriesTags, bytes: Uint8Array, start: number, end: number): LineProblem | undefined {
  let sign = start;
  while (sign < end && bytes[sign] !== equals) sign++;
  const shown = (): string => excerpt(bytes, start, sign);
  if (sign === end) return badLine(start, `tag ${shown()} has no value`);
  const name = Buffer.from(bytes.subarray(start, sign));
  const problem = series.nameProblem(start, shown, name);
  if (problem !== undefined) return problem;
  const value = Buffer.from(bytes.subarray(sign + 1, end));
  if (value.includes(equals)) return badLine(sign + 1, `tag ${shown()} has a second equals sign`);
  // Some collectors write a tag twice.
  return series.has(name, value) ? undefined : series.add(start, shown, name, value);
}

/** Position of the first byte from `at` on that is a space or a control character; there must be one. */
function endOfWord(bytes: Uint8Array, at: number): number {
  let end = at;
  while (bytes[end]! > space) end++;
  return end;
}

/** Shared by all calls: a call runs to its end before the next one begins. */
const key = new AssembledKey();

/** Reads the lines of one call. */
class TelnetReader {
  readonly #options: ParseOptions;
  readonly #points: PointCollector;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  readonly #values: FieldValues;
  readonly #times: PointTimes;
  #problem: LineProblem | undefined;
  /** Where the parts of the current line begin and end. */
  #metric = 0;
  #metricEnd = 0;
  #time = 0;
  #timeEnd = 0;
  #value = 0;
  #valueEnd = 0;
  #tags = 0;
  #tagsEnd = 0;

  constructor(bytes: Uint8Array, options: ParseOptions) {
    this.#options = options;
    this.#bytes = bytes.length === 0 ? bytes : terminated(bytes);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
    this.#end = this.#bytes.length;
    this.#points = new PointCollector(options, this.#end);
    this.#values = new FieldValues(this.#bytes, this.#points.fields);
    this.#times = new PointTimes(options);
  }

  read(): ParsedPoints {
    const bytes = this.#bytes;
    const maxLineBytes = this.#options.maxLineBytes ?? defaultMaxLineBytes;
    let line = 0;
    const { marks } = this.#points;
    let textEnd = this.#options.texts?.[0]?.end ?? this.#end;
    for (let lineStart = 0; lineStart < this.#end; line++) {
      if (marks !== undefined && lineStart >= textEnd) {
        const text = marks.begin(lineStart, line);
        this.#times.begin(text.times);
        textEnd = text.end;
      }
      let lineEnd = this.#locateExpected(lineStart, maxLineBytes);
      if (lineEnd >= 0) {
        this.#store(lineStart);
      } else {
        lineEnd = this.#endOfLine(lineStart);
        let at = lineStart;
        while (bytes[at] === space || bytes[at] === tab) at++;
        let end = lineEnd;
        while (end > at && (bytes[end - 1] === space || bytes[end - 1] === carriageReturn)) end--;
        if (lineEnd - lineStart > maxLineBytes && end > at) {
          this.#fail(badLine(lineStart, `the line is longer than ${maxLineBytes} bytes`));
        } else if (end > at) {
          this.#readPoint(at, end);
        }
      }
      if (this.#problem !== undefined) {
        this.#points.reject(line, problemFault(this.#problem, lineStart));
        this.#problem = undefined;
      }
      lineStart = lineEnd + 1;
    }
    return this.#points.finish(line, this.#times.usesNow);
  }

  /**
   * Finds the parts of a line of the expected series, whose key says where its tags end, and begins a point of it.
   * Returns the position of the line break; -1 for every other line, of which nothing is recorded then.
   */
  #locateExpected(start: number, maxLineBytes: number): number {
    const { expected } = this.#points;
    if (expected < 0) return -1;
    const { dictionary } = this.#options;
    const bytes = this.#bytes;
    this.#metric = this.#startOfMetric(start);
    this.#metricEnd = endOfWord(bytes, this.#metric);
    // The space behind the metric stands in the key, too.
    const tagsAt = this.#metricEnd + 1 - this.#metric;
    const tagBytes = dictionary.keyLength(expected) - tagsAt;
    if (tagBytes < 0 || !dictionary.hasPart(expected, 0, bytes, this.#view, this.#metric, tagsAt)) return -1;
    this.#time = this.#skipBlanks(this.#metricEnd);
    this.#timeEnd = endOfWord(bytes, this.#time);
    if (bytes[this.#timeEnd] !== space) return -1;
    this.#value = this.#skipBlanks(this.#timeEnd);
    this.#valueEnd = endOfWord(bytes, this.#value);
    // A string may hold blanks.
    if (bytes[this.#valueEnd] !== space || this.#openingQuote(this.#value) >= 0) return -1;
    this.#tags = this.#skipBlanks(this.#valueEnd);
    const end = this.#tags + tagBytes;
    this.#tagsEnd = end;
    if (end >= this.#end || bytes[end] !== lineFeed || end - start > maxLineBytes) return -1;
    if (!dictionary.hasPart(expected, tagsAt, bytes, this.#view, this.#tags, tagBytes)) return -1;
    this.#points.resume(expected);
    return end;
  }

  /** Position of the first line break from `start` on, found four bytes at a time. */
  #endOfLine(start: number): number {
    const view = this.#view;
    const last = this.#end - 4;
    let at = start;
    while (at <= last) {
      const word = view.getInt32(at, true);
      // Sets the top bit of each byte below 0x20; the lowest one set is exact, borrows disturb only those above it.
      const low = (word - 0x20202020) & ~word & 0x80808080;
      if (low === 0) {
        at += 4;
        continue;
      }
      at += (31 - Math.clz32(low & -low)) >> 3;
      if (this.#bytes[at] === lineFeed) return at;
      at++;
    }
    while (this.#bytes[at] !== lineFeed) at++;
    return at;
  }

  #fail(problem: LineProblem | undefined): boolean {
    this.#problem = problem;
    return false;
  }

  #failWith(at: number, { code, message }: Fault): boolean {
    return this.#fail({ at, code, message });
  }

  /** Reads the point in `bytes[start, end)` and commits it; or records the problem and leaves no trace of it. */
  #readPoint(start: number, end: number): boolean {
    if (!this.#locate(start, end)) return false;
    const bytes = this.#bytes;
    const points = this.#points;
    key.begin(this.#options.dictionary.seed);
    key.append(bytes, this.#view, this.#metric, this.#metricEnd);
    key.separate(space);
    key.append(bytes, this.#view, this.#tags, this.#tagsEnd);
    if (!points.find(key.bytes, key.view, 0, key.length, key.hash())) {
      const series = parseTelnetKey(bytes, [this.#metric, this.#metricEnd], [this.#tags, this.#tagsEnd]);
      if ('message' in series) return this.#fail(series);
      const refused = points.introduce(series);
      if (refused !== undefined) return this.#failWith(start, refused);
    }
    return this.#store(start);
  }

  /** Commits the point that was begun, with the time and the value of the line that begins at `start`. */
  #store(start: number): boolean {
    const points = this.#points;
    const refused = points.refusal();
    if (refused !== undefined) return this.#failWith(start, refused);
    if (!this.#readTimeAndValue()) {
      points.drop();
      return false;
    }
    const { words } = this.#times;
    const unstorable = points.commit(words, this.#bytes);
    return unstorable === undefined || this.#failWith(start, unstorable);
  }

  /** Finds the parts of the line. */
  #locate(start: number, end: number): boolean {
    const bytes = this.#bytes;
    let at = this.#startOfMetric(start);
    this.#metric = at;
    this.#metricEnd = at = endOfWord(bytes, at);
    if (at > this.#metric && !this.#isSeparated(at, end)) return false;
    this.#time = at = this.#skipBlanks(at);
    if (at >= end) return this.#fail(badLine(at, 'the timestamp is missing'));
    this.#timeEnd = at = endOfWord(bytes, at);
    if (!this.#isSeparated(at, end)) return false;
    this.#value = at = this.#skipBlanks(at);
    if (at >= end) return this.#fail(badLine(at, 'the value is missing'));
    this.#valueEnd = at = this.#endOfValue(at, end);
    if (at < 0) return this.#fail(badLine(this.#value, 'a string is not closed'));
    this.#tags = at = this.#skipBlanks(at);
    this.#tagsEnd = end;
    return at < end || this.#fail(badLine(end, 'the point has no tags'));
  }

  /** Position after the word `put` at `start` and its blanks, which may be left out. */
  #startOfMetric(start: number): number {
    const bytes = this.#bytes;
    const isPut =
      bytes[start] === 0x70 && bytes[start + 1] === 0x75 && bytes[start + 2] === 0x74 && bytes[start + 3] === space;
    return isPut ? this.#skipBlanks(start + 4) : start;
  }

  /** Where a word ends at `at`, a space must follow. */
  #isSeparated(at: number, end: number): boolean {
    if (at >= end || this.#bytes[at] === space) return true;
    return this.#fail(badLine(at, 'a tab or another control character stands where a blank must'));
  }

  #skipBlanks(start: number): number {
    let at = start;
    while (this.#bytes[at] === space) at++;
    return at;
  }

  /** Position after the value that begins at `start`; -1 when it is a string that is not closed in the line. */
  #endOfValue(start: number, end: number): number {
    const bytes = this.#bytes;
    const open = this.#openingQuote(start);
    if (open < 0) return endOfWord(bytes, start);
    for (let at = open + 1; at < end; at++) {
      if (bytes[at] === quote) return endOfWord(bytes, at);
      if (bytes[at] === backslash && (bytes[at + 1] === quote || bytes[at + 1] === backslash)) at++;
    }
    return -1;
  }

  /** Position of the quote that a string begins with, before which a letter may stand; -1 when the value is none. */
  #openingQuote(start: number): number {
    if (this.#bytes[start] === quote) return start;
    return this.#bytes[start + 1] === quote ? start + 1 : -1;
  }

  #readTimeAndValue(): boolean {
    const bytes = this.#bytes;
    if (!this.#times.read(bytes, this.#time, this.#timeEnd)) return this.#fail(this.#times.problem);
    const points = this.#points;
    const { fields } = points;
    const at = this.#values.read(this.#value, 0, this.#tagsEnd);
    if (at < 0) return this.#fail(this.#values.problem);
    if (at !== this.#valueEnd || bytes[at] !== space) return this.#fail(this.#notAValue('a value'));
    const kind = fields.kinds[0]!;
    if ((kind === Kind.double || kind === Kind.float) && !Number.isFinite(fields.doubles[0]!)) {
      return this.#fail(this.#notAValue('a finite number'));
    }
    const index = points.field(valueField, kind);
    if (typeof index === 'number') return true;
    return this.#failWith(this.#value, { ...index, message: `the value ${index.message}` });
  }

  #notAValue(expected: string): LineProblem {
    return badLine(this.#value, `${excerpt(this.#bytes, this.#value, this.#valueEnd)} is not ${expected}`);
  }
}

/**
 * Reads whole lines of the telnet format into column blocks, one table each: `[put ]metric timestamp value
 * tag=value...`, separated by blanks, ended by LF or CR LF; the last line may lack its end. Blank lines are skipped.
 * Values are those of line protocol, numbers finite; a line break always ends a line.
 *
 * A bad line is rejected as a whole and its neighbours are kept. Never throws for bad text.
 */
export function parseTelnet(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  return new TelnetReader(bytes, options).read();
}
