import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import type { Engine } from '../../../src/database/engine/engine.js';
import { encodeTables, insertOf } from '../../../src/database/engine/native-block.js';
import { statementOf } from '../../../src/database/engine/table-change.js';
import { codecOf, offeredCompression, renewCodecs } from '../../../src/database/store/compression.js';
import { dataTable } from '../../../src/database/store/table-statements.js';
import { type DatabaseDef, dataType } from '../../../src/model/schema.js';
import { blockOf, tableOf } from '../../support/blocks/blocks.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const { client, end } = await sharedEngine();
test.after.always(end);

const database: DatabaseDef = { id: 'd1_0', name: 'db', precision: 'ms', keepDays: 3650, options: {}, created: 0 };

async function cells(sql: string): Promise<unknown> {
  return (await client.rows(sql))[0];
}

test.serial('every value comes back bit by bit, whatever its codec', async (t) => {
  const types = {
    double: dataType('DOUBLE'),
    float: dataType('FLOAT'),
    bigint: dataType('BIGINT'),
    unsigned: dataType('BIGINT UNSIGNED'),
    tiny: dataType('TINYINT'),
    flag: dataType('BOOL'),
    text: dataType('VARCHAR', 64),
    short: dataType('DECIMAL', 9, 2),
    long: dataType('DECIMAL', 18, 4),
  };
  const { columns, ...rest } = tableOf('m', types);
  const table = { ...rest, columns: columns.map((column) => ({ ...column, physical: `c_${column.name}` })) };
  await client.exec('CREATE DATABASE d1_0');
  const decimal = fc.integer({ min: -100_000, max: 100_000 }).map((value) => value / 1000);
  const row = fc.record({
    double: fc.oneof(fc.double(), decimal),
    float: fc.oneof(fc.float(), decimal.map(Math.fround)),
    bigint: fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -100n, max: 100n })),
    unsigned: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    tiny: fc.integer({ min: -128, max: 127 }),
    flag: fc.nat(1),
    text: fc.string({ maxLength: 10 }),
    short: fc.bigInt({ min: -999_999_999n, max: 999_999_999n }),
    long: fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }),
  });
  const names = Object.keys(types) as (keyof typeof types)[];
  const rows = fc.array(fc.record({ values: row, missing: fc.constantFrom(...names) }), {
    minLength: 1,
    maxLength: 300,
  });
  // Reinterpreted, so that what NaN and -0 are made of counts, too.
  const bits = names.map((name) => {
    const column = `c_${name}`;
    return name === 'double' || name === 'float'
      ? `hex(reinterpretAsString(assumeNotNull(${column}))), ${column} IS NULL`
      : `toString(${column})`;
  });
  const all = `SELECT ${bits.join(', ')} FROM`;
  await fc.assert(
    fc.asyncProperty(rows, async (some) => {
      for (const kind of ['compact', 'plain', 'memory'] as const) {
        const compression = kind === 'plain' ? kind : 'compact';
        const create = statementOf(
          dataTable(database, { ...table, storage: `d1_0.${kind}` }, table.columns, compression),
        );
        await client.exec(`DROP TABLE IF EXISTS d1_0.${kind} SYNC`);
        const plainCreate = create
          .replace(/ CODEC\((?:[^()]|\([^()]*\))*\)/g, '')
          .replace(/ENGINE[\s\S]*/, 'ENGINE = Memory');
        await client.exec(kind === 'memory' ? plainCreate : create);
        for (const half of [some.slice(0, some.length / 2), some.slice(some.length / 2)]) {
          if (half.length === 0) continue;
          const block = blockOf(
            'm',
            types,
            half.map(({ values, missing }, at) => [
              1n,
              BigInt(some.indexOf(half[0]!) + at),
              { ...values, [missing]: null },
            ]),
          );
          const data = [{ columns: table.columns, blocks: [block] }];
          await client.insert(insertOf(`d1_0.${kind}`, data), encodeTables(data));
        }
        if (kind !== 'memory') await client.exec(`OPTIMIZE TABLE d1_0.${kind} FINAL`);
      }
      const stored = await client.rows(`${all} d1_0.memory ORDER BY ts`);
      t.is(stored.length, some.length);
      for (const kind of ['compact', 'plain'])
        t.deepEqual(await client.rows(`${all} d1_0.${kind} ORDER BY ts`), stored);
    }),
    { numRuns: 8 },
  );
});

