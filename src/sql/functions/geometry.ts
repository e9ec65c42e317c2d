import { parseWellKnownText } from '../../bytes/geometry.js';
import { dataType } from '../../model/schema.js';
import { quoteBytes } from '../engine/quote.js';
import { boolType, type Value } from '../values/value.js';
import { somePoint, wellKnownText } from './geometry-print.js';
import { relation, relationNames } from './geometry-relations.js';
import { type ScalarFunction, scalar, wrongParameterType, wrongParameterValue } from './spec.js';

/** Room of a geometry whose size is not known before, and of its text. */
const unknownLength = 4096;
/** Geometry in the stored form; NULL was ruled out before. */
function stored(name: string, arg: Value | undefined): string {
  if (arg?.type.name !== 'GEOMETRY' && arg?.role !== 'null') throw wrongParameterType(name);
  return `ifNull(${arg.sql}, ${somePoint})`;
}

/** The same in the engine's form. */
function geometry(name: string, arg: Value | undefined): string {
  return `readWKB(${stored(name, arg)})`;
}

function unlessNull(args: readonly Value[], sql: string): string {
  const missing = args.map(({ sql: argument }) => `isNull(${argument})`);
  return `if(${missing.length === 1 ? missing[0] : `or(${missing.join(', ')})`}, NULL, ${sql})`;
}

/** Well-known text as it is stored: little-endian well-known binary. A literal that is none has error 0x2803. */
function fromText(args: readonly Value[]): string {
  const [arg] = args;
  if (typeof arg?.constant !== 'string') return unlessNull(args, `wkb(readWKT(ifNull(${arg?.sql}, 'POINT(0 0)')))`);
  const bytes = parseWellKnownText(arg.constant);
  if (bytes === undefined) throw wrongParameterValue('ST_GEOMFROMTEXT');
  return quoteBytes(bytes);
}

function makePoint(args: readonly Value[]): string {
  const ordinates = args.map(({ sql }) => `toFloat64(assumeNotNull(${sql}))`);
  return unlessNull(args, `wkb(CAST(tuple(${ordinates.join(', ')}), 'Point'))`);
}

/** Code of a shape: 1 to 6 are POINT, LINESTRING, POLYGON and many of each. */
function kindOf(bytes: string): string {
  return `reinterpretAsUInt8(substring(${bytes}, 2, 1))`;
}

/** Number of parts of a shape that is no POINT: of a line its points, of a polygon its rings, else the shapes in it. */
function partsOf(bytes: string): string {
  return `toInt32(reinterpretAsUInt32(substring(${bytes}, 6, 4)))`;
}

/** What a shape is made of; `sql` gives it by the stored bytes. */
function counting(name: string, sql: (bytes: string) => string, result = dataType('INT')): ScalarFunction {
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
      const bytes = stored(name, args[0]);
      // Byte order and kind stand before the two numbers of a point.
      const ordinate = `reinterpretAsFloat64(substring(${bytes}, ${6 + 8 * at}, 8))`;
      return unlessNull(args, `if(substring(${bytes}, 2, 1) = '\\x01', ${ordinate}, NULL)`);
    });
  }),
  counting('ST_DIMENSION', (bytes) => `toInt32((${kindOf(bytes)} - 1) % 3)`),
  counting('ST_NUMPOINTS', (bytes) => `if(${kindOf(bytes)} = 2, ${partsOf(bytes)}, NULL)`),
  counting('ST_NUMINTERIORRINGS', (bytes) => `if(${kindOf(bytes)} = 3, greatest(${partsOf(bytes)} - 1, 0), NULL)`),
  counting('ST_NUMGEOMETRIES', (bytes) => `if(${kindOf(bytes)} > 3, ${partsOf(bytes)}, NULL)`),
  counting('ST_ISEMPTY', (bytes) => `and(${kindOf(bytes)} > 1, ${partsOf(bytes)} = 0)`, boolType),
  scalar('ST_INTERSECTS', ['any', 'any'], boolType, (args) => {
    const [a, b] = args.map((arg) => geometry('ST_INTERSECTS', arg));
    return unlessNull(args, `geometryIntersectCartesian(${a}, ${b})`);
  }),
  ...relationNames.map((name) => {
    return scalar(name, ['any', 'any'], boolType, (args) => {
      const [a = '', b = ''] = args.map((arg) => geometry(name, arg));
      return unlessNull(args, relation(name, a, b));
    });
  }),
];
