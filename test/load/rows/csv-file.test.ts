import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type CsvField, readCsvFile } from '../../../src/load/rows/csv-file.js';
import { FaultError } from '../../../src/model/fault.js';
import { dataType, type TypeName } from '../../../src/model/schema.js';
import { rowsOf } from '../../support/load/insert-world.js';
import { field, openRows, requestsOf, rowsIn } from '../../support/load/plan.js';

const folder = mkdtempSync(join(tmpdir(), 'csv-file-'));
let files = 0;

function fileOf(text: string): string {
  const file = join(folder, `${files++}.csv`);
  writeFileSync(file, text);
  return file;
}

function column(name: string, type: TypeName, length?: number): CsvField {
  return { name, type: dataType(type, length) };
}

/** The rows of a file as cells, without times. */
async function read(text: string, fields: readonly CsvField[], maxRows = 100): Promise<unknown[][]> {
  const { rows, columns } = await readCsvFile(fileOf(text), {
    fields,
    withTimes: false,
    maxRows,
    readTime: (time) => BigInt(Date.parse(time)),
  });
  const times = new BigInt64Array(rows);
  const block = {
    kind: 'columns',
    database: '',
    table: '',
    rows,
    ids: new BigUint64Array(rows),
    times,
    columns,
    nullMeaning: 'overwrite',
    style: undefined,
    newSubTables: [],
  } as const;
  return rowsOf(block).map(([, ...cells]) => cells);
}

async function problemOf(text: string, fields: readonly CsvField[]): Promise<string> {
  try {
    await read(text, fields);
  } catch (error) {
    if (error instanceof FaultError) return error.message.replace(/^".*?"/, 'file');
    throw error;
  }
  return 'none';
}

test('lines are typed, NULL without quotes is none, and blank lines do not count', async (t) => {
  const fields = [column('a', 'INT'), column('b', 'VARCHAR', 20), column('c', 'FLOAT'), column('d', 'BOOL')];
  t.deepEqual(await read('1,"x,""y""",2.5,true\r\n\r\nNULL,"NULL",null,0\n-3, plain ,1e3,FALSE', fields), [
    [1, 'x,"y"', 2.5, 1],
    [null, 'NULL', null, 0],
    [-3, 'plain', 1000, 0],
  ]);
});

test('texts may be in single quotes, as statements write them', async (t) => {
  t.deepEqual(await read("17,'it''s, so'\nNULL,NULL\n", [column('a', 'INT'), column('b', 'NCHAR', 10)]), [
    [17, "it's, so"],
    [null, null],
  ]);
});

test('64-bit integers are exact', async (t) => {
  const fields = [column('a', 'BIGINT'), column('b', 'BIGINT UNSIGNED')];
  t.deepEqual(await read('-9223372036854775808,18446744073709551615', fields), [[-(1n << 63n), (1n << 64n) - 1n]]);
});

test('only so many lines are read', async (t) => {
  t.is((await read('1\n2\n3\n4\n', [column('a', 'INT')], 2)).length, 2);
});

test('what does not fit is refused with its row and column', async (t) => {
  const int = [column('a', 'TINYINT')];
  t.is(await problemOf('1\n128\n', int), 'file, row 2, column "a": "128" is not a value of type TINYINT');
  t.is(await problemOf('x\n', int), 'file, row 1, column "a": "x" is not a value of type TINYINT');
  t.is(await problemOf('1,2\n', int), 'file, row 1: 2 fields, expected 1');
  t.is(
    await problemOf('abcd\n', [column('s', 'VARCHAR', 3)]),
    'file, row 1, column "s": "abcd" is longer than VARCHAR(3) holds',
  );
  t.is(await problemOf('\n\n', int), 'file has no rows');
  t.regex(await problemOf('"open\n', int), /^file cannot be read: /);
});

test('a file that is not there is refused by its name', async (t) => {
  const sample = { file: join(folder, 'none.csv'), useTimes: false, fileOfTable: undefined };
  const error = await t.throwsAsync(openRows({ sample }), { instanceOf: FaultError });
  t.true(error?.message.includes('none.csv'));
});

test('row i of every table is line i, over and over', async (t) => {
  const sample = { file: fileOf('10\n20\n30\n'), useTimes: false, fileOfTable: undefined };
  const source = await openRows({ sample, rows: 8 });
  const rows = rowsIn(source, requestsOf(source));
  t.is(rows.length, 16);
  t.true(rows.every(({ cells: [value] }, i) => value === 10 * ((i % 8) % 3) + 10));
});

