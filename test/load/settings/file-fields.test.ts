import test from 'ava';
import type { SuperTablePlan } from '../../../src/load/model/scenario.js';
import { file, plan, request } from '../../support/load/insert-file.js';
import { insertOf, loadRequest, notesOf, refusalOf } from '../../support/load/request.js';

function fields(list: SuperTablePlan['columns']): string {
  return list.map(({ name, type }) => `${name} ${type.name}(${type.length})`).join(' ');
}

test('names columns and tags by their count and place', (t) => {
  t.is(fields(plan({ columns: [{ type: 'int', name: 'v', count: 3 }] }).columns), 'v INT(4) v_2 INT(4) v_3 INT(4)');
  const superTable = plan({
    columns: [
      { type: 'int', name: 'qty' },
      { type: 'FLOAT', count: 3 },
    ],
    tags: [
      { type: 'nchar', count: 2 },
      { type: 'Binary', name: 'town', len: 12 },
    ],
  });
  t.is(fields(superTable.columns), 'qty INT(4) c1 FLOAT(4) c2 FLOAT(4) c3 FLOAT(4)');
  t.is(fields(superTable.tags), 't0 NCHAR(64) t1 NCHAR(64) town VARCHAR(12)');
  const [tag, ...more] = plan({ tags: [{ type: 'json', count: 4, len: 6 }] }).tags;
  t.is(tag?.name, 'jtag');
  t.deepEqual(tag?.values, { kind: 'json', pairs: 4, length: 6 });
  t.is(more.length, 0);
});

for (const [column, values] of [
  [
    { type: 'int', min: 1, max: 9 },
    { kind: 'range', min: 1, max: 9 },
  ],
  [
    { type: 'int', min: 1.9, max: '9' },
    { kind: 'range', min: 1, max: 9 },
  ],
  [{ type: 'int', len: 0 }, { kind: 'null' }],
  [{ type: 'int', len: 0, min: 1 }, { kind: 'null' }],
  [
    { type: 'int', len: 7 },
    { kind: 'range', min: -1073741823, max: 1073741823 },
  ],
  [
    { type: 'bigint', min: 5000000000, max: 5000000000 },
    { kind: 'range', min: 5000000000, max: 5000000000 },
  ],
  [
    { type: 'bigint', min: 5000000000 },
    { kind: 'range', min: 5000000000, max: 9223372036854775808n },
  ],
  [
    { type: 'int', max: -2000000000 },
    { kind: 'range', min: -2147483648, max: -2000000000 },
  ],
  [
    { type: 'float', min: 0.25, max: 1.5 },
    { kind: 'range', min: 0.25, max: 1.5 },
  ],
  [
    { type: 'bool', min: 1, max: 1 },
    { kind: 'range', min: 1, max: 1 },
  ],
  [{ type: 'timestamp' }, { kind: 'now' }],
  [
    { type: 'timestamp', min: 5, max: 6 },
    { kind: 'range', min: 5, max: 6 },
  ],
  [{ type: 'nchar' }, { kind: 'text', length: 64 }],
  [
    { type: 'varchar', len: 5 },
    { kind: 'text', length: 5 },
  ],
  [
    { type: 'nchar', len: 3, values: ['on', 'off', '城市山林'] },
    { kind: 'choice', values: ['on', 'off', '城市山'] },
  ],
  [
    { type: 'binary', len: 4, values: ['offline', '城市'] },
    { kind: 'choice', values: ['offl', '城'] },
  ],
  [
    { type: 'double', fun: '8*cos(x)+20*random(5)', min: 1, max: 2 },
    { kind: 'wave', wave: { shape: 'cos', amplitude: 8, offset: 20, fluctuation: 5 } },
  ],
] as const) {
  test(`fills ${JSON.stringify(column)}`, (t) => {
    t.deepEqual(plan({ columns: [column] }).columns[0]?.values, values);
  });
}

