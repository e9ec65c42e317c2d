import test from 'ava';
import fc from 'fast-check';
import { parseWellKnownText } from '../../src/bytes/geometry.js';
import { printWellKnownText } from '../../src/bytes/geometry-text.js';

test('prints every kind of geometry as text that gives the same bytes again', (t) => {
  for (const text of [
    'POINT (1 2)',
    'POINT (-0.5 1e+30)',
    'POINT (-0 0)',
    'LINESTRING (0 0, 1 1, 2 1)',
    'LINESTRING EMPTY',
    'POLYGON ((0 0, 4 0, 4 4, 0 0), (1 1, 2 1, 2 2, 1 1))',
    'MULTIPOINT ((1 2), (3 4))',
    'MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))',
    'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))',
    'GEOMETRYCOLLECTION (POINT (1 2), GEOMETRYCOLLECTION (LINESTRING (0 0, 1 1)))',
    'GEOMETRYCOLLECTION EMPTY',
  ]) {
    const binary = parseWellKnownText(text);
    t.truthy(binary, text);
    if (binary === undefined) continue;
    t.is(printWellKnownText(binary), text);
  }
});

test('keeps every coordinate exactly', (t) => {
  const coordinate = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 5 }), (points) => {
      const binary = parseWellKnownText(`LINESTRING (${points.map(([x, y]) => `${x} ${y}`).join(', ')})`);
      const again = binary && parseWellKnownText(printWellKnownText(binary));
      return binary !== undefined && again !== undefined && Buffer.compare(binary, again) === 0;
    }),
  );
  t.pass();
});
