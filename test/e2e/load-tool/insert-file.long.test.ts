import test, { type ExecutionContext } from 'ava';
import { LoadTool, type ToolEnding } from '../../support/load/load-tool.js';
import { start, superTable } from '../../support/load/scenario.js';
import { startService, type TestService } from '../../support/service/service.js';

const { service, end } = await startService();
const tool = new LoadTool(service, 'here');
test.after.always(async () => {
  tool.remove();
  await end();
});

type Rows = Awaited<ReturnType<TestService['rows']>>;
type RequestParts = (sql: string) => Promise<Rows>;

interface Case {
  readonly title: string;
  /** Settings of the super table beside those of {@link superTable}. */
  readonly table?: object;
  readonly dbinfo?: object;
  /** Settings of the whole scenario. */
  readonly top?: object;
  /** Rows of the super table afterwards. */
  readonly rows?: number;
  readonly answers?: Readonly<Record<string, Rows>>;
  readonly also?: (t: ExecutionContext, ending: ToolEnding, query: RequestParts) => unknown;
  /** What the error output of a run that must fail says. */
  readonly refused?: RegExp;
}

const namesOf = 'SELECT DISTINCT tbname FROM DB.m ORDER BY tbname';
const ticks = (table: string) => `SELECT CAST(ts AS BIGINT) FROM DB.${table} ORDER BY ts`;
const startMs = Date.parse(start);

