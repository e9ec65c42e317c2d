import type { Fault } from '../../../model/fault.js';
import { storeExemplar } from '../../points/exemplar.js';
import type { PointCollector } from '../../points/point-collector.js';
import { badPoint } from '../../points/point-fault.js';
import type { Ticks } from '../../points/ticks.js';
import { Wire, type WireReader } from '../../wire/protobuf.js';
import { readAttribute } from './attributes.js';
import { OtlpTime } from './time.js';

const Exemplar = { time: 2, double: 3, spanId: 4, traceId: 5, int: 6, attributes: 7 } as const;
/** Exemplars of a point; senders keep one for each bucket. Further ones are left out. */
const maxOfPoint = 1_000;

/** Reads the exemplars of points into rows of the table `metric_exemplars`, as remote write has them. */
export class OtlpExemplars {
  readonly #reader: WireReader;
  readonly #points: PointCollector;
  readonly #times: Ticks;
  readonly #time = new OtlpTime();
  #value = Number.NaN;

  constructor(reader: WireReader, points: PointCollector, times: Ticks) {
    this.#reader = reader;
    this.#points = points;
    this.#times = times;
  }

  /**
   * Reads the exemplars in the fields `field` of the point that the reader stands at the start of. `take` begins a row
   * of their series. Those without a time have that of `times`, which is their point's. What cannot be stored is
   * counted as left out, for the protocol has no word for it.
   */
  read(field: number, take: () => Fault | undefined): void {
    const reader = this.#reader;
    const pointEnd = reader.end;
    const { low, high } = this.#times;
    let count = 0;
    while (reader.next()) {
      const isLeftOut = reader.is(field, Wire.bytes) && ++count > maxOfPoint;
      if (isLeftOut) this.#points.leftOut++;
      if (isLeftOut || reader.field !== field) {
        reader.skip();
        continue;
      }
      reader.end = reader.enter();
      const labels = this.#readExemplar();
      reader.end = pointEnd;
      this.#times.restore(low, high);
      if (this.#store(labels, take) !== undefined) this.#points.leftOut++;
    }
  }

  #store(labels: string, take: () => Fault | undefined): Fault | undefined {
    const { seconds, nanos, isZero } = this.#time;
    const outside = isZero ? undefined : this.#times.set(seconds, nanos);
    if (outside !== undefined) return badPoint(outside);
    return storeExemplar(this.#points, this.#times, { value: this.#value, labels }, this.#reader.bytes, take);
  }

  /** Reads one exemplar; gives its attributes, and the ids of its trace and span, as JSON. */
  #readExemplar(): string {
    const reader = this.#reader;
    const labels: [string, string][] = [];
    this.#time.clear();
    this.#value = Number.NaN;
    while (reader.next()) {
      if (reader.is(Exemplar.attributes, Wire.bytes)) labels.push([...readAttribute(reader)]);
      else if (reader.is(Exemplar.traceId, Wire.bytes)) labels.push(['trace_id', hex(reader.content())]);
      else if (reader.is(Exemplar.spanId, Wire.bytes)) labels.push(['span_id', hex(reader.content())]);
      else if (reader.is(Exemplar.time, Wire.fixed64)) this.#time.read(reader.view, reader.fixed64());
      else if (reader.is(Exemplar.double, Wire.fixed64)) this.#value = reader.double();
      else if (reader.is(Exemplar.int, Wire.fixed64)) this.#value = reader.fixedSigned();
      else reader.skip();
    }
    return JSON.stringify(Object.fromEntries(labels.filter(([, value]) => value !== '')));
  }
}

function hex({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('hex');
}
