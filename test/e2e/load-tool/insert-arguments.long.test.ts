import test, { type ExecutionContext } from 'ava';
import { LoadTool, type ToolEnding } from '../../support/load/load-tool.js';
import { startService, type TestService } from '../../support/service/service.js';

const { service, end } = await startService();
const tool = new LoadTool(service, 'here');
test.after.always(async () => {
  tool.remove();
  await end();
});

/** One run and what must be true of the database afterwards; `args` get `-d` with a database of the case's own. */
interface Case {
  readonly title: string;
  readonly args: string;
  readonly rows: number;
  /** Table that the rows are counted in; the super table by default. */
  readonly table?: string;
  /** What queries, which name `DB`, must give. */
  readonly answers?: Readonly<Record<string, readonly (readonly unknown[])[]>>;
  readonly also?: (t: ExecutionContext, ending: ToolEnding, query: (sql: string) => Promise<Rows>) => unknown;
}

type Rows = Awaited<ReturnType<TestService['rows']>>;

const demoColumns = [
  ['ts', 'TIMESTAMP', 8, ''],
  ['current', 'FLOAT', 4, ''],
  ['voltage', 'INT', 4, ''],
  ['phase', 'FLOAT', 4, ''],
  ['groupid', 'INT', 4, 'TAG'],
  ['location', 'VARCHAR', 16, 'TAG'],
];

