import { two32 } from '../../../bytes/words.js';
import type { Fault } from '../../../model/fault.js';
import { putExemplar } from '../../points/exemplar.js';
import { type BucketSide, bucketProblem, schemaProblem } from '../../points/histogram-buckets.js';
import { maxLabelBytes, readLabels } from '../../points/label-bytes.js';
import { exemplarsTable, histogramsTable, labelSetKey } from '../../points/label-set.js';
import { type FieldName, fieldName, type PointCollector } from '../../points/point-collector.js';
import { badPoint, badTime, ofColumn } from '../../points/point-fault.js';
import type { Ticks } from '../../points/ticks.js';
import { malformedMessage, Wire, type WireReader } from '../../wire/protobuf.js';
import { symbolText, textOf } from '../../wire/symbols.js';

/** Fields of a series beside labels and samples, by the version of the message. */
const fieldsOf = { 1: { exemplars: 3, histograms: 4 }, 2: { histograms: 3, exemplars: 4 } } as const;
/** Fields of an exemplar, whose labels are messages in version 1 and references to symbols in version 2. */
const Exemplar = { labels: 1, value: 2, time: 3 } as const;
const Histogram = {
  count: 1,
  countFloat: 2,
  sum: 3,
  schema: 4,
  zeroThreshold: 5,
  zeroCount: 6,
  zeroCountFloat: 7,
  negativeSpans: 8,
  negativeDeltas: 9,
  negativeCounts: 10,
  positiveSpans: 11,
  positiveDeltas: 12,
  positiveCounts: 13,
  time: 15,
  customValues: 16,
  start: 17,
} as const;
const Span = { offset: 1, length: 2 } as const;
/** Longest list of a histogram, as text. */
const maxTextBytes = 16_384;

const names = {
  count: fieldName('count'),
  sum: fieldName('sum'),
  schema: fieldName('schema'),
  zeroThreshold: fieldName('zero_threshold'),
  zeroCount: fieldName('zero_count'),
  positiveSpans: fieldName('positive_spans'),
  positiveCounts: fieldName('positive_counts'),
  negativeSpans: fieldName('negative_spans'),
  negativeCounts: fieldName('negative_counts'),
  customValues: fieldName('custom_values'),
} as const;

/**
 * The key of the current series: its labels, and behind them a byte that no label begins with, which says the table.
 */
const key = new Uint8Array(maxLabelBytes + 1);
const keyView = new DataView(key.buffer);
const tables = [
  { table: histogramsTable, mark: 0 },
  { table: exemplarsTable, mark: 1 },
] as const;

/** The series whose extras are read. */
interface ExtraSeries {
  readonly version: 1 | 2;
  /** Index in the message. */
  readonly index: number;
  /** Where the labels stand, as fields of a version 1 message. */
  readonly labels: Uint8Array;
  readonly labelsStart: number;
  readonly labelsEnd: number;
  /** Why nothing of the series can be stored, if so. */
  readonly problem: Fault | undefined;
  /** Start and end of every symbol of a version 2 message. */
  readonly symbols: Int32Array | undefined;
}

/** True for a field of a series that {@link SeriesExtras} reads. */
export function isExtraField(field: number): boolean {
  return field === 3 || field === 4;
}

/** Reads the native histograms and exemplars of series into tables beside that of the samples. */
export class SeriesExtras {
  /** Rows stored of each. */
  histograms = 0;
  exemplars = 0;
  readonly #reader: WireReader;
  readonly #points: PointCollector;
  readonly #time: Ticks;
  readonly #positive: BucketSide = { spans: [], counts: [] };
  readonly #negative: BucketSide = { spans: [], counts: [] };
  readonly #custom: number[] = [];
  #timeLow = 0;
  #timeHigh = 0;
  #count = 0;
  #isWhole = true;
  #sum = 0;
  #schema = 0;
  #zeroThreshold = 0;
  #zeroCount = 0;

  constructor(reader: WireReader, points: PointCollector, time: Ticks) {
    this.#reader = reader;
    this.#points = points;
    this.#time = time;
  }

