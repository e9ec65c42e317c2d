import fc from 'fast-check';
import { expressionStates, expressions, groupedExpressions } from './expressions.js';
import {
  aroundWithValues,
  joinAggregates,
  joinsWithConditions,
  nearestWithValues,
  threeTables,
  windowsOfJoins,
} from './joins.js';
import {
  askingConditions,
  chainedUnions,
  countsOfEmpty,
  deeper,
  distinct,
  overRows,
  seriesOfSlices,
  slicesLimited,
} from './queries.js';
import {
  type Cell,
  type Cells,
  type Condition,
  chosen,
  compareCells,
  condition,
  type Data,
  few,
  limit,
  type Row,
  type Side,
  type Statement,
  sliceKey,
  slicesOf,
  some,
  someAggregates,
  sortedCells,
  sum,
  time,
} from './rows.js';
import { forcedFills, rowWindows } from './windows.js';

const projection = fc
  .record({ where: condition, slice: fc.option(sliceKey), order: fc.option(fc.boolean()), limit })
  .map(({ where, slice, order, limit: range }): Statement => {
    const by = slice === null ? '' : ` PARTITION BY ${slice}`;
    const cells = (row: Row): Cells => [row.tb, row.t, row.v, row.w];
    const select = `SELECT tbname, CAST(ts AS BIGINT), v, w FROM s WHERE ${where.sql}${by}`;
    if (order !== null) {
      const sql = `${select} ORDER BY v${order ? ' DESC' : ''}, ts${order ? ' DESC' : ''}${range.sql}`;
      const answer = (data: Data): Cells[] =>
        range.of(
          chosen(data, where)
            .map(cells)
            .sort((one, other) => compareCells(one, other, [2, 1], order)),
        );
      return { sql, ordered: true, answer };
    }
    if (slice === null) {
      return { sql: select, ordered: false, answer: (data) => chosen(data, where).map(cells) };
    }
    const answer = (data: Data): Cells[] =>
      slicesOf(chosen(data, where), slice).flatMap(([, rows]) => range.of(rows).map(cells));
    return { sql: `${select}${range.sql}`, ordered: true, answer };
  });

