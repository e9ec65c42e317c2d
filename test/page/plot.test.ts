import test from 'ava';

interface FormatModule {
  readonly measureOf: (values: readonly (number | null)[]) => (value: number) => string;
  readonly tickWords: (ticks: readonly number[], step: number, unit?: string) => string[];
  readonly shownNumber: (value: number) => string;
  readonly unitOf: (column: string) => string | undefined;
}

type Ends = readonly [number | null, number | null];

interface PlotModule {
  readonly timesOf: (
    ends: readonly [number | undefined, number | undefined],
  ) => (plot: { readonly data: readonly (readonly number[])[] }, first: number | null, last: number) => Ends;
  readonly timeTicks: (ticks: readonly number[], step: number) => string[];
}

interface StackModule {
  readonly stacked: (
    times: readonly number[],
    lines: readonly (readonly (number | null | undefined)[])[],
    isStacked: readonly boolean[],
  ) => (number | null)[][];
}

const page = (name: string): string => new URL(`../../../page/${name}`, import.meta.url).href;
const { measureOf, tickWords, shownNumber, unitOf }: FormatModule = await import(page('format.js'));
const { stacked }: StackModule = await import(page('stack.js'));
const { timesOf, timeTicks }: PlotModule = await import(page('time-plot.js'));

test('marks of an axis are short where nothing is lost, and told apart where they lie close together', (t) => {
  t.deepEqual(tickWords([0, 50, 100], 50), ['0', '50', '100']);
  t.deepEqual(tickWords([-50_000_000, 350_000_000], 50_000_000), ['-50M', '350M']);
  t.deepEqual(tickWords([1_000_000_001, 1_000_000_002], 1), ['1,000,000,001', '1,000,000,002']);
  t.deepEqual(tickWords([1.5e15, 2e15], 5e14), ['1.5P', '2P']);
  t.deepEqual(tickWords([0, 5000], 5000), ['0', '5,000']);
  t.deepEqual(tickWords([0, 20_000], 20_000), ['0', '20k']);
  t.deepEqual(tickWords([0, 20_000], 20_000, 'W'), ['0 W', '20 kW']);
  t.deepEqual(tickWords([0, 20_000], 20_000, 's'), ['0 s', '20,000 s']);
  t.deepEqual(tickWords([0, 1024 ** 3], 1024 ** 3, 'bytes'), ['0 B', '1.0 GB']);
  t.deepEqual(tickWords([1.5e21], 5e20), ['1.5e21']);
  t.deepEqual(tickWords([-5.0000005, -5], 5e-7), ['-5.0000005', '-5']);
  t.deepEqual(tickWords([0, 2e-15], 1e-15), ['0', '2e-15']);
});

test('values are shown as exact as they differ', (t) => {
  t.is(measureOf([12, 90.5])(13.514285714), '13.514');
  t.is(measureOf([-5, null, -4.999999])(-4.9999995), '-4.9999995');
  t.is(measureOf([0.0000012])(0.0000012), '0.0000012');
  t.is(measureOf([0])(0), '0');
  t.is(measureOf([])(1.5), '1.5');
});

test('fractions are shown without what arithmetic leaves behind, and whole numbers digit by digit', (t) => {
  t.is(shownNumber(21.447000000000003), '21.447');
  t.is(shownNumber(0.1 + 0.2), '0.3');
  t.is(shownNumber(-13.514285714285714), '-13.5143');
  t.is(shownNumber(1_234_567.891234567), '1234567.89');
  t.is(shownNumber(0.123456789), '0.123456789');
  t.is(shownNumber(9_007_199_254_740_991), '9007199254740991');
  t.is(shownNumber(1.234567890123e-7), '1.23457e-7');
});

test('the unit of a column is what its name ends in', (t) => {
  t.deepEqual(['node_memory_bytes', 'avg(`sent_bytes_total`)', 'took_seconds', 'temp', ''].map(unitOf), [
    'bytes',
    'bytes',
    's',
    undefined,
    undefined,
  ]);
});

test('stacked areas lie on each other, also where one has no point, and break where all are missing', (t) => {
  const lines = [
    [1, undefined, 3, null, null, 5],
    [10, 10, 10, null, 10, 10],
    [1, 0, 1, 0, 1, 0],
  ];
  t.deepEqual(stacked([0, 1, 2, 3, 4, 5], lines, [true, true, false]), [
    [1, 2, 3, null, 0, 5],
    [11, 12, 13, null, 10, 15],
    [1, 0, 1, 0, 1, 0],
  ]);
});

test('the axis of times is what is chosen, and a single point stands in the middle of some minutes', (t) => {
  // Of a single point the library's own end is years away.
  const single = { data: [[1000]] };
  t.deepEqual(timesOf([undefined, undefined])(single, 1000, 86_401_000), [850, 1150]);
  t.deepEqual(timesOf([600, 4200])(single, 1000, 86_401_000), [600, 4200]);
  const same = { data: [[1000, 1000]] };
  t.deepEqual(timesOf([undefined, undefined])(same, 1000, 86_401_000), [850, 1150], 'two rows of one time');
  const two = { data: [[1000, 1060]] };
  t.deepEqual(timesOf([undefined, undefined])(two, 1000, 1060), [1000, 1060]);
  t.deepEqual(timesOf([1020, 1040])(two, 1000, 1060), [1000, 1060]);
  t.deepEqual(timesOf([600, undefined])(two, 1000, 1060), [600, 1060]);
  t.deepEqual(timesOf([600, 4200])(two, 1010, 1020), [1010, 1020], 'somebody has zoomed in');
});

test('marks of times have as many digits as their step asks for', (t) => {
  const first = Date.parse('2026-01-01T12:00:00Z') / 1000;
  const words = (step: number): string => timeTicks([first, first + step], step)[1] ?? '';
  t.regex(words(60), /^\d\d:01$/);
  t.regex(words(5), /:00:05$/);
  t.regex(words(0.02), /:00:00\.020$/);
  t.regex(words(0.00002), /:00:00\.00002$/);
});
