import { Codes } from '../../model/fault.js';
import type { TagValue } from '../../model/schema.js';
import type { LineProblem } from './line-problem.js';
import { badLine, excerpt } from './line-problem.js';
import {
  maxMeasurementBytes,
  maxNameBytes,
  maxTagBytes,
  maxTagCharacters,
  maxTags,
  nullTagName,
  timeColumnName,
} from './point-limits.js';
import { seriesTableName, sortTags } from './sub-table-name.js';
import { countCharacters } from './utf8.js';

const blank = 0x20;
const comma = 0x2c;
const equals = 0x3d;
const backslash = 0x5c;

/** The series of a line: its tables and its tags, unescaped and in order. */
export interface SeriesKey {
  readonly superTable: string;
  readonly subTable: string;
  readonly tags: ReadonlyMap<string, TagValue>;
}

/** Removes the backslash before a comma, a blank and, unless `inMeasurement`, an equals sign. Any other backslash stays. */
export function unescapeName(bytes: Uint8Array, start: number, end: number, inMeasurement: boolean): Buffer {
  const out = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let at = start; at < end; at++) {
    const next = at + 1 < end ? bytes[at + 1]! : 0;
    const escapes = next === comma || next === blank || (next === equals && !inMeasurement);
    if (bytes[at] === backslash && escapes) at++;
    out[length++] = bytes[at]!;
  }
  return out.subarray(0, length);
}

/** Position of the first unescaped comma, blank or, unless `inMeasurement`, equals sign in `bytes[start, end)`; `end` if there is none. */
function endOfName(bytes: Uint8Array, start: number, end: number, inMeasurement: boolean): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === comma || byte === blank || (byte === equals && !inMeasurement)) return at;
    if (byte !== backslash || at + 1 >= end) continue;
    const next = bytes[at + 1]!;
    if (next === comma || next === blank || (next === equals && !inMeasurement)) at++;
  }
  return end;
}

/** Reads the key of one series; keeps what has been read until the next. */
class KeyReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #tags = new Map<string, string>();
  #tagBytes = 0;

  constructor(bytes: Uint8Array, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  read(start: number): SeriesKey | LineProblem {
    const bytes = this.#bytes;
    if (countCharacters(bytes, start, this.#end) < 0) {
      return badLine(start, 'measurement or tags are not well-formed UTF-8');
    }
    let at = endOfName(bytes, start, this.#end, true);
    const measurement = unescapeName(bytes, start, at, true);
    if (measurement.length === 0) return badLine(start, 'the measurement is missing');
    if (measurement.length > maxMeasurementBytes) {
      const name = excerpt(bytes, start, at);
      return badLine(start, `measurement ${name} is longer than ${maxMeasurementBytes} bytes`);
    }
    while (at < this.#end) {
      const stop = this.#tag(at + 1);
      if (typeof stop !== 'number') return stop;
      at = stop;
    }
    const superTable = measurement.toString().replaceAll('.', '_');
    const sorted = sortTags(this.#tags);
    return {
      superTable,
      subTable: seriesTableName(superTable, sorted),
      tags: new Map<string, TagValue>(sorted.length === 0 ? [[nullTagName, undefined]] : sorted),
    };
  }

  /** Reads one tag and returns the position after it. */
  #tag(start: number): number | LineProblem {
    const bytes = this.#bytes;
    const nameEnd = endOfName(bytes, start, this.#end, false);
    const shown = excerpt(bytes, start, nameEnd);
    if (nameEnd === this.#end || bytes[nameEnd] !== equals) return badLine(start, `tag ${shown} has no value`);
    const name = unescapeName(bytes, start, nameEnd, false);
    if (name.length === 0) return badLine(start, 'a tag has no name');
    if (name.length > maxNameBytes) return badLine(start, `tag name ${shown} is longer than ${maxNameBytes} bytes`);
    const valueEnd = endOfName(bytes, nameEnd + 1, this.#end, false);
    if (bytes[valueEnd] === equals) {
      return badLine(valueEnd, `tag ${shown}: an equals sign in a value needs a backslash before it`);
    }
    const value = unescapeName(bytes, nameEnd + 1, valueEnd, false);
    return this.#keep(start, shown, name.toString(), value) ?? valueEnd;
  }

  #keep(start: number, shown: string, name: string, value: Buffer): LineProblem | undefined {
    if (value.length === 0) return badLine(start, `tag ${shown} has an empty value`);
    if (this.#tags.has(name) || name === timeColumnName) {
      const reason = name === timeColumnName ? 'is the name of the time column' : 'occurs twice';
      return { at: start, code: Codes.duplicatedColumns, message: `tag ${shown} ${reason}` };
    }
    this.#tags.set(name, value.toString());
    this.#tagBytes += value.length;
    if (this.#tags.size > maxTags) return badLine(start, `the line has more than ${maxTags} tags`);
    const tooLong =
      this.#tagBytes > maxTagBytes ||
      (value.length > maxTagCharacters && countCharacters(value, 0, value.length) > maxTagCharacters);
    if (!tooLong) return undefined;
    return { at: start, code: Codes.tagsTooLong, message: `tag ${shown}: the tags are too long` };
  }
}

/**
 * Reads measurement and tags of a line: `bytes[start, end)`, which ends before the blank that separates them from the fields.
 * Returns the tables they name, or what is wrong with them.
 */
export function parseSeriesKey(bytes: Uint8Array, start: number, end: number): SeriesKey | LineProblem {
  return new KeyReader(bytes, end).read(start);
}
