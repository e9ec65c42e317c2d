import fc from 'fast-check';
import { type KeyTag, tagCondition, tagOf } from './tags.js';

/** Ticks that all rows lie behind: 2023-11-14T22:13:20Z. */
export const base = 1_700_000_000_000;

/** A row of the super table `s`: which sub-table it is in, its tag and its values. No two have one time. */
export interface Row {
  readonly t: number;
  readonly tb: string;
  readonly g: number;
  readonly v: number | null;
  readonly w: number | null;
}

/** A row of `l` or `r`, which joins put together. No two of a table have one time. */
export interface Side {
  readonly t: number;
  readonly v: number | null;
}

export interface Data {
  readonly rows: readonly Row[];
  readonly left: readonly Side[];
  readonly right: readonly Side[];
}

export type Cell = number | string | boolean | null;
/** A row of an answer. */
export type Cells = readonly Cell[];
type Truth = boolean | null;

/** A statement and what it must give, told row by row; without an order the rows may come in any. */
export interface Statement {
  readonly sql: string;
  readonly ordered: boolean;
  answer(data: Data): Cells[];
}

/** Limits of time, both inclusive. */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** A condition of WHERE, by the logic of three values. */
export interface Condition {
  readonly sql: string;
  /** The limits of time that it implies, within which FILL makes windows. */
  readonly bounds?: Bounds | undefined;
  holds(row: Row): Truth;
}

const tags: Readonly<Record<string, number>> = { a: 1, b: 2, c: 1 };
const value = fc.option(fc.integer({ min: -4, max: 4 }));
/** A time among those of the rows. */
export const time = fc.nat(120).map((t) => base + t);

function side(maxLength: number) {
  return fc
    .uniqueArray(fc.record({ t: fc.nat(25).map((t) => base + t), v: value }), { selector: ({ t }) => t, maxLength })
    .map(byTime);
}

/** Random rows of all three tables. */
export const randomData: fc.Arbitrary<Data> = fc.record({
  rows: fc
    .uniqueArray(fc.record({ t: time, tb: fc.constantFrom('a', 'b', 'c'), v: value, w: value }), {
      selector: ({ t }) => t,
      minLength: 1,
      maxLength: 40,
    })
    .map((rows) => byTime(rows.map((row): Row => ({ ...row, g: tags[row.tb] ?? 0 })))),
  left: side(12),
  right: side(12),
});

function byTime<T extends { readonly t: number }>(rows: readonly T[]): T[] {
  return [...rows].sort((one, other) => one.t - other.t);
}

/** NULL is the smallest value; `descending` are the columns that count backwards. */
export function compareCells(one: Cells, other: Cells, columns: readonly number[], descending = false): number {
  for (const at of columns) {
    const [a, b] = [one[at] ?? null, other[at] ?? null];
    if (a === b) continue;
    const isLess = a === null || (b !== null && a < b);
    return isLess === descending ? 1 : -1;
  }
  return 0;
}

/** Rows sorted by all their columns. */
export function sortedCells(rows: readonly Cells[]): Cells[] {
  return [...rows].sort((one, other) => {
    const width = Math.max(one.length, other.length);
    return compareCells(one, other, [...Array(width).keys()]);
  });
}

const column = fc.constantFrom('v', 'w', 'g');
/** A small number. */
export const few = fc.integer({ min: -3, max: 3 });

const comparison = fc
  .record({ name: column, operator: fc.constantFrom('=', '<>', '<', '>='), limit: few })
  .map(({ name, operator, limit }): Condition => {
    const test = (value: number): boolean =>
      ({ '=': value === limit, '<>': value !== limit, '<': value < limit, '>=': value >= limit })[operator] ?? false;
    return {
      sql: `${name} ${operator} ${limit}`,
      holds: (row) => {
        const cell = cellOf(row, name);
        return cell === null ? null : test(cell);
      },
    };
  });

const listed = fc
  .record({
    name: column,
    list: fc.array(few, { minLength: 1, maxLength: 3 }),
    hasNull: fc.boolean(),
    not: fc.boolean(),
  })
  .map(({ name, list, hasNull, not }): Condition => {
    const items = [...list.map(String), ...(hasNull ? ['NULL'] : [])].join(', ');
    return {
      sql: `${name} ${not ? 'NOT IN' : 'IN'} (${items})`,
      holds: (row) => {
        const cell = cellOf(row, name);
        if (cell === null) return null;
        if (list.includes(cell)) return !not;
        return hasNull ? null : not;
      },
    };
  });

const missing = fc.record({ name: column, not: fc.boolean() }).map(({ name, not }): Condition => {
  return { sql: `${name} IS ${not ? 'NOT ' : ''}NULL`, holds: (row) => (cellOf(row, name) === null) !== not };
});

const inTime = fc.tuple(time, time).map(([one, other]): Condition => {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  return { sql: `ts BETWEEN ${low} AND ${high}`, bounds: { low, high }, holds: ({ t }) => t >= low && t <= high };
});

