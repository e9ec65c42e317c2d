import { parseWellKnownText } from '../../bytes/geometry.js';
import { Codes } from '../../model/fault.js';
import { fractionText } from '../engine/fraction-text.js';
import { quoteBytes } from '../engine/quote.js';
import { raiseIf } from '../engine/raise.js';

/** A shape of each kind, to be read where a row has another kind: readers refuse those, and both sides of a choice may run. */
function someShape(text: string): string {
  return quoteBytes(parseWellKnownText(text) ?? new Uint8Array());
}

/** A point in the stored form, in place of NULL where the engine would look at it in vain. */
export const somePoint = someShape('POINT(0 0)');

/** Bytes in front of the first member of a shape: their order, its kind, how many members it has. */
const headBytes = 9;

const position = `concat(${fractionText('q.1', 6)}, ' ', ${fractionText('q.2', 6)})`;

function list(of: string, items: string, each: string): string {
  return `concat('(', arrayStringConcat(arrayMap(${of} -> ${each}, ${items}), ', '), ')')`;
}

const ring = list('q', 'r', position);
const polygon = list('r', 's', ring);

/** Positions that lie `step` bytes apart behind the head of a shape, the first of them `at` bytes behind it. */
function positionsAt(at: number, step: number): string {
  const ordinate = (from: number): string =>
    `reinterpretAsFloat64(substring(g, ${headBytes + at + from} + ${step} * n, 8))`;
  return `arrayMap(n -> tuple(${ordinate(1)}, ${ordinate(9)}), range(reinterpretAsUInt32(substring(g, 6, 4))))`;
}

const refusal = raiseIf('k > 6', Codes.notSupported, 'Operation not supported: ST_ASTEXT of a collection');
const refused = `toString(${refusal})`;

function read(type: string, kind: number, other: string): string {
  return `readWKB${type}(if(k = ${kind}, g, ${someShape(other)}))`;
}

/**
 * Well-known text of a shape in the stored form, with all digits of its numbers: the engine's own function gives six of them,
 * and knows no MULTIPOINT. Of a collection, which the engine cannot read, `ofCollection` stands there.
 */
export function wellKnownText(shape: string, ofCollection = refused): string {
  const texts = [
    `concat('POINT ', ${list('q', 'array(tuple(reinterpretAsFloat64(substring(g, 6, 8)), reinterpretAsFloat64(substring(g, 14, 8))))', position)})`,
    `concat('LINESTRING ', ${list('q', positionsAt(0, 16), position)})`,
    `concat('POLYGON ', ${list('r', read('Polygon', 3, 'POLYGON((0 0,1 0,1 1,0 0))'), ring)})`,
    `concat('MULTIPOINT ', ${list('q', positionsAt(5, 21), `concat('(', ${position}, ')')`)})`,
    `concat('MULTILINESTRING ', ${list('r', read('MultiLineString', 5, 'MULTILINESTRING((0 0,1 1))'), ring)})`,
    `concat('MULTIPOLYGON ', ${list('s', read('MultiPolygon', 6, 'MULTIPOLYGON(((0 0,1 0,1 1,0 0)))'), polygon)})`,
  ];
  const kinds = texts.flatMap((text, at) => [`k = ${at + 1}`, text]);
  const printed = `multiIf(${kinds.join(', ')}, ${ofCollection})`;
  const ofKind = `arrayMap((g, k) -> ${printed}, [${shape}], [reinterpretAsUInt32(substring(${shape}, 2, 4))])`;
  return `arrayElement(${ofKind}, 1)`;
}
