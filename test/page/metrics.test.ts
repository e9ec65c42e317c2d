import test from 'ava';

interface Metrics {
  readonly at: number;
  readonly samples: ReadonlyMap<string, unknown>;
}

interface Module {
  readonly parseMetrics: (text: string, at: number) => Metrics;
  readonly metric: (metrics: Metrics, name: string, labels?: Record<string, string>) => number | undefined;
  readonly History: new () => {
    add(metrics: Metrics): void;
    begin(past: object, now: number): void;
    rates(name: string, labels?: Record<string, string>): { readonly at: number; readonly value: number }[];
    rate(name: string): number;
    readonly all: readonly Metrics[];
  };
}

const { parseMetrics, metric, History }: Module = await import(
  new URL('../../../page/metrics.js', import.meta.url).href
);

const text = `# TYPE rows counter
# HELP rows Rows {a="b"} 7
rows_total{door="a",outcome="stored"} 5
rows_total{door="a",outcome="failed"} 2
rows_total{door="b \\"x\\" \\\\",outcome="stored"} 1e3
seconds_bucket{le="0.1"} 9
up 1
none NaN
# EOF
`;

test('metrics are found by name and labels, and added up', (t) => {
  const metrics = parseMetrics(text, 0);
  t.is(metric(metrics, 'rows_total'), 1007);
  t.is(metric(metrics, 'rows_total', { outcome: 'stored' }), 1005);
  t.is(metric(metrics, 'rows_total', { door: 'b "x" \\' }), 1000);
  t.is(metric(metrics, 'rows_total', { door: 'c' }), undefined);
  t.is(metric(metrics, 'up'), 1);
  t.is(metric(metrics, 'rows'), undefined);
  t.is(metric(metrics, 'seconds_bucket'), undefined);
});

test('rates are rises a second, and none when the service began anew', (t) => {
  const history = new History();
  for (const [at, rows] of [
    [0, 10],
    [2000, 30],
    [3000, 30],
    [5000, 4],
    [5500, 8],
  ]) {
    history.add(parseMetrics(`rows_total ${rows}`, at ?? 0));
  }
  const values = (name: string): number[] => history.rates(name).map(({ value }) => value);
  t.deepEqual(values('rows_total'), [10, 0, 0, 8]);
  t.is(history.rate('rows_total'), 8);
  t.deepEqual(values('nothing_total'), [0, 0, 0, 0]);
});

test('a history keeps five minutes as they came, of the hour before them a part, and nothing older', (t) => {
  const history = new History();
  const series = [{ name: 'up', values: [1] }];
  history.begin({ now: 0, times: [0], series }, 0);
  for (let at = 2000; at <= 7_200_000; at += 2000) history.add(parseMetrics('up 1\nother 2', at));
  const recent = history.all.filter(({ at }) => at >= 6_900_000);
  const older = history.all.filter(({ at }) => at < 6_900_000);
  t.is(recent.length, 151);
  t.is(older.length, 330);
  t.true((history.all[0]?.at ?? 0) >= 3_600_000);
  t.deepEqual([...(older[0]?.samples.keys() ?? [])], ['up']);
  t.deepEqual([...(recent[0]?.samples.keys() ?? [])], ['up', 'other']);
});

test('what the service remembers stands before what was scraped, by the clock of the browser', (t) => {
  const history = new History();
  history.add(parseMetrics('up{a="b"} 3', 100_500));
  const series = [{ name: 'up{a="b"}', values: [1, null, 2] }];
  history.begin({ now: 50_000, times: [30_000, 40_000, 50_000], series }, 100_000);
  t.deepEqual(
    history.all.map((metrics) => [metrics.at, metric(metrics, 'up', { a: 'b' })]),
    [
      [80_000, 1],
      [90_000, undefined],
      [100_000, 2],
      [100_500, 3],
    ],
  );
});
