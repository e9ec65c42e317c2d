import test from 'ava';
import fc from 'fast-check';
import { cases } from '../support/cases.js';
import { encode, labelsOf, packed } from '../support/messages/remote-messages.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

const start = 1_700_000_000_000;
const database = 'grids';

/** Kinds of samples: a number, or one that is none. */
const special = {
  stale: 0x7ff0000000000002n,
  nan: 0x7ff8000000000001n,
  infinite: 0x7ff0000000000000n,
  negative: 0xfff0000000000000n,
} as const;

type Value = number | keyof typeof special;

/** A number that no test draws stands for each special one until the message is encoded. */
const marks = new Map(Object.keys(special).map((name, i) => [name, 1.2345678901e200 * (i + 1)]));

async function write(series: ReadonlyMap<string, readonly (readonly [timeMs: number, value: Value])[]>): Promise<void> {
  const timeseries = [...series].map(([name, samples]) => ({
    labels: labelsOf({ __name__: 'm', series: name }),
    samples: samples.map(([timestamp, value]) => ({
      timestamp,
      value: typeof value === 'number' ? value : (marks.get(value) ?? 0),
    })),
  }));
  const bytes = Buffer.from(encode('WriteRequest', { timeseries }));
  for (const [name, bits] of Object.entries(special)) {
    const mark = Buffer.alloc(8);
    mark.writeDoubleLE(marks.get(name) ?? 0);
    const place = Buffer.alloc(8);
    place.writeBigUInt64LE(bits);
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark)) place.copy(bytes, at);
  }
  const { status, text } = await service.request({
    path: `/metricsdb/v1/remote_write/${database}`,
    body: packed(bytes),
  });
  if (status >= 300) throw new Error(text);
}

interface Matrix {
  readonly result: readonly { readonly metric: Record<string, string>; readonly values?: [number, string][] }[];
}

async function matrix(query: string, parameters: Readonly<Record<string, string>>) {
  const path = `/prometheus/${database}/api/v1/query_range?${new URLSearchParams({ query, ...parameters })}`;
  const { status, text } = await service.request({ method: 'GET', path });
  if (status !== 200) throw new Error(`${query}: ${text}`);
  const { data }: { data: Matrix } = JSON.parse(text);
  return new Map(data.result.map(({ metric, values = [] }) => [JSON.stringify(metric), values]));
}

const functions = ['rate', 'increase', 'delta', 'irate', 'idelta', 'changes', 'resets', 'last_over_time'] as const;

/** Samples about 20 s apart, with gaps, resets and some that are no numbers. */
const samples = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 40_000 }),
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 12 }) as fc.Arbitrary<Value> },
      { weight: 2, arbitrary: fc.double({ min: -1e9, max: 1e9, noNaN: true }) as fc.Arbitrary<Value> },
      { weight: 1, arbitrary: fc.constantFrom<Value[]>('stale', 'nan', 'infinite', 'negative') },
    ),
  ),
  { maxLength: 40 },
);

test('the engine computes functions over windows as the adapter does', async (t) => {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(samples, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 90_000 }),
      fc.integer({ min: 500, max: 60_000 }),
      fc.integer({ min: -30_000, max: 30_000 }),
      async (all, windowMs, stepMs, offsetMs) => {
        round++;
        const series = new Map(
          all.map((steps, i) => {
            let at = start;
            const placed = steps.map(([after, value]) => {
              at += after;
              return [at, value] as const;
            });
            return [`${round}-${i}`, placed] as const;
          }),
        );
        await write(series);
        const parameters = {
          start: String((start + offsetMs) / 1000),
          end: String((start + offsetMs + 40 * stepMs) / 1000),
          step: String(stepMs / 1000),
        };
        const matching = `series=~"${round}-.*"`;
        const compare = async (shape: (selector: string) => string): Promise<void> => {
          // The engine computes over a metric that is named; over a pattern for names the adapter does.
          const engine = await matrix(shape(`m{${matching}}`), parameters);
          const adapter = await matrix(shape(`{__name__=~"m",${matching}}`), parameters);
          t.deepEqual([...engine.keys()].sort(), [...adapter.keys()].sort(), shape('m'));
          for (const [metric, values] of adapter) {
            const own = engine.get(metric) ?? [];
            t.deepEqual(
              own.map(([time]) => time),
              values.map(([time]) => time),
              `${shape('m')} ${metric} ${JSON.stringify(series.get(JSON.parse(metric).series))} ${JSON.stringify(parameters)}`,
            );
            for (const [i, [time, value]] of values.entries()) {
              const [a, b] = [Number(own[i]?.[1].replace('Inf', 'Infinity')), Number(value.replace('Inf', 'Infinity'))];
              const isSame = Object.is(a, b) || a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
              t.true(
                isSame,
                `${shape('m')} ${metric} at ${time}: ${a}, not ${b}; ${JSON.stringify([...series])} ${JSON.stringify(parameters)} ${windowMs}`,
              );
            }
          }
        };
        for (const name of functions) await compare((selector) => `${name}(${selector}[${windowMs}ms])`);
        await compare((selector) => selector);
      },
    ),
    { numRuns: cases(4, 20, 200) },
  );
});
