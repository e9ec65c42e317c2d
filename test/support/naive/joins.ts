import fc from 'fast-check';
import {
  type Cell,
  type Cells,
  compareCells,
  type Data,
  few,
  limit,
  type Row,
  type Side,
  type Statement,
  sliceKey,
  slicesOf,
  some,
  sortedCells,
  sum,
} from './rows.js';

/** A pair of rows of a join, of which one may be missing. */
type Pair = readonly [Side | undefined, Side | undefined];

const kinds = [
  'JOIN',
  'LEFT JOIN',
  'RIGHT JOIN',
  'FULL JOIN',
  'LEFT SEMI JOIN',
  'RIGHT SEMI JOIN',
  'LEFT ANTI JOIN',
  'RIGHT ANTI JOIN',
] as const;

/** The pairs of a join by equal times, of rows that also meet a condition; no two rows of a table have one time. */
function pairs(kind: (typeof kinds)[number], { left, right }: Data, meet: (l: Side, r: Side) => boolean): Pair[] {
  const partner = (one: Side, side: readonly Side[], isLeft: boolean): Side | undefined =>
    side.find((other) => other.t === one.t && (isLeft ? meet(one, other) : meet(other, one)));
  const matched = left.flatMap((l): Pair[] => {
    const r = partner(l, right, true);
    return r === undefined ? [] : [[l, r]];
  });
  const loneLeft = left.flatMap((l): Pair[] => (partner(l, right, true) === undefined ? [[l, undefined]] : []));
  const loneRight = right.flatMap((r): Pair[] => (partner(r, left, false) === undefined ? [[undefined, r]] : []));
  const parts: Readonly<Record<(typeof kinds)[number], Pair[]>> = {
    JOIN: matched,
    'LEFT SEMI JOIN': matched,
    'RIGHT SEMI JOIN': matched,
    'LEFT JOIN': [...matched, ...loneLeft],
    'RIGHT JOIN': [...matched, ...loneRight],
    'FULL JOIN': [...matched, ...loneLeft, ...loneRight],
    'LEFT ANTI JOIN': loneLeft,
    'RIGHT ANTI JOIN': loneRight,
  };
  return parts[kind];
}

/** A condition beside the equal times. */
const meeting = fc.constantFrom<readonly [string, (l: Side, r: Side) => boolean]>(
  ['', () => true],
  [' AND l.v = r.v', (l, r) => l.v !== null && l.v === r.v],
  [' AND l.v > r.v', (l, r) => l.v !== null && r.v !== null && l.v > r.v],
  [' AND r.v IS NOT NULL', (_, r) => r.v !== null],
  [' AND l.v >= 0', (l) => l.v !== null && l.v >= 0],
);

/** Sources of both sides: the tables, or queries over them. */
const source = fc
  .record({ least: fc.option(few), from: fc.option(fc.nat(15).map((at) => 1_700_000_000_000 + at)) })
  .map(({ least, from }) => {
    const conditions = [least === null ? [] : [`v >= ${least}`], from === null ? [] : [`ts > ${from}`]].flat();
    const keep = (side: readonly Side[]): Side[] =>
      side.filter(({ t, v }) => (least === null || (v !== null && v >= least)) && (from === null || t > from));
    const sql = (table: string): string =>
      conditions.length === 0 ? table : `(SELECT ts, v FROM ${table} WHERE ${conditions.join(' AND ')}) ${table}`;
    return { sql, keep };
  });

const joinParts = fc.record({ kind: fc.constantFrom(...kinds), meets: meeting, one: source, other: source });

function joined({ kind, meets, one, other }: typeof joinParts extends fc.Arbitrary<infer T> ? T : never) {
  const sql = `FROM ${one.sql('l')} ${kind} ${other.sql('r')} ON l.ts = r.ts${meets[0]}`;
  const of = (data: Data): Pair[] =>
    pairs(kind, { ...data, left: one.keep(data.left), right: other.keep(data.right) }, meets[1]);
  return { sql, of };
}