const groups = fc
  .record({ where: condition, key: fc.constantFrom('v', 'v + w', 'w'), list: someAggregates, least: fc.nat(2), limit })
  .map(({ where, key, list, least, limit: range }): Statement => {
    const keyCell = ({ v, w }: Row): Cell =>
      key === 'v' ? v : key === 'w' ? w : v === null || w === null ? null : v + w;
    const items = list.map(({ sql }) => sql).join(', ');
    const sql = `SELECT ${key} AS k, ${items} FROM s WHERE ${where.sql} GROUP BY ${key} HAVING count(*) > ${least} ORDER BY ${key}${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where);
      const keys = sortedCells([...new Set(rows.map(keyCell))].map((each) => [each]));
      const all = keys.map(([each = null]) => [each, rows.filter((row) => keyCell(row) === each)] as const);
      const shown = all.filter(([, own]) => own.length > least);
      return range.of(shown.map(([each, own]) => [each, ...list.map(({ of }) => of(own))]));
    };
    return { sql, ordered: true, answer };
  });

/** Windows of one slice as `[start, rows]`. */
interface Windows {
  readonly sql: string;
  of(rows: readonly Row[]): (readonly [number, Row[]])[];
}

function cut(rows: readonly Row[], begins: (row: Row, open: readonly Row[]) => boolean): (readonly [number, Row[]])[] {
  const groups: Row[][] = [];
  for (const row of rows) {
    const open = groups.at(-1);
    if (open === undefined || begins(row, open)) groups.push([row]);
    else open.push(row);
  }
  return groups.map((own) => [own[0]?.t ?? 0, own]);
}

const windows = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map((length): Windows => {
    const start = (t: number): number => t - (t % length);
    const of: Windows['of'] = (rows) =>
      cut(rows, (row, open) => start(row.t) !== start(open[0]?.t ?? 0)).map(([t, own]) => [start(t), own]);
    return { sql: `INTERVAL(${length}a)`, of };
  }),
  fc.integer({ min: 1, max: 15 }).map((gap): Windows => {
    return { sql: `SESSION(ts, ${gap}a)`, of: (rows) => cut(rows, (row, open) => row.t - (open.at(-1)?.t ?? 0) > gap) };
  }),
  fc.integer({ min: 1, max: 6 }).map((size): Windows => {
    return { sql: `COUNT_WINDOW(${size})`, of: (rows) => cut(rows, (_, open) => open.length === size) };
  }),
);

const windowed = fc
  .record({ where: condition, slice: fc.option(sliceKey), list: someAggregates, windows, order: fc.boolean(), limit })
  .map(({ where, slice, list, windows: { sql: clause, of }, order, limit: range }): Statement => {
    const items = list.map((each, at) => `${each.sql} AS c${at}`).join(', ');
    const by = slice === null ? '' : `PARTITION BY ${slice} `;
    const sql = `SELECT CAST(_wstart AS BIGINT) AS t, ${slice ?? '0'} AS k, ${items} FROM s WHERE ${where.sql} ${by}${clause}`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where);
      const slices = slice === null ? [[0, rows] as const] : slicesOf(rows, slice);
      const all = slices.map(([key, own]) => {
        return of(own).map(([t, inside]): Cells => [t, key, ...list.map((each) => each.of(inside))]);
      });
      if (!order) return all.flatMap((own) => range.of(own));
      return range.of(all.flat().sort((one, other) => compareCells(one, other, [0, 1], true)));
    };
    return { sql: `${sql}${order ? ' ORDER BY _wstart DESC, k DESC' : ''}${range.sql}`, ordered: true, answer };
  });

type Mode = 'NULL' | 'VALUE, 9' | 'PREV' | 'NEXT' | 'LINEAR';

/** A column of windows side by side as FILL leaves it; `undefined` is a window without rows. */
function filled(cells: readonly (number | null | undefined)[], mode: Mode): Cell[] {
  const known = (cell: number | null | undefined): cell is number => typeof cell === 'number';
  return cells.map((cell, at) => {
    const before = cells.slice(0, at + 1).findLastIndex(known);
    const after = cells.findIndex((each, index) => index >= at && known(each));
    if (mode === 'VALUE, 9') return cell ?? 9;
    if (mode === 'PREV') return cells[before] ?? null;
    if (mode === 'NEXT') return cells[after] ?? null;
    if (mode === 'LINEAR' && cell === undefined && before >= 0 && after >= 0) {
      const [low, high] = [cells[before] ?? 0, cells[after] ?? 0];
      return Math.trunc(low + ((high - low) * (at - before)) / (after - before)) + 0;
    }
    return cell ?? null;
  });
}

const fills = fc
  .record({
    where: condition,
    range: fc.tuple(time, time),
    length: fc.integer({ min: 3, max: 40 }),
    slice: fc.option(sliceKey),
    list: someAggregates,
    mode: fc.constantFrom<Mode>('NULL', 'VALUE, 9', 'PREV', 'NEXT', 'LINEAR'),
    limit,
  })
  .map(({ where, range: ends, length, slice, list, mode, limit: range }): Statement => {
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const by = slice === null ? '' : `PARTITION BY ${slice} `;
    const items = list.map(({ sql }) => sql).join(', ');
    const sql = `SELECT CAST(_wstart AS BIGINT), ${slice ?? '0'}, ${items} FROM s WHERE ts BETWEEN ${low} AND ${high} AND (${where.sql}) ${by}INTERVAL(${length}a) FILL(${mode})${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where).filter(({ t }) => t >= low && t <= high);
      const slices = slice === null ? [[0, rows] as const] : slicesOf(rows, slice);
      const limits = { low: Math.max(low, where.bounds?.low ?? low), high: Math.min(high, where.bounds?.high ?? high) };
      const first = limits.low - (limits.low % length);
      const starts: number[] = [];
      for (let start = first; start <= limits.high; start += length) starts.push(start);
      return slices.flatMap(([key, own]) => {
        if (own.length === 0) return [];
        const cells = starts.map((start) => own.filter(({ t }) => t >= start && t < start + length));
        const columns = list.map(({ of }) =>
          filled(
            cells.map((each) => (each.length === 0 ? undefined : of(each))),
            mode,
          ),
        );
        return range.of(starts.map((start, at): Cells => [start, key, ...columns.map((each) => each[at] ?? null)]));
      });
    };
    return { sql, ordered: true, answer };
  });

const joins = fc
  .record({
    kind: fc.constantFrom(
      'JOIN',
      'LEFT JOIN',
      'RIGHT JOIN',
      'FULL JOIN',
      'LEFT SEMI JOIN',
      'LEFT ANTI JOIN',
      'RIGHT ANTI JOIN',
    ),
    limit,
  })
  .map(({ kind, limit: range }): Statement => {
    const sql = `SELECT l.v, r.v, CAST(l.ts AS BIGINT), CAST(r.ts AS BIGINT) FROM l ${kind} r ON l.ts = r.ts ORDER BY l.ts, r.ts${range.sql}`;
    const answer = ({ left, right }: Data): Cells[] => {
      const cells = (l: Side | undefined, r: Side | undefined): Cells => [
        l?.v ?? null,
        r?.v ?? null,
        l?.t ?? null,
        r?.t ?? null,
      ];
      const partner = (one: Side, side: readonly Side[]): Side | undefined => side.find(({ t }) => t === one.t);
      const matched = left.filter((l) => partner(l, right) !== undefined).map((l) => cells(l, partner(l, right)));
      const loneLeft = left.filter((l) => partner(l, right) === undefined).map((l) => cells(l, undefined));
      const loneRight = right.filter((r) => partner(r, left) === undefined).map((r) => cells(undefined, r));
      const parts: Readonly<Record<string, Cells[]>> = {
        JOIN: matched,
        'LEFT SEMI JOIN': matched,
        'LEFT JOIN': [...matched, ...loneLeft],
        'RIGHT JOIN': [...matched, ...loneRight],
        'FULL JOIN': [...matched, ...loneLeft, ...loneRight],
        'LEFT ANTI JOIN': loneLeft,
        'RIGHT ANTI JOIN': loneRight,
      };
      return range.of([...(parts[kind] ?? [])].sort((one, other) => compareCells(one, other, [2, 3])));
    };
    return { sql, ordered: true, answer };
  });

