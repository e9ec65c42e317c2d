import { closeBrace, closeBracket, comma, openBrace, openBracket, quote } from '../../../bytes/ascii.js';
import { AssembledKey } from '../../../bytes/assembled-key.js';
import { Codes, type Fault } from '../../../model/fault.js';
import type { ParsedPoints, ParseOptions } from '../../points/parse-options.js';
import { fieldName, PointCollector } from '../../points/point-collector.js';
import { PointTimes } from '../../points/point-times.js';
import { endOfElement } from '../../wire/json-elements.js';
import { JsonText } from '../../wire/json-text.js';
import { excerpt, type LineProblem, problemFault, rowText } from '../../wire/line-problem.js';
import { terminated } from '../../wire/terminated.js';
import { parseJsonKey } from './key.js';
import { MemberOrder } from './members.js';
import { JsonValues, readTyped } from './value.js';

const valueField = fieldName('_value');

/** Members of an object, by their position in the arrays that hold where they stand. */
const Member = { metric: 0, timestamp: 1, value: 2, tags: 3 } as const;
const memberNames = ['metric', 'timestamp', 'value', 'tags'] as const;

/** Units that a timestamp may be given. */
const units: ReadonlyMap<string, 's' | 'ms' | 'us' | 'ns'> = new Map([
  ['s', 's'],
  ['ms', 'ms'],
  ['us', 'us'],
  ['ns', 'ns'],
]);

/** Shared by all calls: a call runs to its end before the next one begins. */
const key = new AssembledKey();

/** Reads the objects of one call. */
class ObjectReader {
  readonly #options: ParseOptions;
  readonly #points: PointCollector;
  readonly #text: JsonText;
  readonly #view: DataView;
  readonly #values: JsonValues;
  readonly #times: PointTimes;
  /** Where the members of the current object begin, -1 for those not met, and end. */
  readonly #starts = new Int32Array(memberNames.length);
  readonly #ends = new Int32Array(memberNames.length);
  readonly #order: MemberOrder;
  /** The series whose key the current object has, because it was expected; -1 when it must be looked for. */
  #expected = -1;
  #rows = 0;
  /** Times and values are numbers, quoted or not, and other members are passed over. */
  readonly #isOpentsdb: boolean;

  constructor(bytes: Uint8Array, options: ParseOptions, isOpentsdb: boolean) {
    this.#options = options;
    this.#isOpentsdb = isOpentsdb;
    this.#text = new JsonText(terminated(bytes));
    this.#view = new DataView(this.#text.bytes.buffer, this.#text.bytes.byteOffset, this.#text.end);
    this.#points = new PointCollector(options, this.#text.end);
    this.#order = new MemberOrder(this.#text, this.#view);
    this.#values = new JsonValues(this.#text, this.#points.fields);
    this.#times = new PointTimes(options, isOpentsdb);
  }

  read(): ParsedPoints {
    const { part = { first: true, last: true } } = this.#options;
    const text = this.#text;
    const start = text.skip(0);
    if (start < text.end) {
      if (!part.first) this.#readElements(start, part.last);
      else if (text.bytes[start] === openBracket) this.#readArray(start, part.last);
      else this.#readOnly(start);
    }
    return this.#points.finish(this.#rows);
  }

  /** Reads a text that is one object. */
  #readOnly(start: number): void {
    const end = this.#readElement(start);
    if (end < 0) return;
    const at = this.#text.skip(end);
    if (at < this.#text.end) this.#rejectNext(at, 'text follows the object');
  }

