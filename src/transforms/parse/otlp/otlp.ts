import { hash } from 'node:crypto';
import type { Fault } from '../../../model/fault.js';
import { metricsStyle } from '../../points/label-set.js';
import { type Metadata, MetadataRows } from '../../points/metric-metadata.js';
import type { ParsedPoints, ParseOptions } from '../../points/parse-options.js';
import { PointCollector } from '../../points/point-collector.js';
import { badPoint, badTime } from '../../points/point-fault.js';
import { maxMeasurementBytes } from '../../points/point-limits.js';
import { Ticks } from '../../points/ticks.js';
import { Wire, WireReader } from '../../wire/protobuf.js';
import { OtlpExemplars } from './exemplars.js';
import { type MetricKind, metricTable } from './names.js';
import { OtlpPoint } from './point.js';
import { exemplarSeries, longAttributes, otlpSeries, type Range } from './series.js';

/** Fields of the messages around the points. */
const resourceMetricsField = 1;
const Resource = { resource: 1, scopes: 2 } as const;
const Scope = { scope: 1, metrics: 2 } as const;
const Metric = {
  name: 1,
  description: 2,
  unit: 3,
  gauge: 5,
  sum: 7,
  histogram: 9,
  exponential: 10,
  summary: 11,
} as const;
const Data = { points: 1, temporality: 2, isMonotonic: 3 } as const;
const deltaTemporality = 1;

/** Longest attributes of a point that are read, in bytes. */
const maxAttributeBytes = 65_536;
/**
 * Bytes of the fingerprint that the key of a series begins with. Behind it a byte says whether it is of points or of
 * their exemplars.
 */
const fingerprintBytes = 19;
const headLength = fingerprintBytes + 1;
const [ofPoints, ofExemplars] = [0, 1];
const nowhere: Range = { bytes: new Uint8Array(0), start: 0, end: 0 };

/** Kinds of metrics by the field their data is in; the data says whether a sum may fall. */
const kinds: ReadonlyMap<number, MetricKind> = new Map([
  [Metric.gauge, 'gauge'],
  [Metric.sum, 'counter'],
  [Metric.histogram, 'histogram'],
  [Metric.exponential, 'exponential'],
  [Metric.summary, 'summary'],
]);
/** Types of metrics as the conversion to Prometheus has them. */
const typeOf: Readonly<Record<MetricKind, Metadata['type']>> = {
  gauge: 'gauge',
  updown: 'gauge',
  counter: 'counter',
  histogram: 'histogram',
  exponential: 'histogram',
  summary: 'summary',
};

/** The key of the current series, used again by every call, as a call runs to its end before the next one begins. */
const key = Buffer.alloc(headLength + maxAttributeBytes);
const keyView = new DataView(key.buffer, key.byteOffset, key.length);

/** Facts that are worked out of a metric once: the fingerprint in the keys of its series, and its table. */
interface KnownMetric {
  readonly print: Buffer;
  readonly table: string;
}

/** Metrics that came before, for they come again with each request. */
const knownMetrics = new Map<string, KnownMetric>();
const maxKnownMetrics = 4096;
const maxKnownText = 1024;

/** The metric that a text describes; `table` names its table. */
function metricOf(text: string, table: () => string): KnownMetric {
  const known = knownMetrics.get(text);
  if (known !== undefined) return known;
  const metric = { print: Buffer.from(hash('sha256', text), 'hex').subarray(0, fingerprintBytes), table: table() };
  // Senders choose the names: long ones are not kept.
  if (text.length > maxKnownText) return metric;
  if (knownMetrics.size >= maxKnownMetrics) knownMetrics.clear();
  knownMetrics.set(text, metric);
  return metric;
}

function lengthOf({ start, end }: Range): number {
  return end - start;
}

/** The parts of one message: their fields one after the other, as the encoding of protobuf has it. */
function merged(parts: readonly Range[]): Range {
  const bytes = Buffer.concat(parts.map(range));
  return { bytes, start: 0, end: bytes.length };
}

/** The bytes of a message. */
function range({ bytes, start, end }: Range): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
}

/** Reads the points of one message. */
class MessageReader {
  readonly #reader: WireReader;
  readonly #points: PointCollector;
  readonly #options: ParseOptions;
  readonly #times: Ticks;
  readonly #point: OtlpPoint;
  readonly #exemplars: OtlpExemplars;
  readonly #metadata: MetadataRows;
  #resource = nowhere;
  #scope = nowhere;
  /** The attributes of one of them are too long. */
  #isLong = false;
  /** The current metric. */
  #name = '';
  #unit = '';
  #description = '';
  #table = '';
  #kind: MetricKind = 'gauge';
  #isDelta = false;
  /** Fingerprints of the resource, and of resource and scope; empty until their first use. */
  #resourcePrint = '';
  #sharedPrint = '';
  #count = 0;