test('no more lines are used than rows are prepared', async (t) => {
  const sample = { file: fileOf('10\n20\n30\n'), useTimes: false, fileOfTable: undefined };
  const source = await openRows({ sample, rows: 4, preparedRows: 2, childCount: 1 });
  t.deepEqual(
    rowsIn(source, requestsOf(source)).map(({ cells: [value] }) => value),
    [10, 20, 10, 20],
  );
});

test('a file has all columns of a table of which some are written, or only those', async (t) => {
  const columns = ['a', 'b', 'c'].map((name) => field(name, 'INT', { kind: 'null' }));
  const cells = async (text: string) => {
    const sample = { file: fileOf(text), useTimes: false, fileOfTable: undefined };
    const source = await openRows({ sample, columns, partialColumns: 2, childCount: 1, rows: 1 });
    return rowsIn(source, requestsOf(source))[0]?.cells;
  };
  t.deepEqual(await cells('1,2,3\n'), [1, 2]);
  t.deepEqual(await cells('1,2\n'), [1, 2]);
  await t.throwsAsync(cells('1\n'), { instanceOf: FaultError });
});

test('with times every line is one row of each table, also in rounds', async (t) => {
  const file = fileOf('1600000000000,1\n"2020-09-13T12:26:41Z",2\n1600000000500,3\n');
  const sample = { file, useTimes: true, fileOfTable: undefined };
  const changes = { sample, rows: 99, preparedRows: 1, disorderRatio: 50, nonStop: true };
  for (const interlaceRows of [0, 2]) {
    const source = await openRows({ ...changes, interlaceRows });
    t.is(source.rows, 6);
    const rows = rowsIn(source, requestsOf(source));
    for (const name of ['d0', 'd1']) {
      t.deepEqual(
        rows.filter(({ table }) => table === name).map(({ time, cells: [value] }) => [time, value]),
        [
          [1600000000000n, 1],
          [1600000001000n, 2],
          [1600000000500n, 3],
        ],
      );
    }
  }
});

test('a table with a file of its own takes its rows from there', async (t) => {
  const file = fileOf('1600000000000,1\n1600000000001,2\n');
  const fileOfTable = join(folder, 'own-XXXX.csv');
  writeFileSync(join(folder, 'own-d1.csv'), '1600000000007,7\n');
  for (const interlaceRows of [0, 1]) {
    const source = await openRows({ sample: { file, useTimes: true, fileOfTable }, childCount: 3, interlaceRows });
    t.is(source.rows, 5);
    const shown = rowsIn(source, requestsOf(source)).map(({ table, cells: [value] }) => `${table} ${value}`);
    t.deepEqual(shown.sort(), ['d0 1', 'd0 2', 'd1 7', 'd2 1', 'd2 2']);
  }
});

test('tags come from a file line by line, and there are no more tables than lines', async (t) => {
  const tags = [field('id', 'INT', { kind: 'null' }), field('place', 'VARCHAR', { kind: 'null' }, 20)];
  const tagsFile = fileOf("17,'Bremen'\nNULL,'O''Hare'\n3,NULL\n");
  const source = await openRows({ tags, tagsFile, childCount: 10 });
  t.is(source.tables.to, 3);
  t.deepEqual(source.tags.rows(0, 3), [
    ['17', 'Bremen'],
    [undefined, "O'Hare"],
    ['3', undefined],
  ]);
  t.is((await openRows({ tags, tagsFile, childCount: 2 })).tables.to, 2);
});

test('devices, lines without an end and bytes that are no text are refused in few words', async (t) => {
  const options = { fields: [column('v', 'INT')], withTimes: false, maxRows: 10, readTime: () => undefined };
  const device = await t.throwsAsync(readCsvFile('/dev/zero', options), { instanceOf: FaultError });
  t.is(device?.fault.message, '"/dev/zero" cannot be read: it is no regular file');
  const endless = fileOf('1'.repeat(3 * 1024 * 1024));
  const line = await t.throwsAsync(readCsvFile(endless, options), { instanceOf: FaultError });
  t.regex(line?.fault.message ?? '', /cannot be read: Max Record Size/);
  const binary = fileOf(`x\u0001"${'\u0002'.repeat(5000)}`);
  const bytes = await t.throwsAsync(readCsvFile(binary, options), { instanceOf: FaultError });
  t.true((bytes?.fault.message.length ?? 0) < 500);
  t.notRegex(bytes?.fault.message ?? '', /\p{Cc}/u);
});
