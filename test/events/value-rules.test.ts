import test from 'ava';
import fc from 'fast-check';
import type { Comparison, ValueRule } from '../../src/events/rule.js';
import { type Finding, ValueRules } from '../../src/events/value-rules.js';
import { BlockBuilder, type ColumnBlock } from '../../src/model/column-block.js';
import { type DataType, dataType, type TypeName } from '../../src/model/schema.js';

const now = Date.UTC(2026, 5, 1);
const limits = { maxSeries: 100, maxAgeMs: 3_600_000 };

function ruleOf(more: Partial<ValueRule> = {}): ValueRule {
  return {
    kind: 'value',
    name: 'hot',
    database: 'd',
    table: 'ovens',
    severity: 'critical',
    element: '{tbname}',
    title: '',
    description: '',
    resolves: true,
    tags: new Map(),
    column: 'temp',
    comparison: '>',
    threshold: 80,
    forMs: 0,
    clear: undefined,
    ...more,
  };
}

/** A row: series, seconds from now, value. */
type Row = readonly [series: number, seconds: number, value: number | null];

/** A block of rows in milliseconds, or in finer ticks. */
function blockOf(rows: readonly Row[], type: DataType = dataType('DOUBLE'), ticksPerMs = 1): ColumnBlock {
  const builder = new BlockBuilder('d', 'ovens', 'overwrite', rows.length);
  const column = builder.addColumn('temp', type);
  for (const [series, seconds, value] of rows) {
    const row = builder.rows;
    builder.setKey((BigInt(series) << 40n) | BigInt(series), BigInt(now + seconds * 1000) * BigInt(ticksPerMs));
    column.reserve(row);
    if (value !== null) {
      const { values } = column;
      if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
        values[row] = BigInt(Math.round(value * 10 ** (type.scale ?? 0)));
      } else if (values !== undefined) values[row] = value;
      column.nulls[row] = 0;
      column.filled++;
    }
    builder.rows++;
  }
  return builder.finish();
}

/** A finding in short: kind, series, seconds of the first row and of the last or of the end, count. */
function short({ kind, series, first, last, end, count, value }: Finding): string {
  const seconds = [first, kind === 'cleared' ? end : last].map((time) => (time - now) / 1000).join('..');
  return `${kind} ${series & 0xffn} ${seconds} x${count} ${value}`;
}

function watch(rule: ValueRule, ...blocks: readonly (readonly Row[])[]): string[] {
  const rules = new ValueRules([rule], limits);
  return blocks.flatMap((rows) => {
    rules.evaluate(blockOf(rows), 1, now);
    return rules.take().map(short);
  });
}

test('a row that breaks the rule is found once for each series, until it clears', (t) => {
  const texts = watch(
    ruleOf(),
    [
      [1, 0, 80],
      [1, 1, 81],
      [2, 1, 82],
      [1, 2, 83],
    ],
    [[2, 2, 84]],
    [
      [1, 3, 80],
      [2, 3, null],
      [1, 4, 90],
    ],
  );
  t.deepEqual(texts, ['fired 1 1..1 x1 81', 'fired 2 1..1 x1 82', 'cleared 1 1..3 x1 83', 'fired 1 4..4 x1 90']);
});

test('between the two thresholds nothing changes', (t) => {
  const texts = watch(ruleOf({ clear: 70 }), [
    [1, 0, 81],
    [1, 1, 75],
    [1, 2, 82],
    [1, 3, 71],
    [1, 4, 70],
    [1, 5, 75],
  ]);
  t.deepEqual(texts, ['fired 1 0..0 x1 81', 'cleared 1 0..4 x1 82']);
});

test('with a duration every row must break the rule for as long, by the time of the rows', (t) => {
  const rule = ruleOf({ forMs: 10_000 });
  t.deepEqual(
    watch(
      rule,
      [
        [1, 0, 81],
        [1, 9, 82],
      ],
      [
        [1, 10, 83],
        [1, 11, 84],
      ],
    ),
    ['fired 1 0..10 x3 83'],
  );
  t.deepEqual(
    watch(
      rule,
      [
        [1, 0, 81],
        [1, 5, 20],
        [1, 6, 82],
        [1, 15, 82],
      ],
      [[1, 16, 85]],
    ),
    ['fired 1 6..16 x3 85'],
  );
  t.deepEqual(watch(rule, [[1, 10, 81]], [[1, 0, 82]], [[1, 19, 81]]), []);
});

test('rows that are older than what is known change nothing, and history is not looked at', (t) => {
  t.deepEqual(
    watch(
      ruleOf(),
      [
        [1, 10, 81],
        [1, 5, 20],
      ],
      [[1, 11, 20]],
    ),
    ['fired 1 10..10 x1 81', 'cleared 1 10..11 x0 81'],
  );
  t.deepEqual(
    watch(ruleOf(), [
      [1, -3601, 81],
      [2, 3601, 81],
      [3, -3600, 81],
    ]),
    ['fired 3 -3600..-3600 x1 81'],
  );
});

