import { Codes, type Fault, fault } from '../../../model/fault.js';
import { LabelBytes, maxLabelBytes, readLabels } from '../../points/label-bytes.js';
import { labelSetKey, metricsStyle, metricsValue } from '../../points/label-set.js';
import type { ParsedPoints, ParseOptions } from '../../points/parse-options.js';
import { fieldName, PointCollector } from '../../points/point-collector.js';
import { badTime, ofColumn } from '../../points/point-fault.js';
import { Kind } from '../../points/point-fields.js';
import { Ticks } from '../../points/ticks.js';
import { inflateSnappy } from '../../wire/inflate-snappy.js';
import { malformedMessage, Wire, WireReader } from '../../wire/protobuf.js';
import { findSymbols } from '../../wire/symbols.js';
import { isExtraField, SeriesExtras } from './extras.js';
import { MessageMetadata } from './metadata.js';
import { Sample } from './sample.js';

const valueName = fieldName(metricsValue);
/** Longest message unless the caller says otherwise, inflated. */
const defaultMaxMessageBytes = 32 * 1024 * 1024;
/** How many times longer than the longest message the labels of one may be that are written by reference. */
const maxWrittenOut = 8;
/** Bits of a double's upper word that are all set in NaN and the infinities. */
const exponentBits = 0x7ff00000;

/** Fields of the message: its series and metadata in version 1; series, whose labels refer to symbols, in version 2. */
const seriesField = 1;
const metadataField = 3;
const series2Field = 5;
/** Fields of a series, in both versions. */
const labelsField = 1;
const samplesField = 2;
/** Fields of a series in version 2: metadata, and where its count begins, which no table has a place for. */
const metadata2Field = 5;
const createdField = 6;

/** Buffers used again by every call, as a call runs to its end before the next one begins. */
const inflated = new Uint8Array(1024 * 1024);
const labelBytes = new LabelBytes();

/** The label that is the name of the metric. */
const metricName = Buffer.from('__name__');
const unnamed = fault('parameter', Codes.schemalessData, 'it has no label __name__');
const longLabels = fault('parameter', Codes.schemalessData, `its labels take more than ${maxLabelBytes} bytes`);

/** Reads the series of one message. */
class MessageReader {
  readonly #reader: WireReader;
  readonly #points: PointCollector;
  readonly #options: ParseOptions;
  readonly #time: Ticks;
  readonly #extras: SeriesExtras;
  readonly #metadata: MessageMetadata;
  /** Index of the current series, and where its first sample is, -1 when it has none. */
  #series = -1;
  #firstSample = -1;
  /** It has exemplars or histograms. */
  #hasExtras = false;
  /** Of version 2: where its metadata is, and the symbol that is the name of its metric; -1 when it has none. */
  #metadataAt = -1;
  #metricSymbol = -1;
  /** The symbol that is the name of a label whose value comes next; -1 when a name comes next. */
  #nameSymbol = -1;
  /** Labels of the current series, as fields of a version 1 message: `keyBytes[keyStart, keyEnd)`. */
  #keyBytes: Uint8Array;
  #keyView: DataView;
  #keyStart = 0;
  #keyEnd = 0;
  /** Start and end of every symbol, found when the first series refers to one. */
  #symbols: Int32Array | undefined;
  /** Bytes of labels that may still be written out. */
  #budget: number;
  /** The current series has the name of a metric among its labels, or is of version 1 and needs none. */
  #isNamed = false;
  readonly #sample = new Sample();

  constructor(message: Uint8Array, options: ParseOptions, maxMessageBytes: number) {
    this.#reader = new WireReader(message);
    this.#points = new PointCollector(options, message.length, metricsStyle);
    this.#options = options;
    this.#time = new Ticks(options);
    this.#extras = new SeriesExtras(this.#reader, this.#points, this.#time);
    this.#metadata = new MessageMetadata(this.#reader, this.#points, options);
    this.#keyBytes = message;
    this.#keyView = this.#reader.view;
    this.#budget = maxMessageBytes * maxWrittenOut;
  }