const nearest = fc
  .record({ operator: fc.constantFrom('>=', '>', '<', '<=', '='), count: fc.integer({ min: 1, max: 3 }) })
  .map(({ operator, count }): Statement => {
    const sql = `SELECT CAST(l.ts AS BIGINT), CAST(r.ts AS BIGINT), r.v FROM l LEFT ASOF JOIN r ON l.ts ${operator} r.ts JLIMIT ${count} ORDER BY l.ts, r.ts`;
    const fits = (l: Side, r: Side): boolean =>
      ({ '>=': l.t >= r.t, '>': l.t > r.t, '<': l.t < r.t, '<=': l.t <= r.t, '=': l.t === r.t })[operator] ?? false;
    const answer = ({ left, right }: Data): Cells[] =>
      left.flatMap((l): Cells[] => {
        const met = right.filter((r) => fits(l, r));
        const kept = operator.startsWith('>') ? met.slice(-count) : met.slice(0, count);
        return kept.length === 0 ? [[l.t, null, null]] : kept.map((r) => [l.t, r.t, r.v]);
      });
    return { sql, ordered: true, answer };
  });

const around = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })).map((ends): Statement => {
  const sql = `SELECT CAST(l.ts AS BIGINT), count(r.*), count(r.v), first(r.v), last(r.v), last_row(r.v) FROM l LEFT WINDOW JOIN r WINDOW_OFFSET(${ends[0]}a, ${ends[1]}a)`;
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const answer = ({ left, right }: Data): Cells[] =>
    left.map(({ t }) => {
      const met = right.filter((r) => r.t >= t + low && r.t <= t + high);
      const known = met.flatMap(({ v }) => v ?? []);
      return [t, met.length, known.length, some(known[0]), some(known.at(-1)), met.at(-1)?.v ?? null];
    });
  return { sql, ordered: true, answer };
});

const unions = fc
  .record({ one: condition, other: condition, all: fc.boolean(), limit })
  .map(({ one, other, all, limit: range }): Statement => {
    const branch = ({ sql }: Condition, name: string): string => `SELECT v, ${name} AS x FROM s WHERE ${sql}`;
    const sql = `${branch(one, 'w')} UNION${all ? ' ALL' : ''} ${branch(other, 'g')} ORDER BY v, x${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const rows: Cells[] = [
        ...chosen(data, one).map(({ v, w }) => [v, w]),
        ...chosen(data, other).map(({ v, g }) => [v, g]),
      ];
      const seen = new Map(rows.map((row) => [JSON.stringify(row), row]));
      return range.of(sortedCells(all ? rows : [...seen.values()]));
    };
    return { sql, ordered: true, answer };
  });

const nested = fc
  .record({ inner: windowed, least: few, isGrouped: fc.boolean() })
  .map(({ inner, least, isGrouped }): Statement => {
    const by = isGrouped ? ' GROUP BY k ORDER BY k' : '';
    const key = isGrouped ? 'k, ' : '';
    const sql = `SELECT ${key}count(*), sum(c0), max(c0) FROM (${inner.sql}) WHERE c0 >= ${least}${by}`;
    const answer = (data: Data): Cells[] => {
      const rows = inner.answer(data).filter((row) => typeof row[2] === 'number' && row[2] >= least);
      const keys = isGrouped ? sortedCells([...new Set(rows.map(([, k = null]) => k))].map((k) => [k])) : [[undefined]];
      return keys.map(([k]): Cells => {
        const own = rows.filter((row) => k === undefined || row[1] === k).map((row) => Number(row[2]));
        const shown = [own.length, own.length === 0 ? null : sum(own), own.length === 0 ? null : Math.max(...own)];
        return k === undefined ? shown : [k, ...shown];
      });
    };
    return { sql, ordered: true, answer };
  });

/** Random statements of every kind over the tables of {@link Data}. */
export const randomStatement: fc.Arbitrary<Statement> = fc.oneof(
  projection,
  groups,
  windowed,
  fills,
  joins,
  nearest,
  around,
  unions,
  nested,
  rowWindows,
  forcedFills,
  joinsWithConditions,
  joinAggregates,
  threeTables,
  windowsOfJoins,
  nearestWithValues,
  aroundWithValues,
  seriesOfSlices,
  distinct,
  askingConditions,
  countsOfEmpty,
  slicesLimited,
  chainedUnions,
  deeper,
  overRows,
  expressions,
  groupedExpressions,
  expressionStates,
);
