import { lineFeed } from '../bytes/ascii.js';
import { AssembledKey } from '../bytes/assembled-key.js';
import { KeyTable } from '../bytes/key-table.js';
import { cutToBytes } from '../text/cut.js';
import { StatKind, type StatsdReader } from './parse/statsd.js';
import { isSpread, statSeries } from './stat-name.js';

/** Bounds of a store. */
interface StatLimits {
  /** Series at once. */
  readonly maxKeys: number;
  /** Bytes of the names of all series together. */
  readonly maxKeyBytes: number;
  /** Different values of all sets together. */
  readonly maxSetValues: number;
}

/** By kind: whether the statistics begin anew after they were written. */
type StatDeletion = readonly boolean[];

/** Values of a timing that are kept to find percentiles; further ones replace random ones. */
const keptSamples = 1000;
const initialSlots = 256;
/** Numbers of a series: sum, count, first value, sum of the distances from it and of their squares, lowest, highest. */
const width = 7;
/** Text of numbers and field names of one line is shorter than this, percentiles apart. */
const maxLineBytes = 512;
const maxPercentileBytes = 64;
/** Most bytes of a name that a message repeats. */
const maxShownBytes = 128;

/**
 * The statistics of all series since they were last written, in typed arrays. Bounded by {@link StatLimits}: what goes
 * beyond is refused with its reason. Implements `StatTaker`.
 */
export class StatStore {
  readonly #limits: StatLimits;
  readonly #deletion: StatDeletion;
  readonly #percentiles: readonly number[];
  readonly #gaugeDeltas: boolean;
  /** Slots by the key as it stands in messages, and by series: several spellings may be one series. */
  readonly #keys = new KeyTable(1);
  readonly #key = new AssembledKey();
  #slotsBySeries = new Map<string, number>();
  #series: Buffer[] = [];
  #kinds = new Uint8Array(initialSlots);
  /** Seconds of a series that its messages bring, 0 where the time is that of the flush. */
  #seconds = new Float64Array(initialSlots);
  /** 1 for a series with something to write. */
  #filled = new Uint8Array(initialSlots);
  /** 1 for a series with nothing to write at the last flush. */
  #idle = new Uint8Array(initialSlots);
  #numbers = new Float64Array(initialSlots * width);
  /** What the name and tags of a series were, where other words stand for them in it. */
  #sources = new Map<number, string>();
  #sets = new Map<number, Set<string>>();
  #samples = new Map<number, Float64Array>();
  #setValues = 0;

  /** With `gaugeDeltas` a gauge with a sign changes its last value; without, it is the value. */
  constructor(limits: StatLimits, deletion: StatDeletion, percentiles: readonly number[], gaugeDeltas = true) {
    this.#limits = limits;
    this.#deletion = deletion;
    this.#percentiles = percentiles;
    this.#gaugeDeltas = gaugeDeltas;
  }

  /** Series held. */
  get size(): number {
    return this.#series.length;
  }

  take(message: StatsdReader): string | undefined {
    const { kind } = message;
    const slot = this.#slotOf(message);
    if (typeof slot === 'string') return slot;
    if (kind === StatKind.set) return this.#addToSet(slot, message);
    this.#filled[slot] = 1;
    const at = slot * width;
    if (kind === StatKind.counter) this.#numbers[at] = this.#numbers[at]! + scaled(message.value, message.rate);
    else if (kind !== StatKind.gauge) this.#addSample(slot, message.value, scaled(1, message.rate));
    else this.#numbers[at] = message.value + (message.isSigned && this.#gaugeDeltas ? this.#numbers[at]! : 0);
    return undefined;
  }

