import test from 'ava';
import fc from 'fast-check';
import { text } from '../../../src/sql/engine/build.js';
import { printExpr } from '../../../src/sql/engine/print.js';
import { expr } from '../../../src/sql/engine/template.js';
import { relation, relationNames } from '../../../src/sql/functions/geometry-relations.js';
import '../../support/property-seed.js';
import { releaseSession, takeSession } from '../../support/engine/engine-session.js';

const session = takeSession();
test.after.always(releaseSession);

type Relation = (typeof relationNames)[number];

/** Whether each relation holds for each pair of well-known texts. */
function relations(pairs: readonly (readonly [string, string])[]): Record<Relation, boolean>[] {
  const list = pairs.map(([a, b]) => `('${a}', '${b}')`).join(', ');
  const holds = (name: Relation): string => printExpr(expr`${relation(name, expr`x`, expr`y`)} = 1`);
  const columns = relationNames.map((name) => `${holds(name)} AS ${name}`).join(', ');
  const sql = `SELECT ${columns} FROM (SELECT readWKT(p.1) AS x, readWKT(p.2) AS y FROM (SELECT arrayJoin([${list}]) AS p))`;
  return session
    .query(sql, 'JSONEachRow')
    .trim()
    .split('\n')
    .map((line) => {
      const cells: Record<string, unknown> = JSON.parse(line);
      return Object.fromEntries(relationNames.map((name) => [name, cells[name] === 1])) as Record<Relation, boolean>;
    });
}

const square = 'POLYGON((0 0,0 4,4 4,4 0,0 0))';
const frame = 'POLYGON((0 0,0 4,4 4,4 0,0 0),(1 1,1 3,3 3,3 1,1 1))';
const small = 'POLYGON((1 1,1 2,2 2,2 1,1 1))';

/** Two geometries, and which relations hold: C contains, P contains properly, V covers, E equals, T touches. */
const cases: readonly (readonly [string, string, string])[] = [
  [square, 'POINT(1 1)', 'VCP'],
  [square, 'POINT(0 1)', 'VT'],
  [square, 'POINT(5 1)', ''],
  [frame, 'POINT(2 2)', ''],
  [frame, 'POINT(1 2)', 'VT'],
  ['POINT(1 1)', 'POINT(1 1)', 'VCPE'],
  ['POINT(1 1)', square, ''],
  ['LINESTRING(0 0,2 2)', 'POINT(1 1)', 'VCP'],
  ['LINESTRING(0 0,2 2)', 'POINT(2 2)', 'VT'],
  ['LINESTRING(0 0,1 0,0 1,0 0)', 'POINT(0 0)', 'VCP'],
  ['MULTILINESTRING((0 0,1 1),(1 1,2 0))', 'POINT(1 1)', 'VCP'],
  [square, 'LINESTRING(0 0,4 4)', 'VC'],
  [square, 'LINESTRING(1 1,2 3)', 'VCP'],
  [square, 'LINESTRING(0 0,0 4)', 'VT'],
  [square, 'LINESTRING(0 0,5 5)', ''],
  [frame, 'LINESTRING(0 2,4 2)', ''],
  ['LINESTRING(0 0,4 4)', 'LINESTRING(0 0,3 3)', 'VC'],
  ['LINESTRING(0 0,4 4)', 'LINESTRING(4 4,2 2,0 0)', 'VCE'],
  ['LINESTRING(0 0,2 2)', 'LINESTRING(2 2,3 0)', 'T'],
  ['LINESTRING(0 0,2 2)', 'LINESTRING(0 2,2 0)', ''],
  ['LINESTRING(0 0,0.3 0.1)', 'LINESTRING(0.1 0.03333333333333333,0.2 0.06666666666666667)', 'VCP'],
  [square, small, 'VCP'],
  [small, square, ''],
  [square, 'POLYGON((4 4,4 0,0 0,0 4,4 4))', 'VCE'],
  [square, 'POLYGON((0 0,0 2,2 2,2 0,0 0))', 'VC'],
  [square, 'POLYGON((4 0,4 4,8 4,8 0,4 0))', 'T'],
  [frame, 'POLYGON((1 1,1 3,3 3,3 1,1 1))', 'T'],
  ['MULTIPOLYGON(((0 0,0 1,1 1,1 0,0 0)),((5 5,5 6,6 6,6 5,5 5)))', 'POINT(5.5 5.5)', 'VCP'],
];

/** A point, a line along an axis or a rectangle with whole coordinates: its corners. */
type Box = readonly [left: number, bottom: number, right: number, top: number];

function textOf([left, bottom, right, top]: Box): string {
  if (left === right && bottom === top) return `POINT(${left} ${bottom})`;
  if (left === right || bottom === top) return `LINESTRING(${left} ${bottom},${right} ${top})`;
  return `POLYGON((${left} ${bottom},${left} ${top},${right} ${top},${right} ${bottom},${left} ${bottom}))`;
}

