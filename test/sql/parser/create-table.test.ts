import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, quoted, shapeOf } from '../../support/sql/syntax.js';

const shape = (text: string) => shapeOf(parseStatement(text));
const type = (name: string, length?: number, scale?: number) => ({ name, length, scale });
const column = (name: string, of: object, primaryKey = false) => ({ name: bare(name), type: of, primaryKey });
const table = (name: string, database?: string) => ({
  database: database ? bare(database) : undefined,
  name: bare(name),
});
const noOptions = { comment: undefined, ttl: undefined, other: [] };

test('reads a super table by either name', (t) => {
  for (const kind of ['STABLE', 'table']) {
    t.deepEqual(
      shape(
        `CREATE ${kind} IF NOT EXISTS d.Meters (ts TIMESTAMP, v INT UNSIGNED, b BINARY(8)) TAGS (loc NCHAR(16)) COMMENT 'x'`,
      ),
      {
        kind: 'create-table',
        table: table('meters', 'd'),
        ifNotExists: true,
        columns: [column('ts', type('TIMESTAMP')), column('v', type('INT UNSIGNED')), column('b', type('VARCHAR', 8))],
        tags: [column('loc', type('NCHAR', 16))],
        options: { ...noOptions, comment: 'x' },
      },
    );
  }
});

test('reads a normal table with every type, keys and encodings', (t) => {
  const definitions = [
    'ts timestamp',
    "k varchar(20) primary key encode 'disabled' compress 'zstd' level 'high'",
    'a bool',
    'b tinyint unsigned',
    'c smallint',
    'd integer',
    'e bigint',
    'f float',
    'g double',
    'h decimal(10,2)',
    'i decimal',
    'j varbinary(5)',
    'l geometry(100)',
    'm mediumblob',
    'value json',
  ];
  const statement = shape(
    `create table n (${definitions.join(', ')}) ttl 30 sma(a, b) keep 10d max_delay 5s, 1m file_factor 0.5`,
  );
  t.deepEqual(statement, {
    kind: 'create-table',
    table: table('n'),
    ifNotExists: false,
    columns: [
      column('ts', type('TIMESTAMP')),
      {
        ...column('k', type('VARCHAR', 20), true),
        encoding: { encode: 'disabled', compress: 'zstd', level: 'high' },
      },
      column('a', type('BOOL')),
      column('b', type('TINYINT UNSIGNED')),
      column('c', type('SMALLINT')),
      column('d', type('INT')),
      column('e', type('BIGINT')),
      column('f', type('FLOAT')),
      column('g', type('DOUBLE')),
      column('h', type('DECIMAL', 10, 2)),
      column('i', type('DECIMAL')),
      column('j', type('VARBINARY', 5)),
      column('l', type('GEOMETRY', 100)),
      column('m', type('BLOB')),
      column('value', type('JSON')),
    ],
    tags: undefined,
    options: {
      comment: undefined,
      ttl: 30,
      other: [
        { name: 'SMA', text: '(a, b)' },
        { name: 'KEEP', text: '10d' },
        { name: 'MAX_DELAY', text: '5s, 1m' },
        { name: 'FILE_FACTOR', text: '0.5' },
      ],
    },
  });
});

test('reads sub-tables in batches with tag lists, signs and options', (t) => {
  const statement = shape(
    "CREATE TABLE IF NOT EXISTS d.a USING d.s TAGS (-5, 'x') TTL 7 b USING s (t1, `T2`) TAGS (NULL, -1.5e3) " +
      ", IF NOT EXISTS `C` USING s TAGS (NOW) COMMENT '' ttl USING s TAGS (true)",
  );
  t.deepEqual(statement, {
    kind: 'create-child-tables',
    tables: [
      {
        ifNotExists: true,
        table: table('a', 'd'),
        superTable: table('s', 'd'),
        tagNames: undefined,
        tagValues: [
          { kind: 'integer', value: -5n },
          { kind: 'string', value: 'x' },
        ],
        options: { ...noOptions, ttl: 7 },
      },
      {
        ifNotExists: false,
        table: table('b'),
        superTable: table('s'),
        tagNames: [bare('t1'), quoted('T2')],
        tagValues: [{ kind: 'null' }, { kind: 'number', text: '-1.5e3' }],
        options: noOptions,
      },
      {
        ifNotExists: true,
        table: { database: undefined, name: quoted('C') },
        superTable: table('s'),
        tagNames: undefined,
        tagValues: [{ kind: 'call', name: 'NOW', args: [], bare: true }],
        options: { ...noOptions, comment: '' },
      },
      {
        ifNotExists: false,
        table: table('ttl'),
        superTable: table('s'),
        tagNames: undefined,
        tagValues: [{ kind: 'bool', value: true }],
        options: noOptions,
      },
    ],
  });
});

test('reads three thousand sub-tables at once', (t) => {
  const items = Array.from({ length: 3000 }, (_, i) => `d${i} USING s TAGS (${i}, 'x')`);
  const statement = parseStatement(`CREATE TABLE ${items.join(' ')}`);
  t.is(statement.kind === 'create-child-tables' ? statement.tables.length : 0, 3000);
});

test('answers sub-tables from a file on the server as not available', (t) => {
  t.deepEqual(shape("create table using s (tbname, t1) file 'x.csv'"), {
    kind: 'unsupported',
    words: 'CREATE TABLE USING FILE',
  });
});

test('refuses broken definitions where they break', (t) => {
  const cases: Record<string, string> = {
    'create table t (ts timestamp, a text)': 'text)',
    'create table t (ts timestamp, a varchar)': ')',
    'create table t (ts timestamp, a int(4))': '(4))',
    'create table t (ts timestamp,)': ')',
    'create table t ()': ')',
    'create table t (ts timestamp) using s': 'using s',
    'create stable s (ts timestamp, a int) comment 1': 'comment 1',
    'create table a using s tags ()': ')',
    'create table a using s tags (1) b': '',
    'create stable s (ts timestamp, a int)': '',
    'create table t (select int)': 'select int)',
    'create table t (ts timestamp, a int) ttl x': 'x',
  };
  for (const [source, near] of Object.entries(cases)) {
    t.is(faultOf(source).message, near === '' ? 'Incomplete SQL statement' : `syntax error near "${near}"`, source);
  }
});