  /**
   * Everything that must be written, as blocks of line protocol of about `blockBytes`, each line with the time
   * `micros`. Series are emptied as they are written, so that messages may be taken between two blocks. Messages with a
   * time of their own are lines apart, with that time. Series without messages for a whole interval are forgotten at
   * the end where their kind begins anew. Gauges that a message with a sign may change stay, without being written,
   * until the store is half full.
   */
  *flush(micros: bigint, blockBytes: number): Generator<{ readonly bytes: Uint8Array; readonly rows: number }> {
    const time = ` ${micros}\n`;
    const most = maxLineBytes + maxPercentileBytes * this.#percentiles.length;
    let block = Buffer.allocUnsafe(blockBytes);
    let length = 0;
    let rows = 0;
    for (let slot = 0; slot < this.#series.length; slot++) {
      if (this.#filled[slot] === 0) {
        this.#idle[slot] = 1;
        continue;
      }
      this.#idle[slot] = 0;
      const series = this.#series[slot]!;
      const need = series.length + most;
      if (length + need > block.length) {
        if (rows > 0) yield { bytes: block.subarray(0, length), rows };
        block = Buffer.allocUnsafe(Math.max(blockBytes, need));
        length = 0;
        rows = 0;
      }
      length += series.copy(block, length);
      const seconds = this.#seconds[slot]!;
      const end = seconds === 0 ? time : ` ${seconds}000000\n`;
      length += block.write(`${this.#fields(slot)}${end}`, length, 'latin1');
      rows++;
      if (!this.#deletion[this.#kinds[slot]!] && seconds === 0) continue;
      if (this.#isBase(slot)) this.#filled[slot] = 0;
      else this.#empty(slot);
    }
    if (rows > 0) yield { bytes: block.subarray(0, length), rows };
    this.#forgetIdle();
  }

  #fields(slot: number): string {
    const kind = this.#kinds[slot]!;
    const at = slot * width;
    const numbers = this.#numbers;
    if (kind === StatKind.set) return `value=${this.#sets.get(slot)?.size ?? 0}`;
    if (!isSpread(kind)) return `value=${numbers[at]!}`;
    const count = numbers[at + 1]!;
    const distance = numbers[at + 3]!;
    const mean = numbers[at + 2]! + distance / count;
    const deviation = Math.sqrt(Math.max(0, (numbers[at + 4]! - (distance * distance) / count) / count));
    const text = `mean=${mean},stddev=${deviation},sum=${numbers[at]!},upper=${numbers[at + 6]!},lower=${numbers[at + 5]!},count=${Math.round(count)}i`;
    const samples = this.#samples.get(slot);
    if (samples === undefined) return text;
    const sorted = samples.slice(0, Math.min(Math.floor(count), keptSamples)).sort();
    const percentiles = this.#percentiles.map((p) => {
      const rank = Math.max(1, Math.ceil((p / 100) * sorted.length));
      return `,${p}_percentile=${sorted[rank - 1]!}`;
    });
    return text + percentiles.join('');
  }

  #slotOf(message: StatsdReader): number | string {
    const { bytes, view, bucketStart, bucketEnd, tagsStart, tagsEnd, kind } = message;
    const key = this.#key;
    key.begin(this.#keys.seed ^ kind);
    key.append(bytes, view, bucketStart, bucketEnd);
    // No part of a line holds a line break.
    key.separate(lineFeed);
    key.append(bytes, view, tagsStart, tagsEnd);
    key.separate(lineFeed);
    key.separate(kind);
    if (message.seconds !== 0) key.append(bytes, view, message.timeStart, message.timeEnd);
    const hash = key.hash();
    const entry = this.#keys.find(key.bytes, key.view, 0, key.length, hash);
    return entry < 0 ? this.#add(message, hash) : this.#keys.word(entry, 0);
  }

  /** Adds the series of a message under the key that was assembled from it; gives its slot, or why it has none. */
  #add(message: StatsdReader, hash: number): number | string {
    const named = statSeries(message);
    if (typeof named === 'string') return named;
    const { series, source } = named;
    const { kind, seconds } = message;
    const { maxKeys, maxKeyBytes } = this.#limits;
    if (this.#keys.size >= maxKeys || this.#keys.keyBytes >= maxKeyBytes) {
      return `would be one series more than the ${maxKeys} that are kept`;
    }
    const name = slotName(series, seconds);
    let slot = this.#slotsBySeries.get(name);
    if (slot !== undefined && this.#sources.get(slot) !== source) {
      const other = this.#sources.get(slot) ?? series.toString().trimEnd();
      return `would become one series with ${JSON.stringify(cutToBytes(other, maxShownBytes))}`;
    }
    if (slot === undefined) {
      slot = this.#series.length;
      this.#reserve(slot);
      this.#series.push(series);
      this.#slotsBySeries.set(name, slot);
      this.#kinds[slot] = kind;
      this.#seconds[slot] = seconds;
      if (source !== undefined) this.#sources.set(slot, source);
      this.#empty(slot);
    }
    const entry = this.#keys.add(this.#key.bytes, 0, this.#key.length, hash);
    if (entry < 0) return 'has a name that collides with too many others';
    this.#keys.setWord(entry, 0, slot);
    return slot;
  }

  #addToSet(slot: number, { bytes, valueStart, valueEnd }: StatsdReader): string | undefined {
    let set = this.#sets.get(slot);
    if (set === undefined) {
      set = new Set();
      this.#sets.set(slot, set);
    }
    this.#filled[slot] = 1;
    const value = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart).toString('latin1');
    if (set.has(value)) return undefined;
    if (this.#setValues >= this.#limits.maxSetValues) {
      return `would be one value more than the ${this.#limits.maxSetValues} that all sets together keep`;
    }
    set.add(value);
    this.#setValues++;
    return undefined;
  }

  /**
   * Counts a value `weight` times, which may be a fraction above 1. Mean and deviation are those of the distances from
   * the first value, which keeps both exact for values far from zero and for whole numbers.
   */
  #addSample(slot: number, value: number, weight: number): void {
    const numbers = this.#numbers;
    const at = slot * width;
    const before = numbers[at + 1]!;
    if (before === 0) numbers[at + 2] = value;
    const distance = value - numbers[at + 2]!;
    numbers[at] = numbers[at]! + value * weight;
    numbers[at + 1] = before + weight;
    numbers[at + 3] = numbers[at + 3]! + distance * weight;
    numbers[at + 4] = numbers[at + 4]! + distance * distance * weight;
    if (before === 0 || value < numbers[at + 5]!) numbers[at + 5] = value;
    if (before === 0 || value > numbers[at + 6]!) numbers[at + 6] = value;
    if (this.#percentiles.length > 0) this.#keepSample(slot, value, before, weight);
  }

  #keepSample(slot: number, value: number, before: number, weight: number): void {
    let samples = this.#samples.get(slot);
    if (samples === undefined) {
      samples = new Float64Array(keptSamples);
      this.#samples.set(slot, samples);
    }
    const first = Math.floor(before);
    const end = Math.min(Math.floor(before + weight), first + keptSamples);
    for (let i = first; i < end; i++) {
      const position = i < keptSamples ? i : Math.floor(Math.random() * (i + 1));
      if (position < keptSamples) samples[position] = value;
    }
  }

  #empty(slot: number): void {
    this.#filled[slot] = 0;
    this.#numbers.fill(0, slot * width, (slot + 1) * width);
    this.#samples.delete(slot);
    const set = this.#sets.get(slot);
    if (set === undefined) return;
    this.#setValues -= set.size;
    this.#sets.delete(slot);
  }

  /** Forgets series that had no message for a whole interval, once they are half of all or new ones find no room. */
  #forgetIdle(): void {
    const count = this.#series.length;
    const { maxKeys, maxKeyBytes } = this.#limits;
    const fullness = Math.max(this.#keys.size / maxKeys, this.#keys.keyBytes / maxKeyBytes);
    const keepsBases = fullness < 0.5;
    let idle = 0;
    for (let slot = 0; slot < count; slot++) if (this.#isForgettable(slot, keepsBases)) idle++;
    if (idle === 0 || (idle * 2 < count && fullness < 1)) return;
    const slots = new Int32Array(count).fill(-1);
    let next = 0;
    for (let slot = 0; slot < count; slot++) if (!this.#isForgettable(slot, keepsBases)) slots[slot] = next++;
    this.#keys.keep(0, (slot) => slots[slot]!);
    this.#moveTo(slots);
  }

  /** A message may have come since the flush passed by. */
  #isForgettable(slot: number, keepsBases: boolean): boolean {
    if (this.#idle[slot] === 0 || this.#filled[slot] !== 0) return false;
    return !keepsBases || !this.#isBase(slot) || this.#numbers[slot * width] === 0;
  }

  /** True for a gauge whose value a later message with a sign changes. */
  #isBase(slot: number): boolean {
    return this.#gaugeDeltas && this.#kinds[slot] === StatKind.gauge && this.#seconds[slot] === 0;
  }

  #moveTo(slots: Int32Array): void {
    const series: Buffer[] = [];
    const bySeries = new Map<string, number>();
    for (let slot = 0; slot < slots.length; slot++) {
      const to = slots[slot]!;
      if (to < 0) {
        this.#empty(slot);
        this.#sources.delete(slot);
        continue;
      }
      series.push(this.#series[slot]!);
      this.#kinds[to] = this.#kinds[slot]!;
      this.#seconds[to] = this.#seconds[slot]!;
      bySeries.set(slotName(this.#series[slot]!, this.#seconds[slot]!), to);
      this.#filled[to] = this.#filled[slot]!;
      this.#numbers.copyWithin(to * width, slot * width, (slot + 1) * width);
    }
    this.#sources = moved(this.#sources, slots);
    this.#sets = moved(this.#sets, slots);
    this.#samples = moved(this.#samples, slots);
    this.#series = series;
    this.#slotsBySeries = bySeries;
  }

  #reserve(slot: number): void {
    if (slot < this.#kinds.length) return;
    const size = this.#kinds.length * 2;
    this.#kinds = grown(this.#kinds, size);
    this.#filled = grown(this.#filled, size);
    this.#idle = grown(this.#idle, size);
    this.#seconds = longer(this.#seconds, size);
    this.#numbers = longer(this.#numbers, size * width);
  }
}

/**
 * A value by its rate. Clients write rates with few digits, such as 0.166667 for one in six: what is nearly one in so
 * many is that.
 */
function scaled(value: number, rate: number): number {
  const times = Math.round(1 / rate);
  return Math.abs(1 / rate - times) <= times * 1e-4 ? value * times : value / rate;
}

function moved<T>(bySlot: ReadonlyMap<number, T>, slots: Int32Array): Map<number, T> {
  return new Map(Array.from(bySlot, ([slot, value]) => [slots[slot]!, value]));
}

/** The name of a series at a time of its own, or at that of the flush. */
function slotName(series: Buffer, seconds: number): string {
  return seconds === 0 ? series.toString() : `${series}${seconds}`;
}

function longer(old: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const next = new Float64Array(size);
  next.set(old);
  return next;
}

function grown(old: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(size);
  next.set(old);
  return next;
}
