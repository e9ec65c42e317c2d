import { carriageReturn, hash, lineFeed, space } from '../../../bytes/ascii.js';
import { readExpositionHead } from '../../../model/exposition-head.js';
import { Codes, type Fault, fault } from '../../../model/fault.js';
import { boundField } from '../../points/bound-field.js';
import type { ParsedPoints, ParseOptions } from '../../points/parse-options.js';
import { type FieldName, PointCollector } from '../../points/point-collector.js';
import type { SeriesKey } from '../../points/series-tags.js';
import { Ticks } from '../../points/ticks.js';
import { excerpt } from '../../wire/line-problem.js';
import { terminated } from '../../wire/terminated.js';
import { ExpositionExemplars } from './exemplars.js';
import { nameText, SampleReader } from './lines.js';
import { parseExpositionMessages } from './messages.js';
import { expositionFields, expositionSeries, extraLabels } from './series.js';
import { commentText, endOfOpenMetrics, familySuffixes, missingEnd, readTypeLine } from './words.js';

const { gauge, counter, untyped, sum, count } = expositionFields;

/** Fields by the text of their bound or quantile: few, and the same again and again. */
const boundFields = new Map<string, FieldName>();
const maxBoundFields = 10_000;

/**
 * Reading of samples by their type: the label that names a field, and the suffixes of the samples with fields of their
 * own.
 */
interface Family {
  readonly field: FieldName;
  readonly label?: string;
  readonly suffixes: Readonly<Record<string, FieldName>>;
  /** Suffix of the samples that carry the label. */
  readonly labelled?: string;
}

const families: Readonly<Record<string, Family>> = {
  gauge: { field: gauge, suffixes: {} },
  counter: { field: counter, suffixes: {} },
  untyped: { field: untyped, suffixes: {} },
  unknown: { field: untyped, suffixes: {} },
  info: { field: gauge, suffixes: {} },
  stateset: { field: gauge, suffixes: {} },
  summary: { field: untyped, label: 'quantile', labelled: '', suffixes: { _sum: sum, _count: count } },
  histogram: { field: untyped, label: 'le', labelled: '_bucket', suffixes: { _sum: sum, _count: count } },
  gaugehistogram: { field: untyped, label: 'le', labelled: '_bucket', suffixes: { _gsum: sum, _gcount: count } },
};
const noFamily: Family = { field: untyped, suffixes: {} };

/** The field of a bound or quantile; undefined when it is not a number. */
function fieldOfBound(text: string): FieldName | undefined {
  const known = boundFields.get(text);
  if (known !== undefined) return known;
  const bound = /^[+-]inf$/i.test(text) ? Number(`${text[0]}Infinity`) : text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(bound)) return undefined;
  const field = boundField(bound);
  if (boundFields.size >= maxBoundFields) boundFields.clear();
  boundFields.set(text, field);
  return field;
}

/** Of a line that is only counted. */
const undescribed = fault('syntax', Codes.lineSyntax, 'a bad line');

/** Reads one scrape. */
class ExpositionReader {
  readonly #bytes: Uint8Array;
  readonly #points: PointCollector;
  readonly #times: Ticks;
  readonly #samples: SampleReader;
  readonly #exemplars: ExpositionExemplars;
  /** Labels that every sample gets, and the address of the scraped target, if any. */
  readonly #extra: ReadonlyMap<string, string>;
  readonly #url: string | undefined;
  readonly #isOpenMetrics: boolean;
  /** Where the samples begin. */
  readonly #start: number;
  readonly #types = new Map<string, Family>();
  #line = 0;
  #ended = false;
  /** Name, byte by byte as it stands there, and family of the last sample, which the next one probably shares. */
  #lastName = '';
  #lastFamily = noFamily;
  #lastTable = '';
  /** The table as the name has it, without a suffix: escapes and all, so that no line feed is in it. */
  #lastRawTable = '';
  #lastField: FieldName | undefined;
  /** Key of the current point and of the sample being read; the head comes first in both. */
  #key = Buffer.alloc(1024);
  #keyLength = 0;
  #next = Buffer.alloc(1024);
  readonly #headLength: number;
  /** A point is being put together. */
  #isOpen = false;
  /** Why the samples of the current point cannot be stored, if so. */
  #refused: Fault | undefined;
  /** Its time. */
  readonly #time = new Uint32Array(2);

