import test from 'ava';
import fc from 'fast-check';
import { parseWellKnownText } from '../../src/bytes/geometry.js';

function hex(text: string): string | undefined {
  const bytes = parseWellKnownText(text);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('hex');
}

const one = '000000000000f03f';
const two = '0000000000000040';

test('encodes each kind of geometry', (t) => {
  t.is(hex('POINT(100 100)'), '010100000000000000000059400000000000005940');
  t.is(hex(' point ( 1\t2 ) '), `0101000000${one}${two}`);
  t.is(hex('LINESTRING(1 2,2 1)'), `010200000002000000${one}${two}${two}${one}`);
  t.is(hex('POLYGON((1 1,2 2,1 2,1 1))'), `01030000000100000004000000${one}${one}${two}${two}${one}${two}${one}${one}`);
  const points = `0101000000${one}${two}0101000000${two}${one}`;
  t.is(hex('MULTIPOINT(1 2,2 1)'), `010400000002000000${points}`);
  t.is(hex('MULTIPOINT((1 2),(2 1))'), `010400000002000000${points}`);
  t.is(hex('MULTILINESTRING((1 2,2 1))'), `010500000001000000010200000002000000${one}${two}${two}${one}`);
  t.is(
    hex('MULTIPOLYGON(((1 1,2 2,1 1)))'),
    `01060000000100000001030000000100000003000000${one}${one}${two}${two}${one}${one}`,
  );
  t.is(hex('GEOMETRYCOLLECTION(POINT(1 2))'), `0107000000010000000101000000${one}${two}`);
  t.is(hex('LINESTRING EMPTY'), '010200000000000000');
});

test('refuses what is not a geometry, whatever it is', (t) => {
  const bad = [
    '',
    'POINT',
    'POINT()',
    'POINT(1)',
    'POINT(1 2',
    'POINT(1 2))',
    'POINT(1 2 3)',
    'POINT(a 1)',
    'POINT(1e999 1)',
    'CIRCLE(1 2)',
    'LINESTRING(1 2)',
    'POLYGON((1 2, 3 4))',
    'POLYGON((0 0, 1 0, 1 1, 0 2))',
    'MULTIPOLYGON(((0 0, 1 0, 0 0)), ((0 0, 1 0, 2 0)))',
  ];
  for (const text of bad) t.is(hex(text), undefined, text);
  t.is(hex(`${'GEOMETRYCOLLECTION('.repeat(100)}POINT(1 2)${')'.repeat(100)}`), undefined);
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('POINT', 'POLYGON', '(', ')', ',', ' ', '1', '-2.5e3', 'EMPTY')),
        (words) => {
          parseWellKnownText(words.join(''));
        },
      ),
    ),
  );
});
