import { lineFeed } from '../../bytes/ascii.js';
import { allOf } from './select.js';

/** A statement whose one row has figures of a single series, in the pieces in which it is like those of other series. */
export interface SeriesFigures {
  /** `SELECT … FROM …` */
  readonly head: string;
  /** The column of series ids as `head` knows it. */
  readonly idColumn: string;
  /** Id of the series, in digits. */
  readonly id: string;
  /** Conditions beside the one on the series. */
  readonly terms: readonly string[];
  /** Where no row passes, the statement gives none either. */
  readonly givesNoneForEmpty: boolean;
}

/**
 * Functions that give the same for a series by itself and for one of several groups. Sums and means of numbers with a fraction are those
 * that add one by one; `sum` and `avg` are of integers then.
 */
const allowed = new Set([
  ...['max', 'maxIf', 'min', 'minIf', 'argMax', 'argMaxIf', 'argMin', 'argMinIf', 'count', 'countIf'],
  ...['sum', 'avg', 'sumForEach', 'avgForEach', 'arrayElement'],
  ...['toInt64', 'toFloat64', 'toNullable', 'isNotNull', 'isNull', 'CAST'],
  ...['Milli', 'Micro', 'Nano'].map((unit) => `fromUnixTimestamp64${unit}`),
]);

/** Names before a bracket outside of quoted texts and names. */
const calls = /'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?|\b(\w+)\(/gs;

/**
 * The pieces of a statement over one table without keys, given the WHERE that it ends in; undefined where it cannot be asked together with
 * others.
 */
export function seriesFigures(
  sql: string,
  where: readonly string[],
  idColumn: string,
  id: bigint,
): Omit<SeriesFigures, 'givesNoneForEmpty'> | undefined {
  const end = ` WHERE ${allOf(where)}`;
  const own = `${idColumn} = ${id}`;
  if (!sql.startsWith('SELECT ') || !sql.endsWith(end) || !where.includes(own)) return undefined;
  const head = sql.slice(0, -end.length);
  for (const [, name] of head.matchAll(calls)) if (name !== undefined && !allowed.has(name)) return undefined;
  return { head, idColumn, id: String(id), terms: where.filter((term) => term !== own) };
}

/** One statement that asks for the figures of several series with the same `head`: before those of each stands its id. */
export function statementOfMany(all: readonly SeriesFigures[]): string {
  const [{ head, idColumn, terms } = noFigures] = all;
  const isSame = all.every((other) => allOf(other.terms) === allOf(terms));
  const where = isSame
    ? allOf([`${idColumn} IN (${all.map(({ id }) => id).join(', ')})`, ...terms])
    : `or(${all.map((one) => allOf([`${idColumn} = ${one.id}`, ...one.terms])).join(', ')})`;
  return `SELECT ${idColumn} AS k, ${head.slice('SELECT '.length)} WHERE ${where} GROUP BY ${idColumn}`;
}

const noFigures: SeriesFigures = { head: '', idColumn: '', id: '', terms: [], givesNoneForEmpty: false };

/** The rows of such a statement by series, as each would have come by itself; printed as JSON arrays, a line each. */
export function figuresBySeries(answer: Buffer): Map<string, Buffer> {
  const lines = new Map<string, Buffer>();
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf(lineFeed, at) + 1 || answer.length;
    const comma = answer.indexOf(',', at);
    const line = Buffer.from(answer.subarray(comma, end));
    line.write('[');
    lines.set(answer.toString('latin1', at + 1, comma), line);
    at = end;
  }
  return lines;
}
