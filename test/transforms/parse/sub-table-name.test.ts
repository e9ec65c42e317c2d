import test from 'ava';
import { seriesTableName, sortTags } from '../../../src/transforms/parse/sub-table-name.js';

test('names a sub-table after the MD5 of its series', (t) => {
  const tags = sortTags([
    ['site', 'north'],
    ['floor', '2'],
  ]);
  t.is(seriesTableName('room_temp', tags), 't_8ef06d0f5370118f010aad1fe20bd698');
  t.is(seriesTableName('weather', [['city', 'oslo']]), 't_ddbc9663d0b038b5fc1479d4c92fe0d5');
  t.is(seriesTableName('cpu', []), 't_d9747e2da342bdb995f6389533ad1a3d');
});

test('orders tags without regard to case, shorter names first, and always the same way', (t) => {
  const names = ['b', 'Ab', 'a', 'aB', 'B', 'ab', 'A', 'abc', '\u{1f600}', '\uffee', 'ä'];
  const order = ['A', 'a', 'Ab', 'aB', 'ab', 'abc', 'B', 'b', 'ä', '\uffee', '\u{1f600}'];
  const sorted = (list: readonly string[]) =>
    sortTags(list.map((name): [string, string] => [name, '1'])).map(([n]) => n);
  t.deepEqual(sorted(names), order);
  t.deepEqual(sorted(names.toReversed()), order);
});
