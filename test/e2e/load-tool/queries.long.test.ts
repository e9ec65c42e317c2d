import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Watch } from '../../../src/load/model/ports.js';
import type { QueryReport } from '../../../src/load/model/report.js';
import { runQueryScenario } from '../../../src/load/runs.js';
import { temporaryDirectory } from '../../support/engine/engine.js';
import { LoadTool } from '../../support/load/load-tool.js';
import { recordedLog } from '../../support/load/recorded-log.js';
import { loadRequest, queryOf } from '../../support/load/request.js';
import { rowsSoon } from '../../support/service/rows-soon.js';
import { startService } from '../../support/service/service.js';

const { service, end } = await startService();
const [directory, remove] = temporaryDirectory();
test.after.always(async () => {
  await end();
  remove();
});

const ports = { taosc: Number(new URL(service.engineUrl).port), rest: service.port } as const;
const modes = ['taosc', 'rest'] as const;
type Keys = Readonly<Record<string, unknown>>;

const children = 5;
const rowsOfChild = 21;

test.before(async () => {
  await service.run('CREATE DATABASE shop');
  await service.run('CREATE TABLE shop.till (ts TIMESTAMP, qty INT, note VARCHAR(8)) TAGS (town VARCHAR(12))');
  for (let child = 0; child < children; child++) {
    const rows = Array.from({ length: rowsOfChild }, (_, k) => `(${1700000000000 + k},${child * 100 + k},NULL)`);
    await service.run(`INSERT INTO shop.t_${child} USING shop.till TAGS ('oslo') VALUES ${rows.join('')}`);
  }
  await service.run('CREATE DATABASE empty');
  await service.run('CREATE TABLE empty.till (ts TIMESTAMP, qty INT) TAGS (town VARCHAR(12))');
});

interface Ran {
  readonly report: QueryReport;
  readonly lines: readonly string[];
}

/** Runs a scenario over the one or the other path. */
async function run(
  mode: (typeof modes)[number],
  keys: Keys,
  { stop = new AbortController().signal, watch = () => () => {} }: { stop?: AbortSignal; watch?: Watch } = {},
): Promise<Ran> {
  const file = {
    filetype: 'query',
    databases: 'shop',
    host: '127.0.0.1',
    port: ports[mode],
    query_mode: mode,
    ...keys,
  };
  const scenario = queryOf(loadRequest(['-f', 'q.json'], { 'q.json': file }));
  const { log, lines } = recordedLog();
  const report = await runQueryScenario(scenario, { version: '1', log, watch, stop });
  return { report, lines };
}

function path(name: string): string {
  return join(directory, name);
}

function linesOf(name: string): string[] {
  return readFileSync(path(name), 'utf8').split('\n').slice(0, -1);
}

const three = ['select count(*) from till', 'select last(qty) from t_1', 'select 1'].map((sql) => ({ sql }));

