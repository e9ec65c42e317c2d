import fc from 'fast-check';
import {
  type Cell,
  type Cells,
  type Condition,
  chosen,
  condition,
  type Data,
  few,
  limit,
  type Row,
  type Statement,
  sliceKey,
  slicesOf,
  sortedCells,
} from './rows.js';

/** An expression over a row of `s`. */
interface Scalar<Result extends Cell> {
  readonly sql: string;
  of(row: Row): Result;
}

type Numeric = Scalar<number | null>;
type Textual = Scalar<string | null>;

const numberLeaf: fc.Arbitrary<Numeric> = fc.oneof(
  fc.constantFrom<Numeric>(
    { sql: 'v', of: ({ v }) => v },
    { sql: 'w', of: ({ w }) => w },
    { sql: 'g', of: ({ g }) => g },
  ),
  few.map((n): Numeric => ({ sql: `${n}`, of: () => n })),
);

/** NULL unless both are there. */
function both<T>(a: T | null, b: T | null, of: (a: T, b: T) => T | null): T | null {
  return a === null || b === null ? null : of(a, b);
}

type Binary = readonly [
  sql: (a: string, b: string) => string,
  of: (a: number | null, b: number | null) => number | null,
];

const binaries: readonly Binary[] = [
  [(a, b) => `(${a} + ${b})`, (a, b) => both(a, b, (x, y) => x + y)],
  [(a, b) => `(${a} - (${b}))`, (a, b) => both(a, b, (x, y) => x - y)],
  [(a, b) => `(${a} * ${b})`, (a, b) => both(a, b, (x, y) => x * y)],
  [(a, b) => `(${a} / ${b})`, (a, b) => both(a, b, (x, y) => (y === 0 ? null : x / y))],
  // By the rounded quotient, so that 1 % (1 / 3) is 0.
  [(a, b) => `(${a} % ${b})`, (a, b) => both(a, b, (x, y) => (y === 0 ? null : x - Math.trunc(x / y) * y))],
  [(a, b) => `ifnull(${a}, ${b})`, (a, b) => a ?? b],
  [(a, b) => `coalesce(NULL, ${a}, ${b})`, (a, b) => a ?? b],
  [(a, b) => `nullif(${a}, ${b})`, (a, b) => (a === b ? null : a)],
  [(a, b) => `greatest(${a}, ${b})`, (a, b) => both(a, b, Math.max)],
  [(a, b) => `least(${a}, ${b})`, (a, b) => both(a, b, Math.min)],
  [(a, b) => `nvl2(${a}, ${b}, 5)`, (a, b) => (a === null ? 5 : b)],
  [(a, b) => `CASE ${a} WHEN ${b} THEN 7 WHEN NULL THEN 8 END`, (a, b) => (a !== null && a === b ? 7 : null)],
];

type Unary = readonly [sql: (a: string) => string, of: (a: number) => number];

const unaries: readonly Unary[] = [
  [(a) => `abs(${a})`, Math.abs],
  [(a) => `floor(${a})`, Math.floor],
  [(a) => `ceil(${a})`, Math.ceil],
  [(a) => `sign(${a})`, Math.sign],
  [(a) => `CAST(${a} AS BIGINT)`, Math.trunc],
];

const numbers = fc.letrec<{ number: Numeric }>((tie) => ({
  number: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numberLeaf,
    fc.tuple(fc.constantFrom(...binaries), tie('number'), tie('number')).map(([[sql, of], a, b]): Numeric => {
      return { sql: sql(a.sql, b.sql), of: (row) => of(a.of(row), b.of(row)) };
    }),
    fc.tuple(fc.constantFrom(...unaries), tie('number')).map(([[sql, of], a]): Numeric => {
      return { sql: sql(a.sql), of: (row) => both(a.of(row), 0, (x) => of(x)) };
    }),
    fc
      .tuple(condition, tie('number'), fc.option(tie('number')), fc.boolean())
      .map(([test, a, b, isCase]): Numeric => choice(test, a, b, isCase)),
  ),
})).number;

/** What a condition chooses; what is neither true nor false chooses as false does. */
function choice<Result extends Cell>(
  { sql, holds }: Condition,
  a: Scalar<Result | null>,
  b: Scalar<Result | null> | null,
  isCase: boolean,
): Scalar<Result | null> {
  const otherwise = b === null ? '' : ` ELSE ${b.sql}`;
  return {
    sql: isCase ? `CASE WHEN ${sql} THEN ${a.sql}${otherwise} END` : `if(${sql}, ${a.sql}, ${b?.sql ?? 'NULL'})`,
    of: (row) => (holds(row) === true ? a.of(row) : (b?.of(row) ?? null)),
  };
}

const textLeaf = fc.constantFrom<Textual>(
  { sql: 'tbname', of: ({ tb }) => tb },
  { sql: 'CAST(v AS VARCHAR(8))', of: ({ v }) => (v === null ? null : String(v)) },
  { sql: "'ab'", of: () => 'ab' },
  { sql: "'Ö1'", of: () => 'Ö1' },
);

