import test from 'ava';
import fc from 'fast-check';
import { moreCases } from '../../support/cases.js';
import { sharedService } from '../../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(async () => {
  await service.run('CREATE DATABASE x');
  await service.run('CREATE STABLE x.s (ts TIMESTAMP, v INT) TAGS (run INT)');
});

/** Ticks that all rows lie behind. */
const base = 1_700_000_000_000;

interface Row {
  readonly t: number;
  readonly v: number | null;
  /** Which of two sub-tables it is in. */
  readonly table: 'a' | 'b';
}

/** Rows of one window and its limits. */
interface Window {
  readonly start: number;
  readonly end: number;
  readonly rows: readonly Row[];
}

/** A window clause and its meaning, told row by row; rows come in the order of time. */
interface Clause {
  readonly text: string;
  /** True when every row is in exactly one window. */
  readonly divides: boolean;
  windows(rows: readonly Row[]): Window[];
}

/** A window over neighbouring rows ends with its last row. */
function windowOf(rows: readonly Row[]): Window {
  return { start: rows[0]?.t ?? 0, end: rows.at(-1)?.t ?? 0, rows };
}

const intervals = fc
  .record({ length: fc.integer({ min: 2, max: 40 }), offset: fc.nat(39), step: fc.integer({ min: 1, max: 40 }) })
  .map(({ length, offset: anyOffset, step: anyStep }): Clause => {
    const step = Math.min(anyStep, length);
    const offset = anyOffset % length;
    const windows = (rows: readonly Row[]): Window[] => {
      const windows: Window[] = [];
      for (let start = base - 200 - ((base - 200 - offset) % step); start <= base + 400; start += step) {
        const inside = rows.filter(({ t }) => t >= start && t < start + length);
        if (inside.length > 0) windows.push({ start, end: start + length, rows: inside });
      }
      return windows;
    };
    const text = `INTERVAL(${length}a, ${offset}a) SLIDING(${step}a)`;
    return { text, divides: step === length, windows };
  });

const sessions = fc.integer({ min: 1, max: 20 }).map((gap): Clause => {
  const windows = (rows: readonly Row[]): Window[] => {
    const groups: Row[][] = [];
    for (const row of rows) {
      const open = groups.at(-1);
      if (open === undefined || row.t - (open.at(-1)?.t ?? 0) > gap) groups.push([row]);
      else open.push(row);
    }
    return groups.map(windowOf);
  };
  return { text: `SESSION(ts, ${gap}a)`, divides: true, windows };
});

/** The state on both sides of a NULL, the nearest one at the ends, nothing between two. */
function stateAt(rows: readonly Row[], at: number): number | undefined {
  const before = rows.slice(0, at + 1).findLast(({ v }) => v !== null)?.v ?? undefined;
  const after = rows.slice(at).find(({ v }) => v !== null)?.v ?? undefined;
  if (before === undefined || after === undefined) return before ?? after;
  return before === after ? before : undefined;
}

const states: Clause = {
  text: 'STATE_WINDOW(v)',
  divides: false,
  windows: (rows) => {
    const groups: { state: number; rows: Row[] }[] = [];
    rows.forEach((row, at) => {
      const state = stateAt(rows, at);
      if (state === undefined) return;
      if (groups.at(-1)?.state === state) groups.at(-1)?.rows.push(row);
      else groups.push({ state, rows: [row] });
    });
    return groups.map((group) => windowOf(group.rows));
  },
};

const events = fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 2 })).map(([from, to]): Clause => {
  const windows = (rows: readonly Row[]): Window[] => {
    const windows: Window[] = [];
    let open: Row[] | undefined;
    for (const row of rows) {
      if (open === undefined && row.v !== null && row.v > from) open = [];
      open?.push(row);
      if (open === undefined || row.v === null || row.v > to) continue;
      windows.push(windowOf(open));
      open = undefined;
    }
    return windows;
  };
  return { text: `EVENT_WINDOW START WITH v > ${from} END WITH v <= ${to}`, divides: false, windows };
});

const counts = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .map(([size, anyStep]): Clause => {
    const step = Math.min(size, anyStep);
    const windows = (rows: readonly Row[]): Window[] =>
      rows.flatMap((_, at) => (at % step === 0 ? [windowOf(rows.slice(at, at + size))] : []));
    return { text: `COUNT_WINDOW(${size}, ${step})`, divides: step === size, windows };
  });

const tables = fc
  .uniqueArray(
    fc.record({
      t: fc.nat(200),
      v: fc.option(fc.integer({ min: -3, max: 3 })),
      table: fc.constantFrom('a', 'b'),
    }),
    { selector: ({ t }) => t, minLength: 1, maxLength: 40 },
  )
  .map((rows) => rows.map((row): Row => ({ ...row, t: base + row.t })).sort((one, other) => one.t - other.t));

let runs = 0;

