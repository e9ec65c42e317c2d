import { two32 } from '../../bytes/words.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import type { ParsedPoints, ParseOptions } from '../points/parse-options.js';
import { fieldName, PointCollector } from '../points/point-collector.js';
import { metricProblem, type SeriesKey, SeriesTags } from '../points/series-tags.js';
import { Ticks } from '../points/ticks.js';
import { countCharacters } from '../wire/utf8.js';

/** Types of the parts of a packet. */
export const AgentPart = {
  host: 0x0000,
  time: 0x0001,
  plugin: 0x0002,
  pluginInstance: 0x0003,
  type: 0x0004,
  typeInstance: 0x0005,
  values: 0x0006,
  interval: 0x0007,
  timeHigh: 0x0008,
  intervalHigh: 0x0009,
  message: 0x0100,
  severity: 0x0101,
  signature: 0x0200,
  encryption: 0x0210,
} as const;

/** Kinds of values: unsigned, a little-endian double, signed, unsigned. */
export const AgentValue = { counter: 0, gauge: 1, derive: 2, absolute: 3 } as const;

const headerBytes = 4;
const two16 = 65_536;
const two30 = 1_073_741_824;
/** Parts that name a value list, in the order they stand in a key. */
const names: readonly number[] = [
  AgentPart.host,
  AgentPart.plugin,
  AgentPart.pluginInstance,
  AgentPart.type,
  AgentPart.typeInstance,
];
const tagNames = ['host', undefined, 'instance', 'type', 'type_instance'] as const;
const value = fieldName('value');

/** Names of the values of a list by its type, as a types database gives them. */
export type DataSourceNames = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a types database: a line a type, its name, blanks, and `name:kind:min:max` of each value, separated by blanks
 * or commas. Lines that are not like that are left out, and so is what follows a `#`.
 */
export function parseTypesDatabase(text: string): Map<string, readonly string[]> {
  const types = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const [text = ''] = line.split('#', 1);
    const [type, ...list] = text.split(/[\s,]+/).filter((word) => word !== '');
    if (type === undefined || list.length === 0 || list.some((source) => source.indexOf(':') < 1)) continue;
    types.set(
      type,
      list.map((source) => source.slice(0, source.indexOf(':'))),
    );
  }
  return types;
}

/** A name of the current packet: its bytes without the NUL, or none because its part was bad. */
class NamePart {
  start = 0;
  end = 0;
  isBad = false;
}

