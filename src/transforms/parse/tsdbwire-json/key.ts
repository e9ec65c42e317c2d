import { closeBrace, openBrace, quote } from '../../../bytes/ascii.js';
import { metricProblem, type SeriesKey, SeriesTags, type Shown } from '../../points/series-tags.js';
import type { JsonText } from '../../wire/json-text.js';
import { excerpt } from '../../wire/line-problem.js';
import { isValueType, readTyped } from './value.js';

/** True for numbers, true and false. */
function isScalar(text: JsonText, start: number, end: number): boolean {
  const word = Buffer.from(text.bytes.subarray(start, end)).toString('latin1');
  return word === 'true' || word === 'false' || (text.isNumber(start, end) && Number.isFinite(Number(word)));
}

/**
 * Reads metric and tags of a series that was not met before; `metric` and `tags` are where the two values stand. Metric
 * and tags are strings; numbers and words keep their text. Undefined, with the text's problem, when they are no series.
 */
export function parseJsonKey(
  text: JsonText,
  metric: readonly [start: number, end: number],
  tags: readonly [start: number, end: number],
): SeriesKey | undefined {
  const [start, end] = metric;
  const isQuoted = text.bytes[start] === quote;
  if (!isQuoted && !isScalar(text, start, end)) {
    text.fail(start, 'the metric is not a string or a number');
    return undefined;
  }
  const name = isQuoted ? text.contentOf(start, end) : Buffer.from(text.bytes.subarray(start, end));
  if (name === undefined) return undefined;
  const problem = metricProblem(metric[0], name.length, () => excerpt(name, 0, name.length));
  if (problem !== undefined) {
    text.problem = problem;
    return undefined;
  }
  const series = new SeriesTags();
  let at = text.skip(tags[0] + 1);
  if (text.bytes[at] !== closeBrace && text.bytes[at] !== quote) text.fail(at, 'the name of a tag is missing');
  else while (at >= 0 && text.bytes[at] !== closeBrace) at = addTag(text, series, at);
  if (at < 0 || text.problem !== undefined) return undefined;
  if (series.size === 0) text.fail(tags[0], 'the object has no tags');
  else if (at + 1 !== tags[1]) text.fail(at, 'the brackets of the tags do not match');
  else return series.keyOf(name.toString());
  return undefined;
}

/** Adds the tag whose name begins at `start`; returns the position of the next one or of the closing brace. */
function addTag(text: JsonText, series: SeriesTags, start: number): number {
  const nameEnd = text.endOfString(start);
  if (nameEnd < 0) return -1;
  const shown = (): string => excerpt(text.bytes, start + 1, nameEnd - 1);
  const name = text.contentOf(start, nameEnd);
  if (name === undefined) return -1;
  const valueAt = text.valueAfter(nameEnd);
  const valueEnd = valueAt < 0 ? -1 : text.endOfValue(valueAt);
  if (valueEnd < 0) return -1;
  const value = tagText(text, shown, valueAt, valueEnd);
  if (value === undefined) return -1;
  const problem = series.nameProblem(start, shown, name) ?? series.add(start, shown, name, value);
  if (problem !== undefined) {
    text.problem = problem;
    return -1;
  }
  return text.nextMember(valueEnd);
}

/** The text of a tag value: what a string holds, and numbers, true and false as they are written. */
function tagText(text: JsonText, shown: Shown, start: number, end: number): Buffer | undefined {
  const { bytes } = text;
  if (bytes[start] === quote) return text.contentOf(start, end);
  if (bytes[start] === openBrace) {
    const typed = readTyped(text, start);
    if (typed === undefined) return undefined;
    if (isValueType(typed.type) && bytes[typed.start] !== openBrace)
      return tagText(text, shown, typed.start, typed.end);
    text.fail(start, `tag ${shown()}: type ${JSON.stringify(typed.type)} is not known`);
    return undefined;
  }
  if (isScalar(text, start, end)) return Buffer.from(bytes.subarray(start, end));
  text.fail(start, `tag ${shown()}: ${excerpt(bytes, start, end)} is not a string, a number, true or false`);
  return undefined;
}