/** Times that are computed; no limits are told of them. */
const computedTime = fc
  .record({
    at: time,
    few: fc.integer({ min: 1, max: 9 }),
    form: fc.constantFrom('remainder', 'later', 'earlier', 'apart'),
  })
  .map(({ at, few: n, form }): Condition => {
    if (form === 'remainder') return { sql: `CAST(ts AS BIGINT) % ${n} = 1`, holds: ({ t }) => t % n === 1 };
    if (form === 'later') return { sql: `ts + ${n}a >= ${at}`, holds: ({ t }) => t + n >= at };
    if (form === 'earlier') return { sql: `ts - ${n}a < ${at}`, holds: ({ t }) => t - n < at };
    return { sql: `timediff(ts, ${at}, 1a) > ${n}`, holds: ({ t }) => t - at > n };
  });

const simple = fc.oneof(comparison, listed, missing, inTime, computedTime, tagCondition);

const every: Condition = { sql: 'ts > 0', holds: () => true };

/** Random conditions on rows of `s`. */
export const condition = fc.oneof(
  simple,
  fc.constant(every),
  simple.map(({ sql, holds }): Condition => {
    const not = (truth: Truth): Truth => (truth === null ? null : !truth);
    return { sql: `NOT (${sql})`, holds: (row) => not(holds(row)) };
  }),
  fc.tuple(simple, simple, fc.boolean()).map(([one, other, isAnd]): Condition => {
    // What decides an AND is false, what decides an OR is true; else NULL is stronger.
    const holds = (row: Row): Truth => {
      const both = [one.holds(row), other.holds(row)];
      if (both.includes(!isAnd)) return !isAnd;
      return both.includes(null) ? null : isAnd;
    };
    return { sql: `(${one.sql} ${isAnd ? 'AND' : 'OR'} ${other.sql})`, bounds: bothBounds(one, other, isAnd), holds };
  }),
);

/** What AND implies lies within both limits, what OR implies within those around both. */
function bothBounds({ bounds: one }: Condition, { bounds: other }: Condition, isAnd: boolean): Bounds | undefined {
  if (one === undefined || other === undefined) return isAnd ? (one ?? other) : undefined;
  const [low, high] = isAnd ? [Math.max, Math.min] : [Math.min, Math.max];
  return { low: low(one.low, other.low), high: high(one.high, other.high) };
}

function cellOf(row: Row, name: string): number | null {
  return name === 'v' ? row.v : name === 'w' ? row.w : row.g;
}

/** An aggregate over rows in the order of time. */
export interface Aggregate {
  readonly sql: string;
  of(rows: readonly Row[]): number | null;
}

function values(rows: readonly Row[], name: 'v' | 'w'): number[] {
  return rows.flatMap((row) => row[name] ?? []);
}

/** NULL for nothing. */
export function some(value: number | undefined): number | null {
  return value ?? null;
}

const aggregates: readonly Aggregate[] = [
  { sql: 'count(*)', of: (rows) => rows.length },
  { sql: 'count(v)', of: (rows) => values(rows, 'v').length },
  { sql: 'sum(w)', of: (rows) => (values(rows, 'w').length === 0 ? null : sum(values(rows, 'w'))) },
  { sql: 'min(v)', of: (rows) => (values(rows, 'v').length === 0 ? null : Math.min(...values(rows, 'v'))) },
  { sql: 'max(w)', of: (rows) => (values(rows, 'w').length === 0 ? null : Math.max(...values(rows, 'w'))) },
  { sql: 'first(v)', of: (rows) => some(values(rows, 'v')[0]) },
  { sql: 'last(w)', of: (rows) => some(values(rows, 'w').at(-1)) },
  { sql: 'last_row(v)', of: (rows) => rows.at(-1)?.v ?? null },
];

/** The sum of numbers. */
export function sum(list: readonly number[]): number {
  return list.reduce((total, each) => total + each, 0);
}

/** A few different aggregates. */
export const someAggregates = fc.uniqueArray(fc.constantFrom(...aggregates), { minLength: 1, maxLength: 4 });

/** LIMIT with its offset, or none. */
export interface Limit {
  readonly sql: string;
  of<T>(rows: readonly T[]): T[];
}

/** Random limits. */
export const limit = fc.option(fc.record({ count: fc.nat(6), offset: fc.nat(3) }), { freq: 1 }).map((range): Limit => {
  if (range === null) return { sql: '', of: (rows) => [...rows] };
  const { count, offset } = range;
  return { sql: ` LIMIT ${count} OFFSET ${offset}`, of: (rows) => rows.slice(offset, offset + count) };
});

/** What PARTITION BY divides by. */
export type SliceKey = 'tbname' | 'g' | KeyTag;
export const sliceKey = fc.constantFrom<SliceKey>('tbname', 'g', 'flag', 'size', 'name', 'label');

/** The slice that a row is in. */
function keyOf(row: Row, key: SliceKey): Cell {
  if (key === 'tbname') return row.tb;
  return key === 'g' ? row.g : tagOf(row, key);
}

/** The rows by a key, in the order of the keys. */
export function slicesOf(rows: readonly Row[], key: SliceKey): (readonly [Cell, Row[]])[] {
  const keys = sortedCells([...new Set(rows.map((row) => keyOf(row, key)))].map((each) => [each]));
  return keys.map(([each = null]) => [each, rows.filter((row) => keyOf(row, key) === each)]);
}

/** The rows that a condition lets pass, in the order of time. */
export function chosen(data: Data, { holds }: Condition): Row[] {
  return data.rows.filter((row) => holds(row) === true);
}
