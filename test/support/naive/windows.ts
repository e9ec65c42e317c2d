import fc from 'fast-check';
import {
  type Cell,
  type Cells,
  chosen,
  compareCells,
  condition,
  type Data,
  few,
  limit,
  type Row,
  type Statement,
  sliceKey,
  slicesOf,
  some,
  someAggregates,
  time,
} from './rows.js';

/** A window: its start, its end as the dialect tells it, and the rows in it. */
interface Window {
  readonly start: number;
  readonly end: number;
  readonly rows: readonly Row[];
}

/** A clause and the windows that it makes of the rows of one slice. */
interface Windows {
  readonly sql: string;
  of(rows: readonly Row[]): Window[];
}

/** A window of rows that begins at its first one and ends at its last one. */
function spanning(rows: readonly Row[]): Window {
  return { start: rows[0]?.t ?? 0, end: rows.at(-1)?.t ?? 0, rows };
}

const sliding = fc
  .record({ length: fc.integer({ min: 2, max: 40 }), step: fc.nat(39), offset: fc.option(fc.nat(39)) })
  .map(({ length, step, offset }): Windows => {
    const [pace, shift] = [1 + (step % length), (offset ?? 0) % length];
    const of = (rows: readonly Row[]): Window[] => {
      const starts = new Set<number>();
      for (const { t } of rows) {
        const newest = t - ((t - shift) % pace);
        for (let start = newest; start > t - length; start -= pace) starts.add(start);
      }
      return [...starts]
        .sort((one, other) => one - other)
        .map((start) => {
          return { start, end: start + length, rows: rows.filter(({ t }) => t >= start && t < start + length) };
        });
    };
    const by = offset === null ? '' : `, ${shift}a`;
    return { sql: `INTERVAL(${length}a${by}) SLIDING(${pace}a)`, of };
  });

/**
 * Rows without a state belong to the window around them when both sides have one state, to the first or last window at the ends, and to no
 * window between two states.
 */
const states: Windows = {
  sql: 'STATE_WINDOW(v)',
  of: (rows) => {
    const known = rows.flatMap((row, at) => (row.v === null ? [] : [{ at, v: row.v }]));
    const runs: { from: number; to: number; v: number }[] = [];
    for (const { at, v } of known) {
      const open = runs.at(-1);
      if (open?.v === v) open.to = at;
      else runs.push({ from: at, to: at, v });
    }
    return runs.map(({ from, to }, index) => {
      const [first, last] = [index === 0 ? 0 : from, index === runs.length - 1 ? rows.length - 1 : to];
      return spanning(rows.slice(first, last + 1));
    });
  },
};

const events = fc.tuple(few, few).map(([from, to]): Windows => {
  const of = (rows: readonly Row[]): Window[] => {
    const windows: Window[] = [];
    let open: Row[] = [];
    for (const row of rows) {
      if (open.length > 0 || (row.v !== null && row.v > from)) open.push(row);
      if (open.length > 0 && row.w !== null && row.w <= to) {
        windows.push(spanning(open));
        open = [];
      }
    }
    return windows;
  };
  return { sql: `EVENT_WINDOW START WITH v > ${from} END WITH w <= ${to}`, of };
});

const counted = fc
  .record({ size: fc.integer({ min: 1, max: 6 }), step: fc.nat(5), countsValues: fc.boolean() })
  .map(({ size, step, countsValues }): Windows => {
    const pace = 1 + (step % size);
    const of = (rows: readonly Row[]): Window[] => {
      const those = countsValues ? rows.filter(({ v }) => v !== null) : rows;
      return those.flatMap((_, at) => (at % pace === 0 ? [spanning(those.slice(at, at + size))] : []));
    };
    return { sql: `COUNT_WINDOW(${size}, ${pace}${countsValues ? ', v' : ''})`, of };
  });

const anyWindows = fc.oneof(sliding, fc.constant(states), events, counted);

/** Windows that overlap, go by states, events or numbers of rows, slice by slice, with HAVING, order and limit. */
export const rowWindows = fc
  .record({
    where: condition,
    slice: fc.option(sliceKey),
    list: someAggregates,
    windows: anyWindows,
    least: fc.option(fc.nat(2)),
    order: fc.boolean(),
    limit,
  })
  .map(({ where, slice, list, windows, least, order, limit: range }): Statement => {
    const items = list.map((each, at) => `${each.sql} AS c${at}`).join(', ');
    const by = slice === null ? '' : `PARTITION BY ${slice} `;
    const having = least === null ? '' : ` HAVING count(*) > ${least}`;
    const times = 'CAST(_wstart AS BIGINT) AS t, CAST(_wend AS BIGINT), _wduration';
    const tail = order ? ' ORDER BY _wstart DESC, k DESC' : '';
    const sql = `SELECT ${times}, ${slice ?? '0'} AS k, ${items} FROM s WHERE ${where.sql} ${by}${windows.sql}${having}${tail}${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where);
      const slices = slice === null ? [[0, rows] as const] : slicesOf(rows, slice);
      const all = slices.map(([key, own]) =>
        windows
          .of(own)
          .filter((each) => each.rows.length > (least ?? -1))
          .map(({ start, end, rows: inside }): Cells => {
            return [start, end, end - start, key, ...list.map((each) => each.of(inside))];
          }),
      );
      if (!order) return all.flatMap((own) => range.of(own));
      return range.of(all.flat().sort((one, other) => compareCells(one, other, [0, 3], true)));
    };
    // Windows of states, events and counts may begin together when they overlap in nothing but their start.
    return { sql, ordered: true, answer };
  });

/** FILL that always fills, over windows of an offset, read backwards. */
export const forcedFills = fc
  .record({
    range: fc.tuple(time, time),
    length: fc.integer({ min: 3, max: 40 }),
    offset: fc.nat(39),
    list: someAggregates,
    mode: fc.constantFrom('NULL_F', 'VALUE_F', 'VALUE', 'NULL'),
    constants: fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 }),
    isBackwards: fc.boolean(),
    where: condition,
    limit,
  })
  .map(({ range: ends, length, offset, list, mode, constants, isBackwards, where, limit: range }): Statement => {
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const shift = offset % length;
    const own = constants.slice(0, list.length);
    const fill = mode.startsWith('VALUE') ? `${mode}, ${own.join(', ')}` : mode;
    const items = list.map(({ sql }) => sql).join(', ');
    const order = isBackwards ? ' ORDER BY _wstart DESC' : '';
    const sql = `SELECT CAST(_wstart AS BIGINT), ${items} FROM s WHERE ts >= ${low} AND ts < ${high + 1} AND (${where.sql}) INTERVAL(${length}a, ${shift}a) FILL(${fill})${order}${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where).filter(({ t }) => t >= low && t <= high);
      if (rows.length === 0 && !mode.endsWith('_F')) return [];
      const limits = { low: Math.max(low, where.bounds?.low ?? low), high: Math.min(high, where.bounds?.high ?? high) };
      const filled: Cells[] = [];
      const first = limits.low - ((limits.low - shift) % length);
      for (let start = first; start <= limits.high; start += length) {
        const inside = rows.filter(({ t }) => t >= start && t < start + length);
        const cells = list.map(({ of }, at): Cell => {
          const cell = inside.length === 0 ? null : of(inside);
          return cell ?? (mode.startsWith('VALUE') ? some(own[at]) : null);
        });
        filled.push([start, ...cells]);
      }
      return range.of(isBackwards ? filled.reverse() : filled);
    };
    return { sql, ordered: true, answer };
  });
