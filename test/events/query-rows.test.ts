import test from 'ava';
import { findingsOf } from '../../src/events/query-rows.js';

const short = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  findingsOf(rows, 'rule').map(({ element, value, tags }) => [element, value, Object.fromEntries(tags)]);

test('the column element names the element, value is the value, and the others become attributes', (t) => {
  const row = { element: 'north', value: 7.5, top: 9, site: 'x', no: null, bool: true };
  t.deepEqual(short([row]), [['north', 7.5, { top: '9', site: 'x', bool: 'true' }]]);
});

test('without such a column the first text names it, and without a text the rule', (t) => {
  t.deepEqual(short([{ n: 1, site: 'a', line: 'b' }]), [['a', null, { n: '1', site: 'a', line: 'b' }]]);
  t.deepEqual(short([{ n: 1 }]), [['rule', null, { n: '1' }]]);
  t.deepEqual(short([{ element: 5, value: '9223372036854775807' }]), [['5', 2 ** 63, {}]]);
  t.deepEqual(short([{ element: '', value: 'x' }]), [['rule', null, {}]]);
});

test('an element counts once, and no rows are nothing', (t) => {
  t.is(short([{ element: 'a', value: 1 }, { element: 'a', value: 2 }, { element: 'b' }]).length, 2);
  t.deepEqual(short([]), []);
});
