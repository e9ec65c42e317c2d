import test from 'ava';
import { normalTableId, shapeName, subTableId } from '../../../src/database/catalogue/identity.js';

test('ids are what data that is stored already was written under', (t) => {
  t.is(subTableId('d3_0', 't_8ef06d0f5370118f010aad1fe20bd698', 0), 14263111823363435981n);
  t.is(subTableId('d3_0', 'wärme', 12), 11731235909713242362n);
  t.is(normalTableId('d1_0', '7_1'), 5320314339088329733n);
  t.is(shapeName(['c1_Float64', 'c2_String']), '64dcb34460daa0c3');
});
