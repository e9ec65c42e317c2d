import test from 'ava';
import fc from 'fast-check';
import { readingFrom, readStatement, takesData } from '../../../../src/database/host/server/statement.js';

const read = (text: string) => readStatement(Buffer.from(text));

function codeOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : undefined;
  }
  return undefined;
}

test('a query is cut before its FORMAT clause', (t) => {
  t.deepEqual(read('SELECT 1 FORMAT JSON'), { kind: 'rows', head: 'SELECT 1 ', tail: 'FORMAT JSON', format: 'JSON' });
  t.deepEqual(read('select 1\nformat CSV settings max_threads = 1;'), {
    kind: 'rows',
    head: 'select 1\n',
    tail: 'format CSV settings max_threads = 1',
    format: 'CSV',
  });
});

test('a column called format is no FORMAT clause', (t) => {
  for (const text of [
    'SELECT format FROM t',
    'SELECT format f FROM t',
    'SELECT a AS format SETTINGS max_threads = 1',
    "SELECT 'x FORMAT JSON'",
    'SELECT (1 FORMAT JSON)',
    'SELECT 1 -- FORMAT JSON',
  ]) {
    const statement = read(text);
    t.is(statement.kind, 'rows', text);
    if (statement.kind === 'rows') t.is(statement.format, undefined, text);
  }
});

test('comments and a semicolon at the end are left out of a query', (t) => {
  const statement = read('/* a */ WITH 1 AS x SELECT x -- last\n ; -- really');
  t.deepEqual(statement, { kind: 'rows', head: 'WITH 1 AS x SELECT x', tail: '', format: undefined });
});

test('several statements, empty texts and files of the host are refused with the codes of the engine', (t) => {
  t.is(
    codeOf(() => read('SELECT 1; SELECT 2')),
    62,
  );
  t.is(
    codeOf(() => read(' -- nothing')),
    62,
  );
  t.is(
    codeOf(() => read("SELECT 1 INTO OUTFILE '/tmp/x'")),
    358,
  );
  t.is(
    codeOf(() => read("INSERT INTO t FROM INFILE '/etc/passwd' FORMAT CSV")),
    178,
  );
  t.is(
    codeOf(() => read('INSERT INTO t FORMAT CSV; 1')),
    62,
  );
});

test('the data of an INSERT begins behind VALUES, or behind the line of FORMAT', (t) => {
  const cases = [
    ["INSERT INTO t VALUES (1, 'a;b')", 'INSERT INTO t ', ' FORMAT Values', " (1, 'a;b')"],
    ['INSERT INTO t (a, b) FORMAT CSV\n1,2\n', 'INSERT INTO t (a, b) ', 'FORMAT CSV', '1,2\n'],
    ['INSERT INTO t FORMAT JSONEachRow {"a":1}', 'INSERT INTO t ', 'FORMAT JSONEachRow', '{"a":1}'],
    ['insert into t settings x=1, y=-2 format TSV\r\nq', 'insert into t ', 'settings x=1, y=-2 format TSV', 'q'],
    [
      "INSERT INTO t FORMAT CSV SETTINGS d='|', e=[1, 2] 1|2",
      'INSERT INTO t ',
      "FORMAT CSV SETTINGS d='|', e=[1, 2]",
      '1|2',
    ],
    ['INSERT INTO db.format FORMAT Native', 'INSERT INTO db.format ', 'FORMAT Native', ''],
    [
      'INSERT INTO TABLE FUNCTION null("a Int8") VALUES (1)',
      'INSERT INTO TABLE FUNCTION null("a Int8") ',
      ' FORMAT Values',
      ' (1)',
    ],
    ['INSERT INTO `values` (`select`) VALUES(1)', 'INSERT INTO `values` (`select`) ', ' FORMAT Values', '(1)'],
  ] as const;
  for (const [text, head, tail, data] of cases) {
    const statement = read(text);
    t.is(statement.kind, 'insert', text);
    if (statement.kind !== 'insert') continue;
    t.is(statement.head, head, text);
    t.is(statement.tail, tail, text);
    t.is(Buffer.from(statement.data).toString(), data, text);
  }
});

test('an INSERT whose query calls input() takes data, which the query reads from a file', (t) => {
  const path = "/a/b'c";
  const cases = [
    [
      "INSERT INTO t (a) SELECT a + 1 FROM input('a Int8') WHERE (SELECT 1) FORMAT TSV\n1\n2\n",
      "INSERT INTO t (a) SELECT a + 1 FROM file('/a/b\\'c', 'TSV', 'a Int8') WHERE (SELECT 1) ",
      '1\n2\n',
    ],
    [
      "insert into t settings x = 1 with 2 as y select * from Input ( 'format Int8') format Native settings z = 2 !",
      "insert into t settings x = 1 with 2 as y select * from file('/a/b\\'c', 'Native',  'format Int8')  settings z = 2",
      '!',
    ],
    [
      "INSERT INTO t SELECT * FROM (SELECT input FROM input('input Int8')) FORMAT CSV 3",
      "INSERT INTO t SELECT * FROM (SELECT input FROM file('/a/b\\'c', 'CSV', 'input Int8')) ",
      '3',
    ],
  ] as const;
  for (const [text, run, data] of cases) {
    const statement = read(text);
    t.is(statement.kind, 'insert', text);
    if (statement.kind !== 'insert') continue;
    t.is(readingFrom(statement, path), run, text);
    t.is(Buffer.from(statement.data).toString(), data, text);
  }
});

test('an INSERT from a query takes no data', (t) => {
  for (const text of [
    'INSERT INTO t SELECT 1;',
    'INSERT INTO t (a) WITH 1 AS x SELECT x',
    'INSERT INTO t (SELECT 1)',
    "INSERT INTO t SELECT 'input(' AS input, (1) FORMAT TSV",
    "INSERT INTO t SELECT * FROM input('a Int8')",
  ]) {
    t.false(takesData(Buffer.from(text)), text);
    t.like(read(text), { kind: 'plain', readOnly: false });
  }
  t.like(read('WITH 1 AS x INSERT INTO t SELECT x'), { kind: 'plain', readOnly: false });
});

test('statements that change the session are recognized', (t) => {
  t.like(read('SET max_threads = 1'), { changesSession: true, readOnly: true });
  t.like(read('USE system'), { changesSession: true, readOnly: true });
  t.like(read('CREATE TEMPORARY TABLE q (a Int8)'), { changesSession: true, readOnly: false });
  t.like(read('SHOW TABLES FORMAT CSV'), { changesSession: false, readOnly: true, format: 'CSV' });
  t.like(read('DROP TABLE t'), { changesSession: false, readOnly: false });
});

test('quoted text never ends a statement', (t) => {
  const quoted = fc.tuple(fc.constantFrom("'", '"', '`'), fc.string()).map(([quote, text]) => {
    return quote + text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;
  });
  fc.assert(
    fc.property(quoted, (text) => {
      const statement = read(`SELECT ${text} AS x FORMAT JSON`);
      return statement.kind === 'rows' && statement.tail === 'FORMAT JSON' && statement.head === `SELECT ${text} AS x `;
    }),
  );
  t.pass();
});

test('no text at all breaks the reader', (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.constantFrom('', 'INSERT INTO t ', 'SELECT ', 'INSERT INTO t FORMAT '),
      (bytes, start) => {
        const text = Buffer.concat([Buffer.from(start), bytes]);
        const code = codeOf(() => readStatement(text));
        return code === undefined || typeof code === 'number';
      },
    ),
  );
  t.pass();
});
