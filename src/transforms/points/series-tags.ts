import { Codes } from '../../model/fault.js';
import type { TagValue } from '../../model/schema.js';
import { maxColumnNameBytes, type SentMetric } from '../../model/sent-name.js';
import { badLine, type LineProblem } from '../wire/line-problem.js';
import { countCharacters } from '../wire/utf8.js';
import {
  maxMeasurementBytes,
  maxTagBytes,
  maxTagCharacters,
  maxTags,
  nullTagName,
  timeColumnName,
} from './point-limits.js';
import { seriesTableName, sortTags } from './sub-table-name.js';

/** The series of a point: its tables and its tags, unescaped and in order. */
export interface SeriesKey {
  readonly superTable: string;
  readonly subTable: string;
  readonly tags: ReadonlyMap<string, TagValue>;
  /** Of labelled series: the name of their metric. */
  readonly metric?: string | undefined;
  /** The metric as it was sent, where others could have the same super table. */
  readonly sentAs?: SentMetric | undefined;
  /** Of tags that other attributes could have, too: the attribute, or several with semicolons between them. */
  readonly attributes?: ReadonlyMap<string, string> | undefined;
}

/** The word of a format for the name that becomes the super table. */
type MetricWord = 'measurement' | 'metric';

/** A piece of text as messages repeat it, made for messages alone. */
export type Shown = () => string;

/** Fault of the name of a super table, if there is one. */
export function metricProblem(
  at: number,
  bytes: number,
  shown: Shown,
  word: MetricWord = 'metric',
): LineProblem | undefined {
  if (bytes === 0) return badLine(at, `the ${word} is missing`);
  if (bytes <= maxMeasurementBytes) return undefined;
  return badLine(at, `${word} ${shown()} is longer than ${maxMeasurementBytes} bytes`);
}

/** Collects the tags of one series in any format, and makes its key. Names and values come unescaped, in UTF-8. */
export class SeriesTags {
  readonly #tags = new Map<string, string>();
  #bytes = 0;

  /** Tags taken so far. */
  get size(): number {
    return this.#tags.size;
  }

  /** Fault of the name of a tag, if there is one. `at` and `shown` say where it stands and how its text reads. */
  nameProblem(at: number, shown: Shown, name: Uint8Array): LineProblem | undefined {
    if (name.length === 0) return badLine(at, 'a tag has no name');
    if (name.length <= maxColumnNameBytes) return undefined;
    return badLine(at, `tag name ${shown()} is longer than ${maxColumnNameBytes} bytes`);
  }

  /** True when a tag was taken with this value. */
  has(name: Buffer, value: Buffer): boolean {
    return this.#tags.get(name.toString()) === value.toString();
  }

  /** Takes a tag whose name was checked; returns why it cannot be taken, if so. */
  add(at: number, shown: Shown, nameBytes: Buffer, value: Buffer): LineProblem | undefined {
    if (value.length === 0) return badLine(at, `tag ${shown()} has an empty value`);
    const name = nameBytes.toString();
    if (this.#tags.has(name) || name === timeColumnName) {
      const reason = name === timeColumnName ? 'is the name of the time column' : 'occurs twice';
      return { at, code: Codes.duplicatedColumns, message: `tag ${shown()} ${reason}` };
    }
    this.#tags.set(name, value.toString());
    this.#bytes += value.length;
    if (this.#tags.size > maxTags) return badLine(at, `there are more than ${maxTags} tags`);
    const tooLong =
      this.#bytes > maxTagBytes ||
      (value.length > maxTagCharacters && countCharacters(value, 0, value.length) > maxTagCharacters);
    if (!tooLong) return undefined;
    return { at, code: Codes.tagsTooLong, message: `tag ${shown()}: the tags are too long` };
  }

  /** The series of a metric with the tags taken; dots in the metric become underscores. */
  keyOf(metric: string): SeriesKey {
    const superTable = metric.replaceAll('.', '_');
    return this.keyIn(superTable, superTable.includes('_') ? `dots ${metric}` : undefined);
  }

  /**
   * The series of a super table with the tags taken; `sentAs` is its metric, where others could have the same super
   * table.
   */
  keyIn(superTable: string, sentAs: SentMetric | undefined): SeriesKey {
    const sorted = sortTags(this.#tags);
    return {
      superTable,
      subTable: seriesTableName(superTable, sorted),
      tags: new Map<string, TagValue>(sorted.length === 0 ? [[nullTagName, undefined]] : sorted),
      sentAs,
    };
  }
}
