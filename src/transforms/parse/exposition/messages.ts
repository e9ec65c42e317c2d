import { readExpositionHead } from '../../../model/exposition-head.js';
import { type Fault, fault } from '../../../model/fault.js';
import { boundField } from '../../points/bound-field.js';
import { readLabels } from '../../points/label-bytes.js';
import type { RawLabel } from '../../points/label-set.js';
import type { ParsedPoints, ParseOptions } from '../../points/parse-options.js';
import { type FieldName, PointCollector } from '../../points/point-collector.js';
import { badPoint, ofColumn } from '../../points/point-fault.js';
import { Ticks } from '../../points/ticks.js';
import { Wire, WireReader } from '../../wire/protobuf.js';
import { textOf } from '../../wire/symbols.js';
import { countCharacters } from '../../wire/utf8.js';
import { ExpositionExemplars } from './exemplars.js';
import { expositionFields, expositionSeries, extraLabels } from './series.js';

/** Fields of the messages, see https://github.com/prometheus/client_model. */
const Family = { name: 1, metric: 4 } as const;
const Metric = { label: 1, gauge: 2, counter: 3, summary: 4, untyped: 5, time: 6, histogram: 7 } as const;
const Distribution = {
  count: 1,
  sum: 2,
  parts: 3,
  countFloat: 4,
  negativeSpan: 9,
  positiveSpan: 12,
  exemplar: 16,
} as const;
const counterExemplar = 2;
const Quantile = { quantile: 1, value: 2 } as const;
const Bucket = { count: 1, bound: 2, exemplar: 3, countFloat: 4 } as const;
const Exemplar = { label: 1, value: 2, time: 3 } as const;
const Timestamp = { seconds: 1, nanos: 2 } as const;
const plainValue = 1;
const plainFields: Readonly<Record<number, FieldName>> = {
  [Metric.gauge]: expositionFields.gauge,
  [Metric.counter]: expositionFields.counter,
  [Metric.untyped]: expositionFields.untyped,
};
const infinite = boundField(Infinity);

type Label = readonly [name: string, value: string];

function labelOf({ name, value }: RawLabel): Label {
  return [textOf(name, 0, name.length), textOf(value, 0, value.length)];
}

/** Reads one scrape or push. */
class FamilyReader {
  readonly #reader: WireReader;
  readonly #points: PointCollector;
  readonly #times: Ticks;
  readonly #exemplars: ExpositionExemplars;
  readonly #extra: ReadonlyMap<string, string>;
  readonly #url: string | undefined;
  /** Key of the current series: source, name of the family, and the labels as they stand in the message. */
  #key: Buffer;
  #nameStart: number;
  #labelsStart = 0;
  #keyEnd = 0;
  /** Name of the current family. */
  #name = '';
  /** False when the name of the family is not well-formed UTF-8. */
  #isNamed = true;
  /** Number of the current metric. */
  #metric = -1;

  constructor(bytes: Uint8Array, options: ParseOptions) {
    const { source, start } = readExpositionHead(bytes);
    this.#reader = new WireReader(bytes);
    this.#reader.at = start;
    this.#points = new PointCollector(options, bytes.length);
    this.#times = new Ticks(options);
    this.#extra = extraLabels(source);
    this.#exemplars = new ExpositionExemplars(bytes, this.#points, this.#times, this.#extra);
    this.#url = source.startsWith('{') ? undefined : source;
    // No key of the text format begins like this.
    this.#key = Buffer.from(`\n${source}\n`);
    this.#nameStart = this.#key.length;
  }

  read(): ParsedPoints {
    const reader = this.#reader;
    const { end } = reader;
    while (reader.at < end) {
      reader.end = reader.enter();
      this.#readFamily();
      reader.at = reader.end;
      reader.end = end;
    }
    return this.#points.finish(this.#metric + 1);
  }

