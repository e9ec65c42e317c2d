import { two32 } from '../../../bytes/words.js';
import type { Fault } from '../../../model/fault.js';
import { boundField } from '../../points/bound-field.js';
import type { PointCollector } from '../../points/point-collector.js';
import { badPoint } from '../../points/point-fault.js';
import type { SeriesDictionary } from '../../points/series-dictionary.js';
import { malformedMessage, Wire, type WireReader } from '../../wire/protobuf.js';
import type { OtlpExemplars } from './exemplars.js';
import { fieldNames as names, put, putSide, type Side } from './fields.js';
import type { MetricKind } from './names.js';
import { OtlpTime } from './time.js';

/** Fields of a point that all kinds have under the same number. */
const timeField = 3;
/** Fields under numbers that depend on the kind; 0 is none. */
interface Fields {
  readonly attributes: number;
  readonly flags: number;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly exemplars: number;
}
const number: Fields = { attributes: 7, flags: 8, count: 0, sum: 0, min: 0, max: 0, exemplars: 5 };
const fieldsOf: Readonly<Record<MetricKind, Fields>> = {
  gauge: number,
  updown: number,
  counter: number,
  histogram: { attributes: 9, flags: 10, count: 4, sum: 5, min: 11, max: 12, exemplars: 8 },
  exponential: { attributes: 1, flags: 10, count: 4, sum: 5, min: 12, max: 13, exemplars: 11 },
  summary: { attributes: 7, flags: 8, count: 4, sum: 5, min: 0, max: 0, exemplars: 0 },
};
const NumberValue = { double: 4, int: 6 } as const;
/** Fields of a number with their wire types, as they stand in a message. */
const NumberKey = { attribute: 0x3a, start: 0x11, time: 0x19, double: 0x21, int: 0x31 } as const;
const Histogram = { counts: 6, bounds: 7 } as const;
const Exponential = { scale: 6, zeroCount: 7, positive: 8, negative: 9, zeroThreshold: 14 } as const;
const Buckets = { offset: 1, counts: 2 } as const;
const quantilesField = 6;
const Quantile = { quantile: 1, value: 2 } as const;
/** Flag of a point without a value. */
const noValueFlag = 1;

/** Reads one point after the other, and keeps what it read until the next. What a point leaves out is NaN here. */
export class OtlpPoint {
  readonly time = new OtlpTime();
  /** The field its exemplars are in; 0 when it has none. */
  exemplarsField = 0;
  /** The point says that it has no value. */
  isAbsent = false;
  /** Why it cannot be stored, if so. */
  problem: Fault | undefined;
  /**
   * Where the fields of its attributes stand in the message, their bytes together, and whether other fields are among
   * them.
   */
  attributesStart = 0;
  attributesEnd = 0;
  attributeBytes = 0;
  inOnePiece = true;
  readonly #reader: WireReader;
  readonly #dictionary: SeriesDictionary;
  readonly #keyStart: number;
  /** Its attributes begin with those of the series that was expected. */
  #beginsAsExpected = false;
  /** Where the point itself stands, and the number of its attributes. */
  #start = 0;
  #end = 0;
  #attributesField = 0;
  #value = Number.NaN;
  #count = Number.NaN;
  #sum = Number.NaN;
  #min = Number.NaN;
  #max = Number.NaN;
  readonly #counts: number[] = [];
  readonly #bounds: number[] = [];
  #scale = 0;
  #zeroCount = 0;
  #zeroThreshold = 0;
  readonly #positive: Side = { offset: 0, counts: [] };
  readonly #negative: Side = { offset: 0, counts: [] };

  /** In the keys of the dictionary the fields of attributes begin at `keyStart`. */
  constructor(reader: WireReader, dictionary: SeriesDictionary, keyStart: number) {
    this.#reader = reader;
    this.#dictionary = dictionary;
    this.#keyStart = keyStart;
  }

