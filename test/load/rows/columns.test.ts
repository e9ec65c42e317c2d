import test from 'ava';
import fc from 'fast-check';
import type { FieldPlan } from '../../../src/load/model/scenario.js';
import { decimalFill } from '../../../src/load/rows/number-values.js';
import type { ColumnBuilder } from '../../../src/model/column-block.js';
import { FaultError } from '../../../src/model/fault.js';
import { dataType, type TypeName } from '../../../src/model/schema.js';
import type { Cell } from '../../support/load/insert-world.js';
import { field, openRows, rowsOfPlan } from '../../support/load/plan.js';

const samples = 500;

/** Values of one column of a plan; texts as they are in UTF-8. */
async function values(column: FieldPlan, chinese = false): Promise<Cell[]> {
  const rows = await rowsOfPlan({ columns: [column], childCount: 1, rows: samples, chinese });
  return rows.map(({ cells: [cell] }) =>
    typeof cell === 'string' ? Buffer.from(cell, 'latin1').toString() : (cell ?? null),
  );
}

function range(type: TypeName, min: number | bigint, max: number | bigint): FieldPlan {
  return field('c', type, { kind: 'range', min, max });
}

test('integers reach both ends of their range, the upper one not included', async (t) => {
  const ranges: readonly (readonly [TypeName, number, number])[] = [
    ['TINYINT', -127, -120],
    ['TINYINT UNSIGNED', 250, 254],
    ['SMALLINT', -3, 4],
    ['SMALLINT UNSIGNED', 65530, 65534],
    ['INT', -2147483648, -2147483640],
    ['INT UNSIGNED', 4294967290, 4294967295],
    ['BIGINT', -5, 5],
    ['BIGINT UNSIGNED', 0, 3],
    ['TIMESTAMP', 0, 7],
  ];
  for (const [type, min, max] of ranges) {
    const numbers = new Set((await values(range(type, min, max))).map(Number));
    t.deepEqual(
      [...numbers].sort((a, b) => a - b),
      Array.from({ length: max - min }, (_, i) => min + i),
      type,
    );
  }
});

test('equal bounds are a constant', async (t) => {
  t.deepEqual(new Set(await values(range('BIGINT', 5_000_000_000, 5_000_000_000))), new Set([5_000_000_000n]));
  t.deepEqual(new Set(await values(range('DOUBLE', 3.7, 3.7))), new Set([3.7]));
  t.deepEqual(new Set(await values(range('FLOAT', 3.7, 3.7))), new Set([Math.fround(3.7)]));
  t.deepEqual(new Set(await values(range('INT', 3.7, 3.7))), new Set([3]));
  t.deepEqual(new Set(await values(range('BOOL', 0, 0))), new Set([0]));
  t.deepEqual(new Set(await values(range('BOOL', 1, 1))), new Set([1]));
});

test('true and false are drawn about as often', async (t) => {
  const numbers = await values(range('BOOL', 0, 2));
  const share = numbers.filter((value) => value === 1).length / samples;
  t.true(share > 0.3 && share < 0.7);
});

test('64-bit integers cover ranges beyond 2^53, and never leave them', async (t) => {
  const wide: readonly (readonly [TypeName, bigint, bigint])[] = [
    ['BIGINT', -(1n << 63n), (1n << 63n) - 1n],
    ['BIGINT', (1n << 62n) + 1n, (1n << 62n) + (1n << 57n)],
    ['BIGINT', -3n, (1n << 40n) - 3n],
    ['BIGINT UNSIGNED', 1n << 63n, (1n << 64n) - 1n],
    ['BIGINT UNSIGNED', 0n, 1n << 64n],
    ['BIGINT', -(1n << 63n), 1n << 63n],
    ['BIGINT', 9007199254740993n, 9007199254740995n],
  ];
  for (const [type, min, max] of wide) {
    const numbers = (await values(range(type, min, max))).map((value) => BigInt(value ?? 0));
    t.true(numbers.every((value) => value >= min && value < max));
    if (max - min > 1000n) {
      t.true(new Set(numbers).size > samples * 0.9);
      t.true(numbers.some((value) => value < min + (max - min) / 10n));
      t.true(numbers.some((value) => value > max - (max - min) / 10n));
    }
  }
});