for (const mode of modes) {
  test.serial(`${mode}: every statement runs on every thread as often as it is told to`, async (t) => {
    const { report, lines } = await run(mode, { query_times: 4, specified_table_query: { threads: 2, sqls: three } });
    t.is(report.outcome, 'completed', lines.join('\n'));
    t.is(report.totals.queries, 24);
    t.is(report.totals.rows, 24);
    t.is(report.totals.errors, 0);
    t.deepEqual(
      report.parts.map(({ section, threads, figures }) => [section, threads, figures.queries]),
      Array.from({ length: 3 }, () => ['specified', 2, 8]),
    );
    t.true(report.totals.delays.min > 0);
    t.true(report.totals.delays.max >= report.totals.delays.p50);
    const done = lines.filter((line) => line.startsWith('done: complete query'));
    t.is(done.length, 3);
    t.regex(
      done[1] ?? '',
      /complete query with 2 threads and 8 sql 2 spend .* SQL command: select last\(qty\) from t_1$/,
    );
    t.deepEqual(
      readdirSync(directory).filter((name) => name.startsWith('none')),
      [],
    );
  });

  test.serial(`${mode}: mixed statements are dealt out to the threads`, async (t) => {
    const specified = { threads: 2, mixed_query: 'yes', sqls: three };
    const { report } = await run(mode, { query_times: 4, specified_table_query: specified });
    t.is(report.totals.queries, 12);
    t.deepEqual(
      report.parts.map(({ section, threads }) => [section, threads]),
      [['mixed', 2]],
    );
  });

  test.serial(`${mode}: statements run for every sub-table, which are dealt out to the threads`, async (t) => {
    const sqls = [
      { sql: 'select count(*) from xxxx', result: path(`${mode}-super`) },
      { sql: 'select first(qty), last(qty) from shop.xxxx', result: path(`${mode}-ends`) },
    ];
    const superTable = { stblname: 'till', threads: 2, sqls };
    const { report, lines } = await run(mode, { query_times: 3, super_table_query: superTable });
    t.is(report.outcome, 'completed', lines.join('\n'));
    t.is(report.totals.queries, 30);
    t.deepEqual(
      linesOf(`${mode}-super`),
      Array.from({ length: 15 }, () => '21'),
    );
    t.deepEqual([...new Set(linesOf(`${mode}-ends`))].sort(), ['0 20', '100 120', '200 220', '300 320', '400 420']);
  });

  test.serial(
    `${mode}: rows of all threads are appended to the named file, times as ticks and NULL as a word`,
    async (t) => {
      const name = `${mode}-rows`;
      writeFileSync(path(name), 'before\n');
      const sqls = [{ sql: 'select 1' }, { sql: 'select * from t_4 limit 2', result: path(name) }];
      await run(mode, { query_times: 2, specified_table_query: { threads: 2, sqls } });
      const rows = ['1700000000000 400 NULL', '1700000000001 401 NULL'];
      t.deepEqual(linesOf(name).toSorted(), [...rows, ...rows, ...rows, ...rows, 'before'].toSorted());
    },
  );

  test.serial(`${mode}: a statement that fails ends the run, or is counted`, async (t) => {
    const sqls = [{ sql: 'select nosuch from till' }, { sql: 'select 1' }];
    const ended = await run(mode, { query_times: 3, specified_table_query: { threads: 2, sqls } });
    t.is(ended.report.outcome, 'failed');
    t.is(ended.report.parts.length, 1, 'the second statement does not run');
    t.true(ended.report.totals.errors >= 1);
    t.is(ended.lines.filter((line) => line.startsWith('error: The run ends')).length, 1);
    t.true(ended.lines.some((line) => /^error: A query failed: \[0x2602\] .*: select nosuch from till$/.test(line)));
    const keys = { query_times: 3, continue_if_fail: 'yes', specified_table_query: { threads: 2, sqls } };
    const counted = await run(mode, keys);
    t.is(counted.report.outcome, 'completed');
    t.is(counted.report.totals.queries, 12);
    t.is(counted.report.totals.errors, 6);
    t.is(counted.report.totals.killed, 0);
    t.true(counted.lines.includes('done: error rate: 50.00%, killed: 0'));
    const many = await run(mode, { ...keys, query_times: 40 });
    t.is(many.report.totals.errors, 80);
    t.is(many.lines.filter((line) => line.startsWith('error: A query failed')).length, 50);
    t.true(many.lines.includes('warn: 30 further failed queries are counted and not shown.'));
  });

  test.serial(`${mode}: a slow query of the run is killed, and no other`, async (t) => {
    const slow = 'select count(*) from till a, till b where a.ts = b.ts';
    const keys = {
      continue_if_fail: 'yes',
      kill_slow_query_threshold: 0.001,
      kill_slow_query_interval: 0.001,
      query_times: 20,
      specified_table_query: { threads: 4, sqls: [{ sql: slow }] },
    };
    const others = Array.from({ length: 5 }, () => service.run(slow, { database: 'shop' }));
    const { report, lines } = await run(mode, keys);
    t.is((await Promise.all(others)).length, 5);
    t.is(report.outcome, 'completed');
    t.true(report.totals.killed > 0, lines.join('\n'));
    t.is(report.totals.killed, report.totals.errors);
    t.is(report.totals.queries, 80);
    t.true(lines.some((line) => line.startsWith('warn: A query is killed after') && line.endsWith(slow)));
  });

  test.serial(`${mode}: a stop breaks the queries off and is no error`, async (t) => {
    const controller = new AbortController();
    const watch: Watch = ({ read }) => {
      const timer = setInterval(() => {
        if (read().done > 0) controller.abort();
      }, 5);
      return () => clearInterval(timer);
    };
    const specified = { query_times: 1000000, threads: 2, sqls: three };
    const { report } = await run(mode, { specified_table_query: specified }, { stop: controller.signal, watch });
    t.is(report.outcome, 'interrupted');
    t.is(report.totals.errors, 0);
    t.true(report.totals.queries > 0);
  });

  test.serial(`${mode}: a server that is not there is told of`, async (t) => {
    const closed = run(mode, { port: 9, specified_table_query: { sqls: three } });
    if (mode === 'taosc') await t.throwsAsync(closed, { message: /./ });
    else t.is((await closed).report.outcome, 'failed');
  });
}

