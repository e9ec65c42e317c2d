import test from 'ava';

interface Tag {
  readonly name: string;
  readonly key?: string;
  readonly type: string;
  readonly distinct: number;
}
interface JsonTags {
  readonly keysOf: (name: string, series: readonly object[], isSample: boolean) => Tag[];
  readonly narrowed: (tags: readonly Tag[], filters: readonly object[]) => readonly Tag[];
}

const { keysOf, narrowed }: JsonTags = await import(new URL('../../../page/json-tags.js', import.meta.url).href);

const series = [
  { __name__: 'up', job: 'node', instance: 'a' },
  { __name__: 'up', job: 'node', instance: 'b' },
  { __name__: 'http_total', job: 'shop', code: 200 },
];
const tags = keysOf('labels', series, false);
const counts = (of: readonly Tag[]) => of.map(({ key, distinct }) => `${key} ${distinct}`);
const is = (key: string, value: string, comparison = '=') => ({
  tag: { name: 'labels', key, type: 'JSON' },
  comparison,
  value,
});

test('each key of a JSON tag is told with the number of its values', (t) => {
  t.deepEqual(counts(tags), ['__name__ 2', 'job 2', 'instance 2', 'code 1']);
});

test('a filter leaves the keys that the remaining series have, those with most values first', (t) => {
  t.deepEqual(counts(narrowed(tags, [is('__name__', 'up')])), ['instance 2', '__name__ 1', 'job 1']);
  t.deepEqual(counts(narrowed(tags, [is('code', '200')])), ['__name__ 1', 'code 1', 'job 1']);
  const both = [is('__name__', 'up'), is('__name__', 'http_total'), is('instance', 'b')];
  t.deepEqual(counts(narrowed(tags, both)), ['__name__ 1', 'instance 1', 'job 1']);
});

test('what is half written, compares otherwise or is about no JSON tag leaves all keys', (t) => {
  const plain: Tag = { name: 'city', type: 'NCHAR(8)', distinct: 3 };
  t.is(narrowed(tags, []), tags);
  t.is(narrowed(tags, [is('__name__', 'u')]), tags);
  t.is(narrowed(tags, [is('__name__', 'up', '!=')]), tags);
  t.deepEqual(narrowed([plain], [{ tag: plain, comparison: '=', value: 'oslo' }]), [plain]);
});