  /** Reads the point that the reader stands in, up to its end. It is probably of the series `expected`; -1 for none. */
  read(kind: MetricKind, expected: number): void {
    const reader = this.#reader;
    const fields = fieldsOf[kind];
    const isNumber = fields === number;
    this.#start = reader.at;
    this.#attributesField = fields.attributes;
    this.#clear(isNumber);
    if (isNumber) this.#readPlainFields(expected);
    for (let at = reader.at; reader.next(); at = reader.at) {
      const { field } = reader;
      if (field === fields.attributes) this.#passAttribute(at);
      else if (field === timeField) this.time.read(reader.view, this.#reader.fixed64());
      else if (field === fields.flags) {
        reader.is(field, Wire.varint);
        reader.varint();
        this.isAbsent = (reader.low & noValueFlag) !== 0;
      } else if (field === fields.exemplars) {
        this.exemplarsField = field;
        reader.skip();
      } else if (isNumber) this.#readNumber();
      else if (field === fields.count) this.#count = this.#reader.fixedUnsigned();
      else if (field === fields.sum) this.#sum = this.#reader.double();
      else if (field === fields.min) this.#min = this.#reader.double();
      else if (field === fields.max) this.#max = this.#reader.double();
      else if (kind === 'histogram') this.#readHistogram();
      else if (kind === 'exponential') this.#readExponential();
      else if (field === quantilesField) this.#readQuantile();
      else reader.skip();
    }
    this.#end = reader.end;
    if (kind === 'histogram') this.#checkBuckets();
  }

  /**
   * Reads fields of a number as senders write them, keys and lengths in one byte each, up to one that is written in
   * another way or is another one. Nearly all points are read by this alone. Attributes of the expected series are
   * passed over together.
   */
  #readPlainFields(expected: number): void {
    const reader = this.#reader;
    const { bytes, view, end } = reader;
    let { at } = reader;
    while (at + 8 < end) {
      const key = bytes[at]!;
      if (key === NumberKey.attribute) {
        const known = this.attributeBytes === 0 ? this.#expectedBytes(expected, at) : 0;
        if (known > 0) {
          this.#beginsAsExpected = true;
          this.attributesStart = at;
          at += known;
          this.attributesEnd = at;
          this.attributeBytes = known;
          continue;
        }
        const next = at + 2 + bytes[at + 1]!;
        if (bytes[at + 1]! >= 0x80 || next > end || this.attributesEnd !== (this.attributeBytes === 0 ? 0 : at)) break;
        if (this.attributeBytes === 0) this.attributesStart = at;
        this.attributesEnd = next;
        this.attributeBytes += next - at;
        at = next;
        continue;
      }
      if (key === NumberKey.time) this.time.read(view, at + 1);
      else if (key === NumberKey.double) this.#value = view.getFloat64(at + 1, true);
      else if (key === NumberKey.int) this.#value = reader.signedAt(at + 1);
      else if (key !== NumberKey.start) break;
      at += 9;
    }
    reader.at = at;
  }

  /** True when its attributes are those of the series that was expected. */
  isOf(expected: number): boolean {
    if (expected < 0 || !this.inOnePiece) return false;
    if (this.attributeBytes !== this.#dictionary.keyLength(expected) - this.#keyStart) return false;
    if (this.#beginsAsExpected || this.attributeBytes === 0) return true;
    return this.#expectedBytes(expected, this.attributesStart) > 0;
  }

  /**
   * How many bytes from `at` on are the attributes of the expected series, which are whole fields; 0 if they are
   * others.
   */
  #expectedBytes(expected: number, at: number): number {
    if (expected < 0) return 0;
    const { bytes, view, end } = this.#reader;
    const length = this.#dictionary.keyLength(expected) - this.#keyStart;
    if (length > end - at) return 0;
    return this.#dictionary.hasPart(expected, this.#keyStart, bytes, view, at, length) ? length : 0;
  }

  /** Reads the exemplars of the point that was read last, see {@link OtlpExemplars.read}. */
  readExemplars(exemplars: OtlpExemplars, take: () => Fault | undefined): void {
    const reader = this.#reader;
    const { at, end } = reader;
    reader.at = this.#start;
    reader.end = this.#end;
    exemplars.read(this.exemplarsField, take);
    reader.at = at;
    reader.end = end;
  }

  /** Notes where the attribute is whose field begins at `at`. */
  #passAttribute(at: number): void {
    const reader = this.#reader;
    if (reader.is(reader.field, Wire.bytes)) reader.at = reader.enter();
    if (this.attributesEnd === this.attributesStart) this.attributesStart = at;
    else if (this.attributesEnd !== at) this.inOnePiece = false;
    this.attributesEnd = reader.at;
    this.attributeBytes += reader.at - at;
  }

