import test from 'ava';
import fc from 'fast-check';
import { seriesTableName, sortTags } from '../../../src/transforms/points/sub-table-name.js';

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

test('tags of any names are in the order of their bytes in UTF-8, letters of ASCII in lower case', (t) => {
  const byBytes = (a: string, b: string): number =>
    Buffer.compare(Buffer.from(a.replace(/[A-Z]/g, (letter) => letter.toLowerCase())), Buffer.from(b));
  const name = fc.string({
    unit: fc.constantFrom('a', 'b', '_', '~', 'ä', '\u07ff', '\ud7ff', '\uffee', '\u{10000}', '\u{1f600}'),
  });
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 8 }), fc.boolean(), (names, upper) => {
      const written = names.map((one) => (upper ? one.replace('a', 'A') : one));
      const sorted = sortTags(written.map((one): [string, string] => [one, '1'])).map(([one]) => one.toLowerCase());
      t.deepEqual(sorted, names.toSorted(byBytes));
    }),
  );
});

test('series that differ have names that differ, whatever commas and equals signs they hold', (t) => {
  // A comma alone, or an equals sign alone, changes no name.
  t.is(seriesTableName('m', [['a', '1,2']]), 't_32828982abbaf2620aa7810d272d6ab0');
  t.is(seriesTableName('m', [['a', '1=2']]), 't_108cbff5e9f98212952ff71e534d30f2');
  const texts = ['a', 'b', 'a,b=a', 'b=a', 'a,b', ',', '=', '\0'];
  const pairs = texts.flatMap((name) => texts.map((value): [string, string] => [name, value]));
  const tags = [[], ...pairs.map((pair) => [pair]), ...pairs.flatMap((a) => pairs.map((b) => [a, b]))];
  const names = new Map<string, string>();
  for (const table of ['m', 'm,a=a', 'm=']) {
    for (const list of tags) {
      const sorted = sortTags(new Map(list));
      const key = JSON.stringify([table, sorted]);
      const name = seriesTableName(table, sorted);
      if ((names.get(name) ?? key) !== key) t.fail(`${key} and ${names.get(name)} are both ${name}`);
      names.set(name, key);
    }
  }
});