  /** Reads the series that the reader stands at the start of, up to its end. */
  read(series: ExtraSeries): void {
    const reader = this.#reader;
    const fields = fieldsOf[series.version];
    const seriesEnd = reader.end;
    while (reader.next()) {
      const isHistogram = reader.field === fields.histograms;
      if (!isHistogram && reader.field !== fields.exemplars) {
        reader.skip();
        continue;
      }
      reader.is(reader.field, Wire.bytes);
      reader.end = reader.enter();
      const labels = isHistogram ? this.#readHistogram() : this.#readExemplar(series);
      reader.end = seriesEnd;
      const problem = series.problem ?? this.#store(series, isHistogram, labels);
      if (problem !== undefined) this.#points.reject(series.index, problem);
      else if (isHistogram) this.histograms++;
      else this.exemplars++;
    }
  }

  #store(series: ExtraSeries, isHistogram: boolean, labels: string): Fault | undefined {
    const points = this.#points;
    const outside = this.#time.setMillis(this.#timeLow, this.#timeHigh);
    if (outside !== undefined) return badTime(outside);
    const refused = this.#take(series, tables[isHistogram ? 0 : 1]) ?? points.refusal();
    if (refused !== undefined) return refused;
    const problem = isHistogram ? this.#fillHistogram() : putExemplar(points, { value: this.#sum, labels });
    if (problem !== undefined) {
      points.drop();
      return problem;
    }
    return points.commit(this.#time.words, this.#reader.bytes);
  }

  /** Finds or introduces the series in a table; returns why it cannot be taken, if so. */
  #take({ labels, labelsStart, labelsEnd }: ExtraSeries, { table, mark }: (typeof tables)[number]): Fault | undefined {
    const length = labelsEnd - labelsStart;
    if (length > maxLabelBytes) return badPoint(`its labels take more than ${maxLabelBytes} bytes`);
    for (let i = 0; i < length; i++) key[i] = labels[labelsStart + i]!;
    key[length] = mark;
    if (this.#points.find(key, keyView, 0, length + 1)) return undefined;
    return this.#points.introduce(labelSetKey(readLabels(key, 0, length), table));
  }

