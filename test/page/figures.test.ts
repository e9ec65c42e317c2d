import test from 'ava';

interface Figures {
  readonly at: number;
}

interface Module {
  readonly parseFigures: (text: string, at: number) => Figures;
  readonly figure: (figures: Figures, name: string, labels?: Record<string, string>) => number | undefined;
  readonly History: new () => {
    add(figures: Figures): void;
    rates(name: string, labels?: Record<string, string>): number[];
    readonly all: readonly Figures[];
  };
}

const { parseFigures, figure, History }: Module = await import(
  new URL('../../../page/figures.js', import.meta.url).href
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

test('figures are found by name and labels, and added up', (t) => {
  const figures = parseFigures(text, 0);
  t.is(figure(figures, 'rows_total'), 1007);
  t.is(figure(figures, 'rows_total', { outcome: 'stored' }), 1005);
  t.is(figure(figures, 'rows_total', { door: 'b "x" \\' }), 1000);
  t.is(figure(figures, 'rows_total', { door: 'c' }), undefined);
  t.is(figure(figures, 'up'), 1);
  t.is(figure(figures, 'rows'), undefined);
  t.is(figure(figures, 'seconds_bucket'), undefined);
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
    history.add(parseFigures(`rows_total ${rows}`, at ?? 0));
  }
  t.deepEqual(history.rates('rows_total'), [10, 0, 0, 8]);
  t.deepEqual(history.rates('nothing_total'), [0, 0, 0, 0]);
});

test('a long history forgets its beginning', (t) => {
  const history = new History();
  for (let i = 0; i < 1000; i++) history.add(parseFigures('up 1', i));
  t.is(history.all.length, 150);
  t.is(history.all[149]?.at, 999);
});
