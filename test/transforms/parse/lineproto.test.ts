import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import type { TypeName } from '../../../src/model/schema.js';
import { maxDetailedRejects } from '../../../src/transforms/points/point-limits.js';
import {
  LineProtocolDesk,
  nowTicks,
  printPoint,
  type ReadValue,
  rejection,
  superTable,
} from '../../support/messages/line-protocol.js';

test('reads measurement, tags, fields and time of a line', (t) => {
  const desk = new LineProtocolDesk();
  const rows = desk.read('room.temp,site=north,floor=2 celsius=21.5,ok=t,n=3i 1700000000000000000');
  t.deepEqual(rows, [
    {
      table: 'room_temp',
      subTable: 't_8ef06d0f5370118f010aad1fe20bd698',
      tags: { site: 'north', floor: '2' },
      time: 1_700_000_000_000_000_000n,
      fields: {
        celsius: { type: 'DOUBLE', value: 21.5 },
        ok: { type: 'BOOL', value: true },
        n: { type: 'BIGINT', value: 3n },
      },
    },
  ]);
});

test('gives a line without tags the NULL tag and the name of the measurement alone', (t) => {
  const [row] = new LineProtocolDesk().read('cpu v=1 5\n');
  t.is(row?.subTable, 't_d9747e2da342bdb995f6389533ad1a3d');
  t.deepEqual(row?.tags, { _tag_null: undefined });
});

test('unescapes names, tag values and strings', (t) => {
  const [row] = new LineProtocolDesk().read('h\\,h\\ h\\=h,ho\\ st\\==a\\,b\\ c\\d f\\ \\,\\==1,x="q\\"z\\\\y\\n" 5');
  t.is(row?.table, 'h,h h\\=h');
  t.deepEqual(row?.tags, { 'ho st=': 'a,b c\\d' });
  t.deepEqual(row?.fields, {
    'f ,=': { type: 'DOUBLE', value: 1 },
    x: { type: 'VARCHAR', value: 'q"z\\y\\n' },
  });
});

test('skips comments, blank lines and leading blanks, and takes CR LF and several blanks', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('# hi "there\n\n  \t \r\n \t m   v=1   7   \r\n# a=b c="\nm v=2\r\nm v=3 9');
  t.deepEqual(
    desk.rows(parsed).map((row) => [row.time, row.fields.v?.value]),
    [
      [7n, 1],
      [nowTicks, 2],
      [9n, 3],
    ],
  );
  t.is(parsed.lines, 7);
  t.is(parsed.rejectedRows, 0);
});

test('keeps a line break inside a string and counts it as a line', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('m s="a\nb\r\n" 1\nm s=bad\nm s="c" 2');
  t.deepEqual(
    desk.rows(parsed).map((row) => row.fields.s?.value),
    ['a\nb\r\n', 'c'],
  );
  t.is(parsed.rejects[0]?.row, 3);
  t.is(parsed.lines, 5);
});

test('refuses lines that do not follow the grammar, and says why', (t) => {
  const long = 'x'.repeat(193);
  const messages: [string, string][] = [
    ['m', 'the line has no fields (column 2)'],
    ['m ', 'a field is missing (column 3)'],
    ['m,a=1', 'the line has no fields (column 6)'],
    ['m v', 'field "v" has no value (column 3)'],
    ['m v=1,', 'a field is missing (column 7)'],
    ['m =1', 'a field has no name (column 3)'],
    [',a=1 v=1', 'the measurement is missing (column 1)'],
    ['m,a v=1', 'tag "a" has no value (column 3)'],
    ['m,a= v=1', 'tag "a" has an empty value (column 3)'],
    ['m,=b v=1', 'a tag has no name (column 3)'],
    ['m, v=1', 'tag "" has no value (column 3)'],
    ['m,a=b=c v=1', 'tag "a": an equals sign in a value needs a backslash before it (column 6)'],
    ['m,a=1,a=2 v=1', 'tag "a" occurs twice (column 7)'],
    ['m v=1,v=2', 'field "v" occurs twice (column 7)'],
    ['m _ts=2', 'field "_ts" has the name of the time column (column 3)'],
    ['m,_ts=2 v=2', 'tag "_ts" is the name of the time column (column 3)'],
    [`${long} v=1`, `measurement "${'x'.repeat(48)}..." is longer than 192 bytes (column 1)`],
    [`m ${'x'.repeat(193)}=1`, `field name "${'x'.repeat(48)}..." is longer than 192 bytes (column 3)`],
    [`m,${'x'.repeat(193)}=1 v=1`, `tag name "${'x'.repeat(48)}..." is longer than 192 bytes (column 3)`],
    ['m v=1 -5', 'timestamp "-5" is before 1970 (column 7)'],
    ['m v=1 -', 'timestamp "-" is not a whole number (column 7)'],
    ['m v=1 -1?', 'timestamp "-1?" is not a whole number (column 7)'],
    ['m v=1 abc', 'timestamp "abc" is not a whole number (column 7)'],
    ['m v=1 9223372036854775808', 'timestamp "9223372036854775808" is too large (column 7)'],
    ['m v=1 99999999999999999999999', 'timestamp "99999999999999999999999" is too large (column 7)'],
    ['m v=1 1 2', '"2" follows the timestamp (column 9)'],
  ];
  for (const [text, message] of messages) t.is(rejection(text), message, text);
});

