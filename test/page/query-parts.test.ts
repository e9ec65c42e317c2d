import { readFileSync } from 'node:fs';
import test from 'ava';
import { functionNames } from '../../src/sql/functions/registry.js';
import { pageBundles } from '../../tools/page-bundles.js';

const page = (name: string): string => new URL(`../../../page/${name}`, import.meta.url).href;

interface Statements {
  readonly splitStatements: (text: string) => readonly { readonly text: string; readonly start: number }[];
  readonly onlyReads: (text: string) => boolean;
  readonly placeOf: (message: string, statement: string) => number | undefined;
}
interface Rows {
  readonly columns: readonly { readonly name: string }[];
  readonly data: readonly (readonly unknown[])[];
}
interface Download {
  readonly toCsv: (rows: Rows) => string;
  readonly toJson: (rows: Rows) => string;
}

const { splitStatements, onlyReads, placeOf }: Statements = await import(page('statement-text.js'));
interface RowsTable {
  readonly toTsv: (rows: Rows) => string;
  readonly sortRows: (
    data: readonly (readonly unknown[])[],
    at: number,
    column: { readonly type: string; readonly isNumber: boolean },
    direction: 'ascending' | 'descending',
  ) => readonly (readonly unknown[])[];
}

const { sortRows, toTsv }: RowsTable = await import(page('rows-table.js'));
const { toCsv, toJson }: Download = await import(page('download.js'));

test('statements are parted by semicolons, but not by those in texts, names and comments', (t) => {
  const text = "SELECT ';' ; -- a;b\n SELECT `x;y` /* ; */ FROM t;\n;";
  t.deepEqual(splitStatements(text), [
    { text: "SELECT ';'", start: 0 },
    { text: '-- a;b\n SELECT `x;y` /* ; */ FROM t', start: 13 },
  ]);
  t.deepEqual(splitStatements(' ;; '), []);
});

test('a link or a refresh runs what only reads', (t) => {
  t.true(onlyReads('select 1; SHOW TABLES'));
  for (const text of ['', 'DROP DATABASE d', 'SELECT 1; DELETE FROM t', 'INSERT INTO t VALUES (1)'])
    t.false(onlyReads(text));
});

test('the place of a mistake is found from line and column', (t) => {
  t.is(placeOf('… at line 2, column 3 (0x2602)', 'ab\ncdef'), 5);
  t.is(placeOf('… at line 9, column 3', 'ab'), 2);
  t.is(placeOf('Database not exist', 'ab'), undefined);
});

test('rows are saved as CSV and JSON that other programs read', (t) => {
  const columns = [{ name: 'a' }, { name: 'a' }, { name: 'b"c' }];
  const data = [
    [1, null, 'x, "y"'],
    ['9007199254740993', { k: 1 }, ' pad'],
  ];
  t.is(toCsv({ columns, data }), 'a,a,"b""c"\r\n1,,"x, ""y"""\r\n9007199254740993,"{""k"":1}"," pad"\r\n');
  t.deepEqual(JSON.parse(toJson({ columns, data })), [
    { a: 1, a_2: null, 'b"c': 'x, "y"' },
    { a: '9007199254740993', a_2: { k: 1 }, 'b"c': ' pad' },
  ]);
  const numbered = { columns: [{ name: 'a' }, { name: 'a' }, { name: 'a_2' }], data: [[1, 2, 3]] };
  t.deepEqual(JSON.parse(toJson(numbered)), [{ a: 1, a_3: 2, a_2: 3 }], 'no name is taken from another column');
});

test('rows are copied as spreadsheets take them', (t) => {
  const data = [
    [1, null],
    ['a\tb', 'c'],
  ];
  t.is(toTsv({ columns: [{ name: 'x' }, { name: 'y' }], data }), 'x\ty\n1\t\n"a\tb"\tc');
});

test('rows are sorted by value: numbers however long, times with their zone, texts as people count; NULL is last', (t) => {
  const sorted = (values: readonly unknown[], type: string, isNumber = false) =>
    sortRows(
      values.map((value) => [value]),
      0,
      { type, isNumber },
      'ascending',
    ).map(([value]) => value);
  t.deepEqual(sorted([10, null, 9, '9007199254740993', '9007199254740992'], 'BIGINT', true), [
    9,
    10,
    '9007199254740992',
    '9007199254740993',
    null,
  ]);
  t.deepEqual(sorted([1.5, '-2.25', 0], 'DOUBLE', true), ['-2.25', 0, 1.5]);
  const [before, after] = ['2026-10-25T02:30:00.000+02:00', '2026-10-25T02:10:00.000+01:00'];
  t.deepEqual(sorted([after, before], 'TIMESTAMP'), [before, after]);
  const [first, second] = ['2026-01-01T00:00:00.000000001Z', '2026-01-01T00:00:00.000000002Z'];
  t.deepEqual(sorted([second, first], 'TIMESTAMP'), [first, second]);
  t.deepEqual(sorted(['line 10', 'line 9', null], 'NCHAR'), ['line 9', 'line 10', null]);
  const down = sortRows([[1], [null], [2]], 0, { type: 'INT', isNumber: true }, 'descending');
  t.deepEqual(down, [[2], [1], [null]]);
});

test('the editor knows every function of the dialect', async (t) => {
  const { functionNames: offered }: { functionNames: string } = await import(page('dialect.js'));
  t.deepEqual(offered.split(' '), functionNames);
});

test('the bundles of the page are what their packages make', async (t) => {
  for (const [name, text] of await pageBundles()) {
    t.true(readFileSync(new URL(page(name)), 'utf8') === text, `npm run page-bundles writes ${name} anew`);
  }
});
