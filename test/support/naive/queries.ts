import fc from 'fast-check';
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
  type Statement,
  sliceKey,
  slicesOf,
  some,
  someAggregates,
  sortedCells,
  sum,
  time,
} from './rows.js';

function seconds(rows: readonly Row[]): number[] {
  return rows.flatMap(({ v }) => v ?? []);
}

/** A function of many rows: what it gives for the rows of a slice, each beside the time of its row. */
interface Series {
  readonly sql: string;
  of(rows: readonly Row[]): (readonly [number, Cell])[];
}

function best(rows: readonly Row[], count: number, sign: 1 | -1): (readonly [number, Cell])[] {
  const known = rows.flatMap(({ t, v }) => (v === null ? [] : [[t, v] as const]));
  const ranked = known.sort((one, other) => sign * (other[1] - one[1]) || one[0] - other[0]).slice(0, count);
  return ranked.sort((one, other) => one[0] - other[0]);
}

/** Rows without any value have no differences, not even NULL. */
function differences(rows: readonly Row[], keep: (cell: Cell) => boolean): (readonly [number, Cell])[] {
  if (seconds(rows).length === 0) return [];
  return rows
    .slice(1)
    .map(({ t, v }, at) => {
      const before = seconds(rows.slice(0, at + 1)).at(-1);
      return [t, v === null || before === undefined ? null : v - before] as const;
    })
    .filter(([, cell]) => keep(cell));
}

const series = fc.constantFrom<Series>(
  { sql: 'diff(v)', of: (rows) => differences(rows, () => true) },
  { sql: 'diff(v, 3)', of: (rows) => differences(rows, (cell) => typeof cell === 'number' && cell >= 0) },
  {
    sql: 'csum(v)',
    of: (rows) =>
      rows.flatMap(({ t, v }, at) => (v === null ? [] : [[t, sum(seconds(rows.slice(0, at + 1)))] as const])),
  },
  { sql: 'lag(v, 2)', of: (rows) => rows.map(({ t }, at) => [t, rows[at - 2]?.v ?? null]) },
  {
    sql: 'lead(v, 1, 7)',
    of: (rows) => rows.map(({ t }, at) => [t, at + 1 < rows.length ? (rows[at + 1]?.v ?? null) : 7]),
  },
  { sql: 'top(v, 3)', of: (rows) => best(rows, 3, 1) },
  { sql: 'bottom(v, 2)', of: (rows) => best(rows, 2, -1) },
  {
    sql: 'tail(v, 4, 1)',
    of: (rows) =>
      rows
        .slice(0, -1)
        .slice(-4)
        .map(({ t, v }) => [t, v]),
  },
  {
    sql: 'unique(v)',
    of: (rows) => rows.filter(({ v }, at) => rows.findIndex((row) => row.v === v) === at).map(({ t, v }) => [t, v]),
  },
  {
    sql: "statecount(v, 'GE', 0)",
    of: (rows) => {
      let run = 0;
      return rows.map(({ t, v }) => {
        if (v === null) return [t, null];
        run = v >= 0 ? run + 1 : 0;
        return [t, run === 0 ? -1 : run];
      });
    },
  },
);