const textFunctions: readonly (readonly [sql: (a: string) => string, of: (a: string) => string])[] = [
  [(a) => `concat(${a}, '-')`, (a) => `${a}-`],
  [(a) => `substring(${a}, 2, 2)`, (a) => [...a].slice(1, 3).join('')],
  [(a) => `substr(${a}, -2)`, (a) => [...a].slice(-2).join('')],
  [(a) => `replace(${a}, 'a', 'xy')`, (a) => a.replaceAll('a', 'xy')],
  [(a) => `repeat(${a}, 2)`, (a) => a + a],
];

const texts = fc.letrec<{ text: Textual }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    textLeaf,
    fc.tuple(fc.constantFrom(...textFunctions), tie('text')).map(([[sql, of], a]): Textual => {
      return { sql: sql(a.sql), of: (row) => both(a.of(row), '', (text) => of(text)) };
    }),
    fc.tuple(tie('text'), tie('text'), fc.boolean()).map(([a, b, isConcat]): Textual => {
      return {
        sql: `${isConcat ? 'concat' : 'ifnull'}(${a.sql}, ${b.sql})`,
        of: (row) => (isConcat ? both(a.of(row), b.of(row), (x, y) => x + y) : (a.of(row) ?? b.of(row))),
      };
    }),
    fc
      .tuple(condition, tie('text'), fc.option(tie('text')), fc.boolean())
      .map(([test, a, b, isCase]): Textual => choice(test, a, b, isCase)),
  ),
})).text;

/** Numbers and texts of an expression in a row. */
function truth(value: number | null): boolean {
  return value !== null && value !== 0;
}

/** Expressions of numbers and texts with NULL in them, projected, and as conditions. */
export const expressions = fc
  .record({ number: numbers, text: texts, where: numbers })
  .map(({ number, text, where }): Statement => {
    const sql = `SELECT CAST(ts AS BIGINT), ${number.sql}, ${text.sql}, char_length(${text.sql}) FROM s WHERE ${where.sql}`;
    const answer = (data: Data): Cells[] =>
      data.rows
        .filter((row) => truth(where.of(row)))
        .map((row) => {
          const value = text.of(row);
          return [row.t, number.of(row), value, value === null ? null : [...value].length];
        });
    return { sql, ordered: false, answer };
  });

/** Keys that no group of whole sub-tables has: those would be counted, too, where they have no rows. */
const keys = fc.oneof(numbers, texts).filter(({ sql }) => /\b[vw]\b/.test(sql));

/** Expressions to group by and to aggregate. */
export const groupedExpressions = fc
  .record({ number: numbers, key: keys, where: condition, limit })
  .map(({ number, key, where, limit: range }): Statement => {
    const sql = `SELECT ${key.sql} AS k, count(*), count(${number.sql}), min(${number.sql}), max(${number.sql}) FROM s WHERE ${where.sql} GROUP BY ${key.sql} ORDER BY k${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where);
      const keyOf = (row: Row): Cell => plain(key.of(row));
      const groups = sortedCells([...new Set(rows.map(keyOf))].map((each) => [each]));
      return range.of(
        groups.map(([each = null]): Cells => {
          const own = rows.filter((row) => keyOf(row) === each);
          return [each, own.length, ...extremes(own, number)];
        }),
      );
    };
    return { sql, ordered: true, answer };
  });

/** Windows of a state that an expression makes of each row, slice by slice. */
export const expressionStates = fc
  .record({ test: condition, number: numbers, where: condition, slice: fc.option(sliceKey) })
  .map(({ test, number, where, slice }): Statement => {
    const by = slice === null ? '' : `PARTITION BY ${slice} `;
    const sql = `SELECT CAST(_wstart AS BIGINT), count(*), count(${number.sql}), min(${number.sql}), max(${number.sql}) FROM s WHERE ${where.sql} ${by}STATE_WINDOW(CASE WHEN ${test.sql} THEN 1 ELSE 0 END)`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where);
      const slices = slice === null ? [[0, rows] as const] : slicesOf(rows, slice);
      return slices.flatMap(([, own]) => {
        const runs: Row[][] = [];
        for (const row of own) {
          const open = runs.at(-1);
          const before = open?.at(-1);
          const isSame = before !== undefined && (test.holds(before) === true) === (test.holds(row) === true);
          if (isSame) open?.push(row);
          else runs.push([row]);
        }
        return runs.map((run): Cells => [run[0]?.t ?? 0, run.length, ...extremes(run, number)]);
      });
    };
    return { sql, ordered: true, answer };
  });

/** Count, least and greatest of what an expression is in rows. */
function extremes(rows: readonly Row[], { of }: Numeric): Cells {
  const values = rows.flatMap((row) => of(row) ?? []);
  if (values.length === 0) return [0, null, null];
  return [values.length, plain(Math.min(...values)), plain(Math.max(...values))];
}

/** Zero has no sign where numbers are compared. */
function plain(cell: Cell): Cell {
  return cell === 0 ? 0 : cell;
}
