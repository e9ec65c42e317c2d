import { backslash, comma, equals, space } from '../../bytes/ascii.js';
import { badLine, excerpt, type LineProblem } from '../wire/line-problem.js';
import { countCharacters } from '../wire/utf8.js';
import { metricProblem, type SeriesKey, SeriesTags } from './series-tags.js';

/**
 * Removes the backslash before a comma, a space and, unless `inMeasurement`, an equals sign. Any other backslash stays.
 * The result may be a part of `bytes`.
 */
export function unescapeName(bytes: Uint8Array, start: number, end: number, inMeasurement: boolean): Buffer {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  if (!raw.includes(backslash)) return raw;
  const out = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let at = start; at < end; at++) {
    const next = at + 1 < end ? bytes[at + 1]! : 0;
    const escapes = next === comma || next === space || (next === equals && !inMeasurement);
    if (bytes[at] === backslash && escapes) at++;
    out[length++] = bytes[at]!;
  }
  return out.subarray(0, length);
}

/**
 * Position of the first unescaped comma, space or, unless `inMeasurement`, equals sign in `bytes[start, end)`; `end` if
 * there is none.
 */
function endOfName(bytes: Uint8Array, start: number, end: number, inMeasurement: boolean): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === comma || byte === space || (byte === equals && !inMeasurement)) return at;
    if (byte !== backslash || at + 1 >= end) continue;
    const next = bytes[at + 1]!;
    if (next === comma || next === space || (next === equals && !inMeasurement)) at++;
  }
  return end;
}

/** Reads the key of one series; keeps what has been read until the next. */
class KeyReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #tags = new SeriesTags();

  constructor(bytes: Uint8Array, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  read(start: number): SeriesKey | LineProblem {
    const bytes = this.#bytes;
    if (countCharacters(bytes, start, this.#end) < 0) {
      return badLine(start, 'measurement or tags are not well-formed UTF-8');
    }
    const measurementEnd = endOfName(bytes, start, this.#end, true);
    const measurement = unescapeName(bytes, start, measurementEnd, true);
    const problem = metricProblem(
      start,
      measurement.length,
      () => excerpt(bytes, start, measurementEnd),
      'measurement',
    );
    if (problem !== undefined) return problem;
    let at = measurementEnd;
    while (at < this.#end) {
      const stop = this.#tag(at + 1);
      if (typeof stop !== 'number') return stop;
      at = stop;
    }
    return this.#tags.keyOf(measurement.toString());
  }

  /** Reads one tag and returns the position after it. */
  #tag(start: number): number | LineProblem {
    const bytes = this.#bytes;
    const nameEnd = endOfName(bytes, start, this.#end, false);
    const shown = (): string => excerpt(bytes, start, nameEnd);
    if (nameEnd === this.#end || bytes[nameEnd] !== equals) return badLine(start, `tag ${shown()} has no value`);
    const name = unescapeName(bytes, start, nameEnd, false);
    const problem = this.#tags.nameProblem(start, shown, name);
    if (problem !== undefined) return problem;
    const valueEnd = endOfName(bytes, nameEnd + 1, this.#end, false);
    if (bytes[valueEnd] === equals) {
      return badLine(valueEnd, `tag ${shown()}: an equals sign in a value needs a backslash before it`);
    }
    const value = unescapeName(bytes, nameEnd + 1, valueEnd, false);
    return this.#tags.add(start, shown, name, value) ?? valueEnd;
  }
}

/**
 * Reads measurement and tags of a line: `bytes[start, end)`, which ends before the space that separates them from the
 * fields. Returns the tables they name, or what is wrong with them.
 */
export function parseSeriesKey(bytes: Uint8Array, start: number, end: number): SeriesKey | LineProblem {
  return new KeyReader(bytes, end).read(start);
}