/** Functions of many rows by slices, with order and limit; the limit counts in each slice only when nothing is ordered. */
export const seriesOfSlices = fc
  .record({ where: condition, slice: fc.option(sliceKey), call: series, order: fc.option(fc.boolean()), limit })
  .map(({ where, slice, call, order, limit: range }): Statement => {
    const by = slice === null ? '' : ` PARTITION BY ${slice}`;
    const tail = order === null ? '' : ` ORDER BY ts${order ? ' DESC' : ''}`;
    const sql = `SELECT CAST(ts AS BIGINT), ${slice ?? '0'}, ${call.sql} FROM s WHERE ${where.sql}${by}${tail}${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where);
      const slices = slice === null ? [[0, rows] as const] : slicesOf(rows, slice);
      const all = slices.map(([key, own]) => call.of(own).map(([t, cell]): Cells => [t, key, cell]));
      if (order === null) return all.flatMap((own) => range.of(own));
      return range.of(all.flat().sort((one, other) => compareCells(one, other, [0], order)));
    };
    return { sql, ordered: true, answer };
  });

/** DISTINCT with the order of NULL said. */
export const distinct = fc
  .record({ where: condition, place: fc.constantFrom('', ' NULLS FIRST', ' NULLS LAST'), down: fc.boolean(), limit })
  .map(({ where, place, down, limit: range }): Statement => {
    const sql = `SELECT DISTINCT v, g FROM s WHERE ${where.sql} ORDER BY v${down ? ' DESC' : ''}${place}, g${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const all = new Map(chosen(data, where).map(({ v, g }) => [`${v} ${g}`, [v, g] as Cells]));
      const nullsFirst = place === '' ? !down : place === ' NULLS FIRST';
      return range.of(
        [...all.values()].sort((one, other) => {
          const [a = null, b = null] = [one[0], other[0]];
          if (a !== b && (a === null || b === null)) return (a === null) === nullsFirst ? -1 : 1;
          return compareCells(one, other, [0], down) || compareCells(one, other, [1]);
        }),
      );
    };
    return { sql, ordered: true, answer };
  });

/** A condition that asks another query; what it holds for rows is known with the data. */
interface Asked {
  readonly sql: string;
  of(data: Data): (row: Row) => boolean | null;
}

const among = fc
  .record({ not: fc.boolean(), least: fc.option(few), table: fc.constantFrom('l', 'r') })
  .map(({ not, least, table }): Asked => {
    const filter = least === null ? '' : ` WHERE v >= ${least}`;
    return {
      sql: `v ${not ? 'NOT ' : ''}IN (SELECT v FROM ${table}${filter})`,
      of: (data) => {
        const list = (table === 'l' ? data.left : data.right)
          .map(({ v }) => v)
          .filter((v) => least === null || (v !== null && v >= least));
        return ({ v }) => {
          if (list.length === 0) return not;
          if (v === null) return null;
          if (list.includes(v)) return !not;
          return list.includes(null) ? null : not;
        };
      },
    };
  });

const against = fc
  .record({ operator: fc.constantFrom('=', '<', '>='), call: fc.constantFrom('max', 'min', 'count'), where: condition })
  .map(({ operator, call, where }): Asked => {
    return {
      sql: `v ${operator} (SELECT ${call}(w) FROM s WHERE ${where.sql})`,
      of: (data) => {
        const all = chosen(data, where).flatMap(({ w }) => w ?? []);
        const least = all.length === 0 ? null : call === 'max' ? Math.max(...all) : Math.min(...all);
        const limitOf = call === 'count' ? all.length : least;
        return ({ v }) => {
          if (v === null || limitOf === null) return null;
          return operator === '=' ? v === limitOf : operator === '<' ? v < limitOf : v >= limitOf;
        };
      },
    };
  });

const existing = fc.record({ not: fc.boolean(), value: few }).map(({ not, value }): Asked => {
  return {
    sql: `${not ? 'NOT ' : ''}EXISTS (SELECT ts FROM r WHERE v = ${value})`,
    of: (data) => () => data.right.some(({ v }) => v === value) !== not,
  };
});

/** Conditions that ask other queries, beside those that do not. */
export const askingConditions = fc
  .record({ where: condition, asked: fc.oneof(among, against, existing), isAnd: fc.boolean() })
  .map(({ where, asked, isAnd }): Statement => {
    const sql = `SELECT CAST(ts AS BIGINT), v, w FROM s WHERE ${asked.sql} ${isAnd ? 'AND' : 'OR'} ${where.sql} ORDER BY ts`;
    const answer = (data: Data): Cells[] => {
      const holds = asked.of(data);
      return data.rows
        .filter((row) => {
          const both = [holds(row), where.holds(row)];
          return isAnd ? both.every((each) => each === true) : both.includes(true);
        })
        .map(({ t, v, w }) => [t, v, w]);
    };
    return { sql, ordered: true, answer };
  });