test('repeats are counted and reported in one', (t) => {
  const rules = new ValueRules([ruleOf()], limits);
  rules.evaluate(
    blockOf([
      [1, 0, 81],
      [1, 1, 85],
      [1, 2, 84],
      [2, 0, 90],
    ]),
    1,
    now,
  );
  t.is(rules.take().length, 2);
  t.deepEqual(rules.takeRepeats(10).map(short), ['repeated 1 0..2 x2 84']);
  t.deepEqual(rules.takeRepeats(10), []);
});

const comparisons: readonly (readonly [Comparison, readonly number[]])[] = [
  ['>', [81]],
  ['>=', [80, 81]],
  ['<', [79]],
  ['<=', [79, 80]],
  ['=', [80]],
  ['!=', [79, 81]],
];

for (const [comparison, broken] of comparisons) {
  test(`"${comparison} 80" is broken by ${broken.join(' and ')} out of 79, 80, 81, and not by NULL or NaN`, (t) => {
    const values = [79, 80, 81, null, Number.NaN];
    const texts = watch(
      ruleOf({ comparison }),
      values.map((value, i): Row => [i, 0, value]),
    );
    t.deepEqual(
      texts.map((text) => Number(text.split(' ').at(-1))),
      [...broken],
    );
    // Alone in its block each is judged the same.
    for (const [i, value] of values.entries()) {
      t.is(watch(ruleOf({ comparison }), [[i, 0, value]]).length, broken.includes(value ?? 0) ? 1 : 0, String(value));
    }
  });
}

const types: readonly (readonly [TypeName, number?, number?])[] = [
  ['BOOL'],
  ['TINYINT'],
  ['SMALLINT'],
  ['INT'],
  ['BIGINT'],
  ['TINYINT UNSIGNED'],
  ['SMALLINT UNSIGNED'],
  ['INT UNSIGNED'],
  ['BIGINT UNSIGNED'],
  ['FLOAT'],
  ['DOUBLE'],
  ['DECIMAL', 10, 2],
];

for (const [name, length, scale] of types) {
  test(`values of type ${name} are compared as numbers, in every precision`, (t) => {
    for (const ticksPerMs of [1, 1000, 1_000_000]) {
      const rules = new ValueRules([ruleOf({ threshold: 0.5 })], limits);
      const rows: Row[] = [
        [1, 0, 1],
        [2, 1, 0],
        [3, 2, null],
      ];
      rules.evaluate(blockOf(rows, dataType(name, length, scale), ticksPerMs), ticksPerMs, now);
      t.deepEqual(rules.take().map(short), ['fired 1 0..0 x1 1']);
    }
  });
}

test('negative integers of 64 bits are negative, and large ones are large', (t) => {
  const rules = new ValueRules([ruleOf({ comparison: '<', threshold: -5 })], limits);
  rules.evaluate(
    blockOf(
      [
        [1, 0, -6],
        [2, 0, 2 ** 60],
        [3, 0, -(2 ** 60)],
        [4, 0, -5],
      ],
      dataType('BIGINT'),
    ),
    1,
    now,
  );
  t.deepEqual(
    rules.take().map(({ series, value }) => [Number(series & 0xffn), value]),
    [
      [1, -6],
      [3, -(2 ** 60)],
    ],
  );
});

test('columns of texts and times, other columns and other tables are skipped', (t) => {
  const rules = new ValueRules([ruleOf({ comparison: '!=', threshold: -1 })], limits);
  rules.evaluate(blockOf([[1, 0, 5]], dataType('TIMESTAMP')), 1, now);
  const text = new BlockBuilder('d', 'ovens', 'overwrite');
  text.setKey(1n, BigInt(now));
  const column = text.addColumn('temp', dataType('NCHAR', 8));
  column.reserve(0);
  column.putBytes(0, Buffer.from('99'), 0, 2);
  text.rows++;
  rules.evaluate(text.finish(), 1, now);
  rules.evaluate({ ...blockOf([[1, 0, 5]]), table: 'kilns' }, 1, now);
  rules.evaluate({ ...blockOf([[1, 0, 5]]), database: 'e' }, 1, now);
  const [only] = blockOf([[1, 0, 5]]).columns;
  rules.evaluate({ ...blockOf([[1, 0, 5]]), columns: only === undefined ? [] : [{ ...only, name: 'x' }] }, 1, now);
  t.deepEqual(rules.take(), []);
});

