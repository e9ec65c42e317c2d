import test from 'ava';
import { readWave } from '../../../src/load/settings/fields.js';

for (const [text, shape, amplitude, offset, fluctuation] of [
  ['10*sin(x)+5*random(3)', 'sin', 10, 5, 3],
  [' 8 * cos( x ) + 20 * random( 5 ) ', 'cos', 8, 20, 5],
  ['1.5*cos(x)-2.5*random(10)', 'cos', 1.5, -2.5, 10],
  ['-3*sin(x)+1*random(0)', 'sin', -3, 1, 0],
  ['3*sin(x)+1*random()', 'sin', 3, 1, 0],
  ['3*sin(x)', 'sin', 3, 0, 0],
  ['sin(x)+4', 'sin', 1, 4, 0],
  ['.5e1*sin(x)-0', 'sin', 5, 0, 0],
] as const) {
  test(`reads ${text}`, (t) => {
    t.deepEqual(readWave(text), { shape, amplitude, offset, fluctuation });
  });
}

for (const text of [
  '',
  'x',
  'tan(x)',
  'Sin(x)',
  '10*sin(y)',
  '10 sin(x)',
  '10*sin(x)+5*random(1.5)',
  '10*sin(x)+',
  `${'0'.repeat(100)}*sin(x)`,
]) {
  test(`refuses ${JSON.stringify(text).slice(0, 30)}`, (t) => {
    t.is(readWave(text), undefined);
  });
}