/** Joins of tables and of queries, with further conditions in ON and WHERE. */
export const joinsWithConditions = fc
  .record({ parts: joinParts, least: fc.option(few), missing: fc.option(fc.boolean()), limit })
  .map(({ parts, least, missing, limit: range }): Statement => {
    const { sql: from, of } = joined(parts);
    const where = [
      least === null ? [] : [`l.v >= ${least}`],
      missing === null ? [] : [`r.v IS ${missing ? '' : 'NOT '}NULL`],
    ].flat();
    const filter = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`;
    const sql = `SELECT CAST(l.ts AS BIGINT), CAST(r.ts AS BIGINT), l.v, r.v, l.v + r.v ${from}${filter} ORDER BY l.ts, r.ts${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const kept = of(data).filter(([l, r]) => {
        const [a, b] = [l?.v ?? null, r?.v ?? null];
        return (least === null || (a !== null && a >= least)) && (missing === null || (b === null) === missing);
      });
      const cells = kept.map(([l, r]): Cells => {
        const [a, b] = [l?.v ?? null, r?.v ?? null];
        return [l?.t ?? null, r?.t ?? null, a, b, a === null || b === null ? null : a + b];
      });
      return range.of(cells.sort((x, y) => compareCells(x, y, [0, 1])));
    };
    return { sql, ordered: true, answer };
  });

/** Aggregates over joins: all rows, groups of a column, windows of time. */
export const joinAggregates = fc
  .record({ parts: joinParts, by: fc.constantFrom('', 'l.v', 'INTERVAL'), length: fc.integer({ min: 1, max: 12 }) })
  .filter(({ parts, by }) => by !== 'INTERVAL' || parts.kind === 'JOIN' || parts.kind.startsWith('LEFT'))
  .map(({ parts, by, length }): Statement => {
    const { sql: from, of } = joined(parts);
    const key = by === 'l.v' ? 'l.v' : by === 'INTERVAL' ? 'CAST(_wstart AS BIGINT)' : '0';
    const clause = by === 'l.v' ? ' GROUP BY l.v ORDER BY l.v' : by === 'INTERVAL' ? ` INTERVAL(${length}a)` : '';
    const sql = `SELECT ${key}, count(*), count(l.v), count(r.v), sum(r.v), max(l.v) ${from}${clause}`;
    const answer = (data: Data): Cells[] => {
      const rows = of(data);
      const keyOf = ([l]: Pair): Cell => {
        if (by === '') return 0;
        return by === 'l.v' ? (l?.v ?? null) : (l?.t ?? 0) - ((l?.t ?? 0) % length);
      };
      const keys = by === '' ? [[0] as Cells] : sortedCells([...new Set(rows.map(keyOf))].map((each) => [each]));
      return keys.map(([each = null]): Cells => {
        const own = rows.filter((row) => keyOf(row) === each);
        const [ls, rs] = [own.flatMap(([l]) => l?.v ?? []), own.flatMap(([, r]) => r?.v ?? [])];
        const most = ls.length === 0 ? null : Math.max(...ls);
        return [each, own.length, ls.length, rs.length, rs.length === 0 ? null : sum(rs), most];
      });
    };
    return { sql, ordered: true, answer };
  });