test('takes names and values up to their limits and refuses longer rows, tags and lines', (t) => {
  const desk = new LineProtocolDesk();
  t.is(desk.parse(`${'x'.repeat(192)},${'t'.repeat(192)}=1 ${'f'.repeat(192)}=1`).rows, 1);
  t.is(desk.parse(`m s="${'a'.repeat(65517)}"`).rows, 1);
  t.regex(rejection(`m s="${'a'.repeat(65518)}"`), /VARCHAR value is too long/);
  t.regex(rejection(`m s=L"${'a'.repeat(16380)}"`), /NCHAR value is too long/);
  t.regex(rejection(`m a="${'a'.repeat(40000)}",b="${'a'.repeat(40000)}"`), /the fields take 80004 bytes/);
  t.is(desk.parse(`m,t=${'a'.repeat(4095)} v=1`).rows, 1);
  t.regex(rejection(`m,t=${'a'.repeat(4096)} v=1`), /the tags are too long/);
  const tags = Array.from({ length: 129 }, (_, i) => `,t${i}=1`).join('');
  t.regex(rejection(`m${tags} v=1`), /more than 128 tags/);
  const short = desk.parse('m v=1\nm vvvvvvvvvvvvvvvvvv=1\nm v=3', { maxLineBytes: 16 });
  t.is(short.rows, 2);
  t.is(short.rejects[0]?.fault.message, 'the line is longer than 16 bytes (column 1)');
});

test('rejects ill-formed UTF-8 in names and strings but not in binary values', (t) => {
  const line = (prefix: string, byte: number, suffix: string) =>
    Buffer.concat([Buffer.from(prefix), Buffer.from([byte]), Buffer.from(suffix)]);
  t.regex(rejection(line('m', 0xff, ' v=1')), /measurement or tags are not well-formed UTF-8/);
  t.regex(rejection(line('m,t=', 0xc0, ' v=1')), /measurement or tags are not well-formed UTF-8/);
  t.regex(rejection(line('m v', 0x80, '=1')), /is not well-formed UTF-8/);
  t.regex(rejection(line('m v="', 0xe4, '"')), /the string is not well-formed UTF-8/);
  t.is(new LineProtocolDesk().read(line('m v=B"', 0xff, '"'))[0]?.fields.v?.value, 'ff');
});

test('rejects a field whose type differs from the known column, and keeps its neighbours', (t) => {
  const desk = new LineProtocolDesk();
  desk.tables.set('m', superTable('m', { v: ['BIGINT'], s: ['VARCHAR', 8], d: ['TIMESTAMP'] }, ['a']));
  const parsed = desk.parse('m,a=1 v=1i 1\nm,a=1 new=1,v=1.5 2\nm,a=1 s=L"x" 3\nm,a=1 d=1i 4\nm,a=1 new="x" 5');
  t.is(parsed.rows, 2);
  t.deepEqual(
    parsed.rejects.map(({ row, fault: f }) => [row, f.code, f.message]),
    [
      [1, Codes.schemalessTypeConflict, 'field "v" is DOUBLE, but the column of table "m" is BIGINT (column 13)'],
      [2, Codes.schemalessTypeConflict, 'field "s" is NCHAR, but the column of table "m" is VARCHAR (column 7)'],
      [3, Codes.schemalessTypeConflict, 'field "d" is BIGINT, but the column of table "m" is TIMESTAMP (column 7)'],
    ],
  );
  t.deepEqual(desk.rows(parsed)[1]?.fields, { new: { type: 'VARCHAR', value: 'x' } });
});

