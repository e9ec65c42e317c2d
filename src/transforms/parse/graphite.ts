import { equals, lineFeed, semicolon, space } from '../../bytes/ascii.js';
import { NumberReader } from '../../bytes/number-reader.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import type { ParsedPoints, ParseOptions } from '../points/parse-options.js';
import { PointCollector } from '../points/point-collector.js';
import { defaultMaxLineBytes } from '../points/point-limits.js';
import { metricProblem, type SeriesKey, SeriesTags } from '../points/series-tags.js';
import { Ticks } from '../points/ticks.js';
import { badLine, excerpt, type LineProblem, problemFault } from '../wire/line-problem.js';
import { terminated } from '../wire/terminated.js';
import { countCharacters } from '../wire/utf8.js';
import { valueField } from './telnet.js';

const maxSeconds = 2 ** 48;

/** Reads the metric and its tags, `bytes[start, end)`, of a series that was not met before. */
function seriesIn(bytes: Uint8Array, start: number, end: number): SeriesKey | LineProblem {
  if (countCharacters(bytes, start, end) < 0) return badLine(start, 'metric or tags are not well-formed UTF-8');
  let at = start;
  while (at < end && bytes[at] !== semicolon) at++;
  const metricEnd = at;
  const problem = metricProblem(start, metricEnd - start, () => excerpt(bytes, start, metricEnd));
  if (problem !== undefined) return problem;
  const tags = new SeriesTags();
  while (at < end) {
    const tagStart = at + 1;
    let sign = tagStart;
    while (sign < end && bytes[sign] !== equals && bytes[sign] !== semicolon) sign++;
    at = sign;
    while (at < end && bytes[at] !== semicolon) at++;
    const shown = (): string => excerpt(bytes, tagStart, sign);
    if (bytes[sign] !== equals || sign >= end) return badLine(tagStart, `tag ${shown()} has no value`);
    const name = Buffer.from(bytes.subarray(tagStart, sign));
    const value = Buffer.from(bytes.subarray(sign + 1, at));
    const wrong = tags.nameProblem(tagStart, shown, name) ?? tags.add(tagStart, shown, name, value);
    if (wrong !== undefined) return wrong;
  }
  return tags.keyOf(Buffer.from(bytes.subarray(start, metricEnd)).toString());
}

/** Reads the lines of one call. */
class GraphiteReader {
  readonly #options: ParseOptions;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #points: PointCollector;
  readonly #times: Ticks;
  readonly #numbers = new NumberReader();

  constructor(bytes: Uint8Array, options: ParseOptions) {
    this.#options = options;
    this.#bytes = bytes.length === 0 ? bytes : terminated(bytes);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
    this.#points = new PointCollector(options, this.#bytes.length);
    this.#times = new Ticks(options);
  }

  read(): ParsedPoints {
    const bytes = this.#bytes;
    const maxLineBytes = this.#options.maxLineBytes ?? defaultMaxLineBytes;
    let line = 0;
    for (let start = 0; start < bytes.length; line++) {
      const end = bytes.indexOf(lineFeed, start);
      const problem =
        end - start > maxLineBytes
          ? badLine(start, `the line is longer than ${maxLineBytes} bytes`)
          : this.#readLine(start, end);
      if (problem !== undefined) this.#points.reject(line, problemFault(problem, start));
      start = end + 1;
    }
    return this.#points.finish(line);
  }

  #readLine(start: number, end: number): LineProblem | undefined {
    const metric = this.#skipBlanks(start, end);
    if (metric === end) return undefined;
    const metricEnd = this.#endOfWord(metric, end);
    const value = this.#skipBlanks(metricEnd, end);
    if (value === end) return badLine(end, 'the value is missing');
    const valueEnd = this.#endOfWord(value, end);
    const time = this.#skipBlanks(valueEnd, end);
    const timeEnd = this.#endOfWord(time, end);
    const rest = this.#skipBlanks(timeEnd, end);
    if (rest !== end) return badLine(rest, 'there is more than metric, value and timestamp');
    const number = this.#number(value, valueEnd);
    if (number === undefined) return badLine(value, `${excerpt(this.#bytes, value, valueEnd)} is not a finite number`);
    if (Number.isNaN(number)) return undefined;
    return this.#readTime(time, timeEnd) ?? this.#store(metric, metricEnd, number);
  }

  #skipBlanks(from: number, end: number): number {
    let at = from;
    while (at < end && this.#bytes[at]! <= space) at++;
    return at;
  }

  #endOfWord(from: number, end: number): number {
    let at = from;
    while (at < end && this.#bytes[at]! > space) at++;
    return at;
  }

  /** A finite number, or NaN where that is what stands there. */
  #number(start: number, end: number): number | undefined {
    if (this.#numbers.read(this.#bytes, start, end)) {
      const value = this.#numbers.double();
      return Number.isFinite(value) ? value : undefined;
    }
    if (end - start !== 3) return undefined;
    return Buffer.from(this.#bytes.subarray(start, end)).toString('latin1').toLowerCase() === 'nan'
      ? Number.NaN
      : undefined;
  }

  /** Seconds, with a fraction or not; none and -1 are now. */
  #readTime(start: number, end: number): LineProblem | undefined {
    this.#times.now();
    if (start === end) return undefined;
    const shown = (): string => excerpt(this.#bytes, start, end);
    if (!this.#numbers.read(this.#bytes, start, end)) return badLine(start, `${shown()} is not a timestamp`);
    const value = this.#numbers.double();
    if (value === -1) return undefined;
    if (value < 0) return outOfRange(start, `the timestamp ${shown()} is before 1970`);
    if (!(value < maxSeconds)) return outOfRange(start, `the timestamp ${shown()} is out of range`);
    const seconds = Math.floor(value);
    // A number of seconds today is exact to a quarter of a microsecond.
    const micros = Math.min(999_999, Math.round((value - seconds) * 1e6));
    const problem = this.#times.set(seconds, micros * 1000);
    return problem === undefined ? undefined : outOfRange(start, problem);
  }

  #store(metric: number, metricEnd: number, value: number): LineProblem | undefined {
    const points = this.#points;
    const bytes = this.#bytes;
    if (!points.find(bytes, this.#view, metric, metricEnd)) {
      const series = seriesIn(bytes, metric, metricEnd);
      if ('message' in series) return series;
      const refused = points.introduce(series);
      if (refused !== undefined) return problemOf(metric, refused);
    }
    const refused = points.refusal();
    if (refused !== undefined) return problemOf(metric, refused);
    const unfit = points.putDouble(valueField, value);
    if (unfit !== undefined) {
      points.drop();
      return problemOf(metric, fault(unfit.kind, unfit.code, `the value ${unfit.message}`));
    }
    const unstorable = points.commit(this.#times.words, bytes);
    return unstorable && problemOf(metric, unstorable);
  }
}

function problemOf(at: number, { code, message }: Fault): LineProblem {
  return { at, code, message };
}

function outOfRange(at: number, message: string): LineProblem {
  return { at, code: Codes.timestampOutOfRange, message };
}

/**
 * Reads whole lines of Graphite's plain text into column blocks, one table each: `metric[;tag=value...] value
 * [timestamp]`, separated by blanks or tabs, ended by LF or CR LF; the last line may lack its end. Blank lines are
 * skipped, and so is what is not a number (`nan`). The timestamp is in seconds since 1970, with a fraction or not; none
 * and -1 are now.
 *
 * A bad line is rejected as a whole and its neighbours are kept. Never throws for bad text.
 */
export function parseGraphite(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  return new GraphiteReader(bytes, options).read();
}
