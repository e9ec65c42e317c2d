import { Wire, type WireReader } from '../../wire/protobuf.js';

/** Fields of a sample; the last one says where its count begins, which no table has a place for. */
const valueField = 1;
const timeField = 2;
const startField = 3;
/** The keys of samples in a series, and of these fields, as they stand in a message. */
const samplesKey = 0x12;
const valueKey = 0x09;
const timeKey = 0x10;
/** Bytes of a time in milliseconds, from 2004 to 2109, and the bits of the first four that say that more follow. */
const timeBytes = 6;
const moreBits = 0x80808080 | 0;

/** A sample of a remote write message. One is enough for all samples of a message. */
export class Sample {
  /** The bits of its value, and its milliseconds, as words. */
  valueLow = 0;
  valueHigh = 0;
  timeLow = 0;
  timeHigh = 0;
  /** Start times that were passed over so far. */
  startTimes = 0;

  /** Reads a sample of any form; what it leaves out is zero. */
  read(reader: WireReader): void {
    this.valueLow = 0;
    this.valueHigh = 0;
    this.timeLow = 0;
    this.timeHigh = 0;
    while (reader.next()) {
      if (reader.is(valueField, Wire.fixed64)) {
        this.#takeValue(reader.view, reader.at);
        reader.skip();
      } else if (reader.is(timeField, Wire.varint)) {
        reader.varint();
        this.timeLow = reader.low;
        this.timeHigh = reader.high;
      } else {
        if (reader.field === startField) this.startTimes++;
        reader.skip();
      }
    }
  }

  /**
   * Reads a sample from `at` to the end of its series, if it is of the usual form and nothing follows it; false for any
   * other.
   */
  readPlain({ bytes, view, end }: WireReader, at: number): boolean {
    const timeAt = end - timeBytes;
    const valueAt = at + 3;
    if (timeAt < valueAt || bytes[at] !== samplesKey || bytes[at + 1] !== end - at - 2) return false;
    // A value of zero may be left out.
    const hasValue = timeAt === valueAt + 9 && bytes[valueAt - 1] === valueKey;
    if ((!hasValue && timeAt !== valueAt) || bytes[timeAt - 1] !== timeKey) return false;
    const word = view.getInt32(timeAt, true);
    const next = bytes[timeAt + 4]!;
    const last = bytes[timeAt + 5]!;
    if ((word & moreBits) !== moreBits || next < 0x80 || last >= 0x80) return false;
    const low = (word & 0x7f) | ((word >>> 1) & 0x3f80) | ((word >>> 2) & 0x1fc000) | ((word >>> 3) & 0xfe00000);
    this.timeLow = low | (next << 28);
    this.timeHigh = ((next & 0x7f) >>> 4) | (last << 3);
    if (hasValue) this.#takeValue(view, valueAt);
    else {
      this.valueLow = 0;
      this.valueHigh = 0;
    }
    return true;
  }

  #takeValue(view: DataView, at: number): void {
    this.valueLow = view.getInt32(at, true);
    this.valueHigh = view.getInt32(at + 4, true);
  }
}