test('rejects a field whose type differs from an earlier line of the same text', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('m v=1i 1\nm v=1.5 2\nn v=1.5 3\nm v=2i 4');
  t.is(parsed.rows, 3);
  t.is(parsed.rejects[0]?.fault.code, Codes.schemalessTypeConflict);
  t.is(parsed.rejects[0]?.row, 1);
  // Nothing was stored by the first call as far as the schema knows, so the second may choose anew.
  t.is(desk.parse('m v=1.5 2').rows, 1);
});

test('a rejected line leaves no trace', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('m,a=1 x=1,y="s",z=bad 1\nm,a=1 x="now text" 2\nm,b=2 a=1,q=bad 3\nm,c=3 b=1 3');
  t.is(parsed.rows, 2);
  t.is(parsed.rejectedRows, 2);
  t.deepEqual(
    parsed.blocks[0]?.columns.map((column) => [column.name, column.type.name]),
    [
      ['x', 'VARCHAR'],
      ['b', 'DOUBLE'],
    ],
  );
  t.is(desk.created, 2);
});

test('stores a field under another name where a tag has its own', (t) => {
  const desk = new LineProtocolDesk();
  const names = (text: string): unknown => {
    const { blocks, rejectedRows } = desk.parse(text);
    return [rejectedRows, blocks[0]?.columns.map(({ name, sentAs }) => [name, sentAs])];
  };
  t.deepEqual(names('m,a=1 v=1\nm,b=1 a=1\nm,v=1 w=1\nm,b=1 w=2'), [
    0,
    [
      ['v', undefined],
      ['field_a', 'a'],
      ['w', undefined],
    ],
  ]);
  // A line that is rejected leaves no name behind.
  t.deepEqual(names('n,a=1 a=1,b=\nn,c=1 field_a=2'), [1, [['field_a', undefined]]]);
  desk.tables.set('o', superTable('o', { v: ['DOUBLE'] }, ['host']));
  t.deepEqual(names('o,x=1 host=1\no,v=1 w=1\no,x=1 v=2'), [
    0,
    [
      ['field_host', 'host'],
      ['w', undefined],
      ['v', undefined],
    ],
  ]);
});

test('refuses a table that is not a super table', (t) => {
  const desk = new LineProtocolDesk();
  desk.tables.set('m', { ...superTable('m', { v: ['DOUBLE'] }), kind: 'normal' });
  const parsed = desk.parse('m v=1\nn v=1');
  t.is(parsed.rows, 1);
  t.is(parsed.rejects[0]?.fault.message, 'table "m" is not a super table (column 1)');
});

test('refuses the name of a view as long as there is one', (t) => {
  const desk = new LineProtocolDesk();
  const text = 'm v=1\nn v=1\nm v=2';
  t.is(desk.parse('m v=1').rows, 1);
  desk.views.set('m', {});
  const parsed = desk.parse(text);
  t.deepEqual(
    [parsed.rows, ...parsed.rejects.map(({ row, fault: { message } }) => `${row}: ${message}`)],
    [1, '0: table "m" is a view (column 1)', '2: table "m" is a view (column 1)'],
  );
  desk.views.delete('m');
  t.is(desk.parse(text).rows, 3);
});

test('carries a sub-table in every block until it is registered, once in the first however its tags are written', (t) => {
  const desk = new LineProtocolDesk();
  const names = () =>
    desk
      .parse('m,a=1,b=2 v=1 1\nm,b=2,a=1 v=1 2\nm,a=1,b=2 v=1 3')
      .blocks.map((b) => b.newSubTables.map((s) => s.name));
  const [[name] = []] = names();
  // From then on once for each key: whoever registers them takes each name once.
  t.deepEqual(names(), [[name!, name!]]);
  t.is(desk.created, 2);
  desk.subTables.get(name!)!.registered = true;
  t.deepEqual(names(), [[]]);
  t.is(desk.created, 2);
});