/** Writes rows to two sub-tables of their own, r<run>a and r<run>b; gives the condition that chooses them. */
async function write(rows: readonly Row[]): Promise<{ where: string; run: number }> {
  runs += 1;
  const run = runs;
  for (const name of ['a', 'b']) {
    const own = rows.filter(({ table }) => table === name).map(({ t, v }) => `(${t}, ${v})`);
    const values = own.length === 0 ? undefined : own.join(' ');
    if (values !== undefined)
      await service.run(`INSERT INTO x.r${run}${name} USING x.s TAGS (${run}) VALUES ${values}`);
  }
  return { where: `run = ${run}`, run };
}

/** Count, count of values, sum, first, last and the least value of rows. */
function aggregated(rows: readonly Row[]): unknown[] {
  const values = rows.flatMap(({ v }) => (v === null ? [] : [v]));
  const some = (value: number | undefined): number | null => value ?? null;
  const sum = values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  const least = values.length === 0 ? null : Math.min(...values);
  return [rows.length, values.length, sum, some(values[0]), some(values.at(-1)), least];
}

const aggregates = 'count(*), count(v), sum(v), first(v), last(v), min(v)';
const limits = 'CAST(_wstart AS BIGINT), CAST(_wend AS BIGINT), _wduration';

test('windows over random rows are those that a plain walk over the rows finds', async (t) => {
  t.timeout(180_000);
  const property = fc.asyncProperty(
    tables,
    fc.tuple(intervals, sessions, fc.constant(states), events, counts),
    async (rows, clauses) => {
      const { where, run } = await write(rows);
      for (const { text, windows } of clauses) {
        const shown = ({ start, end: last, rows: own }: Window): unknown[] => {
          return [start, last, last - start, ...aggregated(own)];
        };
        const merged = `SELECT ${limits}, ${aggregates} FROM x.s WHERE ${where} ${text}`;
        t.deepEqual<unknown, unknown>(await service.rows(merged), windows(rows).map(shown), merged);
        const sliced = `SELECT tbname, ${limits}, ${aggregates} FROM x.s WHERE ${where} PARTITION BY tbname ${text}`;
        const expected = ['a', 'b'].flatMap((name) => {
          const own = windows(rows.filter(({ table }) => table === name));
          return own.map((window) => [`r${run}${name}`, ...shown(window)]);
        });
        t.deepEqual<unknown, unknown>(await service.rows(sliced), expected, sliced);
      }
    },
  );
  await fc.assert(property, { numRuns: moreCases(4, 20), endOnFailure: true });
});

test('windows that divide the rows account for every row once', async (t) => {
  t.timeout(180_000);
  const property = fc.asyncProperty(tables, fc.tuple(intervals, sessions, counts), async (rows, clauses) => {
    const { where } = await write(rows);
    const total = aggregated(rows).slice(0, 3);
    for (const { text } of clauses.filter(({ divides }) => divides)) {
      for (const slices of ['', 'PARTITION BY tbname']) {
        const windows = `SELECT count(*) AS c, count(v) AS n, sum(v) AS s FROM x.s WHERE ${where} ${slices} ${text}`;
        const sum = `SELECT sum(c), sum(n), sum(s) FROM (${windows})`;
        t.deepEqual<unknown, unknown>(await service.rows(sum), [total], sum);
      }
    }
  });
  await fc.assert(property, { numRuns: moreCases(4, 20), endOnFailure: true });
});

/** A point on a grid: its value, `undefined` where there is none at all. */
type Cell = number | null | undefined;

type Mode = 'NONE' | 'NULL' | 'VALUE, 9' | 'PREV' | 'NEXT' | 'LINEAR';
const modes: readonly Mode[] = ['NONE', 'NULL', 'VALUE, 9', 'PREV', 'NEXT', 'LINEAR'];

/** Windows side by side as FILL leaves them; a `null` is a window whose rows have no value. */
function filledCells(cells: readonly Cell[], mode: Mode): Cell[] {
  const known = (value: Cell): value is number => typeof value === 'number';
  return cells.map((cell, at) => {
    const before = cells.slice(0, at + 1).findLastIndex(known);
    const after = cells.findIndex((value, index) => index >= at && known(value));
    if (mode === 'VALUE, 9') return cell ?? 9;
    if (mode === 'PREV') return cells[before] ?? null;
    if (mode === 'NEXT') return cells[after] ?? null;
    if (mode === 'LINEAR' && cell === undefined && before >= 0 && after >= 0) {
      const [low, high] = [cells[before] ?? 0, cells[after] ?? 0];
      return low + ((high - low) * (at - before)) / (after - before);
    }
    return cell ?? null;
  });
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 1e9) / 1e9 : value;
}