  constructor(message: Uint8Array, options: ParseOptions) {
    this.#reader = new WireReader(message);
    this.#points = new PointCollector(options, message.length);
    this.#options = options;
    this.#times = new Ticks(options);
    this.#point = new OtlpPoint(this.#reader, options.dictionary, headLength);
    this.#exemplars = new OtlpExemplars(this.#reader, this.#points, this.#times);
    this.#metadata = new MetadataRows(this.#points, options);
  }

  read(): ParsedPoints {
    this.#each(resourceMetricsField, () => this.#readResource());
    const { tally } = this.#options;
    if (tally !== undefined) tally.metadata += this.#metadata.count;
    return this.#points.finish(this.#count);
  }

  /** Enters each message of the current one that stands in a field, and passes over the other fields. */
  #each(field: number, read: () => void): void {
    const reader = this.#reader;
    const outerEnd = reader.end;
    while (reader.next()) {
      if (!reader.is(field, Wire.bytes)) {
        reader.skip();
        continue;
      }
      const end = reader.enter();
      reader.end = end;
      read();
      reader.at = end;
      reader.end = outerEnd;
    }
  }

  /**
   * The message with the number `field` in the current one, whose fields may come in any order. One that is written in
   * parts is merged.
   */
  #rangeOf(field: number): Range {
    const reader = this.#reader;
    const { at, bytes } = reader;
    const parts: Range[] = [];
    this.#each(field, () => {
      parts.push({ bytes, start: reader.at, end: reader.end });
    });
    reader.at = at;
    return parts.length > 1 ? merged(parts) : (parts[0] ?? nowhere);
  }

  #readResource(): void {
    this.#resource = this.#rangeOf(Resource.resource);
    this.#resourcePrint = '';
    this.#each(Resource.scopes, () => {
      this.#scope = this.#rangeOf(Scope.scope);
      this.#isLong = lengthOf(this.#resource) > maxAttributeBytes || lengthOf(this.#scope) > maxAttributeBytes;
      this.#sharedPrint = '';
      this.#each(Scope.metrics, () => this.#readMetric());
    });
  }

  #readMetric(): void {
    const reader = this.#reader;
    this.#name = '';
    this.#unit = '';
    this.#description = '';
    let kind: MetricKind | undefined;
    // Data of one kind may be written in parts; of several kinds the last one counts.
    let parts: Range[] = [];
    while (reader.next()) {
      if (reader.is(Metric.name, Wire.bytes)) this.#name = reader.text();
      else if (reader.is(Metric.unit, Wire.bytes)) this.#unit = reader.text();
      else if (reader.is(Metric.description, Wire.bytes)) this.#description = reader.text();
      else if (kinds.has(reader.field) && reader.is(reader.field, Wire.bytes)) {
        if (kind !== kinds.get(reader.field)) parts = [];
        kind = kinds.get(reader.field);
        const end = reader.enter();
        parts.push({ bytes: reader.bytes, start: reader.at, end });
        reader.at = end;
      } else reader.skip();
    }
    if (kind === undefined) return;
    const [outerAt, outerEnd] = [reader.at, reader.end];
    this.#readData(kind, parts);
    reader.at = outerAt;
    reader.end = outerEnd;
  }

  /** Reads the data of a metric: first what all of its points share, then the points. */
  #readData(kind: MetricKind, parts: readonly Range[]): void {
    const reader = this.#reader;
    const hasTemporality = kind === 'counter' || kind === 'histogram' || kind === 'exponential';
    let isMonotonic = false;
    this.#isDelta = false;
    for (const { start, end } of hasTemporality ? parts : []) {
      reader.at = start;
      reader.end = end;
      while (reader.next()) {
        if (reader.is(Data.temporality, Wire.varint)) {
          reader.varint();
          this.#isDelta = reader.low === deltaTemporality;
        } else if (kind === 'counter' && reader.is(Data.isMonotonic, Wire.varint)) {
          reader.varint();
          isMonotonic = reader.low !== 0;
        } else reader.skip();
      }
    }
    this.#kind = kind === 'counter' && !isMonotonic ? 'updown' : kind;
    this.#writeMetric();
    this.#describe();
    for (const part of parts) this.#readPoints(part);
  }

  #readPoints({ start, end }: Range): void {
    const reader = this.#reader;
    reader.at = start;
    reader.end = end;
    while (reader.next()) {
      if (!reader.is(Data.points, Wire.bytes)) {
        reader.skip();
        continue;
      }
      const pointEnd = reader.enter();
      reader.end = pointEnd;
      this.#readPoint();
      reader.at = pointEnd;
      reader.end = end;
    }
  }

  /** Records the metadata of the metric. */
  #describe(): void {
    if (this.#description === '' && this.#unit === '') return;
    if (this.#table.length > maxMeasurementBytes) return;
    const metadata = { name: this.#table, type: typeOf[this.#kind], help: this.#description, unit: this.#unit };
    if (this.#metadata.add(metadata) !== undefined) this.#points.leftOut++;
  }

  /** Begins the key with a fingerprint of resource, scope and metric, which many points share. */
  #writeMetric(): void {
    if (this.#sharedPrint === '' && !this.#isLong) {
      // Scopes of one resource would else all have it hashed.
      this.#resourcePrint ||= hash('sha256', range(this.#resource));
      this.#sharedPrint = hash('sha256', Buffer.concat([Buffer.from(this.#resourcePrint), range(this.#scope)]));
    }
    const suffixes = this.#options.otlpSuffixes ?? false;
    const text = JSON.stringify([this.#sharedPrint, this.#kind, this.#isDelta, this.#name, this.#unit, suffixes]);
    const metric = metricOf(text, () => metricTable(this.#name, this.#unit, this.#kind, suffixes));
    metric.print.copy(key);
    this.#table = metric.table;
    key[fingerprintBytes] = ofPoints;
  }

  #readPoint(): void {
    const point = this.#point;
    const index = this.#count++;
    point.read(this.#kind, this.#points.expected);
    if (point.isAbsent) return;
    const refused =
      this.#isLong || point.attributeBytes > maxAttributeBytes
        ? longAttributes(maxAttributeBytes)
        : (point.problem ?? this.#timeProblem() ?? this.#take());
    const problem = refused ?? this.#store();
    if (problem !== undefined) this.#points.reject(index, problem);
    else if (point.exemplarsField > 0) this.#readExemplars();
  }

  /** Takes the time of the point; one without is of now. */
  #timeProblem(): Fault | undefined {
    const { seconds, nanos, isZero } = this.#point.time;
    if (isZero) {
      this.#times.now();
      return undefined;
    }
    const problem = this.#times.set(seconds, nanos);
    return problem === undefined ? undefined : badTime(problem);
  }

  /** Finds or introduces the series of the point; returns why none of its points can be stored, if so. */
  #take(): Fault | undefined {
    const points = this.#points;
    const { expected } = points;
    const { dictionary } = this.#options;
    if (this.#point.isOf(expected) && dictionary.hasPart(expected, 0, key, keyView, 0, headLength)) {
      points.resume(expected);
      return points.refusal();
    }
    const length = this.#point.copyAttributes(key, headLength);
    const refused = points.find(key, keyView, 0, length) ? undefined : points.introduce(this.#seriesKey(length));
    return refused ?? points.refusal();
  }

  /** Reads the exemplars of the current point. */
  #readExemplars(): void {
    const length = this.#point.copyAttributes(key, headLength);
    key[fingerprintBytes] = ofExemplars;
    this.#point.readExemplars(this.#exemplars, () => this.#takeExemplar(length));
    key[fingerprintBytes] = ofPoints;
  }

  /** Finds or introduces the series of exemplars whose key is written; returns why they cannot be stored, if so. */
  #takeExemplar(length: number): Fault | undefined {
    const points = this.#points;
    if (points.find(key, keyView, 0, length)) return undefined;
    const series = this.#seriesKey(length);
    return points.introduce('message' in series ? series : exemplarSeries(series), metricsStyle);
  }

  #seriesKey(keyLength: number): ReturnType<typeof otlpSeries> {
    return otlpSeries({
      table: this.#table,
      metric: this.#name,
      isDelta: this.#isDelta,
      resource: this.#resource,
      scope: this.#scope,
      attributes: { bytes: key, start: headLength, end: keyLength },
    });
  }

  /** Adds the point to the block of its table; returns why it cannot be stored, if so. */
  #store(): Fault | undefined {
    const points = this.#points;
    const problem = this.#point.fill(points, this.#kind);
    if (problem !== undefined || points.fieldCount === 0 || points.isTooWide()) {
      points.drop();
      if (problem !== undefined) return problem;
      if (points.fieldCount === 0) return undefined;
      return badPoint('it would make more columns than one message may');
    }
    return points.commit(this.#times.words, this.#reader.bytes);
  }
}

/**
 * Reads an `ExportMetricsServiceRequest` of OpenTelemetry in protobuf. A metric is a super table named by {@link
 * metricTable}, its attributes are tags by the rules of {@link otlpSeries}, and a point is a row: `gauge` or `counter`
 * of numbers, `count`, `sum`, `min`, `max` and a column for each bound (cumulative, as in the text exposition format)
 * of histograms, for each quantile of summaries; exponential histograms have `scale`, `zero_count`, `zero_threshold`
 * and offset and counts of their buckets. Numbers that are not finite are no fields; points that say they have no
 * value, and start times, are passed over. Exemplars go to `metric_exemplars`, descriptions and units to
 * `metric_metadata`.
 *
 * A point with a bad time or bad attributes is rejected alone; `row` of a reject is its index in the message. A body
 * that is not such a message throws a FaultError of kind `parameter`, and nothing of it is stored.
 */
export function parseOtlp(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  return new MessageReader(bytes, options).read();
}