const cases: readonly Case[] = [
  {
    title: 'a small default run makes the meters with their sub-tables and rows',
    args: '-t 20 -n 30',
    rows: 600,
    answers: {
      'SELECT COUNT(*) FROM (SELECT DISTINCT tbname FROM DB.meters)': [[20]],
      'SELECT MIN(ts), MAX(ts) FROM DB.meters': [['2017-07-14T02:40:00.000Z', '2017-07-14T02:40:00.029Z']],
      'SELECT COUNT(*) FROM DB.d19': [[30]],
      'SELECT COUNT(*) FROM DB.meters WHERE current < 0 OR current > 100 OR voltage < 0 OR voltage > 400 OR phase < 0 OR phase > 360':
        [[0]],
    },
    also: async (t, _, query) => {
      t.deepEqual(
        (await query('DESCRIBE DB.meters')).map((row) => row.slice(0, 4)),
        demoColumns,
      );
    },
  },
  { title: 'short options take their values without a blank', args: '-n5 -t3', rows: 15 },
  {
    title: 'long options take their values behind an equals sign',
    args: '--records=5 --tables=3 --answer-yes',
    rows: 15,
  },
  {
    title: 'sub-tables have the prefix that was asked for',
    args: '-t 2 -n 3 -m k_',
    rows: 6,
    answers: { 'SELECT DISTINCT tbname FROM DB.meters ORDER BY tbname': [['k_0'], ['k_1']] },
  },
  {
    title: 'times go up by the step',
    args: '-n 4 -t 1 -S 25',
    rows: 4,
    answers: { 'SELECT CAST(ts AS BIGINT) - 1500000000000 FROM DB.d0': [[0], [25], [50], [75]] },
  },
  {
    title: 'times begin where they are told to',
    args: '-s 1600000000000 -n 2 -t 1',
    rows: 2,
    answers: { 'SELECT CAST(FIRST(ts) AS BIGINT) FROM DB.d0': [[1600000000000]] },
  },
  {
    title: 'column and tag types are those of the lists, padded with INT',
    args: '-b tinyint,binary(19),bool,nchar -l 6 -w 33 -A binary,nchar(21) -n 2 -t 2',
    rows: 4,
    also: async (t, _, query) => {
      const rows = (await query('DESCRIBE DB.meters')).map((row) => row.slice(0, 3));
      t.deepEqual(rows, [
        ['ts', 'TIMESTAMP', 8],
        ['c0', 'TINYINT', 1],
        ['c1', 'VARCHAR', 19],
        ['c2', 'BOOL', 1],
        ['c3', 'NCHAR', 33],
        ['c4', 'INT', 4],
        ['c5', 'INT', 4],
        ['t0', 'VARCHAR', 33],
        ['t1', 'NCHAR', 21],
      ]);
    },
  },
  {
    title: 'a list of more types than columns wins',
    args: '-b int,float -l 1 -t 1 -n 1',
    rows: 1,
    also: async (t, _, query) => t.is((await query('DESCRIBE DB.meters')).length, 5),
  },
  {
    title: 'columns beyond the partial number stay NULL',
    args: '-l 3 -L 1 -t 1 -n 6',
    rows: 6,
    answers: { 'SELECT COUNT(c0), COUNT(c1), COUNT(c2) FROM DB.meters': [[6, 0, 0]] },
  },
  ...['taosc', 'stmt'].map(
    (mode): Case => ({
      title: `normal tables by ${mode} have no super table`,
      args: `-N -t 7 -n 9 -I ${mode}`,
      rows: 9,
      table: 'd6',
      answers: {
        "SELECT COUNT(*) FROM information_schema.ins_stables WHERE db_name = 'DB'": [[0]],
        "SELECT COUNT(*) FROM information_schema.ins_tables WHERE db_name = 'DB'": [[7]],
      },
    }),
  ),
  { title: 'a single normal table has the name of the super table', args: '-N -t 1 -n 4', rows: 4 },
  {
    title: 'escaped names may hold punctuation',
    args: '-E -m %^a-b* -t 2 -n 1',
    rows: 2,
    answers: { 'SELECT COUNT(*) FROM DB.`%^a-b*1`': [[1]] },
  },
  {
    title: 'interlaced requests are cut where a round ends',
    args: '-B 4 -n 10 -t 3 -T 1 -r 8',
    rows: 30,
    also: (t, { out }) => t.regex(out, /thread\[0\] interlace mode, completed total inserted rows: 30,/),
  },
  {
    title: 'more interlace rows than rows are progressive',
    args: '-B 50 -n 10 -t 2',
    rows: 20,
    also: (t, { out, errors }) => {
      t.regex(out, /thread\[0\] progressive mode/);
      t.regex(out + errors, /nterlace/);
    },
  },
  {
    title: 'there are no more threads than tables',
    args: '-T 16 -t 5 -n 1',
    rows: 5,
    also: (t, { out }) => t.regex(out, /to insert rows: 5 with 5 thread\(s\) into/),
  },
  {
    title: 'late rows are as many as asked for, within their range, and none is lost',
    args: '-O 10 -R 100000 -n 1000 -t 1',
    rows: 1000,
    also: async (t, _, query) => {
      const [[late, lowest] = []] = await query(
        'SELECT COUNT(*), CAST(MIN(ts) AS BIGINT) FROM DB.meters WHERE ts < 1500000000000',
      );
      t.true(Number(late) >= 60 && Number(late) <= 140, `${late} rows before the start`);
      t.true(Number(lowest) >= 1499999900000);
    },
  },
  {
    title: 'a disorder of more than fifty percent is told and cut to fifty when it is lenient',
    args: '--lenient -O 80 -R 100000 -n 400 -t 1',
    rows: 400,
    also: async (t, { errors, out }, query) => {
      t.regex(errors + out, /50/);
      const [[late] = []] = await query('SELECT COUNT(*) FROM DB.meters WHERE ts < 1500000000000');
      t.true(Number(late) <= 250, `${late} of 400 rows before the start`);
    },
  },
  {
    title: 'one prepared row makes all rows alike',
    args: '-F 1 -n 20 -t 2',
    rows: 40,
    answers: {
      'SELECT COUNT(*) FROM (SELECT DISTINCT current, voltage, phase FROM DB.meters)': [[1]],
    },
  },
  {
    title: 'prepared rows come again in turn',
    args: '-F 6 -n 20 -t 1 -b int',
    rows: 20,
    also: async (t, _, query) => {
      const values = (await query('SELECT c0 FROM DB.d0')).flat();
      t.deepEqual(values.slice(6, 12), values.slice(0, 6));
      t.deepEqual(values.slice(12, 18), values.slice(0, 6));
    },
  },
  {
    title: 'values of small integers are within their ranges',
    args: '-b tinyint,utinyint,smallint,usmallint -n 500 -t 1',
    rows: 500,
    answers: {
      [`SELECT COUNT(*) FROM DB.meters WHERE c0 BETWEEN -127 AND 127 AND c1 BETWEEN 0 AND 253
        AND c2 BETWEEN -32767 AND 32766 AND c3 BETWEEN 0 AND 65533`]: [[500]],
    },
  },
  {
    title: 'Chinese text is of CJK characters, as many as fit',
    args: '-C -b nchar(10),binary(10) -n 3 -t 1',
    rows: 3,
    also: async (t, _, query) => {
      for (const [wide, narrow] of await query('SELECT c0, c1 FROM DB.meters')) {
        t.regex(String(wide), /^[\u4e00-\u9fa4]{1,10}$/);
        t.regex(String(narrow), /^[\u4e00-\u9fa4]{3}$/);
      }
    },
  },
  {
    title: 'a number that is none is told and replaced when it is lenient',
    args: '--lenient -n abc -t 2 -F 5',
    rows: 20000,
    also: (t, { out, errors }) => t.regex(out + errors, /requires a number/),
  },
  {
    title: 'numbers that are none in all options at once do not end a lenient run',
    args: '--lenient -F abc -T abc -i abc -S abc -B abc -r abc -t abc -n abc -l abc -w abc -R abc -O abc -a abc -w 16385 -n 2 -t 2 -r 1',
    rows: 4,
  },
  {
    title: 'the number of vgroups goes to the database',
    args: '-v 3 -t 3 -n 1',
    rows: 3,
    answers: { "SELECT vgroups FROM information_schema.ins_databases WHERE name = 'DB'": [[3]] },
  },
  {
    title: 'aggregation queries follow the insertion',
    args: '-x -t 4 -n 10',
    rows: 40,
    also: (t, { out }) => {
      t.regex(out, /Querying On 40 records/);
      t.is(out.match(/ took \d/g)?.length, 32);
      t.is(out.match(/Latency: /g)?.length, 32);
    },
  },
  {
    title: 'every sub-table has random rows of its own',
    args: '-M -b bigint -t 3 -n 4',
    rows: 12,
    also: async (t, _, query) => {
      const values = (await query('SELECT c0 FROM DB.meters')).flat();
      t.is(new Set(values).size, 12);
    },
  },
  {
    title: 'requests longer than a statement may be are sent in parts',
    args: '-b binary(1000) -t 1 -n 3000 -T 1',
    rows: 3000,
  },
];