test('reads bounds of 64 bits exactly', (t) => {
  const text = JSON.stringify(file({ columns: [{ type: 'bigint', min: 'MIN', max: 'MAX' }] })['a.json'])
    .replace('"MIN"', '-9223372036854775807')
    .replace('"MAX"', '9223372036854775807');
  const [database] = insertOf(loadRequest(['-f', 'a.json'], { 'a.json': text })).databases;
  t.deepEqual(database?.superTables[0]?.columns[0]?.values, {
    kind: 'range',
    min: -9223372036854775807n,
    max: 9223372036854775807n,
  });
});

test('warns of what has no effect on a column', (t) => {
  const answer = request({
    columns: [
      { type: 'bool', fun: 'sin(x)' },
      { type: 'int', values: ['a'] },
    ],
    tags: [{ type: 'int', sma: 'yes', fun: 'sin(x)' }],
  });
  t.is(answer.notes.length, 4);
  t.false(insertOf(answer).databases[0]?.superTables[0]?.tags[0]?.sma);
});

test('reads decimals exactly, with bounds from their own keys or the plain ones', (t) => {
  const decimal = (keys: object) => plan({ columns: [{ type: 'decimal', ...keys }] }).columns[0];
  t.deepEqual(decimal({ precision: 10, scale: 2, dec_min: '-1.50', max: 20 }), {
    name: 'c0',
    type: { name: 'DECIMAL', length: 10, scale: 2 },
    values: { kind: 'range', min: -150n, max: 2000n },
    sma: false,
  });
  t.deepEqual(decimal({ precision: 4 })?.values, { kind: 'range', min: -9999n, max: 10000n });
  t.deepEqual(decimal({ precision: 30, scale: 5, dec_max: '90071992547409.93' })?.values, {
    kind: 'range',
    min: 1n - 10n ** 30n,
    max: 9007199254740993000n,
  });
  const wide = { kind: 'range', min: -12345678901234567890123456789012345678n, max: 10n ** 37n };
  const texts = { precision: 38, scale: 4, min: '-1234567890123456789012345678901234.5678', max: '1e33' };
  t.deepEqual(decimal(texts)?.values, wide);
  // Numbers of a file count with all their digits, which JSON.stringify would round.
  const [content] = Object.values(file({ columns: [{ type: 'decimal', ...texts }] }));
  const numbers = JSON.stringify(content).replace(/"(-?[\de.]+)"/g, '$1');
  const answer = loadRequest(['-f', 'a.json'], { 'a.json': numbers });
  t.deepEqual(insertOf(answer).databases[0]?.superTables[0]?.columns[0]?.values, wide);
  for (const [keys, message] of [
    [{ precision: 3, scale: 4 }, /scale: is above precision/],
    [{ precision: 39 }, /precision: 39 is out of range; allowed: 1 to 38/],
    [{ precision: 4, scale: 1, dec_min: '1.25' }, /dec_min: 1\.25 is no value of DECIMAL\(4,1\)/],
    [{ precision: 4, scale: 1, max: 1001 }, /max: 1001 is no value of DECIMAL\(4,1\)/],
    [{ precision: 4, min: 3, max: 2 }, /min: is above the maximum/],
    [{ precision: 38, max: '1e39' }, /max: 1e39 is no value of DECIMAL\(38,0\)/],
    [{ precision: 4, max: 'many' }, /max: many is no value of DECIMAL\(4,0\)/],
    [{ precision: 4, max: true }, /max: expected a number, found true/],
  ] as const) {
    t.regex(refusalOf(request({ columns: [{ type: 'decimal', ...keys }] })), message);
  }
  t.regex(refusalOf(request({ tags: [{ type: 'decimal' }] })), /only columns can be DECIMAL/);
  const sml = { insert_mode: 'sml', columns: [{ type: 'decimal' }] };
  t.regex(refusalOf(request(sml)), /DECIMAL column can be written neither from a sample file nor without a schema/);
});

test('takes any bounds of BOOL, which has no values beyond 0 and 1', (t) => {
  const answer = request({ columns: [{ type: 'bool', min: -3, max: 10 }] });
  t.deepEqual(insertOf(answer).databases[0]?.superTables[0]?.columns[0]?.values, { kind: 'range', min: 0, max: 2 });
  t.regex(notesOf(answer), /max: has no effect beyond 0 and 1 on BOOL/);
});