test.serial('both sections run, the statements as they are first', async (t) => {
  const keys = {
    query_times: 5,
    specified_table_query: { threads: 2, sqls: [{ sql: 'select count(*) from till', result: path('cnt') }] },
    super_table_query: { stblname: 'till', threads: 2, sqls: [{ sql: 'select last(qty) from xxxx' }] },
  };
  const { report } = await run('taosc', keys);
  t.deepEqual(
    report.parts.map(({ section, figures }) => [section, figures.queries]),
    [
      ['specified', 10],
      ['super', 25],
    ],
  );
  t.deepEqual(
    linesOf('cnt'),
    Array.from({ length: 10 }, () => '105'),
  );
});

test.serial('a pause is kept between the starts of a thread, and not before the first', async (t) => {
  const specified = { query_times: 3, query_interval: 0.2, sqls: [{ sql: 'select 1' }] };
  const { report } = await run('taosc', { specified_table_query: specified });
  t.true(report.totals.seconds >= 0.4);
  t.is(report.totals.queries, 3);
});

test.serial('a super table without sub-tables and one that is not there', async (t) => {
  const sqls = [{ sql: 'select count(*) from xxxx' }];
  const none = await run('taosc', { databases: 'empty', super_table_query: { stblname: 'till', sqls } });
  t.is(none.report.outcome, 'completed');
  t.is(none.report.totals.queries, 0);
  t.true(none.lines.includes('warn: The super table till has no sub-tables.'));
  const missing = await run('taosc', { super_table_query: { stblname: 'nosuch', sqls } });
  t.is(missing.report.outcome, 'failed');
  t.regex(missing.report.failure ?? '', /Table does not exist/);
});

test.serial('a result file that cannot be written ends the run', async (t) => {
  const sqls = [{ sql: 'select 1', result: join(directory, 'no', 'such', 'folder') }];
  const { report } = await run('taosc', { continue_if_fail: 'yes', specified_table_query: { sqls } });
  t.is(report.outcome, 'failed');
  t.regex(report.failure ?? '', /folder/);
});

test.serial(
  'the program queries by a file: figures on the screen and in both reports, and its exit code',
  async (t) => {
    const tool = new LoadTool(service);
    t.teardown(tool.remove);
    const keys = {
      filetype: 'query',
      databases: 'shop',
      query_times: 4,
      result_json_file: 'report.json',
      result_html_file: 'report.html',
    };
    const good = await tool.scenario({ ...keys, specified_table_query: { threads: 2, sqls: three } });
    t.is(good.code, 0, good.errors);
    t.regex(good.out, /INFO: +3 statements, 4 times, 2 threads: 24 queries\./);
    t.regex(good.out, /SUCC: Spent [\d.]+ seconds to query 24 times, QPS: [\d.]+, rows: 24, errors: 0/);
    t.regex(tool.written('output.txt'), /SUCC: Spent [\d.]+ seconds to query 24 times/);
    const report: QueryReport = JSON.parse(tool.written('report.json'));
    t.is(report.totals.queries, 24);
    t.notRegex(tool.written('report.json'), /taosdata/);
    const bad = { specified_table_query: { sqls: [{ sql: 'select nosuch from till' }] } };
    t.not((await tool.scenario({ ...keys, ...bad })).code, 0);
    t.is((await tool.scenario({ ...keys, ...bad, continue_if_fail: 'yes' })).code, 0);
    const lost = await tool.scenario({
      ...keys,
      result_json_file: 'no/such/x',
      specified_table_query: { sqls: three },
    });
    t.not(lost.code, 0);
    t.regex(lost.errors, /ERROR: The report no\/such\/x cannot be written/);
    t.notRegex(lost.out, /complete query/);
    t.is(
      (await tool.scenario({ ...keys, port: service.port, query_mode: 'rest', specified_table_query: { sqls: three } }))
        .code,
      0,
    );
  },
);

for (const mode of modes) {
  test.serial(`${mode}: an engine that is killed costs the queries that it had, and not the run`, async (t) => {
    const watch: Watch = ({ read }) => {
      const timer = setInterval(() => {
        if (read().done < 10) return;
        clearInterval(timer);
        process.kill(service.enginePid(), 'SIGKILL');
      }, 5);
      return () => clearInterval(timer);
    };
    const specified = {
      query_times: 100,
      query_interval: 0.02,
      threads: 2,
      sqls: [{ sql: 'select last(qty) from t_1' }],
    };
    const { report } = await run(mode, { continue_if_fail: 'yes', specified_table_query: specified }, { watch });
    t.is(report.outcome, 'completed');
    t.is(report.totals.queries, 200);
    t.true(report.totals.errors > 0);
    t.is(report.totals.killed, 0);
    t.deepEqual(await rowsSoon(service, 'shop', 'select last(qty) from t_1'), [[120]]);
  });
}