for (const [i, { title, args, rows, table = 'meters', answers = {}, also }] of cases.entries()) {
  test(title, async (t) => {
    const database = `args_${i}`;
    const ending = await tool.arguments('-d', database, '-o', `out${i}.txt`, ...args.split(' '));
    t.is(ending.code, 0, ending.out + ending.errors);
    const query = (sql: string) => service.rows(sql.replaceAll('DB', database));
    t.deepEqual(await query(`SELECT COUNT(*) FROM DB.${table}`), [[rows]]);
    for (const [sql, expected] of Object.entries(answers)) t.deepEqual(await query(sql), expected, sql);
    await also?.(t, ending, query);
  });
}

test('requests are counted, and each has a delay', async (t) => {
  for (const [args, rows] of [
    // Rows of 4, 4 and 2 for each of two tables.
    ['-r 4 -n 10 -t 2 -T 1', 20],
    // Two tables in a request, one at the end of each of three rounds.
    ['-B 4 -n 10 -t 3 -T 1 -r 8', 30],
  ] as const) {
    const ending = await tool.arguments('-d', 'six', ...args.split(' '), '--json', 'six.json');
    t.is(ending.code, 0, ending.errors);
    type Figures = { requests: number; rows: number; seconds: number; delays: { buckets: { count: number }[] } };
    const report: { totals: Figures; superTables: { figures: Figures }[] } = JSON.parse(tool.written('six.json'));
    // The whole run and its only super table have one time, and so one rate.
    t.deepEqual(report.totals, report.superTables[0]?.figures);
    t.is(report.totals.requests, 6);
    t.is(report.totals.rows, rows);
    t.is(
      report.totals.delays.buckets.reduce((sum, { count }) => sum + count, 0),
      6,
    );
  }
});

test('a round waits for its interval', async (t) => {
  const ending = await tool.arguments('-d', 'slow', ...'-B 4 -n 10 -t 3 -T 1 -i 200'.split(' '));
  t.is(ending.code, 0, ending.errors);
  t.true(Number(/Spent ([\d.]+) seconds to insert rows: 30/.exec(ending.out)?.[1]) >= 0.6);
});

test('a second run adds to the first one, or drops what it made', async (t) => {
  const again = (...argv: readonly string[]) => tool.arguments('-d', 'twice', '-t', '20', ...argv);
  t.is((await again('-n', '30')).code, 0);
  t.is((await again('-U', '-s', '1600000000000', '-n', '5')).code, 0);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM twice.meters'), [[700]]);
  const dropping = await again('-n', '30');
  t.regex(dropping.errors, /twice exists: it is dropped/);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM twice.meters'), [[600]]);
  const other = await again('-U', '-b', 'int', '-n', '1');
  t.not(other.code, 0);
  t.regex(other.errors, /meters.*exists and is another one/);
});

test('the modes over HTTP take the port of the HTTP service', async (t) => {
  for (const mode of ['rest', 'sml-rest']) {
    const argv = ['-P', String(service.port), '-h', '127.0.0.1', '-y', '-d', `http_${mode.length}`, '-I', mode];
    const ending = await (await tool.start([...argv, '-t', '4', '-n', '25'])).ended;
    t.is(ending.code, 0, ending.out + ending.errors);
    t.deepEqual(await service.rows(`SELECT COUNT(*) FROM http_${mode.length}.meters`), [[100]]);
  }
  const normal = ['-P', String(service.port), '-y', '-d', 'http_n', '-I', 'rest', '-N', '-t', '3', '-n', '2'];
  t.is((await (await tool.start(normal)).ended).code, 0);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM http_n.d2'), [[2]]);
});

test('the same seed makes the same rows by every mode', async (t) => {
  const sums: unknown[] = [];
  for (const mode of ['taosc', 'stmt']) {
    const argv = ['-d', `seed_${mode}`, '-I', mode, '--seed', '42', '-M', '-t', '5', '-n', '20'];
    t.is((await tool.arguments(...argv, '-b', 'int,double,binary(9),bool,ubigint')).code, 0);
    sums.push(await service.rows(`SELECT tbname, ts, c0, c1, c2, c3, c4 FROM seed_${mode}.meters ORDER BY tbname, ts`));
    sums.push(await service.rows(`SELECT DISTINCT tbname, t0, t1 FROM seed_${mode}.meters ORDER BY tbname`));
  }
  t.deepEqual(sums[2], sums[0]);
  t.deepEqual(sums[3], sums[1]);
});
