import test from 'ava';
import fc from 'fast-check';
import {
  commonBits,
  leadIn,
  leadOf,
  normalTableId,
  seriesId,
  shapeName,
  subTableKey,
} from '../../../src/database/catalogue/identity.js';

test('ids are what data that is stored already was written under', (t) => {
  t.is(subTableKey('d3_0', 't_8ef06d0f5370118f010aad1fe20bd698', 0), 14263111823363435981n);
  t.is(subTableKey('d3_0', 'wärme', 12), 11731235909713242362n);
  t.is(normalTableId('d1_0', '7_1'), 5320314339088329733n);
  t.is(shapeName(['c1_Float64', 'c2_String']), '64dcb34460daa0c3');
  t.is(leadOf('up'), 37_735);
  t.is(seriesId(14263111823363435981n, leadOf('up')), 10621670049657679309n);
});

test('an id is the key, or the bits of it behind those of a metric', (t) => {
  const keys = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(keys, fc.nat(65_535), (key, lead) => {
      const id = seriesId(key, lead);
      t.is(seriesId(key, leadIn(key, id)), id);
      t.is(commonBits(id), commonBits(key));
      t.is(id, lead === 0 ? key : BigInt(lead) * 2n ** 48n + (key % 2n ** 48n));
    }),
  );
});

test('the lead of any metric is a number from 1 to 65535', (t) => {
  fc.assert(
    fc.property(fc.string(), (metric) => {
      const lead = leadOf(metric);
      t.true(Number.isInteger(lead) && lead >= 1 && lead <= 65_535);
    }),
  );
});
