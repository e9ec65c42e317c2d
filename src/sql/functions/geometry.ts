import { parseWellKnownText } from '../../bytes/geometry.js';
import { dataType } from '../../model/schema.js';
import { anyOf, bytes, nullWord } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { boolType, type Value } from '../values/value.js';
import { plainArgument } from './arguments.js';
import { somePoint, wellKnownText } from './geometry-print.js';
import { relation, relationNames } from './geometry-relations.js';
import { type ScalarFunction, scalar, wrongParameterType, wrongParameterValue } from './spec.js';

/** Room of a geometry whose size is not known before, and of its text. */
const unknownLength = 4096;
/** Geometry in the stored form; NULL was ruled out before. */
function stored(name: string, arg: Value | undefined): Expr {
  if (arg?.type.name !== 'GEOMETRY' && arg?.role !== 'null') throw wrongParameterType(name);
  return expr`ifNull(${arg.sql}, ${somePoint})`;
}

/** The same in the engine's form. */
function geometry(name: string, arg: Value | undefined): Expr {
  return expr`readWKB(${stored(name, arg)})`;
}

function unlessNull(args: readonly Value[], sql: Expr): Expr {
  return expr`if(${anyOf(args.map((arg) => expr`isNull(${arg.sql})`))}, NULL, ${sql})`;
}

/** Well-known text as it is stored: little-endian well-known binary. A literal that is none has error 0x2803. */
function fromText(args: readonly Value[]): Expr {
  const [arg] = args;
  if (typeof arg?.constant !== 'string') {
    return unlessNull(args, expr`wkb(readWKT(ifNull(${plainArgument(args, 0)}, 'POINT(0 0)')))`);
  }
  const shape = parseWellKnownText(arg.constant);
  if (shape === undefined) throw wrongParameterValue('ST_GEOMFROMTEXT');
  return bytes(shape);
}

function makePoint(args: readonly Value[]): Expr {
  if (args.some(({ role }) => role === 'null')) return nullWord;
  const ordinates = args.map(({ sql }) => expr`toFloat64(assumeNotNull(${sql}))`);
  return unlessNull(args, expr`wkb(CAST(tuple(${ordinates}), 'Point'))`);
}

/** Code of a shape: 1 to 6 are POINT, LINESTRING, POLYGON and many of each. */
function kindOf(shape: Expr): Expr {
  return expr`reinterpretAsUInt8(substring(${shape}, 2, 1))`;
}

/** Number of parts of a shape that is no POINT: of a line its points, of a polygon its rings, else the shapes in it. */
function partsOf(shape: Expr): Expr {
  return expr`toInt32(reinterpretAsUInt32(substring(${shape}, 6, 4)))`;
}

/** What a shape is made of; `sql` gives it by the stored bytes. */
function counting(name: string, sql: (shape: Expr) => Expr, result = dataType('INT')): ScalarFunction {
  return scalar(name, ['any'], result, (args) => unlessNull(args, sql(stored(name, args[0]))));
}

/** Functions on GEOMETRY. */
export const geometryFunctions: readonly ScalarFunction[] = [
  scalar('ST_GEOMFROMTEXT', ['text'], dataType('GEOMETRY', unknownLength), fromText),
  scalar('ST_MAKEPOINT', ['number', 'number'], dataType('GEOMETRY', 21), makePoint),
  scalar('ST_ASTEXT', ['any'], dataType('VARCHAR', unknownLength), (args) =>
    unlessNull(args, wellKnownText(stored('ST_ASTEXT', args[0]))),
  ),
  ...['ST_X', 'ST_Y'].map((name, at) => {
    return scalar(name, ['any'], dataType('DOUBLE'), (args) => {
      const shape = stored(name, args[0]);
      // Byte order and kind stand before the two numbers of a point.
      const ordinate = expr`reinterpretAsFloat64(substring(${shape}, ${6 + 8 * at}, 8))`;
      return unlessNull(args, expr`if(${kindOf(shape)} = 1, ${ordinate}, NULL)`);
    });
  }),
  counting('ST_DIMENSION', (shape) => expr`toInt32((${kindOf(shape)} - 1) % 3)`),
  counting('ST_NUMPOINTS', (shape) => expr`if(${kindOf(shape)} = 2, ${partsOf(shape)}, NULL)`),
  counting('ST_NUMINTERIORRINGS', (shape) => expr`if(${kindOf(shape)} = 3, greatest(${partsOf(shape)} - 1, 0), NULL)`),
  counting('ST_NUMGEOMETRIES', (shape) => expr`if(${kindOf(shape)} > 3, ${partsOf(shape)}, NULL)`),
  counting('ST_ISEMPTY', (shape) => expr`and(${kindOf(shape)} > 1, ${partsOf(shape)} = 0)`, boolType),
  scalar('ST_INTERSECTS', ['any', 'any'], boolType, (args) => {
    const shapes = args.map((arg) => geometry('ST_INTERSECTS', arg));
    return unlessNull(args, expr`geometryIntersectCartesian(${shapes})`);
  }),
  ...relationNames.map((name) => {
    return scalar(name, ['any', 'any'], boolType, (args) => {
      const [a, b] = [geometry(name, args[0]), geometry(name, args[1])];
      return unlessNull(args, relation(name, a, b));
    });
  }),
];