  #readExemplar({ version, symbols }: ExtraSeries): string {
    const reader = this.#reader;
    const pairs: [string, string][] = [];
    const references: number[] = [];
    this.#clear();
    while (reader.next()) {
      const { field, at } = reader;
      if (field === Exemplar.value) this.#sum = this.#reader.double();
      else if (field === Exemplar.time) this.#readTime();
      else if (field !== Exemplar.labels) reader.skip();
      else if (version === 1) {
        reader.skip();
        for (const { name, value } of readLabels(reader.bytes, at - 1, reader.at))
          pairs.push([textOf(name, 0, name.length), textOf(value, 0, value.length)]);
      } else this.#readVarints((low, high) => references.push(high === 0 ? low : -1));
    }
    if (references.length % 2 !== 0) throw malformedMessage(reader.at, 'a label has a name and no value');
    const symbol = (number: number): string => symbolText(reader, symbols, number, 'a label');
    for (let i = 0; i < references.length; i += 2) pairs.push([symbol(references[i]!), symbol(references[i + 1]!)]);
    return JSON.stringify(Object.fromEntries(pairs));
  }

  #readHistogram(): string {
    const reader = this.#reader;
    this.#clear();
    while (reader.next()) {
      switch (reader.field) {
        case Histogram.count:
          this.#count = this.#reader.unsigned();
          break;
        case Histogram.countFloat:
          this.#count = this.#reader.double();
          this.#isWhole = false;
          break;
        case Histogram.sum:
          this.#sum = this.#reader.double();
          break;
        case Histogram.schema:
          this.#schema = this.#reader.zigzag();
          break;
        case Histogram.zeroThreshold:
          this.#zeroThreshold = this.#reader.double();
          break;
        case Histogram.zeroCount:
          this.#zeroCount = this.#reader.unsigned();
          break;
        case Histogram.zeroCountFloat:
          this.#zeroCount = this.#reader.double();
          break;
        case Histogram.negativeSpans:
          this.#readSpan(this.#negative.spans);
          break;
        case Histogram.positiveSpans:
          this.#readSpan(this.#positive.spans);
          break;
        case Histogram.negativeDeltas:
          this.#readDeltas(this.#negative.counts);
          break;
        case Histogram.positiveDeltas:
          this.#readDeltas(this.#positive.counts);
          break;
        case Histogram.negativeCounts:
          this.#readDoubles(this.#negative.counts);
          break;
        case Histogram.positiveCounts:
          this.#readDoubles(this.#positive.counts);
          break;
        case Histogram.customValues:
          this.#readDoubles(this.#custom);
          break;
        case Histogram.time:
          this.#readTime();
          break;
        default:
          if (reader.field === Histogram.start) this.#points.leftOut++;
          reader.skip();
      }
    }
    return '';
  }

  #clear(): void {
    this.#timeLow = 0;
    this.#timeHigh = 0;
    this.#count = 0;
    this.#isWhole = true;
    this.#sum = 0;
    this.#schema = 0;
    this.#zeroThreshold = 0;
    this.#zeroCount = 0;
    this.#custom.length = 0;
    for (const side of [this.#positive, this.#negative]) {
      side.spans.length = 0;
      side.counts.length = 0;
    }
  }

  #fillHistogram(): Fault | undefined {
    const [positive, negative] = [this.#positive, this.#negative];
    const [count, sum, zeroCount, isWhole] = [this.#count, this.#sum, this.#zeroCount, this.#isWhole];
    const problem =
      schemaProblem(this.#schema, this.#custom) ??
      bucketProblem({ count, sum, zeroCount, positive, negative, isWhole }) ??
      this.#put(names.count, count) ??
      this.#put(names.sum, sum) ??
      this.#put(names.schema, this.#schema) ??
      this.#put(names.zeroThreshold, this.#zeroThreshold) ??
      this.#put(names.zeroCount, zeroCount) ??
      this.#putSide(names.positiveSpans, names.positiveCounts, positive) ??
      this.#putSide(names.negativeSpans, names.negativeCounts, negative);
    if (problem !== undefined || this.#custom.length === 0) return problem;
    return this.#putText(names.customValues, JSON.stringify(this.#custom));
  }

  /** Spans as pairs of offset and length, and the counts of their buckets; none are no fields. */
  #putSide(spans: FieldName, counts: FieldName, side: BucketSide): Fault | undefined {
    if (side.spans.length === 0) return undefined;
    const pairs: number[][] = [];
    for (let i = 0; i < side.spans.length; i += 2) pairs.push(side.spans.slice(i, i + 2));
    return this.#putText(spans, JSON.stringify(pairs)) ?? this.#putText(counts, JSON.stringify(side.counts));
  }

  /** Adds a number; one that is not finite, such as the mark of a series' end, is NULL. */
  #put(name: FieldName, value: number): Fault | undefined {
    if (!Number.isFinite(value)) return undefined;
    return ofColumn(name, this.#points.putDouble(name, value));
  }

  #putText(name: FieldName, text: string): Fault | undefined {
    const bytes = Buffer.from(text);
    if (bytes.length > maxTextBytes)
      return badPoint(`column "${name.text}" would take more than ${maxTextBytes} bytes`);
    return ofColumn(name, this.#points.putText(name, bytes));
  }

  #readSpan(into: number[]): void {
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.is(reader.field, Wire.bytes);
    reader.end = reader.enter();
    let [offset, length] = [0, 0];
    while (reader.next()) {
      if (reader.field === Span.offset) offset = this.#reader.zigzag();
      else if (reader.field === Span.length) length = this.#reader.unsigned();
      else reader.skip();
    }
    reader.end = outerEnd;
    into.push(offset, length);
  }

  /** Reads differences, each from the count before it. */
  #readDeltas(into: number[]): void {
    this.#readVarints((low, high) => {
      const half = high * (two32 / 2) + Math.floor(low / 2);
      into.push((into.at(-1) ?? 0) + (low % 2 === 0 ? half : -half - 1));
    });
  }

  /** Reads varints, packed or one. */
  #readVarints(take: (low: number, high: number) => void): void {
    const reader = this.#reader;
    if (reader.wire !== Wire.bytes) {
      reader.is(reader.field, Wire.varint);
      reader.varint();
      take(reader.low, reader.high);
      return;
    }
    const outerEnd = reader.end;
    reader.end = reader.enter();
    while (reader.at < reader.end) {
      reader.varint();
      take(reader.low, reader.high);
    }
    reader.end = outerEnd;
  }

  #readDoubles(into: number[]): void {
    const reader = this.#reader;
    if (reader.wire !== Wire.bytes) {
      into.push(this.#reader.double());
      return;
    }
    const end = reader.enter();
    if ((end - reader.at) % 8 !== 0) throw malformedMessage(reader.at, 'packed numbers are cut off');
    for (let at = reader.at; at < end; at += 8) into.push(reader.view.getFloat64(at, true));
    reader.at = end;
  }

  #readTime(): void {
    const reader = this.#reader;
    reader.is(reader.field, Wire.varint);
    reader.varint();
    this.#timeLow = reader.low;
    this.#timeHigh = reader.high;
  }
}
