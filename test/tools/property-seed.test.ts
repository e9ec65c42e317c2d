import test from 'ava';
import fc from 'fast-check';

test('property tests begin with the seed that is asked for', (t) => {
  const seed = process.env.PROPERTY_SEED ?? '20261121';
  t.is(fc.readConfigureGlobal().seed, seed === 'random' ? undefined : Number(seed));
});