test.serial(
  'tables of before are given the codecs of the settings, which their rows take as they are merged',
  async (t) => {
    await client.exec('CREATE DATABASE IF NOT EXISTS d2_0');
    await client.exec('CREATE DATABASE IF NOT EXISTS other');
    const old = `(id UInt64, ts Int64 CODEC(DoubleDelta, LZ4), c1_Float64 Nullable(Float64), c2_Int32 Nullable(Int32),
    c3_String Nullable(String), c4_Decimal_30_2_ Nullable(Decimal(30, 2)))
    ENGINE = ReplacingMergeTree ORDER BY (id, ts)`;
    for (const place of ['d2_0.t3_0', 'other.t3_0']) await client.exec(`CREATE TABLE ${place} ${old}`);
    await client.exec(
      `INSERT INTO d2_0.t3_0 SELECT number % 10, number, number / 100, number, toString(number), 1 FROM numbers(50000)`,
    );
    const codecs = (place: string) =>
      client.rows(
        `SELECT name, compression_codec FROM system.columns WHERE concat(database, '.', table) = '${place}' ORDER BY position`,
      );
    const size = async () =>
      Number(
        (
          (await cells(
            `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 't3_0' AND database = 'd2_0'`,
          )) as unknown[]
        )[0],
      );
    const before = await codecs('other.t3_0');
    const sum = await cells(
      'SELECT sum(c1_Float64), sum(c2_Int32), sum(length(c3_String)), sum(c4_Decimal_30_2_) FROM d2_0.t3_0',
    );
    const sizeBefore = await size();
    t.is(await renewCodecs(client, 'compact'), 1);
    t.deepEqual(await codecs('d2_0.t3_0'), [
      ['id', 'CODEC(ZSTD(1))'],
      ['ts', 'CODEC(Delta(8), ZSTD(1))'],
      ['c1_Float64', 'CODEC(ALP, LZ4)'],
      ['c2_Int32', 'CODEC(T64, ZSTD(1))'],
      ['c3_String', 'CODEC(ZSTD(1))'],
      ['c4_Decimal_30_2_', 'CODEC(ZSTD(1))'],
    ]);
    // What the catalogue has not named stays as it is.
    t.deepEqual(await codecs('other.t3_0'), before);
    t.is(await renewCodecs(client, 'compact'), 0);
    t.is(await size(), sizeBefore);
    await client.exec('OPTIMIZE TABLE d2_0.t3_0 FINAL SETTINGS optimize_skip_merged_partitions = 0');
    t.true((await size()) < sizeBefore * 0.7);
    t.deepEqual(
      await cells(
        'SELECT sum(c1_Float64), sum(c2_Int32), sum(length(c3_String)), sum(c4_Decimal_30_2_) FROM d2_0.t3_0',
      ),
      sum,
    );
    t.is(await renewCodecs(client, 'plain'), 1);
    t.deepEqual((await codecs('d2_0.t3_0'))[2], ['c1_Float64', 'CODEC(ZSTD(1))']);
  },
);

test.serial('names and times of sub-tables are given codecs, and their tags none', async (t) => {
  const columns = 'id UInt64, ts Int64, name String, dropped UInt8, revision UInt64, c1_String Nullable(String)';
  await client.exec('CREATE DATABASE IF NOT EXISTS sluice');
  await client.exec('CREATE DATABASE IF NOT EXISTS d5_0');
  await client.exec(
    'CREATE TABLE sluice.sub_tables (id UInt64, name String, created Int64) ENGINE = MergeTree ORDER BY id',
  );
  for (const place of ['d5_0.g3_0', 'd5_0.gs'])
    await client.exec(`CREATE TABLE ${place} (${columns}) ENGINE = ReplacingMergeTree(revision) ORDER BY id`);
  t.is(await renewCodecs(client, 'plain'), 3);
  for (const place of ['d5_0.g3_0', 'd5_0.gs', 'sluice.sub_tables']) {
    t.deepEqual(
      await client.rows(
        `SELECT name, compression_codec FROM system.columns WHERE concat(database, '.', table) = '${place}' AND compression_codec != '' ORDER BY name`,
      ),
      [
        ['name', 'CODEC(ZSTD(1))'],
        [place === 'sluice.sub_tables' ? 'created' : 'ts', 'CODEC(Delta(8), ZSTD(1))'],
      ].toSorted(),
    );
  }
  t.is(await renewCodecs(client, 'plain'), 0);
});

test.serial('an engine that lacks a codec, or does not list it, gets none of them', async (t) => {
  t.is(await offeredCompression(client, 'compact'), 'compact');
  t.is(await offeredCompression(client, 'plain'), 'plain');
  const engineWith = (from: string): Engine => {
    const system = { rows: (sql: string) => client.rows(sql.replace('system.codecs', from)) };
    return Object.assign(Object.create(client) as Engine, { system });
  };
  t.is(await offeredCompression(engineWith('system.nothing'), 'compact'), 'plain');
  t.is(await offeredCompression(engineWith('(SELECT * FROM system.codecs WHERE 0)'), 'compact'), 'plain');
  t.notRegex(codecOf('Nullable(Float64)', 'plain'), /ALP/);
});

/** Files of a part by name, base64: 1,000 rows that engine 26.7.2 wrote with the codecs of before. */
type KeptPart = Readonly<Record<string, string>>;

test.serial('rows that an engine of 26.7 has compressed are read', async (t) => {
  const part = JSON.parse(readFileSync('fixtures/parts/codecs-26.7.json', 'utf8')) as KeptPart;
  const columns = [
    { name: 'f', type: dataType('DOUBLE'), physical: 'c1_Float64' },
    { name: 'g', type: dataType('FLOAT'), physical: 'c2_Float32' },
    { name: 'n', type: dataType('BIGINT'), physical: 'c3_Int64' },
    { name: 's', type: dataType('VARCHAR', 8), physical: 'c4_String' },
  ];
  const table = { ...tableOf('kept', {}), columns, storage: 'd3_0.t4_0' };
  await client.exec('CREATE DATABASE d3_0');
  await client.define(dataTable(database, table, columns, 'compact'));
  const [path] = (await cells(`SELECT data_paths[1] FROM system.tables WHERE database = 'd3_0'`)) as string[];
  const directory = join(path!, 'detached', '0_1_1_0');
  mkdirSync(directory, { recursive: true });
  for (const [name, bytes] of Object.entries(part)) writeFileSync(join(directory, name), Buffer.from(bytes, 'base64'));
  await client.exec(`ALTER TABLE d3_0.t4_0 ATTACH PART '0_1_1_0'`);
  t.deepEqual(
    await cells(
      `SELECT toUInt32(count()), toUInt32(countIf(c1_Float64 = round(number / 8 + 0.125, 3) AND c2_Float32 = toFloat32(number % 17 / 4)
       AND c3_Int64 = number * 1000 - 5 AND c4_String = toString(number % 5))), toUInt32(countIf(c1_Float64 IS NULL))
       FROM (SELECT *, toUInt64(ts - 864000000) AS number FROM d3_0.t4_0)`,
    ),
    [1000, 990, 10],
  );
});
