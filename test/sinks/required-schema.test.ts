import test from 'ava';
import { FaultError } from '../../src/model/fault.js';
import { dataType } from '../../src/model/schema.js';
import { growthFor } from '../../src/sinks/required-schema.js';
import { blockOf, int } from '../support/blocks.js';

test('blocks of a table that does not exist yet need all their columns, each once and in its widest form', (t) => {
  const short = blockOf('t', { v: int, s: dataType('VARCHAR', 8) }, [[1n, 1n, { v: 1, s: 'a' }]]);
  const long = blockOf('t', { s: dataType('VARCHAR', 16) }, [[1n, 2n, { s: 'b' }]]);
  t.deepEqual(growthFor([short, long], undefined).columns, [
    { name: 'v', type: int },
    { name: 's', type: dataType('VARCHAR', 16) },
  ]);
});

test('blocks that disagree about the type of a column are never written together', (t) => {
  const whole = blockOf('t', { v: int }, [[1n, 1n, { v: 1 }]]);
  const broken = blockOf('t', { v: dataType('DOUBLE') }, [[1n, 2n, { v: 1.5 }]]);
  const error = t.throws(() => growthFor([whole, broken], undefined), { instanceOf: FaultError });
  t.is(error?.fault.code, 0x3004);
});
