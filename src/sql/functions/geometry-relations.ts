import { Codes } from '../../model/fault.js';
import { column, one, text, zero } from '../engine/build.js';
import { type Expr, Lambda } from '../engine/nodes.js';
import { raiseIf } from '../engine/raise.js';
import { castTo } from '../engine/storage.js';
import { expr } from '../engine/template.js';

/**
 * How two geometries lie to each other (OGC 06-103r4, 6.1.15), as an expression. The engine compares polygons only.
 * Here a geometry is its vertices and segments, and a place is inside of it, on its boundary or outside. Segments are
 * cut where they can meet those of the other geometry, so all places between two cuts lie alike, and their middle
 * speaks for them. Areas are compared by the engine.
 */

/**
 * An expression with names for values, as the engine has no variables inside one. A list of a constant would be a
 * constant, too, and one of an empty list of lists is sent to other nodes of a cluster in a form that they do not read.
 */
function withValues(values: Readonly<Record<string, Expr>>, result: Expr): Expr {
  const lists = Object.values(values).map((value) => expr`[materialize(${value})]`);
  return expr`arrayMap(${new Lambda(Object.keys(values), result)}, ${lists})[1]`;
}

/** One of the names that an expression gives to its values. */
function known(name: string): Expr {
  return column(undefined, name);
}

function part(geometry: Expr, type: string): Expr {
  return expr`variantElement(${geometry}, ${text(type)})`;
}

/** 0 for points, 1 for lines, 2 for areas. */
function dimension(geometry: Expr): Expr {
  return expr`multiIf(variantType(${geometry}) = 'Point', 0, variantType(${geometry}) IN ('LineString', 'MultiLineString'), 1, 2)`;
}

/** Polygons; nothing for points and lines. */
function areas(geometry: Expr): Expr {
  const [polygon, ring] = [part(geometry, 'Polygon'), part(geometry, 'Ring')];
  const ofPolygon = expr`if(empty(${polygon}), [], [${castTo(polygon, 'Polygon')}])`;
  const ofRing = expr`if(empty(${ring}), [], [[${castTo(ring, 'Ring')}]])`;
  return expr`arrayConcat(${castTo(part(geometry, 'MultiPolygon'), 'MultiPolygon')}, ${ofPolygon}, ${ofRing})`;
}

/** Areas to be compared: some area in place of none, behind which the engine takes those of other rows for empty. */
function comparable(polygons: Expr): Expr {
  return expr`if(empty(${polygons}), CAST([[[(0, 0), (0, 1), (1, 1), (0, 0)]]], 'MultiPolygon'), ${polygons})`;
}

/** Lists of vertices: a point, lines, rings. */
function paths(geometry: Expr, polygons: Expr): Expr {
  const line = castTo(part(geometry, 'LineString'), 'LineString');
  const lines = expr`arrayConcat(${castTo(part(geometry, 'MultiLineString'), 'MultiLineString')}, [${line}])`;
  const rings = expr`arrayFold((all, polygon) -> arrayConcat(all, polygon), ${polygons}, ${lines})`;
  const point = expr`[[${part(geometry, 'Point')}]]`;
  return expr`if(variantType(${geometry}) = 'Point', ${point}, arrayFilter(path -> notEmpty(path), ${rings}))`;
}

/** Segments as `(x1, y1, x2, y2)`. */
function segments(list: Expr): Expr {
  const ofPath = expr`arrayMap((a, b) -> (a.1, a.2, b.1, b.2), arrayPopBack(path), arrayPopFront(path))`;
  return expr`arrayFlatten(arrayMap(path -> ${ofPath}, ${list}))`;
}

const size = expr`abs(s.1) + abs(s.2) + abs(s.3) + abs(s.4)`;
/** Places that are computed miss their segment by the rounding of their coordinates. */
const slack = expr`${1e-14} * ${size}`;
const across = expr`(s.3 - s.1) * (q.2 - s.2) - (s.4 - s.2) * (q.1 - s.1)`;
const onSegment = expr`abs(${across}) <= (abs(s.3 - s.1) + abs(s.4 - s.2)) * ${slack}
  AND q.1 BETWEEN least(s.1, s.3) - ${slack} AND greatest(s.1, s.3) + ${slack}
  AND q.2 BETWEEN least(s.2, s.4) - ${slack} AND greatest(s.2, s.4) + ${slack}`;