  /** Copies the fields of the attributes, one after the other, and returns where they end. */
  copyAttributes(into: Uint8Array, start: number): number {
    const reader = this.#reader;
    let length = start;
    if (this.inOnePiece) {
      for (let from = this.attributesStart; from < this.attributesEnd; from++) into[length++] = reader.bytes[from]!;
      return length;
    }
    const [at, end] = [reader.at, reader.end];
    reader.at = this.#start;
    reader.end = this.#end;
    for (let field = reader.at; reader.next(); field = reader.at) {
      reader.skip();
      if (reader.field !== this.#attributesField) continue;
      for (let from = field; from < reader.at; from++) into[length++] = reader.bytes[from]!;
    }
    reader.at = at;
    reader.end = end;
    return length;
  }

  /** Adds the fields of the point; returns why it cannot be stored, if so. */
  fill(points: PointCollector, kind: MetricKind): Fault | undefined {
    if (fieldsOf[kind] === number) return put(points, kind === 'counter' ? names.counter : names.gauge, this.#value);
    let problem = put(points, names.count, this.#count) ?? put(points, names.sum, this.#sum);
    problem ??= put(points, names.min, this.#min) ?? put(points, names.max, this.#max);
    if (kind === 'histogram') return problem ?? this.#fillBuckets(points);
    if (kind === 'exponential') return problem ?? this.#fillExponential(points);
    for (let i = 0; i < this.#bounds.length; i++) {
      problem ??= put(points, boundField(this.#bounds[i]!), this.#counts[i]!);
    }
    return problem;
  }

  #clear(isNumber: boolean): void {
    this.time.clear();
    this.exemplarsField = 0;
    this.isAbsent = false;
    this.problem = undefined;
    this.attributesStart = 0;
    this.attributesEnd = 0;
    this.attributeBytes = 0;
    this.inOnePiece = true;
    this.#beginsAsExpected = false;
    this.#value = Number.NaN;
    if (isNumber) return;
    this.#count = 0;
    this.#sum = Number.NaN;
    this.#min = Number.NaN;
    this.#max = Number.NaN;
    this.#counts.length = 0;
    this.#bounds.length = 0;
    this.#scale = 0;
    this.#zeroCount = 0;
    this.#zeroThreshold = 0;
    this.#positive.offset = 0;
    this.#positive.counts.length = 0;
    this.#negative.offset = 0;
    this.#negative.counts.length = 0;
  }

  #readNumber(): void {
    const reader = this.#reader;
    if (reader.field === NumberValue.double) this.#value = this.#reader.double();
    else if (reader.field === NumberValue.int) {
      this.#value = reader.fixedSigned();
    } else reader.skip();
  }

  #readHistogram(): void {
    const { field } = this.#reader;
    if (field === Histogram.counts) this.#readFixed(this.#counts, false);
    else if (field === Histogram.bounds) this.#readFixed(this.#bounds, true);
    else this.#reader.skip();
  }

  /** Reads numbers of eight bytes, packed or one by one. */
  #readFixed(into: number[], isDouble: boolean): void {
    const reader = this.#reader;
    const { view } = reader;
    const isPacked = reader.wire === Wire.bytes;
    const end = isPacked ? reader.enter() : reader.at + 8;
    if (isPacked && (end - reader.at) % 8 !== 0) throw malformedMessage(reader.at, 'packed numbers are cut off');
    if (!isPacked) this.#reader.fixed64();
    for (let at = isPacked ? reader.at : end - 8; at < end; at += 8) {
      into.push(isDouble ? view.getFloat64(at, true) : view.getUint32(at + 4, true) * two32 + view.getUint32(at, true));
    }
    reader.at = end;
  }

  #checkBuckets(): void {
    const [counts, bounds] = [this.#counts.length, this.#bounds.length];
    if (counts === bounds + 1 || (counts === 0 && bounds === 0)) return;
    this.problem = badPoint(`it has ${counts} buckets and ${bounds} bounds between them`);
  }

  /**
   * Puts the number of values up to each bound. Of a bound that occurs again the last one counts: nothing lies between
   * them.
   */
  #fillBuckets(points: PointCollector): Fault | undefined {
    const [counts, bounds] = [this.#counts, this.#bounds];
    let below = 0;
    let problem: Fault | undefined;
    for (let i = 0; i < counts.length; i++) {
      below += counts[i]!;
      const bound = bounds[i] ?? Number.POSITIVE_INFINITY;
      const next = bounds[i + 1] ?? Number.POSITIVE_INFINITY;
      if (Number.isNaN(bound)) return badPoint('a bound is not a number');
      if (next < bound) return badPoint(`bound ${next} stands behind bound ${bound}`);
      if (next > bound || i === counts.length - 1) problem ??= put(points, boundField(bound), below);
    }
    return problem;
  }

  #readExponential(): void {
    const reader = this.#reader;
    if (reader.field === Exponential.scale) this.#scale = this.#reader.zigzag();
    else if (reader.field === Exponential.zeroCount) this.#zeroCount = this.#reader.fixedUnsigned();
    else if (reader.field === Exponential.zeroThreshold) this.#zeroThreshold = this.#reader.double();
    else if (reader.field === Exponential.positive) this.#readSide(this.#positive);
    else if (reader.field === Exponential.negative) this.#readSide(this.#negative);
    else reader.skip();
  }

  #readSide(side: Side): void {
    const reader = this.#reader;
    reader.is(reader.field, Wire.bytes);
    const outerEnd = reader.end;
    reader.end = reader.enter();
    while (reader.next()) {
      if (reader.field === Buckets.offset) side.offset = this.#reader.zigzag();
      else if (reader.field === Buckets.counts) this.#readVarints(side.counts);
      else reader.skip();
    }
    reader.end = outerEnd;
  }

