import test from 'ava';

interface Rows {
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
  readonly data: readonly (readonly unknown[])[];
}
interface Promql {
  readonly seriesRows: (value: object, name: string) => Rows;
  readonly newestRows: (value: object) => Rows;
  readonly promqlPlaceOf: (message: string, expression: string) => number | undefined;
}

const { seriesRows, newestRows, promqlPlaceOf }: Promql = await import(
  new URL('../../../page/promql.js', import.meta.url).href
);

const timeOf = (text: unknown): number => Date.parse(String(text));

test('series of a range become rows that can be drawn, with gaps for NaN and infinities', (t) => {
  const { columns, data } = seriesRows(
    {
      resultType: 'matrix',
      result: [
        {
          metric: { __name__: 'up', job: 'a' },
          values: [
            [1_700_000_000.5, '1'],
            [1_700_000_060, 'NaN'],
            [1_700_000_120, '-Inf'],
          ],
        },
        { metric: {}, histograms: [[1_700_000_000, { count: '2' }]] },
      ],
    },
    'up',
  );
  t.deepEqual(
    columns.map(({ name }) => name),
    ['time', 'labels', 'up'],
  );
  t.deepEqual(
    data.map(([time, labels, value]) => [timeOf(time), labels, value]),
    [
      [1_700_000_000_500, '{"__name__":"up","job":"a"}', 1],
      [1_700_000_060_000, '{"__name__":"up","job":"a"}', null],
      [1_700_000_120_000, '{"__name__":"up","job":"a"}', null],
    ],
  );
});

test('values at one time become rows with a column per label, the name of the metric first', (t) => {
  const { columns, data } = newestRows({
    resultType: 'vector',
    result: [
      { metric: { Zone: 'x', __name__: 'up' }, value: [1, '2.5'] },
      { metric: { __name__: 'up', job: 'b' }, value: [1, 'NaN'] },
    ],
  });
  t.deepEqual(
    columns.map(({ name }) => name),
    ['__name__', 'Zone', 'job', 'time', 'value'],
  );
  t.deepEqual(
    data.map((row) => row.with(3, null)),
    [
      ['up', 'x', null, null, 2.5],
      ['up', null, 'b', null, 'NaN'],
    ],
  );
  const histogram = newestRows({ resultType: 'vector', result: [{ metric: {}, histogram: [1, { count: '2' }] }] });
  t.deepEqual(histogram.data[0]?.[1], '{"count":"2"}');
  t.false(histogram.columns[1]?.isNumber);
  t.deepEqual(newestRows({ resultType: 'scalar', result: [1, '3'] }).data[0]?.[1], 3);
  t.deepEqual(newestRows({ resultType: 'string', result: [1, '3'] }).data[0]?.[1], '3');
});

test('the place of a mistake in PromQL is found from its line and its column in bytes', (t) => {
  t.is(promqlPlaceOf('1:5: parse error: x', 'sum( )'), 4);
  t.is(promqlPlaceOf('invalid parameter "query": 2:4: parse error: x', 'a +\n"ü" )'), 6);
  t.is(promqlPlaceOf('2:40: parse error: x', 'a +\n)'), 5);
  t.is(promqlPlaceOf('no such thing', 'a'), undefined);
});