/** The super table and two tables in one join, by slices. */
export const threeTables = fc
  .record({ where: fc.option(few), key: fc.constantFrom('s.tbname', 's.g'), isOuter: fc.boolean() })
  .map(({ where, key, isOuter }): Statement => {
    const kind = isOuter ? 'LEFT JOIN' : 'JOIN';
    const filter = where === null ? '' : ` WHERE s.w <= ${where}`;
    const sql = `SELECT ${key}, count(*), count(r.v), sum(l.v) FROM s JOIN l ON s.ts = l.ts ${kind} r ON l.ts = r.ts${filter} GROUP BY ${key} ORDER BY ${key}`;
    const answer = ({ rows, left, right }: Data): Cells[] => {
      const met = rows.flatMap((row): (readonly [Row, Side, Side | undefined])[] => {
        const l = left.find(({ t }) => t === row.t);
        const r = right.find(({ t }) => t === row.t);
        if (l === undefined || (r === undefined && !isOuter)) return [];
        return where === null || (row.w !== null && row.w <= where) ? [[row, l, r]] : [];
      });
      const keyOf = (row: Row): Cell => (key === 's.g' ? row.g : row.tb);
      const keys = sortedCells([...new Set(met.map(([row]) => keyOf(row)))].map((each) => [each]));
      return keys.map(([each = null]): Cells => {
        const own = met.filter(([row]) => keyOf(row) === each);
        const values = own.flatMap(([, l]) => l.v ?? []);
        const partners = own.flatMap(([, , r]) => r?.v ?? []);
        return [each, own.length, partners.length, values.length === 0 ? null : sum(values)];
      });
    };
    return { sql, ordered: true, answer };
  });

/** What ON asks beside times: equal values, where NULL equals nothing. */
function equal(isEqual: boolean, one: Side, other: Side): boolean {
  return !isEqual || (one.v !== null && one.v === other.v);
}

/** ASOF joins from either side, with equal values or without, and a condition on what they give. */
export const nearestWithValues = fc
  .record({
    isRight: fc.boolean(),
    operator: fc.constantFrom('>=', '>', '<', '<='),
    isEqual: fc.boolean(),
    count: fc.integer({ min: 1, max: 3 }),
    least: fc.option(few),
  })
  .map(({ isRight, operator, isEqual, count, least }): Statement => {
    const [main, other] = isRight ? ['r', 'l'] : ['l', 'r'];
    const filter = least === null ? '' : ` WHERE ${main}.v >= ${least}`;
    const on = `${main}.ts ${operator} ${other}.ts${isEqual ? ' AND l.v = r.v' : ''}`;
    const sql = `SELECT CAST(${main}.ts AS BIGINT), CAST(${other}.ts AS BIGINT), ${main}.v, ${other}.v FROM l ${isRight ? 'RIGHT' : 'LEFT'} ASOF JOIN r ON ${on} JLIMIT ${count}${filter} ORDER BY ${main}.ts, ${other}.ts`;
    const fits = (a: Side, b: Side): boolean =>
      ({ '>=': a.t >= b.t, '>': a.t > b.t, '<': a.t < b.t, '<=': a.t <= b.t })[operator] ?? false;
    const answer = ({ left, right }: Data): Cells[] => {
      const [own, others] = isRight ? [right, left] : [left, right];
      return own
        .filter(({ v }) => least === null || (v !== null && v >= least))
        .flatMap((a): Cells[] => {
          const met = others.filter((b) => fits(a, b) && equal(isEqual, a, b));
          const kept = operator.startsWith('>') ? met.slice(-count) : met.slice(0, count);
          return kept.length === 0 ? [[a.t, null, a.v, null]] : kept.map((b) => [a.t, b.t, a.v, b.v]);
        });
    };
    return { sql, ordered: true, answer };
  });

