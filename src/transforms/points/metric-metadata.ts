import { setBigInt } from '../../bytes/words.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { daysInTicks } from '../../model/schema.js';
import { labelSetKey, metadataTable, metricsStyle } from './label-set.js';
import type { ParseOptions } from './parse-options.js';
import { type FieldName, fieldName, type PointCollector } from './point-collector.js';

/** Types of metrics as remote write numbers them, by the names of OpenMetrics. */
export const metricTypes = [
  'unknown',
  'counter',
  'gauge',
  'histogram',
  'gaugehistogram',
  'summary',
  'info',
  'stateset',
] as const;

/** Words of a message about a metric as a whole. */
export interface Metadata {
  readonly name: string;
  readonly type: (typeof metricTypes)[number];
  /** Empty where the message has none, and so is the unit. */
  readonly help: string;
  readonly unit: string;
}

const names = { type: fieldName('type'), help: fieldName('help'), unit: fieldName('unit') } as const;
const nameLabel = Buffer.from('__name__');
/** Longest name of a metric, in bytes; a longer help or unit is cut. */
const maxTextBytes = 4096;

/** Keys of these series begin with bytes that no key of another series begins with. */
const keyStart = 40;
const key = Buffer.alloc(keyStart + maxTextBytes);
const keyView = new DataView(key.buffer, key.byteOffset, key.length);

/**
 * Keeps the metadata of metrics: rows of the table `metric_metadata`, with the name as the one label, at the begin of
 * the day (UTC) on which the message came. So a metric has one row per day, however often it is sent, and changes can
 * be seen.
 */
export class MetadataRows {
  /** Rows stored. */
  count = 0;
  readonly #points: PointCollector;
  readonly #options: ParseOptions;
  readonly #added = new Set<string>();
  readonly #day: string;
  /** The same as words. */
  readonly #time = new Uint32Array(2);

  constructor(points: PointCollector, options: ParseOptions) {
    this.#points = points;
    this.#options = options;
    const { nowTicks, database } = options;
    const day = nowTicks - (nowTicks % daysInTicks(1, database.precision));
    this.#day = String(day);
    setBigInt(this.#time, day);
  }

  /**
   * Adds a row, unless the message has metadata of the metric before, none, or nothing new; returns why there cannot be
   * one, if so.
   */
  add({ name, type, help, unit }: Metadata): Fault | undefined {
    if (name === '' || this.#added.has(name)) return undefined;
    if (type === 'unknown' && help === '' && unit === '') return undefined;
    this.#added.add(name);
    const points = this.#points;
    const text = `${this.#day} ${type} ${unit} ${help}`;
    if (this.#options.isStored?.(name, text) === true) return undefined;
    const problem = this.#take(name) ?? points.refusal();
    if (problem !== undefined) return about(problem);
    const unfit = this.#put(names.type, type) ?? this.#put(names.help, help) ?? this.#put(names.unit, unit);
    if (unfit !== undefined) {
      points.drop();
      return about(unfit);
    }
    const refused = points.commit(this.#time, key);
    if (refused !== undefined) return about(refused);
    this.count++;
    points.described.push([name, text]);
    return undefined;
  }

  /** Finds or introduces the series of the metric. */
  #take(name: string): Fault | undefined {
    const points = this.#points;
    const bytes = Buffer.from(name);
    if (bytes.length > maxTextBytes) {
      return fault('parameter', Codes.schemalessData, `the name of a metric takes more than ${maxTextBytes} bytes`);
    }
    const end = keyStart + bytes.copy(key, keyStart);
    if (points.find(key, keyView, 0, end)) return undefined;
    const series = labelSetKey([{ name: nameLabel, value: key.subarray(keyStart, end) }], metadataTable);
    return points.introduce(series, metricsStyle);
  }

  #put(name: FieldName, text: string): Fault | undefined {
    return text === '' ? undefined : this.#points.putText(name, cut(Buffer.from(text)));
  }
}

/** The text, or as many of its characters as there is room for. */
function cut(text: Buffer): Buffer {
  if (text.length <= maxTextBytes) return text;
  let end = maxTextBytes;
  while ((text[end]! & 0xc0) === 0x80) end--;
  return text.subarray(0, end);
}

function about({ kind, code, message }: Fault): Fault {
  return fault(kind, code, `its metadata cannot be stored: ${message}`);
}