/**
 * Counts by sub-table or tag: those of sub-tables without rows in the time are there with 0, those that lose their rows to other
 * conditions are not.
 */
export const countsOfEmpty = fc
  .record({
    range: fc.tuple(time, time),
    least: fc.option(few),
    key: sliceKey,
    verb: fc.constantFrom('GROUP', 'PARTITION'),
  })
  .map(({ range, least, key, verb }): Statement => {
    const [low, high] = [Math.min(...range), Math.max(...range)];
    const filter = least === null ? '' : ` AND v >= ${least}`;
    const sql = `SELECT ${key}, count(*), count(w), max(v) FROM s WHERE ts BETWEEN ${low} AND ${high}${filter} ${verb} BY ${key} ORDER BY ${key}`;
    const answer = ({ rows }: Data): Cells[] =>
      slicesOf(rows, key).flatMap(([each, own]): Cells[] => {
        const inTime = own.filter(({ t }) => t >= low && t <= high);
        const kept = inTime.filter(({ v }) => least === null || (v !== null && v >= least));
        const tables = new Set(own.map(({ tb }) => tb));
        const hasEmpty = [...tables].some((tb) => inTime.every((row) => row.tb !== tb));
        if (kept.length === 0 && !hasEmpty) return [];
        const values = seconds(kept);
        const known = kept.filter(({ w }) => w !== null).length;
        return [[each, kept.length, known, values.length === 0 ? null : Math.max(...values)]];
      });
    return { sql, ordered: true, answer };
  });

/** SLIMIT keeps some slices, LIMIT some windows of each. */
export const slicesLimited = fc
  .record({
    where: condition,
    key: sliceKey,
    count: fc.nat(3),
    offset: fc.nat(2),
    length: fc.integer({ min: 5, max: 60 }),
    list: someAggregates,
    limit,
  })
  .map(({ where, key, count, offset, length, list, limit: range }): Statement => {
    const items = list.map(({ sql }) => sql).join(', ');
    const sql = `SELECT ${key}, CAST(_wstart AS BIGINT), ${items} FROM s WHERE ${where.sql} PARTITION BY ${key} INTERVAL(${length}a) SLIMIT ${count} SOFFSET ${offset}${range.sql}`;
    const answer = (data: Data): Cells[] =>
      slicesOf(chosen(data, where), key)
        .slice(offset, offset + count)
        .flatMap(([each, own]) => {
          const starts = [...new Set(own.map(({ t }) => t - (t % length)))];
          const cells = starts.map((start): Cells => {
            const inside = own.filter(({ t }) => t >= start && t < start + length);
            return [each, start, ...list.map(({ of }) => of(inside))];
          });
          return range.of(cells);
        });
    return { sql, ordered: true, answer };
  });

/** Unions of three, whose parts may keep what is twice, as the source of windows. */
export const chainedUnions = fc
  .record({
    conditions: fc.tuple(condition, condition, condition),
    all: fc.tuple(fc.boolean(), fc.boolean()),
    length: fc.option(fc.integer({ min: 5, max: 60 })),
  })
  .map(({ conditions, all, length }): Statement => {
    const words = all.map((keep) => (keep ? ' UNION ALL ' : ' UNION '));
    const parts = conditions.map(({ sql }) => `SELECT ts, v, g FROM s WHERE ${sql}`);
    const union = `${parts[0]}${words[0]}${parts[1]}${words[1]}${parts[2]}`;
    const merge = (one: readonly Row[], other: readonly Row[], keep: boolean): Row[] =>
      keep ? [...one, ...other] : [...new Set([...one, ...other])];
    const rowsOf = (data: Data): Row[] => {
      const [one, two, three] = conditions.map((each: Condition) => chosen(data, each));
      return merge(merge(one ?? [], two ?? [], all[0]), three ?? [], all[1]);
    };
    if (length === null) {
      const sql = `SELECT g, count(*), sum(v) FROM (${union}) GROUP BY g ORDER BY g`;
      const answer = (data: Data): Cells[] =>
        slicesOf(rowsOf(data), 'g').map(([g, own]) => [
          g,
          own.length,
          seconds(own).length === 0 ? null : sum(seconds(own)),
        ]);
      return { sql, ordered: true, answer };
    }
    const sql = `SELECT CAST(_wstart AS BIGINT), count(*), sum(v) FROM (${union} ORDER BY ts) INTERVAL(${length}a)`;
    const answer = (data: Data): Cells[] => {
      const rows = rowsOf(data);
      const starts = sortedCells([...new Set(rows.map(({ t }) => t - (t % length)))].map((start) => [start]));
      return starts.map(([start = null]): Cells => {
        const own = rows.filter(({ t }) => t - (t % length) === start);
        return [start, own.length, seconds(own).length === 0 ? null : sum(seconds(own))];
      });
    };
    return { sql, ordered: true, answer };
  });