/** Window joins from either side: their rows, or aggregates of them with HAVING. */
export const aroundWithValues = fc
  .record({
    isRight: fc.boolean(),
    ends: fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })),
    isEqual: fc.boolean(),
    most: fc.option(fc.integer({ min: 1, max: 3 })),
    least: fc.option(fc.nat(2)),
    limit,
  })
  .map(({ isRight, ends, isEqual, most, least, limit: range }): Statement => {
    const [main, other] = isRight ? ['r', 'l'] : ['l', 'r'];
    const on = isEqual ? ' ON l.v = r.v' : '';
    const from = `FROM l ${isRight ? 'RIGHT' : 'LEFT'} WINDOW JOIN r${on} WINDOW_OFFSET(${ends[0]}a, ${ends[1]}a)`;
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const met = (data: Data): (readonly [Side, Side[]])[] => {
      const [own, others] = isRight ? [data.right, data.left] : [data.left, data.right];
      return own.map((a) => {
        const inside = others.filter((b) => b.t >= a.t + low && b.t <= a.t + high && equal(isEqual, a, b));
        return [a, most === null ? inside : inside.slice(0, most)];
      });
    };
    const shown = most === null ? '' : ` JLIMIT ${most}`;
    if (least === null) {
      const sql = `SELECT CAST(${main}.ts AS BIGINT), CAST(${other}.ts AS BIGINT), ${other}.v ${from}${shown} ORDER BY ${main}.ts, ${other}.ts${range.sql}`;
      const answer = (data: Data): Cells[] =>
        range.of(
          met(data).flatMap(([a, bs]): Cells[] =>
            bs.length === 0 ? [[a.t, null, null]] : bs.map((b) => [a.t, b.t, b.v]),
          ),
        );
      return { sql, ordered: true, answer };
    }
    const sql = `SELECT CAST(${main}.ts AS BIGINT), ${main}.v, count(${other}.*), sum(${other}.v), last(${other}.v) ${from}${shown} HAVING count(${other}.*) >= ${least}${range.sql}`;
    const answer = (data: Data): Cells[] =>
      range.of(
        met(data)
          .filter(([, bs]) => bs.length >= least)
          .map(([a, bs]): Cells => {
            const values = bs.flatMap(({ v }) => v ?? []);
            return [a.t, a.v, bs.length, values.length === 0 ? null : sum(values), some(values.at(-1))];
          }),
      );
    return { sql, ordered: true, answer };
  });

/** Windows over a super table and what it is joined with: a table at the same times, or itself. */
export const windowsOfJoins = fc
  .record({
    kind: fc.constantFrom('JOIN', 'LEFT JOIN', 'self'),
    clause: fc.oneof(
      fc.integer({ min: 1, max: 40 }).map((length) => ({ sql: `INTERVAL(${length}a)`, length })),
      fc.integer({ min: 1, max: 9 }).map((gap) => ({ sql: `SESSION(x.ts, ${gap}a)`, gap })),
    ),
    slice: fc.option(sliceKey),
    where: fc.option(few),
    limit,
  })
  .map(({ kind, clause, slice, where, limit: range }): Statement => {
    const join = kind === 'self' ? 'JOIN s y ON x.ts = y.ts AND x.g = y.g' : `${kind} l y ON x.ts = y.ts`;
    const filter = where === null ? '' : ` WHERE x.w >= ${where}`;
    const by = slice === null ? '' : ` PARTITION BY x.${slice}`;
    const key = slice === null ? '0' : `x.${slice}`;
    const sql = `SELECT CAST(_wstart AS BIGINT), ${key}, count(*), sum(x.v), count(y.v), max(y.v) FROM s x ${join}${filter}${by} ${clause.sql}${range.sql}`;
    const answer = ({ rows, left }: Data): Cells[] => {
      const partner = (row: Row): { readonly v: number | null } | undefined =>
        kind === 'self' ? row : left.find(({ t }) => t === row.t);
      const met = rows
        .filter(({ w }) => where === null || (w !== null && w >= where))
        .filter((row) => kind === 'LEFT JOIN' || partner(row) !== undefined);
      const slices = slice === null ? [[0, met] as const] : slicesOf(met, slice);
      return slices.flatMap(([each, own]) => {
        const windows = new Map<number, Row[]>();
        let [start, last] = [0, Number.NEGATIVE_INFINITY];
        for (const row of own) {
          if ('length' in clause) start = row.t - (row.t % clause.length);
          else if (row.t - last > clause.gap) start = row.t;
          last = row.t;
          windows.set(start, [...(windows.get(start) ?? []), row]);
        }
        const cells = [...windows].map(([t, inside]): Cells => {
          const values = inside.flatMap(({ v }) => v ?? []);
          const partners = inside.flatMap((row) => partner(row)?.v ?? []);
          const best = partners.length === 0 ? null : Math.max(...partners);
          return [t, each, inside.length, values.length === 0 ? null : sum(values), partners.length, best];
        });
        return range.of(cells);
      });
    };
    return { sql, ordered: true, answer };
  });