  #readArray(start: number, isLast: boolean): void {
    const text = this.#text;
    const at = text.skip(start + 1);
    if (at < text.end && text.bytes[at] === closeBracket) this.#endArray(at, isLast);
    else if (at < text.end || isLast) this.#readElements(at, isLast);
  }

  /** Reads the elements of an array from one that begins at `start` on. */
  #readElements(start: number, isLast: boolean): void {
    const text = this.#text;
    let at = start;
    for (;;) {
      if (at >= text.end) {
        if (isLast) this.#rejectNext(at, 'the array is not closed');
        return;
      }
      if (this.#points.stops()) return;
      const next = this.#readElement(at);
      at = next < 0 ? this.#endOfElement(at) : text.skip(next);
      if (at < text.end && text.bytes[at] !== comma && text.bytes[at] !== closeBracket) {
        this.#rejectNext(at, 'a comma is missing between two objects');
        at = this.#endOfElement(at);
      }
      if (at < text.end && text.bytes[at] === closeBracket) {
        this.#endArray(at, isLast);
        return;
      }
      if (at < text.end) at = text.skip(at + 1);
    }
  }

  /**
   * Position of the comma or bracket behind the element that `start` stands in, however damaged it is; `end` without
   * one.
   */
  #endOfElement(start: number): number {
    const { bytes, end } = this.#text;
    let at = endOfElement(bytes, start, end);
    // Too many closing braces belong to what is damaged.
    while (at < end && bytes[at] === closeBrace) at = endOfElement(bytes, at + 1, end);
    return at;
  }

  #endArray(at: number, isLast: boolean): void {
    const after = this.#text.skip(at + 1);
    if (after < this.#text.end || !isLast) this.#rejectNext(after, 'text follows the array');
  }

  #rejectNext(at: number, message: string): void {
    this.#points.reject(this.#rows, problemFault({ at, ...schemaless(message) }, at));
    this.#rows++;
  }

  /**
   * Reads one element and commits or rejects it. Returns the position after it, -1 when only its beginning was
   * understood.
   */
  #readElement(start: number): number {
    const text = this.#text;
    text.problem = undefined;
    const end = this.#locate(start);
    if (end >= 0) this.#readPoint(start);
    if (text.problem !== undefined) {
      const shown = end >= 0 && this.#points.describes ? rowText(text.bytes, start, end) : undefined;
      this.#points.reject(this.#rows, problemFault(text.problem, start), shown);
      text.isBrief = !this.#points.describes;
    }
    this.#rows++;
    return end;
  }

  /** Finds the members of the object at `start` and returns the position after it, or -1. */
  #locate(start: number): number {
    const end = this.#locateAlike(start);
    return end < 0 ? this.#locateAny(start) : end;
  }

  /**
   * {@link ObjectReader.#locate} for an object whose members are written as those of the last one; -1 for any other.
   */
  #locateAlike(start: number): number {
    const text = this.#text;
    const order = this.#order;
    this.#expected = -1;
    if (!order.isKnown) return -1;
    const count = order.members.length;
    let at = start;
    for (let place = 0; place < count; place++) {
      const valueAt = order.after(place, at);
      if (valueAt < 0) return -1;
      const member = order.members[place]!;
      at = member === Member.tags ? this.#endOfTags(start, valueAt) : text.endOfValue(valueAt);
      if (at < 0) return -1;
      this.#starts[member] = valueAt;
      this.#ends[member] = at;
    }
    return order.after(count, at);
  }

  /**
   * Position after the tags at `start`, in an object that begins at `objectStart`. Those of the expected series are
   * known by their bytes, if its metric stands before them.
   */
  #endOfTags(objectStart: number, start: number): number {
    const text = this.#text;
    const { expected } = this.#points;
    const metric = this.#starts[Member.metric]!;
    if (expected < 0 || metric < objectStart) return text.endOfValue(start);
    const { dictionary } = this.#options;
    const metricLength = this.#ends[Member.metric]! - metric;
    const length = dictionary.keyLength(expected) - metricLength;
    const isExpected =
      length > 0 &&
      start + length <= text.end &&
      dictionary.hasPart(expected, 0, text.bytes, this.#view, metric, metricLength) &&
      dictionary.hasPart(expected, metricLength, text.bytes, this.#view, start, length);
    if (!isExpected) return text.endOfValue(start);
    this.#expected = expected;
    return start + length;
  }

  /** {@link ObjectReader.#locate} for any object. */
  #locateAny(start: number): number {
    const text = this.#text;
    const { bytes } = text;
    const order = this.#order;
    text.problem = undefined;
    this.#expected = -1;
    order.clear();
    if (bytes[start] !== openBrace) return text.fail(start, `${text.shown(start)} is not an object`);
    this.#starts.fill(-1);
    let from = start;
    let at = text.skip(start + 1);
    if (bytes[at] !== quote && bytes[at] !== closeBrace) return text.fail(at, 'the name of a member is missing');
    while (bytes[at] !== closeBrace) {
      const nameEnd = text.endOfString(at);
      if (nameEnd < 0) return -1;
      const member = this.#memberOf(at, nameEnd);
      if (member < 0) {
        if (!this.#isOpentsdb) return text.fail(at, `member ${excerpt(bytes, at + 1, nameEnd - 1)} is not known`);
      } else if (this.#starts[member]! >= 0) {
        return text.fail(at, `member "${memberNames[member]}" occurs twice`);
      }
      const valueAt = text.valueAfter(nameEnd);
      const valueEnd = valueAt < 0 ? -1 : text.endOfValue(valueAt);
      if (valueEnd < 0) return -1;
      if (member >= 0) {
        this.#starts[member] = valueAt;
        this.#ends[member] = valueEnd;
        order.add(member, from, valueAt);
        from = valueEnd;
      }
      at = text.nextMember(valueEnd);
      if (at < 0) return -1;
    }
    order.close(from, at + 1);
    return at + 1;
  }

  /** The member whose name, with its quotes, is `bytes[start, end)`; -1 when there is no such member. */
  #memberOf(start: number, end: number): number {
    const text = this.#text;
    if (text.escaped) {
      const names: readonly (string | undefined)[] = memberNames;
      return names.indexOf(text.contentOf(start, end)?.toString().toLowerCase());
    }
    const length = end - start - 2;
    const member =
      length === 6 ? Member.metric : length === 9 ? Member.timestamp : length === 5 ? Member.value : Member.tags;
    return text.isWord(start + 1, end - 1, memberNames[member]) ? member : -1;
  }

  /** Reads the point whose members were found and commits it; or records the problem and leaves no trace of it. */
  #readPoint(start: number): void {
    const text = this.#text;
    if (!this.#isComplete(start)) return;
    const points = this.#points;
    if (!this.#find()) {
      const series = parseJsonKey(text, this.#placeOf(Member.metric), this.#placeOf(Member.tags));
      if (series === undefined) return;
      const refused = points.introduce(series);
      if (refused !== undefined) {
        this.#failWith(start, refused);
        return;
      }
    }
    const refused = points.refusal();
    if (refused !== undefined) {
      this.#failWith(start, refused);
      return;
    }
    if (!this.#readTime() || !this.#readValue()) {
      points.drop();
      return;
    }
    const { words } = this.#times;
    const unstorable = points.commit(words, text.bytes);
    if (unstorable !== undefined) this.#failWith(start, unstorable);
  }

  #isComplete(start: number): boolean {
    const text = this.#text;
    for (let member = 0; member < memberNames.length; member++) {
      if (this.#starts[member]! < 0) return text.fail(start, `member "${memberNames[member]}" is missing`) >= 0;
    }
    const metric = this.#starts[Member.metric]!;
    const tags = this.#starts[Member.tags]!;
    // Its other members are checked once per series.
    const mayBeName = text.bytes[metric] === quote || this.#isOpentsdb;
    if (!mayBeName) return text.fail(metric, 'the metric is not a string') >= 0;
    return text.bytes[tags] === openBrace || text.fail(tags, 'the tags are not an object') >= 0;
  }

  #placeOf(member: number): readonly [start: number, end: number] {
    return [this.#starts[member]!, this.#ends[member]!];
  }

  /** Looks for the series by the text of metric and tags, as they are written. */
  #find(): boolean {
    if (this.#expected >= 0) {
      this.#points.resume(this.#expected);
      return true;
    }
    const { bytes } = this.#text;
    const starts = this.#starts;
    const ends = this.#ends;
    key.begin(this.#options.dictionary.seed);
    // The metric with its quotes ends where a quote does, so the two texts cannot be taken for others.
    key.append(bytes, this.#view, starts[Member.metric]!, ends[Member.metric]!);
    key.append(bytes, this.#view, starts[Member.tags]!, ends[Member.tags]!);
    return this.#points.find(key.bytes, key.view, 0, key.length, key.hash());
  }

  #readTime(): boolean {
    const text = this.#text;
    const times = this.#times;
    const start = this.#starts[Member.timestamp]!;
    let isRead = false;
    if (text.bytes[start] === openBrace) {
      const typed = readTyped(text, start);
      if (typed === undefined) return false;
      const unit = units.get(typed.type);
      if (unit === undefined) return text.fail(start, `${JSON.stringify(typed.type)} is not a unit of time`) >= 0;
      isRead = times.readIn(unit, text.bytes, typed.start, typed.end);
    } else {
      const quotes = this.#isOpentsdb && text.bytes[start] === quote ? 1 : 0;
      isRead = times.read(text.bytes, start + quotes, this.#ends[Member.timestamp]! - quotes);
    }
    if (!isRead) text.problem = times.problem;
    return isRead;
  }

  #readValue(): boolean {
    const points = this.#points;
    const start = this.#starts[Member.value]!;
    const end = this.#ends[Member.value]!;
    if (!(this.#isOpentsdb ? this.#values.readNumber(start, end) : this.#values.read(start, end))) return false;
    const index = points.field(valueField, points.fields.kinds[0]!);
    if (typeof index === 'number') return true;
    this.#failWith(start, { ...index, message: `the value ${index.message}` });
    return false;
  }

  #failWith(at: number, { code, message }: Fault): void {
    this.#text.problem = { at, code, message };
  }
}

function schemaless(message: string): Omit<LineProblem, 'at'> {
  return { code: Codes.schemalessData, message };
}

/**
 * Reads JSON points into column blocks, one table each: one object or an array of objects, each with exactly the
 * members `metric`, `timestamp`, `value` and `tags`, in any order and letter case. Of a long array it reads blocks that
 * were cut between elements, see `ParseOptions.part`.
 *
 * A bad object is rejected as a whole, by its index, and the others are kept; text that is not JSON is rejected from
 * the object on in which no element can be recognized. Never throws for bad text, and nesting costs no memory.
 */
export function parseTsdbwireJson(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  return new ObjectReader(bytes, options, false).read();
}

/**
 * The same for points as OpenTSDB takes them: times and values may be quoted, a value that is no number is refused, a
 * time may have decimal places, a metric may be a number, and members with other names are passed over. See
 * http://opentsdb.net/docs/build/html/api_http/put.html
 */
export function parseOpentsdbJson(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  return new ObjectReader(bytes, options, true).read();
}