test('rejects the line of a sub-table that cannot be made', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('m,a=1 v=1 1\nm,a=1 v="x" 1', {
    makeSubTable: () => {
      throw new FaultError(fault('database', Codes.invalidTagCount, 'no more'));
    },
  });
  t.is(parsed.rows, 0);
  t.deepEqual(
    parsed.rejects.map((r) => r.fault.message),
    ['no more (column 1)', 'no more (column 1)'],
  );
});

test('declares strings wide enough for the longest value and never narrower than they are', (t) => {
  const desk = new LineProtocolDesk();
  const lengths = (text: string) => desk.parse(text).blocks[0]?.columns.map((column) => column.type.length);
  t.deepEqual(lengths('m s="12345",n=L"üüüüü",e="",b=B"12345678",l="" 1\nm s="12345678" 2'), [16, 8, 1, 16, 1]);
  t.deepEqual(lengths(`m s="${'x'.repeat(1023)}",l="${'x'.repeat(1024)}"`), [1024, 1024]);
  desk.tables.set('m', superTable('m', { s: ['VARCHAR', 10], n: ['NCHAR', 3] }));
  t.deepEqual(lengths('m s="1234567890",n=L"üüü"'), [10, 3]);
  t.deepEqual(lengths('m s="12345678901",n=L"üüüü"'), [16, 8]);
});

test('follows a schema that changes between calls', (t) => {
  const desk = new LineProtocolDesk();
  t.is(desk.parse('m,a=1 v=1').rows, 1);
  desk.tables.set('m', superTable('m', { v: ['BIGINT'] }, ['a']));
  t.is(desk.parse('m,a=1 v=1').rows, 0);
  t.is(desk.parse('m,a=1 v=1i').rows, 1);
});

test('describes only so many rejected lines but counts them all', (t) => {
  const parsed = new LineProtocolDesk().parse('bad\n'.repeat(1000), { firstLine: 5 });
  t.is(parsed.rejectedRows, 1000);
  t.is(parsed.rejects.length, maxDetailedRejects);
  t.is(parsed.rejects[0]?.row, 5);
  t.is(parsed.lines, 1000);
});

test('splits a block that is sparse instead of filling it with NULLs', (t) => {
  const desk = new LineProtocolDesk();
  const wide = `m ${Array.from({ length: 4000 }, (_, i) => `f${i}=1`).join(',')} 1\n`;
  const parsed = desk.parse(wide + 'm f0=2 2\n'.repeat(1000));
  t.is(parsed.rows, 1001);
  t.true(parsed.blocks.length > 1);
  t.is(
    parsed.blocks.reduce((sum, block) => sum + block.rows, 0),
    1001,
  );
  for (const block of parsed.blocks) t.is(block.newSubTables.length, 1);
});

test('refuses more columns than a table may have', (t) => {
  const parsed = new LineProtocolDesk().parse(
    `m ${Array.from({ length: 4096 }, (_, i) => `f${i}=1`).join(',')}\nm v=1`,
  );
  t.is(parsed.rows, 1);
  t.is(parsed.rejects[0]?.fault.code, Codes.tooManyTableColumns);
});

interface FixturePoint {
  readonly measurement: string;
  readonly tags: Record<string, string>;
  readonly fields: Record<string, { readonly type: string; readonly value: number | string | boolean }>;
  readonly timestamp: string | null;
}

const fixtureFolder = 'fixtures/lineproto';
const fixtureTypes: Record<string, TypeName> = {
  float: 'DOUBLE',
  int: 'BIGINT',
  uint: 'BIGINT UNSIGNED',
  bool: 'BOOL',
  string: 'VARCHAR',
};
const fixtureUnits = { u: 'us', us: 'us', n: 'ns', ns: 'ns', ms: 'ms', s: 's', m: 'm', h: 'h' } as const;
const nanosecondsPerUnit = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: 10n ** 9n,
  m: 60n * 10n ** 9n,
  h: 3600n * 10n ** 9n,
};

function expectedValue(type: TypeName, value: number | string | boolean): ReadValue['value'] {
  return type.startsWith('BIGINT') ? BigInt(value) : value;
}

