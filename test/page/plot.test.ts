import test from 'ava';

interface FormatModule {
  readonly measureOf: (values: readonly (number | null)[]) => (value: number) => string;
  readonly tickWords: (ticks: readonly number[], step: number) => string[];
}

type Ends = readonly [number | null, number | null];

interface PlotModule {
  readonly timesOf: (
    ends: readonly [number | undefined, number | undefined],
  ) => (plot: { readonly data: readonly (readonly number[])[] }, first: number | null, last: number) => Ends;
  readonly timeTicks: (ticks: readonly number[], step: number) => string[];
}

const page = (name: string): string => new URL(`../../../page/${name}`, import.meta.url).href;
const { measureOf, tickWords }: FormatModule = await import(page('format.js'));
const { timesOf, timeTicks }: PlotModule = await import(page('time-plot.js'));

test('marks of an axis are short where nothing is lost, and told apart where they lie close together', (t) => {
  t.deepEqual(tickWords([0, 50, 100], 50), ['0', '50', '100']);
  t.deepEqual(tickWords([-50_000_000, 350_000_000], 50_000_000), ['-50M', '350M']);
  t.deepEqual(tickWords([1_000_000_001, 1_000_000_002], 1), ['1,000,000,001', '1,000,000,002']);
  t.deepEqual(tickWords([1.5e15, 2e15], 5e14), ['1500T', '2000T']);
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

test('the axis of times is what is chosen, and a single point stands in the middle of some minutes', (t) => {
  // Of a single point the library's own end is years away.
  const single = { data: [[1000]] };
  t.deepEqual(timesOf([undefined, undefined])(single, 1000, 86_401_000), [850, 1150]);
  t.deepEqual(timesOf([600, 4200])(single, 1000, 86_401_000), [600, 4200]);
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
