import type { Fault } from '../../../model/fault.js';
import { MetadataRows, metricTypes } from '../../points/metric-metadata.js';
import type { ParseOptions } from '../../points/parse-options.js';
import type { PointCollector } from '../../points/point-collector.js';
import { Wire, type WireReader } from '../../wire/protobuf.js';
import { symbolText, textOf } from '../../wire/symbols.js';

/** Fields of a `MetricMetadata` of version 1, and of the metadata of a series of version 2, whose texts are symbols. */
const Family = { type: 1, name: 2, help: 4, unit: 5 } as const;
const OfSeries = { type: 1, help: 3, unit: 4 } as const;

/** Reads the metadata of a message into rows of the table `metric_metadata`. */
export class MessageMetadata {
  readonly #reader: WireReader;
  readonly #rows: MetadataRows;
  /** Symbols that are names of metrics with metadata. */
  readonly #named = new Set<number>();

  constructor(reader: WireReader, points: PointCollector, options: ParseOptions) {
    this.#reader = reader;
    this.#rows = new MetadataRows(points, options);
  }

  /** Rows stored. */
  get count(): number {
    return this.#rows.count;
  }

  /** Reads a `MetricMetadata` of version 1, whose length comes next; returns why it cannot be stored, if so. */
  readFamily(): Fault | undefined {
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.end = reader.enter();
    let [type, name, help, unit] = [0, '', '', ''];
    while (reader.next()) {
      if (reader.is(Family.type, Wire.varint)) type = this.#number();
      else if (reader.is(Family.name, Wire.bytes)) name = this.#text();
      else if (reader.is(Family.help, Wire.bytes)) help = this.#text();
      else if (reader.is(Family.unit, Wire.bytes)) unit = this.#text();
      else reader.skip();
    }
    reader.end = outerEnd;
    return this.#rows.add({ name, type: metricTypes[type] ?? 'unknown', help, unit });
  }

  /**
   * Reads the metadata of a version 2 series, whose length comes next. `symbols` are start and end of every symbol,
   * `name` is the number of that with the name of the metric. Returns why it cannot be stored, if so.
   */
  readOfSeries(symbols: Int32Array, name: number): Fault | undefined {
    if (this.#named.has(name)) return undefined;
    this.#named.add(name);
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.end = reader.enter();
    let [type, help, unit] = [0, 0, 0];
    while (reader.next()) {
      if (reader.is(OfSeries.type, Wire.varint)) type = this.#number();
      else if (reader.is(OfSeries.help, Wire.varint)) help = this.#number();
      else if (reader.is(OfSeries.unit, Wire.varint)) unit = this.#number();
      else reader.skip();
    }
    reader.end = outerEnd;
    const symbol = (number: number): string => symbolText(reader, symbols, number, 'metadata');
    const known = metricTypes[type] ?? 'unknown';
    return this.#rows.add({ name: symbol(name), type: known, help: symbol(help), unit: symbol(unit) });
  }

  #number(): number {
    const reader = this.#reader;
    reader.varint();
    return reader.high === 0 ? reader.low : Number.MAX_SAFE_INTEGER;
  }

  #text(): string {
    const reader = this.#reader;
    const end = reader.enter();
    const text = textOf(reader.bytes, reader.at, end);
    reader.at = end;
    return text;
  }
}