const span = fc
  .tuple(fc.nat(4), fc.nat(4))
  .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
const box = fc.tuple(span, span).map(([[left, right], [bottom, top]]): Box => [left, bottom, right, top]);

const boxes = fc.sample(fc.tuple(box, box), { numRuns: 300, seed: 7 });

let answered: Readonly<Record<'ofCases' | 'ofBoxes', Record<Relation, boolean>[]>> | undefined;

/** What the engine says of all cases and boxes, asked once: reading a relation takes it longer than comparing hundreds. */
function answers() {
  if (answered === undefined) {
    const all = relations([
      ...cases.map(([a, b]) => [a, b] as const),
      ...boxes.map(([a, b]) => [textOf(a), textOf(b)] as const),
    ]);
    answered = { ofCases: all.slice(0, cases.length), ofBoxes: all.slice(cases.length) };
  }
  return answered;
}

test('relations of points, lines and areas hold as they are defined', (t) => {
  const letters = { ST_COVERS: 'V', ST_CONTAINS: 'C', ST_CONTAINSPROPERLY: 'P', ST_EQUALS: 'E', ST_TOUCHES: 'T' };
  const { ofCases } = answers();
  for (const [at, [a, b, holds]] of cases.entries()) {
    const holding = relationNames.filter((name) => ofCases[at]?.[name]).map((name) => letters[name]);
    t.is(holding.sort().join(''), [...holds].sort().join(''), `${a} ${b}`);
  }
});

/** Inside, on the boundary or outside; a side of no length has no boundary of its own. */
function placeIn([left, bottom, right, top]: Box, x: number, y: number): number {
  const within = (low: number, high: number, at: number): number => {
    if (at < low || at > high) return -1;
    return low < high && (at === low || at === high) ? 0 : 1;
  };
  return Math.min(within(left, right, x), within(bottom, top, y));
}

test('relations of boxes are those of the places on a grid twice as fine', (t) => {
  const grid = [...Array(9).keys()].flatMap((x) => [...Array(9).keys()].map((y) => [x / 2, y / 2] as const));
  const { ofBoxes } = answers();
  for (const [at, [a, b]] of boxes.entries()) {
    const places = grid.map(([x, y]) => [placeIn(a, x, y), placeIn(b, x, y)] as const);
    const covers = places.every(([inA, inB]) => inB < 0 || inA >= 0);
    const meet = places.some(([inA, inB]) => inA >= 0 && inB >= 0);
    const overlap = places.some(([inA, inB]) => inA === 1 && inB === 1);
    const expected: Record<Relation, boolean> = {
      ST_COVERS: covers,
      ST_CONTAINS: covers && overlap,
      ST_CONTAINSPROPERLY: places.every(([inA, inB]) => inB < 0 || inA === 1),
      ST_EQUALS: places.every(([inA, inB]) => inA >= 0 === inB >= 0),
      ST_TOUCHES: meet && !overlap,
    };
    t.deepEqual(ofBoxes[at], expected, `${textOf(a)} ${textOf(b)}`);
  }
});

/** A polygon with so many corners, or the line around it. */
function round(corners: number, radius: number): { readonly area: string; readonly line: string } {
  const places = Array.from({ length: corners + 1 }, (_, at) => {
    const angle = (2 * Math.PI * (at % corners)) / corners;
    return `${radius * Math.cos(angle)} ${radius * Math.sin(angle)}`;
  }).join(',');
  return { area: `POLYGON((${places}))`, line: `LINESTRING(${places})` };
}

test('areas of many vertices are compared by the engine, and what would take it long is refused', (t) => {
  const [outer, inner] = [round(3_000, 2), round(3_000, 1)];
  const query = (name: Relation, a: string, b: string): string => {
    const holds = relation(name, expr`readWKT(${text(a)})`, expr`readWKT(${text(b)})`);
    return session.query(`SELECT ${printExpr(holds)}`, 'TSV').trim();
  };
  t.is(query('ST_CONTAINS', outer.area, inner.area), '1');
  t.is(query('ST_COVERS', outer.area, 'POINT(0 0)'), '1');
  t.is(query('ST_EQUALS', outer.area, inner.area), '0');
  for (const name of ['ST_TOUCHES', 'ST_CONTAINSPROPERLY'] as const) {
    const error = t.throws(() => query(name, outer.area, inner.area));
    t.regex(error.message, /too many vertices/);
  }
  // Lines that cross everywhere have many more places to look at than vertices.
  const comb = (across: boolean): string => {
    const places = Array.from({ length: 160 }, (_, at) => [at / 80, at % 2 === 0 ? 0 : 2]);
    return `LINESTRING(${places.map(([x, y]) => (across ? `${y} ${x}` : `${x} ${y}`)).join(',')})`;
  };
  t.regex(t.throws(() => query('ST_COVERS', comb(false), comb(true))).message, /too many vertices/);
});
