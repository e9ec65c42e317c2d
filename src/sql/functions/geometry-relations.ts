import { Codes } from '../../model/fault.js';
import { raiseIf } from '../engine/raise.js';

/**
 * How two geometries lie to each other (OGC 06-103r4, 6.1.15), as engine SQL. The engine compares polygons only. Here a geometry is its vertices and
 * segments, and a place is inside of it, on its boundary or outside. Segments are cut where they can meet those of the other geometry, so all places
 * between two cuts lie alike, and their middle speaks for them. Areas are compared by the engine.
 */

/**
 * An expression with names for values, as the engine has no variables inside one. A list of a constant would be a constant, too, and one
 * of an empty list of lists is sent to other nodes of a cluster in a form that they do not read.
 */
function withValues(values: Readonly<Record<string, string>>, result: string): string {
  const lists = Object.values(values).map((value) => `[materialize(${value})]`);
  return `arrayMap((${Object.keys(values).join(', ')}) -> ${result}, ${lists.join(', ')})[1]`;
}

function part(geometry: string, type: string): string {
  return `variantElement(${geometry}, '${type}')`;
}

/** 0 for points, 1 for lines, 2 for areas. */
function dimension(geometry: string): string {
  return `multiIf(variantType(${geometry}) = 'Point', 0, variantType(${geometry}) IN ('LineString', 'MultiLineString'), 1, 2)`;
}

/** Polygons; nothing for points and lines. */
function areas(geometry: string): string {
  return `arrayConcat(CAST(${part(geometry, 'MultiPolygon')}, 'MultiPolygon'), if(empty(${part(geometry, 'Polygon')}), [], [CAST(${part(geometry, 'Polygon')}, 'Polygon')]), if(empty(${part(geometry, 'Ring')}), [], [[CAST(${part(geometry, 'Ring')}, 'Ring')]]))`;
}

/** Areas to be compared: some area in place of none, behind which the engine takes those of other rows for empty. */
function comparable(polygons: string): string {
  return `if(empty(${polygons}), CAST([[[(0, 0), (0, 1), (1, 1), (0, 0)]]], 'MultiPolygon'), ${polygons})`;
}

/** Lists of vertices: a point, lines, rings. */
function paths(geometry: string, polygons: string): string {
  const lines = `arrayConcat(CAST(${part(geometry, 'MultiLineString')}, 'MultiLineString'), [CAST(${part(geometry, 'LineString')}, 'LineString')])`;
  const rings = `arrayFold((all, polygon) -> arrayConcat(all, polygon), ${polygons}, ${lines})`;
  return `if(variantType(${geometry}) = 'Point', [[${part(geometry, 'Point')}]], arrayFilter(path -> notEmpty(path), ${rings}))`;
}

/** Segments as `(x1, y1, x2, y2)`. */
function segments(list: string): string {
  return `arrayFlatten(arrayMap(path -> arrayMap((a, b) -> (a.1, a.2, b.1, b.2), arrayPopBack(path), arrayPopFront(path)), ${list}))`;
}

const size = 'abs(s.1) + abs(s.2) + abs(s.3) + abs(s.4)';
/** Places that are computed miss their segment by the rounding of their coordinates. */
const slack = `1e-14 * (${size})`;
const across = '(s.3 - s.1) * (q.2 - s.2) - (s.4 - s.2) * (q.1 - s.1)';
const onSegment = [
  `abs(${across}) <= (abs(s.3 - s.1) + abs(s.4 - s.2)) * ${slack}`,
  `q.1 BETWEEN least(s.1, s.3) - ${slack} AND greatest(s.1, s.3) + ${slack}`,
  `q.2 BETWEEN least(s.2, s.4) - ${slack} AND greatest(s.2, s.4) + ${slack}`,
].join(' AND ');
/** A ray from the place to the right crosses the segment. */
const crossesRay = '(s.2 > q.2) != (s.4 > q.2) AND q.1 < (s.3 - s.1) * (q.2 - s.2) / (s.4 - s.2) + s.1';

/** Where the place `q` is: 1 inside, 0 on the boundary, -1 outside. Lines that end an even number of times at a place do not end there. */
function place(side: 'a' | 'b'): string {
  const [kind, list, own] = [`k${side}`, `p${side}`, `s${side}`];
  const ends = `countEqual(arrayFlatten(arrayMap(path -> [path[1], path[-1]], ${list})), q) % 2 = 1`;
  const isOn = `arrayExists(s -> ${onSegment}, ${own})`;
  const isInside = `arrayCount(s -> ${crossesRay}, ${own}) % 2 = 1`;
  return `multiIf(${kind} = 0, if(has(arrayFlatten(${list}), q), 1, -1), ${isOn}, if(${kind} = 2 OR ${ends}, 0, 1), ${kind} = 2 AND ${isInside}, 1, -1)`;
}

/** True where the boxes around the segments `s` and `t` meet: elsewhere the segments do not. */
const isNear = [1, 2]
  .flatMap((low) => {
    const [s, t] = ['s', 't'].map((name) => `(${name}.${low}, ${name}.${low + 2})`);
    return [`least${t} <= greatest${s} + ${slack}`, `greatest${t} >= least${s} - ${slack}`];
  })
  .join(' AND ');