/** Windows over windows, and functions of many rows over limited rows. */
export const deeper = fc
  .record({
    where: condition,
    inner: fc.integer({ min: 1, max: 20 }),
    outer: fc.integer({ min: 20, max: 80 }),
    call: fc.option(series),
    limit,
  })
  .map(({ where, inner, outer, call, limit: range }): Statement => {
    if (call !== null) {
      const sql = `SELECT CAST(ts AS BIGINT), ${call.sql} FROM (SELECT ts, v FROM s WHERE ${where.sql} ORDER BY ts${range.sql})`;
      return { sql, ordered: true, answer: (data) => call.of(range.of(chosen(data, where))) };
    }
    const sql = `SELECT CAST(_wstart AS BIGINT), count(*), sum(c), max(x) FROM (SELECT _wstart AS ts, count(*) AS c, last(v) AS x FROM s WHERE ${where.sql} INTERVAL(${inner}a)${range.sql}) INTERVAL(${outer}a)`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where);
      const starts = [...new Set(rows.map(({ t }) => t - (t % inner)))];
      const windows = range.of(
        starts.map((start) => {
          const own = rows.filter(({ t }) => t - (t % inner) === start);
          return { start, count: own.length, last: some(seconds(own).at(-1)) };
        }),
      );
      return [...new Set(windows.map(({ start }) => start - (start % outer)))].map((start): Cells => {
        const own = windows.filter((each) => each.start - (each.start % outer) === start);
        const known = own.flatMap(({ last }) => last ?? []);
        return [start, own.length, sum(own.map(({ count }) => count)), known.length === 0 ? null : Math.max(...known)];
      });
    };
    return { sql, ordered: true, answer };
  });

/** OVER: numbers, ranks and running sums beside every row. */
export const overRows = fc
  .record({ where: condition, key: sliceKey, down: fc.boolean(), limit })
  .map(({ where, key, down, limit: range }): Statement => {
    const order = `PARTITION BY ${key} ORDER BY v${down ? ' DESC' : ''}`;
    const byTime = `PARTITION BY ${key} ORDER BY ts`;
    const sql = `SELECT CAST(ts AS BIGINT), rank() OVER (${order}), dense_rank() OVER (${order}), row_number() OVER (${byTime}), sum(v) OVER (${byTime} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), lag(v) OVER (${byTime}) FROM s WHERE ${where.sql} ORDER BY ts${range.sql}`;
    const answer = (data: Data): Cells[] => {
      const rows = chosen(data, where);
      const slices = slicesOf(rows, key);
      return range.of(
        rows.map((row): Cells => {
          const own = slices.find(([, each]) => each.includes(row))?.[1] ?? [];
          const before = own.filter(({ v }) => compareCells([v], [row.v], [0], down) < 0);
          const at = own.indexOf(row);
          const pair = seconds(own.slice(Math.max(0, at - 1), at + 1));
          const total = pair.length === 0 ? null : sum(pair);
          return [
            row.t,
            before.length + 1,
            new Set(before.map(({ v }) => v)).size + 1,
            at + 1,
            total,
            own[at - 1]?.v ?? null,
          ];
        }),
      );
    };
    return { sql, ordered: true, answer };
  });