  #readFamily(): void {
    const reader = this.#reader;
    const start = reader.at;
    const familyEnd = reader.end;
    this.#name = '';
    this.#isNamed = true;
    while (reader.next()) {
      if (!reader.is(Family.name, Wire.bytes)) {
        reader.skip();
        continue;
      }
      const end = reader.enter();
      this.#name = textOf(reader.bytes, reader.at, end);
      this.#isNamed = countCharacters(reader.bytes, reader.at, end) >= 0;
      reader.at = end;
    }
    this.#keyEnd = this.#nameStart;
    this.#append(Buffer.from(`${this.#name}\n`));
    this.#labelsStart = this.#keyEnd;
    reader.at = start;
    while (reader.next()) {
      if (!reader.is(Family.metric, Wire.bytes)) {
        reader.skip();
        continue;
      }
      reader.end = reader.enter();
      const problem = this.#readMetric();
      if (problem !== undefined) this.#reject(problem);
      reader.at = reader.end;
      reader.end = familyEnd;
    }
  }

  /**
   * Reads the metric that the reader stands at the start of, and adds it as a point; returns why it cannot be stored,
   * if so.
   */
  #readMetric(): Fault | undefined {
    const reader = this.#reader;
    const metricEnd = reader.end;
    this.#metric++;
    this.#keyEnd = this.#labelsStart;
    this.#times.now();
    let kind = 0;
    let valueStart = 0;
    let valueEnd = 0;
    let late: string | undefined;
    while (reader.next()) {
      const { field, at } = reader;
      if (field === Metric.time) late = this.#readTime();
      else if (field === Metric.label) {
        reader.is(field, Wire.bytes);
        reader.skip();
        this.#append(reader.bytes.subarray(at - 1, reader.at));
      } else if (plainFields[field] !== undefined || field === Metric.summary || field === Metric.histogram) {
        reader.is(field, Wire.bytes);
        kind = field;
        valueEnd = reader.enter();
        valueStart = reader.at;
        reader.at = valueEnd;
      } else reader.skip();
    }
    if (late !== undefined) return badPoint(late);
    if (kind === 0) return badPoint('it has no value');
    if (!this.#isNamed) return badPoint('the name is not well-formed UTF-8');
    const refused = this.#find();
    if (refused !== undefined) return refused;
    reader.at = valueStart;
    reader.end = valueEnd;
    const problem = this.#readValue(kind);
    reader.end = metricEnd;
    return this.#commit(problem);
  }

  #commit(problem: Fault | undefined): Fault | undefined {
    const points = this.#points;
    if (problem === undefined && points.fieldCount > 0 && !points.isTooWide()) {
      const { words } = this.#times;
      const refused = points.commit(words, this.#reader.bytes);
      if (refused === undefined) this.#exemplars.store(words);
      else this.#exemplars.drop();
      return refused;
    }
    this.#exemplars.drop();
    const isEmpty = points.fieldCount === 0;
    points.drop();
    return problem ?? (isEmpty ? undefined : badPoint('it would make more columns than one push may'));
  }

  /** Finds or introduces the series of the key; returns why it cannot be taken, if so. */
  #find(): Fault | undefined {
    const points = this.#points;
    const key = this.#key;
    const view = new DataView(key.buffer, key.byteOffset, key.length);
    if (!points.find(key, view, 0, this.#keyEnd)) {
      const raw = readLabels(key, this.#labelsStart, this.#keyEnd);
      if (raw.some((label) => countCharacters(label.name, 0, label.name.length) < 0)) {
        return badPoint('the name of a label is not well-formed UTF-8');
      }
      const labels = raw.map((label) => [textOf(label.name, 0, label.name.length), Buffer.from(label.value)] as const);
      const problem = points.introduce(expositionSeries(this.#name, labels, this.#extra));
      if (problem !== undefined) return problem;
    }
    return points.refusal();
  }

  #readValue(kind: number): Fault | undefined {
    const field = plainFields[kind];
    if (field === undefined) return this.#readDistribution(kind === Metric.histogram);
    const reader = this.#reader;
    let value = 0;
    while (reader.next()) {
      if (reader.field === plainValue) value = this.#reader.double();
      else if (kind === Metric.counter && reader.is(counterExemplar, Wire.bytes)) this.#readExemplar('');
      else reader.skip();
    }
    return this.#put(field, value);
  }

  /**
   * Reads a summary or a histogram, whose buckets are cumulative. The buckets of a native histogram have no place and
   * are counted.
   */
  #readDistribution(isHistogram: boolean): Fault | undefined {
    const reader = this.#reader;
    const distributionEnd = reader.end;
    let [count, sum] = [0, 0];
    let isNative = false;
    let hasInfinite = false;
    let problem: Fault | undefined;
    while (reader.next()) {
      const { field } = reader;
      if (field === Distribution.count) count = this.#reader.unsigned();
      else if (field === Distribution.sum) sum = this.#reader.double();
      else if (field === Distribution.parts) {
        reader.is(field, Wire.bytes);
        reader.end = reader.enter();
        const [name, value] = isHistogram ? this.#readBucket() : this.#readQuantile();
        hasInfinite ||= name === infinite;
        problem ??= this.#put(name, value);
        reader.end = distributionEnd;
      } else if (isHistogram && field === Distribution.countFloat) count = this.#reader.double();
      else if (isHistogram && field === Distribution.exemplar) {
        reader.is(field, Wire.bytes);
        this.#readExemplar('');
      } else {
        isNative ||= isHistogram && (field === Distribution.negativeSpan || field === Distribution.positiveSpan);
        reader.skip();
      }
    }
    if (isNative) this.#points.leftOut++;
    if (isHistogram && !hasInfinite) problem ??= this.#put(infinite, count);
    return problem ?? this.#put(expositionFields.sum, sum) ?? this.#put(expositionFields.count, count);
  }

  #readQuantile(): [FieldName, number] {
    const reader = this.#reader;
    let [quantile, value] = [0, 0];
    while (reader.next()) {
      if (reader.field === Quantile.quantile) quantile = this.#reader.double();
      else if (reader.field === Quantile.value) value = this.#reader.double();
      else reader.skip();
    }
    return [boundField(quantile), value];
  }

  #readBucket(): [FieldName, number] {
    const reader = this.#reader;
    let [bound, count, exemplarAt] = [0, 0, 0];
    while (reader.next()) {
      if (reader.field === Bucket.bound) bound = this.#reader.double();
      else if (reader.field === Bucket.count) count = this.#reader.unsigned();
      else if (reader.field === Bucket.countFloat) count = this.#reader.double();
      else {
        if (reader.is(Bucket.exemplar, Wire.bytes)) exemplarAt = reader.at;
        reader.skip();
      }
    }
    const name = boundField(bound);
    if (exemplarAt > 0) {
      reader.at = exemplarAt;
      this.#readExemplar('_bucket', [['le', name.text]]);
      reader.at = reader.end;
    }
    return [name, count];
  }

  /**
   * Reads the exemplar that the reader stands before, of the sample with a suffix behind its name, and with more
   * labels.
   */
  #readExemplar(suffix: string, more: readonly Label[] = []): void {
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.end = reader.enter();
    const labels: Uint8Array[] = [];
    let value = 0;
    let time: readonly [seconds: number, nanos: number] | undefined;
    while (reader.next()) {
      const { field, at } = reader;
      if (field === Exemplar.value) value = reader.double();
      else if (reader.is(Exemplar.time, Wire.bytes)) time = this.#readTimestamp();
      else {
        const isLabel = reader.is(Exemplar.label, Wire.bytes);
        reader.skip();
        if (isLabel) labels.push(reader.bytes.subarray(at - 1, reader.at));
      }
    }
    reader.end = outerEnd;
    if (time !== undefined && (time[0] >= 2 ** 48 || time[1] >= 1e9)) {
      this.#points.leftOut++;
      return;
    }
    const bytes = Buffer.concat(labels);
    const ofMetric = readLabels(this.#key, this.#labelsStart, this.#keyEnd).map(labelOf);
    const sample: Label[] = [['__name__', `${this.#name}${suffix}`], ...ofMetric, ...more];
    this.#exemplars.add(sample, { labels: readLabels(bytes, 0, bytes.length).map(labelOf), value, time });
  }

  #readTimestamp(): readonly [seconds: number, nanos: number] {
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.end = reader.enter();
    let [seconds, nanos] = [0, 0];
    while (reader.next()) {
      if (reader.field === Timestamp.seconds) seconds = reader.unsigned();
      else if (reader.field === Timestamp.nanos) nanos = reader.unsigned();
      else reader.skip();
    }
    reader.end = outerEnd;
    return [seconds, nanos];
  }

  /** Adds a number; what is not one is no field. */
  #put(name: FieldName, value: number): Fault | undefined {
    return Number.isNaN(value) ? undefined : ofColumn(name, this.#points.putDouble(name, value));
  }

  /** Takes the time of the metric, in milliseconds; returns why it cannot be stored, if so. */
  #readTime(): string | undefined {
    const millis = this.#reader.unsigned();
    const seconds = Math.floor(millis / 1000);
    if (millis >= 2 ** 63) return 'its timestamp is before 1970';
    if (seconds >= 2 ** 48) return 'its timestamp is too large';
    return this.#times.set(seconds, (millis - seconds * 1000) * 1e6);
  }

  #append(bytes: Uint8Array): void {
    const length = this.#keyEnd + bytes.length;
    if (length > this.#key.length) this.#key = Buffer.concat([this.#key], length * 2);
    this.#key.set(bytes, this.#keyEnd);
    this.#keyEnd = length;
  }

  #reject({ code, message }: Fault): void {
    const place = this.#url === undefined ? '' : `${this.#url}: `;
    this.#points.reject(this.#metric, fault('parameter', code, `${place}${JSON.stringify(this.#name)}: ${message}`));
  }
}

/**
 * Reads samples as the messages `io.prometheus.client.MetricFamily`, each behind its length, which is how the pushing
 * clients of Go and Java write them unless they are configured otherwise. Before them stands a head, as before text.
 * Tables, fields and tags are those that the same samples have as text, and so are their exemplars. A metric that
 * cannot be stored is rejected alone; what is no message throws.
 */
export function parseExpositionMessages(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  return new FamilyReader(bytes, options).read();
}