  constructor(bytes: Uint8Array, options: ParseOptions) {
    this.#bytes = terminated(bytes);
    this.#points = new PointCollector(options, bytes.length);
    this.#times = new Ticks(options);
    const { form, source, start } = readExpositionHead(bytes);
    this.#isOpenMetrics = form === 'openmetrics';
    this.#extra = extraLabels(source);
    this.#url = source.startsWith('{') ? undefined : source;
    this.#start = start;
    this.#samples = new SampleReader(this.#bytes, this.#isOpenMetrics);
    this.#exemplars = new ExpositionExemplars(this.#bytes, this.#points, this.#times, this.#extra);
    this.#headLength = Buffer.byteLength(source) + 1;
    this.#reserve(this.#headLength);
    this.#key.write(`${source}\n`);
    this.#next.write(`${source}\n`);
  }

  read(): ParsedPoints {
    const bytes = this.#bytes;
    let at = this.#start;
    while (at < bytes.length && !this.#points.stops()) {
      const next = bytes.indexOf(lineFeed, at) + 1;
      let end = next - 1;
      if (bytes[end - 1] === carriageReturn && end > at) end--;
      while (at < end && bytes[at]! <= space) at++;
      if (this.#ended && at < end) this.#reject(at, end, 'stands behind the end of the text');
      else if (at < end && bytes[at] === hash) this.#readComment(at, end);
      else if (at < end) this.#readSample(at, end);
      this.#line++;
      at = next;
    }
    this.#close();
    if (this.#isOpenMetrics && !this.#ended) this.#reject(0, 0, missingEnd);
    return this.#points.finish(this.#line);
  }

  #readComment(start: number, end: number): void {
    const text = commentText(this.#bytes, start, end);
    if (text === endOfOpenMetrics) this.#ended = this.#isOpenMetrics;
    const typed = readTypeLine(text);
    if (typed === undefined) return;
    this.#types.set(typed.name, families[typed.type.toLowerCase()] ?? noFamily);
    this.#lastName = '';
  }

  #readSample(start: number, end: number): void {
    const samples = this.#samples;
    if (!samples.read(start, end)) {
      this.#reject(start, end, samples.problem);
      return;
    }
    this.#findFamily(samples.nameStart, samples.nameEnd);
    const field = this.#lastField ?? this.#fieldOfLabel();
    if (field === undefined) {
      this.#reject(start, end, 'has a bound or quantile that is not a number');
      return;
    }
    if (Number.isNaN(samples.value)) return;
    this.#times.now();
    const problem = samples.hasTime ? this.#times.set(samples.seconds, samples.nanos) : undefined;
    if (problem !== undefined) {
      this.#reject(start, end, `cannot be stored: ${problem}`);
      return;
    }
    const length = this.#fillKey();
    if (!this.#isCurrent(length)) this.#open(length);
    if (this.#refused === undefined) {
      const refused = this.#points.putDouble(field, samples.value);
      if (refused !== undefined)
        this.#reject(start, end, `cannot be stored: ${field.text} ${refused.message}`, refused.code);
      else if (samples.exemplarAt >= 0) this.#exemplars.read(samples, end);
    } else this.#reject(start, end, `cannot be stored: ${this.#refused.message}`, this.#refused.code);
  }

  /** Finds out which family a sample belongs to, what its table is and, unless a label says so, its field. */
  #findFamily(start: number, end: number): void {
    if (this.#isLastName(start, end)) return;
    const raw = Buffer.from(this.#bytes.subarray(start, end)).toString('latin1');
    const name = nameText(this.#bytes, start, end);
    this.#lastName = raw;
    const own = this.#types.get(name);
    const suffix = familySuffixes.exec(name)?.[0] ?? '';
    const base = name.slice(0, name.length - suffix.length);
    const family = own ?? (suffix === '' ? undefined : this.#types.get(base)) ?? noFamily;
    this.#lastFamily = family;
    const ofSuffix = own === undefined ? family.suffixes[suffix] : undefined;
    const isLabelled = family.labelled === (own === undefined ? suffix : '');
    if (ofSuffix !== undefined || (isLabelled && family !== noFamily)) {
      this.#lastTable = own === undefined ? base : name;
      this.#lastField = ofSuffix;
    } else {
      this.#lastTable = name;
      this.#lastField = suffix === '_created' ? gauge : family.field;
      this.#lastFamily = { field: family.field, suffixes: {} };
    }
    this.#lastRawTable = this.#lastTable === name ? raw : raw.slice(0, raw.length - suffix.length);
  }

  #isLastName(start: number, end: number): boolean {
    const last = this.#lastName;
    if (last.length !== end - start || last === '') return false;
    for (let i = 0; i < last.length; i++) if (last.charCodeAt(i) !== this.#bytes[start + i]) return false;
    return true;
  }

  #isFieldLabel(label: number): boolean {
    const name = this.#lastField === undefined ? this.#lastFamily.label : undefined;
    const start = this.#samples.labelStart(label);
    if (name === undefined || this.#samples.labelEnd(label) - start !== name.length) return false;
    for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) !== this.#bytes[start + i]) return false;
    return true;
  }

  #fieldOfLabel(): FieldName | undefined {
    for (let label = 0; label < this.#samples.labels; label++) {
      if (this.#isFieldLabel(label)) return fieldOfBound(this.#samples.labelValue(label).toString());
    }
    return undefined;
  }

  /**
   * Writes the key of the sample being read: head, table, and labels as they stand there, without the one that names a
   * field.
   */
  #fillKey(): number {
    const samples = this.#samples;
    let need = this.#headLength + this.#lastRawTable.length + 1;
    for (let label = 0; label < samples.labels; label++)
      need += samples.valueEnd(label) - samples.labelStart(label) + 1;
    this.#reserve(need);
    let at = this.#headLength;
    at += this.#next.write(this.#lastRawTable, at, 'latin1');
    for (let label = 0; label < samples.labels; label++) {
      if (this.#isFieldLabel(label)) continue;
      this.#next[at++] = lineFeed;
      const [start, end] = [samples.labelStart(label), samples.valueEnd(label)];
      for (let i = start; i < end; i++) this.#next[at++] = this.#bytes[i]!;
    }
    return at;
  }

  #reserve(length: number): void {
    if (length <= this.#next.length) return;
    this.#next = Buffer.concat([this.#next], length * 2);
    this.#key = Buffer.concat([this.#key], length * 2);
  }

  #isCurrent(length: number): boolean {
    if (
      !this.#isOpen ||
      length !== this.#keyLength ||
      this.#time[0] !== this.#times.low ||
      this.#time[1] !== this.#times.high
    ) {
      return false;
    }
    return this.#next.compare(this.#key, this.#headLength, length, this.#headLength, length) === 0;
  }

  /** Closes the current point and begins one with the key that was filled. */
  #open(length: number): void {
    this.#close();
    [this.#key, this.#next] = [this.#next, this.#key];
    this.#keyLength = length;
    this.#time.set(this.#times.words);
    this.#isOpen = true;
    const points = this.#points;
    const key = this.#key;
    const view = new DataView(key.buffer, key.byteOffset, key.length);
    const refused = points.find(key, view, 0, length) ? undefined : points.introduce(this.#seriesKey());
    this.#refused = refused ?? points.refusal();
  }

  /** Adds the current point to its table. */
  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const points = this.#points;
    if (this.#refused !== undefined) return;
    if (points.fieldCount === 0 || points.isTooWide()) {
      points.drop();
      this.#exemplars.drop();
      if (points.fieldCount > 0) this.#reject(0, 0, 'would make more columns than one scrape may');
      return;
    }
    const unstorable = points.commit(this.#time, this.#bytes);
    if (unstorable !== undefined) {
      this.#exemplars.drop();
      this.#reject(0, 0, `cannot be stored: ${unstorable.message}`, unstorable.code);
    } else this.#exemplars.store(this.#time);
  }

  /** The series of the sample being read. */
  #seriesKey(): SeriesKey | Fault {
    return expositionSeries(this.#lastTable, this.#labels(), this.#extra);
  }

  *#labels(): Generator<readonly [string, Buffer]> {
    const samples = this.#samples;
    for (let label = 0; label < samples.labels; label++) {
      if (this.#isFieldLabel(label)) continue;
      yield [nameText(this.#bytes, samples.labelStart(label), samples.labelEnd(label)), samples.labelValue(label)];
    }
  }

  #reject(start: number, end: number, reason: string, code: number = Codes.lineSyntax): void {
    if (!this.#points.describes) {
      this.#points.reject(this.#line, undescribed);
      return;
    }
    const shown = end > start ? `${excerpt(this.#bytes, start, end)} ` : '';
    // The reply to a push names the line beside the reason.
    const place = this.#url === undefined ? '' : `${this.#url}: line ${this.#line + 1} `;
    this.#points.reject(this.#line, fault('syntax', code, `${place}${shown}${reason}`));
  }
}

/**
 * Reads one scrape in the text exposition format 0.0.4, OpenMetrics or protobuf. The first line of `bytes` says which,
 * and the address of the target, which becomes the tag `url`, or a JSON object of labels that every sample gets; the
 * scrape follows.
 *
 * A point is a family and a set of labels: `gauge`, `counter` or `value`, for histograms and summaries a field for each
 * bound or quantile, `sum` and `count`. Samples of a point that stand together become one row. Values that are not a
 * number are no fields; exemplars are rows of `metric_exemplars`; a bad line is rejected and its neighbours are kept.
 */
export function parseExposition(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  const { form } = readExpositionHead(bytes);
  return form === 'protobuf' ? parseExpositionMessages(bytes, options) : new ExpositionReader(bytes, options).read();
}