  /** Reads varints, packed or one. */
  #readVarints(into: number[]): void {
    const reader = this.#reader;
    const end = reader.wire === Wire.bytes ? reader.enter() : 0;
    const outerEnd = reader.end;
    if (end > 0) reader.end = end;
    else reader.is(reader.field, Wire.varint);
    do {
      if (end > 0 && reader.at >= end) break;
      reader.varint();
      into.push(reader.high * two32 + reader.low);
    } while (end > 0);
    reader.end = outerEnd;
  }

  #fillExponential(points: PointCollector): Fault | undefined {
    const [positive, negative] = [this.#positive, this.#negative];
    return (
      put(points, names.scale, this.#scale) ??
      put(points, names.zeroCount, this.#zeroCount) ??
      put(points, names.zeroThreshold, this.#zeroThreshold) ??
      putSide(points, names.positiveOffset, names.positiveCounts, positive) ??
      putSide(points, names.negativeOffset, names.negativeCounts, negative)
    );
  }

  #readQuantile(): void {
    const reader = this.#reader;
    reader.is(quantilesField, Wire.bytes);
    const outerEnd = reader.end;
    reader.end = reader.enter();
    let quantile = 0;
    let value = 0;
    while (reader.next()) {
      if (reader.field === Quantile.quantile) quantile = this.#reader.double();
      else if (reader.field === Quantile.value) value = this.#reader.double();
      else reader.skip();
    }
    reader.end = outerEnd;
    if (Number.isNaN(quantile)) this.problem = badPoint('a quantile is not a number');
    this.#bounds.push(quantile);
    this.#counts.push(value);
  }
}
