import { parseWellKnownText } from '../../bytes/geometry.js';
import { Codes } from '../../model/fault.js';
import { bytes, call } from '../engine/build.js';
import { fractionText } from '../engine/fraction-text.js';
import { type Expr, Lambda } from '../engine/nodes.js';
import { raiseIf } from '../engine/raise.js';
import { expr } from '../engine/template.js';

/**
 * A shape of each kind, to be read where a row has another kind: readers refuse those, and both sides of a choice may
 * run.
 */
function someShape(description: string): Expr {
  return bytes(parseWellKnownText(description) ?? new Uint8Array());
}

/** A point in the stored form, in place of NULL where the engine would look at it in vain. */
export const somePoint = someShape('POINT(0 0)');

/** Bytes in front of the first member of a shape: their order, its kind, how many members it has. */
const headBytes = 9;

const position = expr`concat(${fractionText(expr`q.1`, 6)}, ' ', ${fractionText(expr`q.2`, 6)})`;

/** The text of a list: `each` is the text of one of its items, which is called `name` there. */
function list(name: string, items: Expr, each: Expr): Expr {
  return expr`concat('(', arrayStringConcat(arrayMap(${new Lambda([name], each)}, ${items}), ', '), ')')`;
}

const ring = list('q', expr`r`, position);
const polygon = list('r', expr`s`, ring);

/** Positions that lie `step` bytes apart behind the head of a shape, the first of them `at` bytes behind it. */
function positionsAt(at: number, step: number): Expr {
  const ordinate = (from: number): Expr =>
    expr`reinterpretAsFloat64(substring(g, ${headBytes + at + from} + ${step} * n, 8))`;
  return expr`arrayMap(n -> tuple(${ordinate(1)}, ${ordinate(9)}), range(reinterpretAsUInt32(substring(g, 6, 4))))`;
}

const refusal = raiseIf(expr`k > 6`, Codes.notSupported, 'Operation not supported: ST_ASTEXT of a collection');
const refused = expr`toString(${refusal})`;

function read(type: string, kind: number, other: string): Expr {
  return call(`readWKB${type}`, expr`if(k = ${kind}, g, ${someShape(other)})`);
}

/**
 * Well-known text of a shape in the stored form, with all digits of its numbers: the engine's own function gives six of
 * them, and knows no MULTIPOINT. Of a collection, which the engine cannot read, `ofCollection` stands there.
 */
export function wellKnownText(shape: Expr, ofCollection = refused): Expr {
  const point = expr`array(tuple(reinterpretAsFloat64(substring(g, 6, 8)), reinterpretAsFloat64(substring(g, 14, 8))))`;
  const texts = [
    expr`concat('POINT ', ${list('q', point, position)})`,
    expr`concat('LINESTRING ', ${list('q', positionsAt(0, 16), position)})`,
    expr`concat('POLYGON ', ${list('r', read('Polygon', 3, 'POLYGON((0 0,1 0,1 1,0 0))'), ring)})`,
    expr`concat('MULTIPOINT ', ${list('q', positionsAt(5, 21), expr`concat('(', ${position}, ')')`)})`,
    expr`concat('MULTILINESTRING ', ${list('r', read('MultiLineString', 5, 'MULTILINESTRING((0 0,1 1))'), ring)})`,
    expr`concat('MULTIPOLYGON ', ${list('s', read('MultiPolygon', 6, 'MULTIPOLYGON(((0 0,1 0,1 1,0 0)))'), polygon)})`,
  ];
  const kinds = texts.flatMap((shapeText, at) => [expr`k = ${at + 1}`, shapeText]);
  const printed = expr`multiIf(${kinds}, ${ofCollection})`;
  const ofKind = expr`arrayMap((g, k) -> ${printed}, [${shape}], [reinterpretAsUInt32(substring(${shape}, 2, 4))])`;
  return expr`arrayElement(${ofKind}, 1)`;
}