/** Where a segment `s` may meet a segment `t`, as shares of its length: where their lines cross, and at the feet of the ends of `t`. */
const meetings = [
  '((t.1 - s.1) * (t.4 - t.2) - (t.2 - s.2) * (t.3 - t.1)) / ((s.3 - s.1) * (t.4 - t.2) - (s.4 - s.2) * (t.3 - t.1))',
  ...['t.1, t.2', 't.3, t.4'].map((end) => {
    const [x, y] = end.split(', ');
    return `((${x} - s.1) * (s.3 - s.1) + (${y} - s.2) * (s.4 - s.2)) / ((s.3 - s.1) * (s.3 - s.1) + (s.4 - s.2) * (s.4 - s.2))`;
  }),
].join(', ');

function along(share: string): string {
  return `(s.1 + (${share}) * (s.3 - s.1), s.2 + (${share}) * (s.4 - s.2))`;
}

/** Places of one side that speak for all others: vertices, cuts, and the middles between cuts. `w` and `v` are paths and segments that are asked about. */
function places(side: 'a' | 'b', other: 'a' | 'b'): string {
  const cuts = `arraySort(arrayDistinct(arrayFilter(u -> u > 0 AND u < 1, arrayFlatten(arrayMap(t -> [${meetings}], arrayFilter(t -> ${isNear}, s${other}))))))`;
  const middles = `arrayMap((u, w) -> ${along('(u + w) / 2')}, arrayPushFront(us, 0.), arrayPushBack(us, 1.))`;
  const ofSegment = withValues({ us: cuts }, `arrayConcat(arrayMap(u -> ${along('u')}, us), ${middles})`);
  return `arrayConcat(arrayFlatten(w${side}), arrayFlatten(arrayMap(s -> ${ofSegment}, v${side})))`;
}

/** Every place of the second geometry is one of the first; `l.1` is where it is in the first, `l.2` in the second. */
const covers = 'if(kb = 2, ka = 2 AND polygonsWithinCartesian(cb, ca), arrayAll(l -> l.1 >= 0, lb))';
const isInBoth = 'l -> l.1 = 1 AND l.2 = 1';

const relations = {
  ST_COVERS: covers,
  ST_CONTAINS: `${covers} AND (kb = 2 OR arrayExists(${isInBoth}, lb))`,
  ST_CONTAINSPROPERLY: `${covers} AND arrayAll(l -> l.1 = 1, lb)`,
  ST_EQUALS: `ka = kb AND if(ka = 2, polygonsEqualsCartesian(ca, cb), ${covers} AND arrayAll(l -> l.2 >= 0, la))`,
  ST_TOUCHES: `arrayExists(l -> l.1 >= 0 AND l.2 >= 0, arrayConcat(la, lb)) AND NOT if(ka = 2 AND kb = 2, notEmpty(polygonsIntersectionCartesian(ca, cb)), arrayExists(${isInBoth}, arrayConcat(la, lb)))`,
};

/** Relations and sides whose places are asked about; elsewhere the engine compares areas. */
const isAsked: Readonly<Record<keyof typeof relations, Readonly<Record<'a' | 'b', string>>>> = {
  ST_COVERS: { a: '0', b: 'kb != 2' },
  ST_CONTAINS: { a: '0', b: 'kb != 2' },
  ST_CONTAINSPROPERLY: { a: '0', b: '1' },
  ST_EQUALS: { a: 'ka = kb AND ka != 2', b: 'ka = kb AND ka != 2' },
  ST_TOUCHES: { a: '1', b: '1' },
};

/** The relations that the engine lacks. */
export const relationNames = Object.keys(relations) as readonly (keyof typeof relations)[];

/**
 * Most pairs of a place that is asked about, or of a segment, and a segment of either geometry: one question about so many takes the
 * engine a second, and it ends no statement in the middle of one. Two areas may have 2,800 vertices together.
 */
const maxPairs = 2 ** 23;

/** Engine SQL that is 0, and an error where there are too many pairs. */
function checked(name: string, count: string): string {
  const text = `Invalid parameter value : ${name.toLowerCase()} of geometries with too many vertices`;
  return raiseIf(`(${count}) * (length(sa) + length(sb)) > ${maxPairs}`, Codes.functionParameterValue, text);
}

/** Whether a relation holds between two geometries, both engine SQL of the type Geometry. */
export function relation(name: keyof typeof relations, a: string, b: string): string {
  const asked = isAsked[name];
  const some = (list: string, side: 'a' | 'b') =>
    `arraySlice(${list}, 1, if(${asked[side]}, length(${list}), 0) + none)`;
  const whereabouts = (side: 'a' | 'b') =>
    `arrayMap(q -> (${place('a')}, ${place('b')}), arraySlice(q${side}, 1, length(q${side}) + ${checked(name, `length(q${side})`)}))`;
  const told = withValues({ la: whereabouts('a'), lb: whereabouts('b') }, relations[name]);
  const placed = withValues({ qa: places('a', 'b'), qb: places('b', 'a') }, told);
  const lists = { wa: some('pa', 'a'), wb: some('pb', 'b'), va: some('sa', 'a'), vb: some('sb', 'b') };
  const asking = `if(${asked.a}, length(sa), 0) + if(${asked.b}, length(sb), 0)`;
  const bounded = withValues({ none: checked(name, asking) }, withValues(lists, placed));
  const cut = withValues({ sa: segments('pa'), sb: segments('pb') }, bounded);
  const areasToCompare = { ca: comparable('ma'), cb: comparable('mb') };
  const listed = withValues({ pa: paths('ga', 'ma'), pb: paths('gb', 'mb'), ...areasToCompare }, cut);
  const kinds = { ka: dimension('ga'), kb: dimension('gb'), ma: areas('ga'), mb: areas('gb') };
  return withValues({ ga: a, gb: b }, withValues(kinds, listed));
}