test('filled windows over random rows are those that a plain walk over the grid finds', async (t) => {
  t.timeout(180_000);
  const property = fc.asyncProperty(
    tables,
    fc.integer({ min: 1, max: 50 }),
    fc.tuple(fc.nat(200), fc.nat(200)),
    fc.record({ count: fc.nat(6), offset: fc.nat(6), order: fc.constantFrom('', 'ASC', 'DESC') }),
    async (rows, length, limitsOfRange, { count, offset, order }) => {
      const { where } = await write(rows);
      const [low, high] = [base + Math.min(...limitsOfRange), base + Math.max(...limitsOfRange)];
      const inRange = rows.filter((row) => row.t >= low && row.t <= high);
      const first = low - (low % length);
      const starts = Array.from({ length: Math.floor((high - first) / length) + 1 }, (_, at) => first + at * length);
      const cells = starts.map((start): Cell => {
        const own = inRange.filter((row) => row.t >= start && row.t < start + length);
        const values = own.flatMap(({ v }) => (v === null ? [] : [v]));
        if (own.length === 0) return undefined;
        return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
      });
      for (const mode of modes) {
        const sql = `SELECT CAST(_wstart AS BIGINT), avg(v) FROM x.s WHERE ${where} AND ts BETWEEN ${low} AND ${high} INTERVAL(${length}a) FILL(${mode})`;
        const filled = filledCells(cells, mode).map((value, at) => [starts[at], rounded(value)]);
        const shown = mode === 'NONE' ? filled.filter((_, at) => cells[at] !== undefined) : filled;
        const answer = (await service.rows(sql)).map((row) => row.map(rounded));
        const all = inRange.length === 0 ? [] : shown;
        t.deepEqual<unknown, unknown>(answer, all, sql);
        const limited = `${sql} ${order === '' ? '' : `ORDER BY _wstart ${order}`} LIMIT ${offset}, ${count}`;
        const some = (await service.rows(limited)).map((row) => row.map(rounded));
        const ordered = order === 'DESC' ? all.toReversed() : all;
        t.deepEqual<unknown, unknown>(some, ordered.slice(offset, offset + count), limited);
      }
    },
  );
  await fc.assert(property, { numRuns: moreCases(4, 20), endOnFailure: true });
});

/** What INTERP gives at a point from rows that count, by the mode; undefined when the point is left out. */
function interpolated(rows: readonly Row[], point: number, mode: Mode | 'NEAR'): Cell {
  const exact = rows.find((row) => row.t === point);
  if (exact !== undefined) return exact.v;
  const before = rows.findLast((row) => row.t < point);
  const after = rows.find((row) => row.t > point);
  switch (mode) {
    case 'NONE':
      return undefined;
    case 'NULL':
      return null;
    case 'VALUE, 9':
      return 9;
    case 'PREV':
      return before?.v;
    case 'NEXT':
      return after?.v;
    case 'NEAR': {
      const earlier = before !== undefined && (after === undefined || point - before.t <= after.t - point);
      return earlier ? before.v : after?.v;
    }
    case 'LINEAR':
      if (before === undefined || after === undefined) return undefined;
      if (before.v === null || after.v === null) return null;
      return before.v + ((after.v - before.v) * (point - before.t)) / (after.t - before.t);
  }
}

test('interpolated points of random rows are those that a look at their neighbours finds', async (t) => {
  t.timeout(180_000);
  const property = fc.asyncProperty(
    tables,
    fc.record({ from: fc.integer({ min: -20, max: 200 }), points: fc.nat(40), step: fc.integer({ min: 1, max: 30 }) }),
    fc.boolean(),
    async (rows, { from, points, step }, ignoreNull) => {
      const { where, run } = await write(rows);
      const counted = ignoreNull ? rows.filter(({ v }) => v !== null) : rows;
      const grid = Array.from({ length: points + 1 }, (_, at) => base + from + at * step);
      for (const mode of [...modes, 'NEAR'] as const) {
        const range = `RANGE(${grid[0]}, ${grid.at(-1)}) EVERY(${step}a) FILL(${mode})`;
        const items = `CAST(_irowts AS BIGINT), interp(v * 1, ${ignoreNull ? 1 : 0}), _isfilled`;
        const at = (own: readonly Row[]): unknown[][] =>
          grid.flatMap((point) => {
            const value = own.length === 0 ? undefined : interpolated(own, point, mode);
            return value === undefined ? [] : [[point, rounded(value), own.every((row) => row.t !== point)]];
          });
        const merged = `SELECT ${items} FROM x.s WHERE ${where} ${range}`;
        const answerTo = async (sql: string): Promise<unknown> =>
          (await service.rows(sql)).map((row) => row.map(rounded));
        t.deepEqual<unknown, unknown>(await answerTo(merged), at(counted), merged);
        const sliced = `SELECT tbname, ${items} FROM x.s WHERE ${where} PARTITION BY tbname ${range}`;
        const expected = ['a', 'b'].flatMap((name) => {
          return at(counted.filter(({ table }) => table === name)).map((row) => [`r${run}${name}`, ...row]);
        });
        t.deepEqual<unknown, unknown>(await answerTo(sliced), expected, sliced);
      }
    },
  );
  await fc.assert(property, { numRuns: moreCases(4, 20), endOnFailure: true });
});