/** A ray from the place to the right crosses the segment. */
const crossesRay = expr`(s.2 > q.2) != (s.4 > q.2) AND q.1 < (s.3 - s.1) * (q.2 - s.2) / (s.4 - s.2) + s.1`;

/**
 * Where the place `q` is: 1 inside, 0 on the boundary, -1 outside. Lines that end an even number of times at a place do
 * not end there.
 */
function place(side: 'a' | 'b'): Expr {
  const [kind, list, own] = [known(`k${side}`), known(`p${side}`), known(`s${side}`)];
  const ends = expr`countEqual(arrayFlatten(arrayMap(path -> [path[1], path[-1]], ${list})), q) % 2 = 1`;
  const isOn = expr`arrayExists(s -> ${onSegment}, ${own})`;
  const isInside = expr`arrayCount(s -> ${crossesRay}, ${own}) % 2 = 1`;
  const ofPoint = expr`if(has(arrayFlatten(${list}), q), 1, -1)`;
  const onBoundary = expr`if(${kind} = 2 OR ${ends}, 0, 1)`;
  return expr`multiIf(${kind} = 0, ${ofPoint}, ${isOn}, ${onBoundary}, ${kind} = 2 AND ${isInside}, 1, -1)`;
}

/** True where the boxes around the segments `s` and `t` meet: elsewhere the segments do not. */
const isNear = expr`least(t.1, t.3) <= greatest(s.1, s.3) + ${slack} AND greatest(t.1, t.3) >= least(s.1, s.3) - ${slack}
  AND least(t.2, t.4) <= greatest(s.2, s.4) + ${slack} AND greatest(t.2, t.4) >= least(s.2, s.4) - ${slack}`;

/** The share of the segment `s` at the foot of a place. */
function foot(x: Expr, y: Expr): Expr {
  const ahead = expr`(${x} - s.1) * (s.3 - s.1) + (${y} - s.2) * (s.4 - s.2)`;
  return expr`${ahead} / ((s.3 - s.1) * (s.3 - s.1) + (s.4 - s.2) * (s.4 - s.2))`;
}

/**
 * Where a segment `s` may meet a segment `t`, as shares of its length: where their lines cross, and at the feet of the
 * ends of `t`.
 */
const meetings = [
  expr`((t.1 - s.1) * (t.4 - t.2) - (t.2 - s.2) * (t.3 - t.1)) / ((s.3 - s.1) * (t.4 - t.2) - (s.4 - s.2) * (t.3 - t.1))`,
  foot(expr`t.1`, expr`t.2`),
  foot(expr`t.3`, expr`t.4`),
];

function along(share: Expr): Expr {
  return expr`(s.1 + ${share} * (s.3 - s.1), s.2 + ${share} * (s.4 - s.2))`;
}

/**
 * Places of one side that speak for all others: vertices, cuts, and the middles between cuts. `w` and `v` are the paths
 * and segments that are checked.
 */
function places(side: 'a' | 'b', other: 'a' | 'b'): Expr {
  const met = expr`arrayMap(t -> [${meetings}], arrayFilter(t -> ${isNear}, ${known(`s${other}`)}))`;
  const cuts = expr`arraySort(arrayDistinct(arrayFilter(u -> u > 0 AND u < 1, arrayFlatten(${met}))))`;
  const middles = expr`arrayMap((u, w) -> ${along(expr`(u + w) / 2`)}, arrayPushFront(us, 0.), arrayPushBack(us, 1.))`;
  const ofSegment = withValues({ us: cuts }, expr`arrayConcat(arrayMap(u -> ${along(expr`u`)}, us), ${middles})`);
  const ofSegments = expr`arrayMap(s -> ${ofSegment}, ${known(`v${side}`)})`;
  return expr`arrayConcat(arrayFlatten(${known(`w${side}`)}), arrayFlatten(${ofSegments}))`;
}

/** Every place of the second geometry is one of the first; `l.1` is where it is in the first, `l.2` in the second. */
const covers = expr`if(kb = 2, ka = 2 AND polygonsWithinCartesian(cb, ca), arrayAll(l -> l.1 >= 0, lb))`;
const isInBoth = expr`l -> l.1 = 1 AND l.2 = 1`;

