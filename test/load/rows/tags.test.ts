import test from 'ava';
import { field, openRows } from '../../support/load/plan.js';

const demo = [
  field('groupid', 'INT', { kind: 'range', min: 1, max: 11 }),
  field('location', 'VARCHAR', { kind: 'choice', values: ['California.SanJose', 'California.PaloAlto'] }, 24),
];

test('each table has tags of its own, within their ranges', async (t) => {
  const { tags } = await openRows({ tags: demo, childCount: 500 });
  const rows = tags.rows(0, 500);
  t.true(rows.every(([group]) => Number(group) >= 1 && Number(group) <= 10));
  t.is(new Set(rows.map(([group]) => group)).size, 10);
  t.deepEqual([...new Set(rows.map(([, location]) => location))].sort(), ['California.PaloAlto', 'California.SanJose']);
});

test('the tags of a table do not depend on which tables are made with it', async (t) => {
  const { tags } = await openRows({ tags: demo, childCount: 100 });
  t.deepEqual(tags.rows(40, 3)[2], tags.rows(42, 1)[0]);
});

test('tag values are the texts that their types print', async (t) => {
  const tags = [
    field('f', 'FLOAT', { kind: 'range', min: 0.1, max: 0.1 }),
    field('b', 'BOOL', { kind: 'range', min: 1, max: 1 }),
    field('n', 'INT', { kind: 'null' }),
    field('w', 'BIGINT UNSIGNED', { kind: 'range', min: 1n << 63n, max: 1n << 63n }),
  ];
  const source = await openRows({ tags });
  t.deepEqual(source.tags.rows(0, 1), [['0.1', 'true', undefined, '9223372036854775808']]);
});

test('in schemaless modes an integer tag numbers the tables', async (t) => {
  const { tags } = await openRows({ tags: demo, mode: 'sml', childCount: 300 });
  t.true(tags.distinct);
  t.deepEqual(
    tags.rows(0, 300).map(([group]) => Number(group)),
    Array.from({ length: 300 }, (_, i) => i + 1),
  );
});

test('in schemaless modes a text tag numbers the tables where no integer can', async (t) => {
  const names = [
    field('small', 'TINYINT', { kind: 'range', min: 0, max: 5 }),
    field('name', 'VARCHAR', { kind: 'text', length: 6 }, 6),
  ];
  const { tags } = await openRows({ tags: names, mode: 'sml-rest', childCount: 1000 });
  const rows = tags.rows(0, 1000);
  t.is(new Set(rows.map(([, name]) => name)).size, 1000);
  t.true(rows.every(([, name]) => (name?.length ?? 0) <= 6));
});

test('tags that cannot number the tables are not distinct', async (t) => {
  const tags = [field('b', 'BOOL', { kind: 'range', min: 0, max: 2 })];
  t.false((await openRows({ tags, mode: 'sml' })).tags.distinct);
  t.true((await openRows({ tags, mode: 'taosc' })).tags.distinct);
});