test('an excluded series is skipped until the exclusion ends', (t) => {
  const rules = new ValueRules([ruleOf()], limits);
  const series = (1n << 40n) | 1n;
  const go = (seconds: number, value: number): string[] => {
    rules.evaluate(blockOf([[1, seconds, value]]), 1, now);
    return rules.take().map(short);
  };
  t.is(go(0, 81).length, 1);
  rules.exclude('hot', series);
  t.deepEqual([go(1, 82), go(2, 10), go(3, 83)].flat(), []);
  t.deepEqual(rules.takeRepeats(10), []);
  rules.forgetExcluded();
  t.deepEqual(go(4, 84), ['fired 1 4..4 x1 84']);
});

test('an open event does not fire again, and one that a person resolved may', (t) => {
  const rules = new ValueRules([ruleOf()], limits);
  const series = (1n << 40n) | 1n;
  rules.opened('hot', series, now);
  rules.opened('another rule', series, now);
  rules.evaluate(blockOf([[1, 1, 81]]), 1, now);
  t.deepEqual(rules.take(), []);
  t.deepEqual(rules.takeRepeats(10).map(short), ['repeated 1 0..1 x1 81']);
  rules.resolved('hot', series, now + 500);
  rules.evaluate(blockOf([[1, 2, 82]]), 1, now);
  t.deepEqual(rules.take(), []);
  rules.resolved('hot', series, now + 5000);
  rules.evaluate(blockOf([[1, 6, 83]]), 1, now);
  t.deepEqual(rules.take().map(short), ['fired 1 6..6 x1 83']);
});

test('when more series repeat than are taken at once, all of them get their turn', (t) => {
  const rules = new ValueRules([ruleOf(), ruleOf({ name: 'hotter' })], limits);
  const rows = Array.from({ length: 20 }, (_, i): Row => [i + 1, 0, 81]);
  rules.evaluate(blockOf(rows), 1, now);
  rules.take();
  const reported = new Set<string>();
  for (let second = 1; second <= 60; second++) {
    // All go on: whoever is always taken first would leave nothing to the others.
    rules.evaluate(blockOf(rows.map(([series]): Row => [series, second, 82])), 1, now);
    const repeats = rules.takeRepeats(4);
    t.is(repeats.length, 4);
    for (const { rule, series } of repeats) reported.add(`${rule.name} ${series}`);
  }
  t.is(reported.size, 40);
});

test('a rule tracks series up to its limit, and counts rows beyond it', (t) => {
  const rules = new ValueRules([ruleOf()], { ...limits, maxSeries: 3 });
  rules.evaluate(blockOf([1, 2, 3, 4, 5].map((series): Row => [series, 0, 81])), 1, now);
  t.is(rules.take().length, 3);
  t.is(rules.overflowed, 2);
  rules.evaluate(
    blockOf([
      [1, 1, 0],
      [4, 1, 81],
    ]),
    1,
    now,
  );
  t.deepEqual(
    rules.take().map(({ kind }) => kind),
    ['cleared', 'fired'],
  );
});

/** The same in a few plain lines: no range of the block, no table of states. */
function naive(rule: ValueRule, blocks: readonly (readonly Row[])[]): string[] {
  const state = new Map<number, { firing: boolean; first: number; last: number; count: number; value: number }>();
  const texts: string[] = [];
  for (const [series, seconds, value] of blocks.flat()) {
    if (value === null) continue;
    const known = state.get(series);
    if (value > rule.threshold) {
      const one = known ?? { firing: false, first: seconds, last: seconds, count: 0, value };
      state.set(series, one);
      one.count++;
      if (seconds >= one.last) Object.assign(one, { last: seconds, value });
      if (one.firing || (one.last - one.first) * 1000 < rule.forMs) continue;
      one.firing = true;
      texts.push(`fired ${series} ${one.first}..${one.last} x${one.count} ${one.value}`);
      one.count = 0;
    } else if (
      known !== undefined &&
      seconds >= known.last &&
      (!known.firing || value <= (rule.clear ?? rule.threshold))
    ) {
      state.delete(series);
      if (known.firing) texts.push(`cleared ${series} ${known.first}..${seconds} x${known.count} ${known.value}`);
    }
  }
  return texts;
}

test('any rows in any blocks are found as a plain reading finds them', (t) => {
  const row = fc.tuple(fc.nat(40), fc.nat(60), fc.option(fc.integer({ min: 60, max: 100 })));
  const rules = fc.record({ forMs: fc.constantFrom(0, 5_000), clear: fc.constantFrom(undefined, 70) });
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 60 }), { maxLength: 6 }), rules, (blocks, more) => {
      t.deepEqual(watch(ruleOf(more), ...blocks), naive(ruleOf(more), blocks));
    }),
  );
});