const cases: readonly Case[] = [
  {
    title: 'without rows there are empty tables',
    table: { insert_rows: undefined, childtable_count: 8 },
    rows: 0,
    answers: { "SELECT COUNT(*) FROM information_schema.ins_tables WHERE db_name = 'DB'": [[8]] },
  },
  {
    title: 'a range of sub-tables is created and filled',
    table: { childtable_count: 12, childtable_from: 4, childtable_to: 9, insert_rows: 6 },
    rows: 30,
    answers: { [namesOf]: [['k4'], ['k5'], ['k6'], ['k7'], ['k8']] },
  },
  ...[
    [9, 4],
    [0, 13],
    [12, 12],
  ].map(
    ([from, to]): Case => ({
      title: `the range from ${from} to ${to} of twelve sub-tables is refused`,
      table: { childtable_count: 12, childtable_from: from, childtable_to: to },
      refused: new RegExp(`${from}|${to}`),
    }),
  ),
  ...['taosc', 'rest', 'stmt'].map(
    (insert_mode): Case => ({
      title: `sub-tables are created by the rows of ${insert_mode}`,
      table: { insert_mode, auto_create_table: 'yes', childtable_count: 5, insert_rows: 4 },
      rows: 20,
      answers: { 'SELECT COUNT(*) FROM (SELECT DISTINCT tbname, g FROM DB.m WHERE g IS NOT NULL)': [[5]] },
      also: (t, { out }) => t.notRegex(out, /seconds to create/),
    }),
  ),
  ...['taosc', 'stmt'].map(
    (insert_mode): Case => ({
      title: `the lines of a sample file come again in turn, by ${insert_mode}`,
      table: {
        insert_mode,
        data_source: 'sample',
        sample_file: 'sample.csv',
        insert_rows: 8,
        columns: [{ type: 'int' }, { type: 'binary', len: 8 }],
      },
      rows: 16,
      answers: {
        'SELECT c0, c1 FROM DB.k1 ORDER BY ts': [
          [1, 'a'],
          [2, 'b,c'],
          [null, null],
          [1, 'a'],
          [2, 'b,c'],
          [null, null],
          [1, 'a'],
          [2, 'b,c'],
        ],
      },
    }),
  ),
  ...['sml', 'sml-rest'].map(
    (insert_mode): Case => ({
      title: `a sample file is written without a schema, by ${insert_mode}`,
      table: {
        insert_mode,
        data_source: 'sample',
        sample_file: 'plain.csv',
        insert_rows: 4,
        columns: [{ type: 'int' }, { type: 'double' }],
      },
      rows: 8,
      answers: { 'SELECT COUNT(*), SUM(c0), MAX(c1) FROM DB.m': [[8, 12, 2.5]] },
    }),
  ),
  ...['taosc', 'stmt'].map(
    (insert_mode): Case => ({
      title: `decimals of up to 38 digits are written by ${insert_mode}`,
      table: {
        insert_mode,
        insert_rows: 50,
        columns: [
          { type: 'decimal', name: 'd', precision: 12, scale: 3, dec_min: '-7.250', dec_max: '-7.250' },
          { type: 'decimal', name: 'w', precision: 38, scale: 5, min: '-1e30', max: '-1e20' },
          { type: 'int', name: 'v' },
        ],
      },
      rows: 100,
      answers: {
        'SELECT MIN(d), MAX(d), COUNT(v) FROM DB.m': [['-7.250', '-7.250', 100]],
        'SELECT COUNT(*) FROM DB.m WHERE w >= -1000000000000000000000000000000 AND w < -100000000000000000000': [[100]],
      },
    }),
  ),
  {
    title: 'rows that the database does not keep are refused by stmt as by the others',
    table: { insert_mode: 'stmt', start_timestamp: 1000 },
    refused: /\[0x060b\] Timestamp data out of range/,
  },
  {
    title: 'a stream that names no database writes to the only one',
    top: {
      stream: {
        stream_name: 'stream_alone',
        stream_stb: 'stream_out',
        stream_sql: 'SELECT _wstart, COUNT(*) FROM m INTERVAL(10s)',
        drop: 'yes',
      },
    },
    rows: 6,
    answers: { "SELECT COUNT(*) FROM information_schema.ins_stables WHERE db_name = 'DB'": [[2]] },
  },
  {
    title: 'a TSMA of a table without a schema is made once there is a table',
    table: {
      insert_mode: 'sml',
      tsmas: [{ name: 'tsma_sml', function: 'avg(v)', interval: '10s', sliding: '10s', start_when_inserted: 0 }],
    },
    rows: 6,
    also: (t, { out, errors }) => {
      t.regex(out, /CREATE SMA INDEX tsma_sml/);
      t.notRegex(errors, /cannot be created|was not created/);
    },
  },
  {
    title: 'tags of a file number the sub-tables, by stmt',
    table: {
      insert_mode: 'stmt',
      tags_file: 'tags.csv',
      childtable_count: 9,
      tags: [{ type: 'int' }, { type: 'binary', len: 8 }],
    },
    rows: 12,
    answers: { "SELECT COUNT(*) FROM DB.m WHERE t1 = 'east'": [[3]] },
  },
  {
    title: 'times of a sample file take the place of generated ones',
    table: {
      data_source: 'sample',
      sample_file: 'timed.csv',
      use_sample_ts: 'yes',
      insert_rows: 8,
    },
    rows: 6,
    answers: { [ticks('k0')]: [[1700000000001], [1700000000005], [1700000000009]] },
  },
  {
    title: 'a sample file that is missing is named',
    table: { data_source: 'sample', sample_file: 'nowhere.csv' },
    refused: /nowhere\.csv/,
  },
  {
    title: 'there are as many sub-tables as the tags file has lines',
    table: {
      tags_file: 'tags.csv',
      childtable_count: 10,
      tags: [
        { type: 'int', name: 'g' },
        { type: 'binary', len: 9 },
      ],
    },
    rows: 12,
    answers: {
      'SELECT DISTINCT tbname, g, t1 FROM DB.m ORDER BY tbname': [
        ['k0', 17, 'north'],
        ['k1', 18, 'south'],
        ['k2', null, 'east'],
        ['k3', 19, 'west'],
      ],
    },
  },
  {
    title: 'only the first columns are written over HTTP',
    table: { insert_mode: 'rest', partial_col_num: 2, columns: [{ type: 'int', count: 4 }] },
    rows: 6,
    answers: { 'SELECT COUNT(c0), COUNT(c1), COUNT(c2), COUNT(c3) FROM DB.m': [[6, 6, 0, 0]] },
  },
  {
    title: 'equal bounds are a constant',
    table: { columns: [{ type: 'bigint', name: 'v', min: 5000000000, max: 5000000000 }] },
    rows: 6,
    answers: { 'SELECT MIN(v), MAX(v) FROM DB.m': [[5000000000, 5000000000]] },
  },
  ...['taosc', 'stmt'].map(
    (insert_mode): Case => ({
      title: `a column of length 0 is NULL by ${insert_mode}`,
      table: { insert_mode, columns: [{ type: 'int', len: 0, name: 'v' }] },
      rows: 6,
      answers: { 'SELECT COUNT(v) FROM DB.m': [[0]] },
    }),
  ),
  {
    title: 'values are taken from a list',
    table: { insert_rows: 40, columns: [{ type: 'nchar', len: 3, name: 'v', values: ['on', 'off'] }] },
    rows: 80,
    answers: { 'SELECT DISTINCT v FROM DB.m ORDER BY v': [['off'], ['on']] },
  },
  {
    title: 'a wave goes up and down with the time of its rows',
    table: { insert_rows: 720, columns: [{ type: 'double', name: 'v', fun: '8*cos(x)+20*random(5)' }] },
    rows: 1440,
    also: async (t, _, query) => {
      const values = (await query('SELECT v FROM DB.k0 ORDER BY ts')).map(([v]) => Number(v));
      t.true(values.every((v) => v >= 12 && v <= 28.8));
      const first = startMs % 360;
      const trough = (540 - first) % 360;
      const crest = (720 - first) % 360;
      t.true(values[trough]! < 13 && values[crest]! > 27, `${values[trough]} and ${values[crest]}`);
      t.true(Math.abs(values[trough]! - values[trough + 360]!) < 1);
    },
  },
  {
    title: 'columns of a count are numbered from 2 on',
    table: { columns: [{ type: 'int', name: 'v', count: 3 }] },
    rows: 6,
    also: async (t, _, query) =>
      t.deepEqual(
        (await query('DESCRIBE DB.m')).map(([name]) => name),
        ['ts', 'v', 'v_2', 'v_3', 'g'],
      ),
  },
  {
    title: 'a JSON tag has as many members as it is to',
    table: { tags: [{ type: 'json', count: 4, len: 6 }] },
    rows: 6,
    also: async (t, _, query) => {
      t.is((await query('DESCRIBE DB.m')).at(-1)?.[0], 'jtag');
      for (const [value] of await query('SELECT DISTINCT jtag FROM DB.m')) {
        const members: Record<string, string> = typeof value === 'string' ? JSON.parse(value) : value;
        t.deepEqual(Object.keys(members), ['k0', 'k1', 'k2', 'k3']);
        t.true(Object.values(members).every((text) => text.length === 6));
      }
    },
  },
  ...['sml', 'sml-rest'].map(
    (insert_mode): Case => ({
      title: `lines of ${insert_mode} make their super table`,
      table: {
        insert_mode,
        line_protocol: 'line',
        childtable_count: 4,
        insert_rows: 5,
        columns: [{ type: 'int', count: 3 }],
      },
      rows: 20,
      answers: {
        'SELECT COUNT(*) FROM (SELECT DISTINCT tbname FROM DB.m)': [[4]],
        'SELECT COUNT(c2), MIN(_ts), MAX(_ts) FROM DB.m': [[20, start, '2024-02-01T00:00:00.004Z']],
      },
    }),
  ),
  ...['telnet', 'json'].flatMap((line_protocol) =>
    ['sml', 'sml-rest'].map(
      (insert_mode): Case => ({
        title: `points of ${line_protocol} by ${insert_mode} hold the first column`,
        table: { insert_mode, line_protocol, columns: [{ type: 'int', count: 3 }], insert_rows: 10 },
        rows: 20,
        also: async (t, _, query) => t.is((await query('DESCRIBE DB.m')).filter((row) => row[3] !== 'TAG').length, 2),
      }),
    ),
  ),
  {
    title: 'steps are in ticks of the precision',
    dbinfo: { precision: 'ns' },
    table: { childtable_count: 1, timestamp_step: 1000, start_timestamp: 1700000000000000000 },
    rows: 3,
    answers: {
      [ticks('k0')]: [['1700000000000000000'], ['1700000000000001000'], ['1700000000000002000']],
    },
  },
  {
    title: 'options of the database take effect, also by their older names',
    dbinfo: { vgroups: 4, keep: 4000, days: 12, cacheLast: 1, comp: 1, replica: 1, blocks: 6 },
    rows: 6,
    answers: {
      "SELECT vgroups, duration, cachemodel FROM information_schema.ins_databases WHERE name = 'DB'": [
        [4, '12d', 'last_row'],
      ],
    },
  },
  {
    title: 'batches of creation follow their sizes and pauses',
    top: { create_table_thread_count: 2 },
    table: {
      childtable_count: 20,
      batch_create_tbl_numbers: '1,2,3,4',
      batch_create_tbl_intervals: '10,20',
      insert_rows: 1,
    },
    rows: 20,
  },
  {
    title: 'text that needs escapes is stored as it is',
    table: {
      columns: [{ type: 'binary', len: 20, name: 'v', values: ["it's", 'back\\slash', '"quoted"'] }],
      insert_rows: 30,
    },
    rows: 60,
    answers: { 'SELECT DISTINCT v FROM DB.m ORDER BY v': [['"quoted"'], ['back\\slash'], ["it's"]] },
  },
  {
    title: 'a super table without tags is a set of normal tables',
    table: { tags: undefined, childtable_count: 3 },
    answers: { 'SELECT COUNT(*) FROM DB.k2': [[3]], 'SHOW DB.STABLES': [] },
  },
  {
    title: 'every type of column and tag goes through SQL text',
    table: { columns: allTypes(), tags: allTypes(), insert_rows: 20 },
    rows: 40,
    answers: { 'SELECT COUNT(*) FROM DB.m WHERE c0 IS NULL OR c12 IS NULL OR t0 IS NULL OR t12 IS NULL': [[0]] },
  },
  {
    title: 'every type of column and tag goes as columns',
    table: { insert_mode: 'stmt', columns: allTypes(), tags: allTypes(), insert_rows: 20 },
    rows: 40,
    answers: { 'SELECT COUNT(*) FROM DB.m WHERE c0 IS NULL OR c12 IS NULL OR t0 IS NULL OR t12 IS NULL': [[0]] },
  },
  {
    title: 'a database that must exist and does not is an error',
    dbinfo: { drop: 'no' },
    refused: /Database not exist/,
  },
  { title: 'a mode that is none is an error', table: { insert_mode: 'stml' }, refused: /stml/ },
];

