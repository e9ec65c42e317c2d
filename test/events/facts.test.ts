import test from 'ava';
import { factsOf } from '../../src/events/facts.js';
import type { ValueRule } from '../../src/events/rule.js';

const rule: ValueRule = {
  kind: 'value',
  name: 'hot',
  database: 'plant',
  table: 'ovens',
  column: 'temp',
  comparison: '>',
  threshold: 80,
  severity: 'warning',
  element: '{series}',
  title: '{column} of {series} is {comparison} {threshold}',
  description: '',
  resolves: true,
  tags: new Map(),
  forMs: 0,
  clear: undefined,
};
const tags = new Map([
  ['site', 'north'],
  ['line', '1'],
]);
const finding = { tags, value: 93, series: '17' };

test('a series whose name is a fingerprint is shown by its tags', (t) => {
  const element = 't_bca93dbf1379d1b0e5b6a1f0c2d3e4f5';
  t.like(factsOf(rule, { ...finding, element }), {
    elementId: 'site=north, line=1',
    title: 'temp of site=north, line=1 is > 80',
    attributes: { tbname: element },
  });
  t.is(factsOf(rule, { ...finding, tags: new Map(), element }).elementId, element);
});

test('a named series is shown by its name, and a tag called series is that tag', (t) => {
  t.is(factsOf(rule, { ...finding, element: 'oven-7' }).title, 'temp of oven-7 is > 80');
  const own = new Map([['series', 'mine']]);
  t.is(factsOf(rule, { ...finding, tags: own, element: 'oven-7' }).elementId, 'mine');
});