/** Reads the packets of one block. */
class PacketReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #options: ParseOptions;
  readonly #points: PointCollector;
  readonly #times: Ticks;
  readonly #names = names.map(() => new NamePart());
  /** Key of the current value: the names, each ended by a NUL, how many values the list has and which it is. */
  #key = new Uint8Array(1024);
  #keyView = new DataView(this.#key.buffer);
  #packet = 0;
  /** Why the time of the packet cannot be stored, if so. */
  #timeProblem: string | undefined;

  constructor(bytes: Uint8Array, options: ParseOptions) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#options = options;
    this.#points = new PointCollector(options, bytes.length);
    this.#times = new Ticks(options);
  }

  read(): ParsedPoints {
    let at = 0;
    while (at + 2 <= this.#bytes.length) {
      const start = at + 2;
      const end = Math.min(this.#bytes.length, start + this.#view.getUint16(at));
      this.#readPacket(start, end);
      this.#packet++;
      at = end;
    }
    return this.#points.finish(this.#packet);
  }

  #readPacket(start: number, end: number): void {
    for (const name of this.#names) {
      name.start = 0;
      name.end = 0;
      name.isBad = false;
    }
    this.#times.now();
    this.#timeProblem = undefined;
    let at = start;
    while (at + headerBytes <= end) {
      const type = this.#view.getUint16(at);
      const length = this.#view.getUint16(at + 2);
      if (length < headerBytes || at + length > end) break;
      this.#readPart(type, at + headerBytes, at + length);
      at += length;
    }
    if (at < end) this.#reject(`byte ${at - start}: a part is shorter or longer than it says`);
  }

  #readPart(type: number, start: number, end: number): void {
    const name = names.indexOf(type);
    if (name >= 0) this.#readName(name, start, end);
    else if (type === AgentPart.values) this.#readValues(start, end);
    else if (type === AgentPart.time || type === AgentPart.timeHigh) this.#readTime(type, start, end);
    else if (type === AgentPart.encryption) this.#reject('an encrypted packet cannot be read without a user file');
  }

  #readName(index: number, start: number, end: number): void {
    const name = this.#names[index]!;
    const stop = this.#bytes.indexOf(0, start);
    name.isBad = stop < start || stop >= end || countCharacters(this.#bytes, start, stop) < 0;
    name.start = start;
    name.end = stop;
    if (name.isBad) this.#reject('a name does not end in NUL or is not well-formed UTF-8');
  }

  /**
   * Whole seconds, or units of 2^-30 seconds. The fraction is exact: 30 bits times 5^9, divided by 2^21. Agents that
   * leave the time to the server say 0.
   */
  #readTime(type: number, start: number, end: number): void {
    if (end - start !== 8) {
      this.#timeProblem = 'a time does not have 8 bytes';
      this.#reject(this.#timeProblem);
      return;
    }
    const high = this.#view.getUint32(start);
    const low = this.#view.getUint32(start + 4);
    if (high === 0 && low === 0) {
      this.#times.now();
      this.#timeProblem = undefined;
      return;
    }
    if (type === AgentPart.time) {
      this.#timeProblem = high < two16 ? this.#times.set(high * two32 + low, 0) : 'the time is too large';
      return;
    }
    const seconds = high * 4 + Math.floor(low / two30);
    const nanos = Math.round((low % two30) * (1e9 / two30));
    this.#timeProblem = nanos < 1e9 ? this.#times.set(seconds, nanos) : this.#times.set(seconds + 1, 0);
  }

  #readValues(start: number, end: number): void {
    const count = end - start < 2 ? -1 : this.#view.getUint16(start);
    if (end - start !== 2 + count * 9) {
      this.#reject('a list of values has another length than it says');
      return;
    }
    const bad = this.#names.findIndex((name) => name.isBad);
    if (bad >= 0) {
      this.#reject('a list of values has a name that could not be read');
      return;
    }
    if (this.#timeProblem !== undefined) {
      this.#reject(this.#timeProblem);
      return;
    }
    const keyLength = this.#fillKey(count);
    for (let i = 0; i < count; i++) {
      const at = start + 2 + count + i * 8;
      const kind = this.#bytes[start + 2 + i]!;
      if (kind > AgentValue.absolute) this.#reject(`a value is of kind ${kind}, which is not known`);
      else this.#addValue(i, count, keyLength, this.#valueAt(kind, at));
    }
  }

  #valueAt(kind: number, at: number): number {
    if (kind === AgentValue.gauge) return this.#view.getFloat64(at, true);
    const high = kind === AgentValue.derive ? this.#view.getInt32(at) : this.#view.getUint32(at);
    return high * two32 + this.#view.getUint32(at + 4);
  }

  #fillKey(count: number): number {
    let length = 4;
    for (const { start, end } of this.#names) length += end - start + 1;
    if (length > this.#key.length) {
      this.#key = new Uint8Array(length * 2);
      this.#keyView = new DataView(this.#key.buffer);
    }
    let at = 0;
    for (const { start, end } of this.#names) {
      this.#key.set(this.#bytes.subarray(start, end), at);
      at += end - start;
      this.#key[at++] = 0;
    }
    this.#keyView.setUint16(at, count);
    return length;
  }

  /** A gauge that is not a number says that there is no value. */
  #addValue(index: number, count: number, keyLength: number, number: number): void {
    if (Number.isNaN(number)) return;
    this.#keyView.setUint16(keyLength - 2, index);
    const points = this.#points;
    if (!points.find(this.#key, this.#keyView, 0, keyLength)) {
      const refused = points.introduce(this.#seriesKey(index, count));
      if (refused !== undefined) {
        this.#reject(refused.message, refused.code);
        return;
      }
    }
    const refused = points.refusal() ?? points.putDouble(value, number);
    if (refused !== undefined) {
      points.drop();
      this.#reject(refused.message, refused.code);
      return;
    }
    const unstorable = points.commit(this.#times.words, this.#bytes);
    if (unstorable !== undefined) this.#reject(unstorable.message, unstorable.code);
  }

  /**
   * The table is plugin and name of the value; the name is its number when a list has several and no types database
   * names them.
   */
  #seriesKey(index: number, count: number): SeriesKey | Fault {
    const [, plugin = '', , type = ''] = this.#names.map((name) => this.#textOf(name));
    if (plugin === '') return fault('parameter', Codes.schemalessData, 'a list of values has no plugin');
    const known = this.#options.dataSourceNames?.get(type);
    const numbered = count === 1 ? 'value' : String(index);
    const source = known?.length === count ? (known[index] ?? numbered) : numbered;
    const metric = `${plugin}_${source}`;
    const tags = new SeriesTags();
    let problem = metricProblem(0, Buffer.byteLength(metric), () => JSON.stringify(metric));
    for (const [i, name] of this.#names.entries()) {
      const tag = tagNames[i];
      if (tag === undefined || name.start === name.end) continue;
      const bytes = Buffer.from(this.#bytes.subarray(name.start, name.end));
      problem ??= tags.add(0, () => JSON.stringify(tag), Buffer.from(tag), bytes);
    }
    // Behind the last underscore of the table stands the value, unless that has one, too: another plug-in may have the
    // same table then.
    if (/[._]/.test(source)) problem ??= tags.add(0, () => '"plugin"', Buffer.from('plugin'), Buffer.from(plugin));
    if (problem !== undefined) return fault('parameter', problem.code, problem.message);
    return tags.keyOf(metric);
  }

  #textOf({ start, end }: NamePart): string {
    return Buffer.from(this.#bytes.subarray(start, end)).toString();
  }

  #reject(reason: string, code: number = Codes.schemalessData): void {
    this.#points.reject(this.#packet, fault('parameter', code, `packet: ${reason}`));
  }
}

/**
 * Reads packets of the agents' binary network protocol: parts of type, length and content, whose names and times hold
 * for the lists of values after them. Each packet stands behind its length in two bytes. Every value is a point of the
 * table `<plugin>_<name of the value>` with a DOUBLE `value`. A part that is bad costs what depends on it and nothing
 * else; where the lengths are bad, the rest of the packet is lost. Parts that are not about values are skipped.
 */
export function parseAgentPackets(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  return new PacketReader(bytes, options).read();
}