function allTypes(): object[] {
  const types = 'bool tinyint smallint int bigint utinyint usmallint uint ubigint float double timestamp'.split(' ');
  return [...types.map((type) => ({ type })), { type: 'binary', len: 7 }, { type: 'nchar', len: 5 }];
}

for (const [i, { title, table = {}, dbinfo = {}, top = {}, rows, answers = {}, also, refused }] of cases.entries()) {
  test(title, async (t) => {
    const name = `file_${i}`;
    const content = {
      filetype: 'insert',
      thread_count: 2,
      // As many different rows as a case has; usually they are many more.
      prepared_rand: 1000,
      result_file: `out${i}.txt`,
      databases: [{ dbinfo: { name, ...dbinfo }, super_tables: [superTable(table)] }],
      ...top,
    };
    const ending = await tool.scenario({ ...httpPort(table), ...content });
    if (refused !== undefined) {
      t.not(ending.code, 0);
      t.regex(ending.errors, refused);
      return;
    }
    t.is(ending.code, 0, ending.out + ending.errors);
    const query: RequestParts = (sql) => service.rows(sql.replaceAll('DB', name));
    if (rows !== undefined) t.deepEqual(await query('SELECT COUNT(*) FROM DB.m'), [[rows]]);
    for (const [sql, expected] of Object.entries(answers)) t.deepEqual(await query(sql), expected, sql);
    await also?.(t, ending, query);
  });
}

/** Runs over HTTP name the port of the HTTP service. */
function httpPort(table: object): object {
  const isHttp = 'insert_mode' in table && (table.insert_mode === 'rest' || table.insert_mode === 'sml-rest');
  return isHttp ? { port: service.port } : {};
}

test.before('files of the scenarios', () => {
  tool.file("1,'a'\n2,'b,c'\nNULL,NULL\n", 'sample.csv');
  tool.file('1700000000001,1\n1700000000005,2\n1700000000009,3\n', 'timed.csv');
  tool.file('1,0.5\n2,2.5\n', 'plain.csv');
  tool.file("17,'north'\n18,'south'\nNULL,'east'\n19,'west'\n", 'tags.csv');
});
