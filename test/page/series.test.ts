import test from 'ava';

interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly isNumber: boolean }[];
  readonly data: readonly (readonly unknown[])[];
}

interface Drawn {
  readonly series: { readonly names: readonly string[]; readonly data: readonly (readonly unknown[])[] } | undefined;
  readonly note: string;
}

const { readSeries }: { readSeries: (rows: Rows) => Drawn } = await import(
  new URL('../../../page/series.js', import.meta.url).href
);

const time = { name: 'ts', type: 'TIMESTAMP', isNumber: false };
const value = { name: 'v', type: 'DOUBLE', isNumber: true };
const city = { name: 'city', type: 'NCHAR', isNumber: false };
const at = (second: number): string => new Date(second * 1000).toISOString();

test('a column of numbers is one line over the times, in their order', (t) => {
  const { series, note } = readSeries({
    columns: [time, value],
    data: [
      [at(20), 2],
      [at(10), 1],
      [at(30), null],
    ],
  });
  t.deepEqual(series, {
    names: ['v'],
    data: [
      [10, 20, 30],
      [1, 2, null],
    ],
  });
  t.is(note, '');
});

test('each combination of texts and each column of numbers is a line, by name', (t) => {
  const rows = [
    [at(1), 'rome', 1, 10],
    [at(1), 'oslo', 2, 20],
    [at(2), 'oslo', 3, 30],
  ];
  const { series } = readSeries({ columns: [time, city, value, { ...value, name: 'w' }], data: rows });
  t.deepEqual(series?.names, ['oslo: v', 'oslo: w', 'rome: v', 'rome: w']);
  t.deepEqual(series?.data, [
    [1, 2],
    [2, 3],
    [20, 30],
    [1, undefined],
    [10, undefined],
  ]);
  const one = readSeries({ columns: [time, city, value], data: rows.map((row) => row.slice(0, 3)) });
  t.deepEqual(one.series?.names, ['oslo', 'rome']);
});

test('more lines than can be told apart are cut, and it is said', (t) => {
  const data = Array.from({ length: 30 }, (_, i) => [at(i), `c${i}`, i]);
  const { series, note } = readSeries({ columns: [time, city, value], data });
  t.is(series?.names.length, 12);
  t.regex(note, /first 12 lines/);
});

test('times that come twice on a line are told of', (t) => {
  const { series, note } = readSeries({
    columns: [time, value],
    data: [
      [at(1), 1],
      [at(1), 2],
    ],
  });
  t.deepEqual(series?.data, [[1], [2]]);
  t.regex(note, /more than once/);
});

test('without times, numbers or rows there is nothing to draw', (t) => {
  t.is(readSeries({ columns: [value], data: [[1]] }).series, undefined);
  t.is(readSeries({ columns: [time, city], data: [[at(1), 'x']] }).series, undefined);
  t.is(readSeries({ columns: [time, value], data: [] }).series, undefined);
  t.is(readSeries({ columns: [time, value], data: [[null, 1]] }).series, undefined);
});
