import test from 'ava';
import fc from 'fast-check';
import { sharedService } from '../../support/service/shared-service.js';
import { at, base, tablesToJoin } from '../../support/sql/join-tables.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesToJoin(test, service);

interface Point {
  readonly at: number;
  readonly k: number | null;
  readonly v: number;
}

/** Pairs of a main row and a partner, or none, as a naive reading of the join gives them. */
type Pair = readonly [main: Point | null, partner: Point | null];

const kinds: Readonly<Record<string, (a: readonly Point[], b: readonly Point[]) => Pair[]>> = {
  'a JOIN b ON a.ts = b.ts AND a.k = b.k': (a, b) =>
    a.flatMap((x) => b.filter((y) => isEqual(x, y)).map((y): Pair => [x, y])),
  'a LEFT JOIN b ON a.ts = b.ts AND a.k = b.k': (a, b) => outer(a, b, isEqual),
  'a RIGHT JOIN b ON a.ts = b.ts AND a.k = b.k': (a, b) => outer(b, a, isEqual).map(([x, y]): Pair => [y, x]),
  'a FULL JOIN b ON a.ts = b.ts AND a.v < b.v': (a, b) => {
    const lone = b.filter((y) => !a.some((x) => x.at === y.at && x.v < y.v));
    return [...outer(a, b, (x, y) => x.at === y.at && x.v < y.v), ...lone.map((y): Pair => [null, y])];
  },
  'a LEFT ASOF JOIN b ON a.ts >= b.ts AND a.k = b.k': (a, b) =>
    nearest(a, b, (x, y) => sameKey(x, y) && y.at <= x.at, 'latest', 1),
  'a LEFT ASOF JOIN b ON a.ts > b.ts JLIMIT 3': (a, b) => nearest(a, b, (x, y) => y.at < x.at, 'latest', 3),
  'a LEFT ASOF JOIN b ON a.ts <= b.ts AND a.k = b.k JLIMIT 2': (a, b) =>
    nearest(a, b, (x, y) => sameKey(x, y) && y.at >= x.at, 'earliest', 2),
  'a LEFT WINDOW JOIN b ON a.k = b.k WINDOW_OFFSET(-3a, 2a)': (a, b) =>
    outer(a, b, (x, y) => sameKey(x, y) && y.at >= x.at - 3 && y.at <= x.at + 2),
  'a RIGHT WINDOW JOIN b WINDOW_OFFSET(1a, 4a) JLIMIT 2': (a, b) =>
    nearest(b, a, (x, y) => y.at >= x.at + 1 && y.at <= x.at + 4, 'earliest', 2).map(([x, y]): Pair => [y, x]),
};

function sameKey(x: Point, y: Point): boolean {
  return x.k !== null && x.k === y.k;
}

function isEqual(x: Point, y: Point): boolean {
  return x.at === y.at && sameKey(x, y);
}

function outer(a: readonly Point[], b: readonly Point[], meets: (x: Point, y: Point) => boolean): Pair[] {
  return nearest(a, b, meets, 'earliest', b.length);
}

function nearest(
  a: readonly Point[],
  b: readonly Point[],
  meets: (x: Point, y: Point) => boolean,
  which: 'earliest' | 'latest',
  count: number,
): Pair[] {
  return a.flatMap((x): Pair[] => {
    const met = b.filter((y) => meets(x, y));
    met.sort((one, other) => one.at - other.at);
    const chosen = which === 'earliest' ? met.slice(0, count) : met.slice(-count);
    return chosen.length === 0 ? [[x, null]] : chosen.map((y) => [x, y]);
  });
}

const points = fc.uniqueArray(
  fc.record({
    at: fc.integer({ min: 0, max: 30 }),
    k: fc.option(fc.integer({ min: 0, max: 2 })),
    v: fc.integer({ min: 0, max: 5 }),
  }),
  { selector: ({ at: time }) => time, minLength: 1, maxLength: 15 },
);

test('joins of random rows agree with a naive evaluation', async (t) => {
  await service.run('CREATE DATABASE random');
  let round = 0;
  const insert = async (name: string, rows: readonly Point[]): Promise<void> => {
    await service.run(`CREATE TABLE random.${name} (ts TIMESTAMP, k INT, v INT)`);
    const values = rows.map(({ at: time, k, v }) => `(${base + time}, ${k}, ${v})`).join(' ');
    await service.run(`INSERT INTO random.${name} VALUES ${values}`);
  };
  await fc.assert(
    fc.asyncProperty(points, points, async (a, b) => {
      round += 1;
      await insert(`a${round}`, a);
      await insert(`b${round}`, b);
      for (const [join, evaluate] of Object.entries(kinds)) {
        const from = join.replace(/^a (.*?JOIN) b/, `a${round} a $1 b${round} b`);
        const rows = await service.rows(`SELECT a.ts, a.v, b.ts, b.v FROM ${from}`, { database: 'random' });
        const shown = (point: Point | null) => (point === null ? [null, null] : [at(point.at), point.v]);
        const expected = evaluate(a, b).map(([x, y]) => [...shown(x), ...shown(y)]);
        t.deepEqual(rows.map(textOf).sort(), expected.map(textOf).sort(), `${join} ${JSON.stringify([a, b])}`);
      }
    }),
    { numRuns: 8 },
  );
});

function textOf(row: readonly unknown[]): string {
  return JSON.stringify(row);
}