for (const file of readdirSync(fixtureFolder).filter((name) => name.endsWith('.json'))) {
  test(`reads what ${file.replace('.json', '')} sent`, (t) => {
    const sample: { precision: keyof typeof fixtureUnits | null; gzip?: boolean; points: FixturePoint[] } = JSON.parse(
      readFileSync(`${fixtureFolder}/${file}`, 'utf8'),
    );
    const raw = readFileSync(`${fixtureFolder}/${file.replace('.json', '.bin')}`);
    const precision = fixtureUnits[sample.precision ?? 'ns'];
    const desk = new LineProtocolDesk();
    const parsed = desk.parse(sample.gzip === true ? gunzipSync(raw) : raw, { precision });
    const rows = desk.rows(parsed);
    // Clients that send two types for one field lose the later ones: a column has one type.
    const types = new Map<string, TypeName>();
    for (const point of sample.points) {
      const kinds = Object.entries(point.fields).map(
        ([name, f]) => [`${point.measurement} ${name}`, fixtureTypes[f.type]!] as const,
      );
      const conflict = kinds.some(([name, type]) => (types.get(name) ?? type) !== type);
      const time = point.timestamp === null ? nowTicks : BigInt(point.timestamp) * nanosecondsPerUnit[precision];
      const matching = rows.filter((row) => {
        const tags = Object.entries(point.tags);
        const sameTags = tags.length === 0 || tags.every(([name, value]) => row.tags[name] === value);
        return row.table === point.measurement.replaceAll('.', '_') && row.time === time && sameTags;
      });
      const expected = Object.fromEntries(
        Object.entries(point.fields).map(([name, f]): [string, ReadValue] => {
          const type = fixtureTypes[f.type]!;
          return [name, { type, value: expectedValue(type, f.value) }];
        }),
      );
      if (conflict) continue;
      for (const [name, type] of kinds) types.set(name, type);
      const printed = (fields: unknown) => JSON.stringify(fields, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
      const ordered = (fields: Readonly<Record<string, ReadValue>>) =>
        printed(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
      t.true(
        matching.some((row) => ordered(row.fields) === ordered(expected)),
        `${printPoint({ ...point, fields: {}, time })} ${printed(expected)} among ${printed(matching)}`,
      );
    }
    t.true(rows.length <= sample.points.length);
  });
}

test('the unit of a time may be told by its size', (t) => {
  const times: [string, bigint][] = [
    ['1700000000', 1_700_000_000_000_000_000n],
    ['0001700000000', 1_700_000_000_000_000_000n],
    ['1700000000123', 1_700_000_000_123_000_000n],
    ['1700000000123456', 1_700_000_000_123_456_000n],
    ['1700000000123456789', 1_700_000_000_123_456_789n],
    ['4999999999', 4_999_999_999_000_000_000n],
    ['5000000000', 5_000_000_000_000_000n],
    ['5000000000000', 5_000_000_000_000_000n],
    ['5000000000000000', 5_000_000_000_000_000n],
    ['1', 1_000_000_000n],
    ['0', nowTicks],
  ];
  const text = times.map(([time]) => `m v=1 ${time}`).join('\n');
  const read = (precision: 'ns' | 'ms') =>
    new LineProtocolDesk(precision).read(text, { precision: 'auto' }).map(({ time }) => time);
  t.deepEqual(
    read('ns'),
    times.map(([, time]) => time),
  );
  t.deepEqual(
    read('ms'),
    times.map(([, time]) => (time === nowTicks ? time : time / 1_000_000n)),
  );
});

test('a metric is not refused for one that an earlier text brought while neither has its table', (t) => {
  const desk = new LineProtocolDesk();
  const metrics = (text: string): unknown => {
    const { blocks, rejectedRows } = desk.parse(text);
    return [rejectedRows, ...blocks.map(({ table, sentAs }) => `${table} ${sentAs}`)];
  };
  t.deepEqual(metrics('q_x.y v=1'), [0, 'q_x_y dots q_x.y']);
  t.deepEqual(metrics('q.x_y v=1'), [0, 'q_x_y dots q.x_y']);
  t.deepEqual(metrics('q_x.y v=1\nq.x_y v=2'), [0, 'q_x_y dots q_x.y', 'q_x_y dots q.x_y']);
  t.deepEqual(metrics('q.x_z v=1\nq_x.z v=2'), [1, 'q_x_z dots q.x_z']);
  desk.tables.set('q_x_y', { ...superTable('q_x_y', { v: ['DOUBLE'] }, []), sentAs: 'dots q.x_y' });
  t.deepEqual(metrics('q_x.y v=1\nq.x_y v=2\nq_x.y,a=1 v=3'), [2, 'q_x_y dots q.x_y']);
});
