import type { Fault } from '../../../model/fault.js';
import { storeExemplar } from '../../points/exemplar.js';
import { exemplarsTable, labelSetKey, metricsStyle } from '../../points/label-set.js';
import type { PointCollector } from '../../points/point-collector.js';
import { badPoint } from '../../points/point-fault.js';
import type { Ticks } from '../../points/ticks.js';
import { nameText, type SampleReader } from './lines.js';
import { ownLabelName } from './series.js';

type Label = readonly [name: string, value: string];

/** Most exemplars of a point that wait; further ones are left out. */
const maxOfPoint = 1_000;

/** What an exemplar says. */
interface Said {
  readonly labels: readonly Label[];
  readonly value: number;
  /** A time of its own, in seconds and nanoseconds. */
  readonly time: readonly [seconds: number, nanos: number] | undefined;
}

/** An exemplar that waits until the point of its sample is stored. */
interface Waiting extends Omit<Said, 'labels'> {
  /** Those of its sample, with the name of the sample as `__name__`. */
  readonly series: readonly Label[];
  /** Its own labels as JSON. */
  readonly labels: string;
}

/**
 * Exemplars of the samples of a point, which are stored behind it. What cannot be read or stored of them is counted as
 * left out; their sample stays.
 */
export class ExpositionExemplars {
  readonly #bytes: Uint8Array;
  readonly #points: PointCollector;
  readonly #times: Ticks;
  readonly #extra: ReadonlyMap<string, string>;
  #waiting: Waiting[] = [];

  constructor(bytes: Uint8Array, points: PointCollector, times: Ticks, extra: ReadonlyMap<string, string>) {
    this.#bytes = bytes;
    this.#points = points;
    this.#times = times;
    this.#extra = extra;
  }

  /**
   * Reads the exemplar behind the sample that was read last and ends at `end`. The labels of the sample are gone then.
   */
  read(samples: SampleReader, end: number): void {
    const name = nameText(this.#bytes, samples.nameStart, samples.nameEnd);
    const labels = labelsOf(this.#bytes, samples);
    if (!samples.readExemplar(end)) {
      this.#points.leftOut++;
      return;
    }
    const time = samples.hasTime ? ([samples.seconds, samples.nanos] as const) : undefined;
    this.add([['__name__', name], ...labels], { labels: labelsOf(this.#bytes, samples), value: samples.value, time });
  }

  /** Keeps an exemplar of a sample whose name and labels are `sample` until its point is stored. */
  add(sample: readonly Label[], { labels, value, time }: Said): void {
    if (this.#waiting.length === maxOfPoint) {
      this.#points.leftOut++;
      return;
    }
    const own = sample.map(([name, text]): Label => [ownLabelName(name, this.#extra), text]);
    const series = [...own, ...this.#extra];
    this.#waiting.push({ series, labels: JSON.stringify(Object.fromEntries(labels)), value, time });
  }

  /** Stores what waits; `time` is that of the point. Leaves the times as they were. */
  store(time: Uint32Array): void {
    if (this.#waiting.length === 0) return;
    const times = this.#times;
    // It may be that of the times themselves.
    const [low = 0, high = 0] = time;
    const before = [times.low, times.high] as const;
    for (const exemplar of this.#waiting) {
      times.restore(low, high);
      if (this.#storeOne(exemplar) !== undefined) this.#points.leftOut++;
    }
    times.restore(...before);
    this.#waiting = [];
  }

  /** Forgets what waits: the point is not stored. */
  drop(): void {
    this.#points.leftOut += this.#waiting.length;
    this.#waiting = [];
  }

  #storeOne(exemplar: Waiting): Fault | undefined {
    const outside = exemplar.time === undefined ? undefined : this.#times.set(...exemplar.time);
    if (outside !== undefined) return badPoint(outside);
    return storeExemplar(this.#points, this.#times, exemplar, this.#bytes, () => this.#take(exemplar.series));
  }

  #take(series: readonly Label[]): Fault | undefined {
    // No key of a point begins like this.
    const key = Buffer.from(`\n${JSON.stringify(series)}`);
    const view = new DataView(key.buffer, key.byteOffset, key.length);
    if (this.#points.find(key, view, 0, key.length)) return undefined;
    const raw = series.map(([name, value]) => ({ name: Buffer.from(name), value: Buffer.from(value) }));
    return this.#points.introduce(labelSetKey(raw, exemplarsTable), metricsStyle);
  }
}

function labelsOf(bytes: Uint8Array, samples: SampleReader): Label[] {
  return Array.from({ length: samples.labels }, (_, at) => [
    nameText(bytes, samples.labelStart(at), samples.labelEnd(at)),
    samples.labelValue(at).toString(),
  ]);
}