  read(): ParsedPoints {
    const reader = this.#reader;
    while (reader.next()) {
      if (reader.is(seriesField, Wire.bytes)) this.#readSeries(reader.enter(), false);
      else if (reader.is(series2Field, Wire.bytes)) this.#readSeries(reader.enter(), true);
      else if (reader.is(metadataField, Wire.bytes)) this.#refuse(this.#metadata.readFamily());
      else reader.skip();
    }
    const { tally } = this.#options;
    if (tally !== undefined) {
      tally.histograms += this.#extras.histograms;
      tally.exemplars += this.#extras.exemplars;
      tally.metadata += this.#metadata.count;
    }
    this.#points.leftOut += this.#sample.startTimes;
    return this.#points.finish(this.#series + 1);
  }

  /** Counts metadata that cannot be stored as a bad row of the series that was read last. */
  #refuse(problem: Fault | undefined): void {
    if (problem !== undefined) this.#points.reject(Math.max(0, this.#series), problem);
  }

  /** Reads the series that ends at `end`; of one without samples, exemplars and histograms only the metadata counts. */
  #readSeries(end: number, byReference: boolean): void {
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.end = end;
    this.#series++;
    const expected = byReference ? -1 : this.#expectedAt(reader.at);
    if (expected >= 0 && this.#readPlain(expected)) {
      reader.end = outerEnd;
      return;
    }
    this.#firstSample = -1;
    this.#hasExtras = false;
    this.#metadataAt = -1;
    const { at } = reader;
    const problem = byReference ? this.#writeOutLabels() : this.#findLabels(expected);
    if (this.#firstSample >= 0) {
      const refused = problem ?? this.#takeSeries(expected);
      reader.at = this.#firstSample;
      this.#readSamples(refused);
    }
    if (this.#hasExtras) {
      reader.at = at;
      this.#extras.read({
        version: byReference ? 2 : 1,
        index: this.#series,
        labels: this.#keyBytes,
        labelsStart: this.#keyStart,
        labelsEnd: this.#keyEnd,
        problem: problem ?? (this.#isNamed ? undefined : unnamed),
        symbols: this.#symbols,
      });
    }
    if (this.#metadataAt >= 0 && this.#metricSymbol >= 0) {
      reader.at = this.#metadataAt;
      this.#refuse(this.#metadata.readOfSeries(this.#symbols!, this.#metricSymbol));
    }
    reader.at = end;
    reader.end = outerEnd;
  }

  /** The series that is expected next, if the labels at `start` begin like its own; otherwise -1. */
  #expectedAt(start: number): number {
    const reader = this.#reader;
    const { dictionary } = this.#options;
    const { expected } = this.#points;
    if (expected < 0) return -1;
    const length = dictionary.keyLength(expected);
    if (length > reader.end - start) return -1;
    return dictionary.hasPart(expected, 0, reader.bytes, reader.view, start, length) ? expected : -1;
  }

  /**
   * Reads a series that has the labels of the expected one and a plain sample, as nearly every one; false for any
   * other.
   */
  #readPlain(expected: number): boolean {
    const reader = this.#reader;
    if (!this.#sample.readPlain(reader, reader.at + this.#options.dictionary.keyLength(expected))) return false;
    const points = this.#points;
    points.resume(expected);
    const problem = points.refusal() ?? this.#storeSample();
    if (problem !== undefined) points.reject(this.#series, problem);
    reader.at = reader.end;
    return true;
  }

  /**
   * Finds labels and samples of a version 1 series; labels that it shares with an expected series are known to be
   * labels.
   */
  #findLabels(expected: number): Fault | undefined {
    const reader = this.#reader;
    const start = reader.at;
    let inOnePiece = true;
    this.#keyBytes = reader.bytes;
    this.#keyView = reader.view;
    this.#keyStart = start;
    this.#keyEnd = expected < 0 ? start : start + this.#options.dictionary.keyLength(expected);
    this.#isNamed = true;
    reader.at = this.#keyEnd;
    for (let at = reader.at; reader.next(); at = reader.at) {
      if (reader.is(labelsField, Wire.bytes)) {
        if (this.#keyEnd === this.#keyStart) this.#keyStart = at;
        else if (this.#keyEnd !== at) inOnePiece = false;
        reader.at = reader.enter();
        this.#keyEnd = reader.at;
      } else this.#passField(at);
    }
    return inOnePiece ? undefined : this.#gatherLabels(start);
  }

  /** Passes over a field that is not about labels and begins at `at`. */
  #passField(at: number): void {
    const reader = this.#reader;
    if (this.#firstSample < 0 && reader.is(samplesField, Wire.bytes)) this.#firstSample = at;
    else if (isExtraField(reader.field)) this.#hasExtras = true;
    reader.skip();
  }

  /** Copies labels that stand among other fields. */
  #gatherLabels(start: number): Fault | undefined {
    const reader = this.#reader;
    labelBytes.length = 0;
    reader.at = start;
    for (let at = start; reader.next(); at = reader.at) {
      reader.skip();
      if (reader.field === labelsField && !labelBytes.append(reader.bytes, at, reader.at)) return longLabels;
    }
    this.#keyIsWritten();
    return undefined;
  }

  /**
   * Writes out the labels that a version 2 series refers to, and finds its samples. Version 2 requires the name of a
   * metric, which clients of version 1 on this database may leave out.
   */
  #writeOutLabels(): Fault | undefined {
    const reader = this.#reader;
    let problem: Fault | undefined;
    labelBytes.length = 0;
    this.#isNamed = false;
    this.#metricSymbol = -1;
    this.#nameSymbol = -1;
    for (let at = reader.at; reader.next(); at = reader.at) {
      if (reader.field === metadata2Field && reader.is(metadata2Field, Wire.bytes)) {
        this.#metadataAt = reader.at;
        reader.skip();
      } else if (reader.field !== labelsField) {
        if (reader.field === createdField) this.#points.leftOut++;
        this.#passField(at);
      } else if (reader.wire === Wire.bytes) {
        const outerEnd = reader.end;
        reader.end = reader.enter();
        while (reader.at < reader.end && problem === undefined) problem = this.#takeReference();
        reader.at = reader.end;
        reader.end = outerEnd;
      } else if (reader.is(labelsField, Wire.varint)) problem = this.#takeReference() ?? problem;
    }
    if (this.#nameSymbol >= 0 && problem === undefined) {
      throw malformedMessage(reader.at, 'a label has a name and no value');
    }
    this.#keyIsWritten();
    this.#budget -= labelBytes.length;
    if (this.#budget < 0) throw malformedMessage(reader.at, 'the labels written out are too long together');
    return problem;
  }

  /** Reads a reference, alternately to the name and to the value of a label, which may stand in different fields. */
  #takeReference(): Fault | undefined {
    const reader = this.#reader;
    const value = this.#readReference();
    const name = this.#nameSymbol;
    this.#nameSymbol = name < 0 ? value : -1;
    if (name < 0) return undefined;
    const symbols = this.#symbols!;
    const [from, to] = [2 * name, 2 * value];
    const [nameStart, nameEnd] = [symbols[from]!, symbols[from + 1]!];
    const [valueStart, valueEnd] = [symbols[to]!, symbols[to + 1]!];
    if (valueEnd > valueStart && isMetricName(reader.bytes, nameStart, nameEnd)) {
      this.#isNamed = true;
      this.#metricSymbol = value;
    }
    const fits = labelBytes.write(reader.bytes, nameStart, nameEnd, valueStart, valueEnd);
    return fits ? undefined : longLabels;
  }

  #readReference(): number {
    const reader = this.#reader;
    const start = reader.at;
    reader.varint();
    this.#symbols ??= findSymbols(reader.bytes);
    if (reader.high === 0 && 2 * reader.low < this.#symbols.length) return reader.low;
    throw malformedMessage(start, 'a label refers to a symbol that is not there');
  }

  #keyIsWritten(): void {
    this.#keyBytes = labelBytes.bytes;
    this.#keyView = labelBytes.view;
    this.#keyStart = 0;
    this.#keyEnd = labelBytes.length;
  }

  /**
   * Finds or introduces the series of the labels, which begin like those of an expected one; returns why none of its
   * samples can be stored, if so.
   */
  #takeSeries(expected: number): Fault | undefined {
    const points = this.#points;
    const { dictionary } = this.#options;
    const start = this.#keyStart;
    const end = this.#keyEnd;
    if (expected >= 0 && dictionary.keyLength(expected) === end - start && this.#keyBytes === this.#reader.bytes) {
      points.resume(expected);
      return points.refusal();
    }
    if (end - start > maxLabelBytes) return longLabels;
    if (points.find(this.#keyBytes, this.#keyView, start, end)) {
      if (!this.#isNamed) return unnamed;
    } else {
      const key = labelSetKey(readLabels(this.#keyBytes, start, end));
      if ('message' in key) return key;
      if (!this.#isNamed) return unnamed;
      const refused = points.introduce(key);
      if (refused !== undefined) return refused;
    }
    return points.refusal();
  }

  /** Reads all samples of a series, of which the first one is next, and stores those that can be stored. */
  #readSamples(refused: Fault | undefined): void {
    const reader = this.#reader;
    const seriesEnd = reader.end;
    let isBegun = refused === undefined;
    while (reader.next()) {
      if (!reader.is(samplesField, Wire.bytes)) {
        reader.skip();
        continue;
      }
      reader.end = reader.enter();
      this.#sample.read(reader);
      reader.end = seriesEnd;
      if (refused === undefined && !isBegun) this.#points.again();
      isBegun = false;
      const problem = refused ?? this.#storeSample();
      if (problem !== undefined) this.#points.reject(this.#series, problem);
    }
  }

  /** Stores the sample; one that is not a finite number, such as a stale marker, is NULL with its bits beside that. */
  #storeSample(): Fault | undefined {
    const points = this.#points;
    const { timeLow, timeHigh, valueLow, valueHigh } = this.#sample;
    const outside = this.#time.setMillis(timeLow, timeHigh);
    if (outside !== undefined) return badTime(outside);
    const index = points.field(valueName, Kind.double);
    if (typeof index !== 'number') return this.#drop(index);
    points.fields.words[2 * index] = valueLow;
    points.fields.words[2 * index + 1] = valueHigh;
    if ((valueHigh & exponentBits) === exponentBits) points.setNull(index);
    return points.commit(this.#time.words, this.#reader.bytes);
  }

  #drop(problem: Fault): Fault {
    this.#points.drop();
    return ofColumn(valueName, problem);
  }
}

function isMetricName(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== metricName.length) return false;
  for (let i = 0; i < metricName.length; i++) if (bytes[start + i] !== metricName[i]) return false;
  return true;
}

/**
 * Reads a write request (a snappy block of a `prometheus.WriteRequest`, or of its version 2, which has other field
 * numbers) into rows of the table `metrics`: `ts`, `v`, and the labels of their series as its JSON tag. Native
 * histograms and exemplars go to tables beside it, metadata to `metric_metadata`; start times are counted and left out.
 *
 * A series with bad labels is rejected with all its samples, a sample with a bad time alone; `row` of a reject is the
 * index of the series. A body that is not such a message throws a FaultError of kind `parameter`, and nothing of it is
 * stored.
 */
export function parseRemoteWrite(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  const maxBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
  const message = inflateSnappy(bytes, maxBytes, (length) =>
    length <= inflated.length ? inflated : new Uint8Array(length),
  );
  return new MessageReader(message, options, maxBytes).read();
}