/** Two geometries meet somewhere, but not inside of both. */
function touches(): Expr {
  const meets = expr`arrayExists(l -> l.1 >= 0 AND l.2 >= 0, arrayConcat(la, lb))`;
  const areasOverlap = expr`notEmpty(polygonsIntersectionCartesian(ca, cb))`;
  const overlaps = expr`if(ka = 2 AND kb = 2, ${areasOverlap}, arrayExists(${isInBoth}, arrayConcat(la, lb)))`;
  return expr`${meets} AND NOT ${overlaps}`;
}

const relations = {
  ST_COVERS: covers,
  ST_CONTAINS: expr`${covers} AND (kb = 2 OR arrayExists(${isInBoth}, lb))`,
  ST_CONTAINSPROPERLY: expr`${covers} AND arrayAll(l -> l.1 = 1, lb)`,
  ST_EQUALS: expr`ka = kb AND if(ka = 2, polygonsEqualsCartesian(ca, cb), ${covers} AND arrayAll(l -> l.2 >= 0, la))`,
  ST_TOUCHES: touches(),
};

const ofLines = expr`ka = kb AND ka != 2`;

/** Relations and sides whose points are checked; elsewhere the engine compares areas. */
const looksAt: Readonly<Record<keyof typeof relations, Readonly<Record<'a' | 'b', Expr>>>> = {
  ST_COVERS: { a: zero, b: expr`kb != 2` },
  ST_CONTAINS: { a: zero, b: expr`kb != 2` },
  ST_CONTAINSPROPERLY: { a: zero, b: one },
  ST_EQUALS: { a: ofLines, b: ofLines },
  ST_TOUCHES: { a: one, b: one },
};

/** The relations that the engine lacks. */
export const relationNames = Object.keys(relations) as readonly (keyof typeof relations)[];

/**
 * Most pairs of a checked point, or of a segment, and a segment of either geometry: one relation of so many takes the
 * engine a second, and it does not cancel a statement during one. Two areas may have 2,800 vertices together.
 */
const maxPairs = 2 ** 23;

/** An expression that is 0, and an error where there are too many pairs. */
function checked(name: string, count: Expr): Expr {
  const message = `Invalid parameter value : ${name.toLowerCase()} of geometries with too many vertices`;
  return raiseIf(expr`${count} * (length(sa) + length(sb)) > ${maxPairs}`, Codes.functionParameterValue, message);
}

/** Whether a relation holds between two geometries, both expressions of the type Geometry. */
export function relation(name: keyof typeof relations, a: Expr, b: Expr): Expr {
  const looked = looksAt[name];
  const some = (list: Expr, side: 'a' | 'b'): Expr =>
    expr`arraySlice(${list}, 1, if(${looked[side]}, length(${list}), 0) + none)`;
  const whereabouts = (side: 'a' | 'b'): Expr => {
    const count = expr`length(${known(`q${side}`)})`;
    const slice = expr`arraySlice(${known(`q${side}`)}, 1, ${count} + ${checked(name, count)})`;
    return expr`arrayMap(q -> (${place('a')}, ${place('b')}), ${slice})`;
  };
  const related = withValues({ la: whereabouts('a'), lb: whereabouts('b') }, relations[name]);
  const placed = withValues({ qa: places('a', 'b'), qb: places('b', 'a') }, related);
  const [pa, pb, sa, sb] = [known('pa'), known('pb'), known('sa'), known('sb')];
  const lists = { wa: some(pa, 'a'), wb: some(pb, 'b'), va: some(sa, 'a'), vb: some(sb, 'b') };
  const count = expr`if(${looked.a}, length(sa), 0) + if(${looked.b}, length(sb), 0)`;
  const bounded = withValues({ none: checked(name, count) }, withValues(lists, placed));
  const cut = withValues({ sa: segments(pa), sb: segments(pb) }, bounded);
  const [ga, gb, ma, mb] = [known('ga'), known('gb'), known('ma'), known('mb')];
  const areasToCompare = { ca: comparable(ma), cb: comparable(mb) };
  const listed = withValues({ pa: paths(ga, ma), pb: paths(gb, mb), ...areasToCompare }, cut);
  const kinds = { ka: dimension(ga), kb: dimension(gb), ma: areas(ga), mb: areas(gb) };
  return withValues({ ga: a, gb: b }, withValues(kinds, listed));
}