test('floats and doubles lie within their bounds and keep fractions of them', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<TypeName>('FLOAT', 'DOUBLE'),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.double({ min: 0.01, max: 1e9, noNaN: true }),
      async (type, min, span) => {
        const max = min + span;
        const single = type === 'FLOAT';
        for (const value of (await values(range(type, min, max))).map(Number)) {
          // Where two neighbours of 32 bits enclose the whole range it holds no such number.
          const isTight = single && span < Math.abs(min) / 2 ** 22;
          t.true(isTight || (value >= min && value < max), `${min} ${max} ${value}`);
          t.is(value, single ? Math.fround(value) : value);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('the widest bounds of doubles are ways that no number can say, and are covered all the same', async (t) => {
  const numbers = (await values(range('DOUBLE', -Number.MAX_VALUE, Number.MAX_VALUE))).map(Number);
  t.true(numbers.every((value) => value >= -Number.MAX_VALUE && value < Number.MAX_VALUE));
  t.true(numbers.some((value) => value < -1e307) && numbers.some((value) => value > 1e307));
});

test('the largest float below a bound is taken where rounding would reach the bound', async (t) => {
  const numbers = (await values(range('FLOAT', 16_777_214, 16_777_216))).map(Number);
  t.true(numbers.every((value) => value >= 16_777_214 && value < 16_777_216));
});

test('evenly spaced values are what somebody would write', async (t) => {
  const column = field('c', 'DOUBLE', { kind: 'steps', first: 9.8, step: 0.04, count: 10 });
  t.deepEqual(
    [...new Set((await values(column)).map(Number))].sort((a, b) => a - b),
    [9.8, 9.84, 9.88, 9.92, 9.96, 10, 10.04, 10.08, 10.12, 10.16],
  );
});

test('random texts have the length they were given, of letters and digits', async (t) => {
  const words = await values(field('c', 'VARCHAR', { kind: 'text', length: 13 }, 13));
  t.true(words.every((value) => /^[a-zA-Z0-9]{13}$/.test(String(value))));
  t.true(new Set(words).size > samples * 0.95);
  t.is(new Set(words.join('')).size, 62);
});

test('Chinese texts fill NCHAR by characters and VARCHAR by bytes', async (t) => {
  const nchar = await values(field('c', 'NCHAR', { kind: 'text', length: 10 }, 10), true);
  t.true(nchar.every((value) => /^[\u4e00-\u9fa4]{10}$/.test(String(value))));
  const varchar = await values(field('c', 'VARCHAR', { kind: 'text', length: 10 }, 10), true);
  t.true(varchar.every((value) => /^[\u4e00-\u9fa4]{3}$/.test(String(value))));
});

test('choices are all drawn, cut to what the column holds', async (t) => {
  const words = ['on', 'off', 'größer', '漢字漢字'];
  const nchar = field('c', 'NCHAR', { kind: 'choice', values: words }, 3);
  t.deepEqual([...new Set(await values(nchar))].sort(), ['grö', 'off', 'on', '漢字漢']);
  const varchar = field('c', 'VARCHAR', { kind: 'choice', values: words }, 4);
  t.deepEqual([...new Set(await values(varchar))].sort(), ['grö', 'off', 'on', '漢']);
});

test('JSON objects have so many members of random text', async (t) => {
  const [first] = await values(field('j', 'JSON', { kind: 'json', pairs: 4, length: 6 }));
  const object: unknown = JSON.parse(String(first));
  t.deepEqual(Object.keys(Object(object)), ['k0', 'k1', 'k2', 'k3']);
  t.true(Object.values(Object(object)).every((member) => /^[a-zA-Z0-9]{6}$/.test(String(member))));
});

test('columns without values are NULL in every row', async (t) => {
  for (const type of ['INT', 'DOUBLE', 'BIGINT', 'VARCHAR'] as const) {
    t.deepEqual(new Set(await values(field('c', type, { kind: 'null' }, 8))), new Set([null]));
  }
});

test('waves of integers keep to the range of their type', async (t) => {
  const wave = { shape: 'sin', amplitude: 1000, offset: 0, fluctuation: 0 } as const;
  const numbers = (await values(field('c', 'TINYINT', { kind: 'wave', wave }))).map(Number);
  t.is(Math.min(...numbers), -128);
  t.is(Math.max(...numbers), 127);
});

test('a column that no values can be made for is refused by its name', async (t) => {
  const column = field('shape', 'GEOMETRY', { kind: 'text', length: 5 }, 20);
  const error = await t.throwsAsync(openRows({ columns: [column] }), { instanceOf: FaultError });
  t.true(error?.message.includes('"shape"'));
});

test('decimals of 128 bits reach both ends of their range, the upper one not included', (t) => {
  const least = -(10n ** 30n) - 2n;
  const type = dataType('DECIMAL', 38, 4);
  const valuesFrom = (min: bigint, max: bigint): readonly bigint[] => {
    const words = new Uint32Array(4 * samples);
    const column = { words, nulls: new Uint8Array(samples), filled: 0 };
    decimalFill(type, min, max)(column as unknown as ColumnBuilder, 0, samples, 7, 0, words);
    return Array.from({ length: samples }, (_, row) => {
      const bits = [3, 2, 1, 0].reduce((sum, word) => (sum << 32n) | BigInt(words[4 * row + word]!), 0n);
      return BigInt.asIntN(128, bits);
    });
  };
  const few = [...new Set(valuesFrom(least, least + 3n))].toSorted((a, b) => Number(a - b));
  t.deepEqual(few, [least, least + 1n, least + 2n]);
  const wide = valuesFrom(least, 10n ** 37n);
  t.true(wide.every((value) => value >= least && value < 10n ** 37n));
  t.true(wide.filter((value) => value > 5n * 10n ** 36n).length > samples / 4);
});
