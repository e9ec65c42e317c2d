import { setMaxListeners } from 'node:events';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { OlderSubscription, SubscribeScenario, TopicConsumers } from '../../../src/load/model/scenario.js';
import { runSubscribeScenario } from '../../../src/load/runs.js';
import { moreCases } from '../../support/cases.js';
import { connectionTo, LoadTool } from '../../support/load/load-tool.js';
import { startService } from '../../support/service/service.js';
import { everything } from '../../support/sql/everything.js';
import { until } from '../../support/until.js';

const { service, end } = await startService();
const tool = new LoadTool(service, 'here');
const connection = connectionTo(service);
test.after.always(async () => {
  await end();
  tool.remove();
});

const topicDefaults: TopicConsumers = {
  kind: 'topics',
  topics: [],
  consumers: 1,
  setUp: 'sequential',
  groups: ['g'],
  clientId: 'c',
  pollDelayMs: 1000,
  offsetReset: 'earliest',
  autoCommit: true,
  // Whoever is only slow, on a machine that is busy, must not lose its share.
  autoCommitIntervalMs: 20_000,
  manualCommit: false,
  snapshot: false,
  withTableName: true,
  rowsFile: undefined,
  expectRows: -1,
};

const plain = {
  resultFile: '',
  confirm: false,
  jsonReport: undefined,
  htmlReport: undefined,
  debug: false,
};
/** The same from another machine, which reaches the service alone. */
const elsewhere = { ...connection, port: service.port, namedPort: service.port };

/** Runs a subscription in this process; gives its report and what it said. */
async function run(
  consume: SubscribeScenario['consume'],
  stop = new AbortController(),
  stopAt?: RegExp,
  way = connection,
) {
  setMaxListeners(0, stop.signal);
  const lines: string[] = [];
  const say = (line: string): void => {
    lines.push(line);
    if (stopAt?.test(line)) stop.abort();
  };
  const log = { info: say, done: say, warn: say, error: say, debug: () => undefined };
  const report = await runSubscribeScenario(
    { ...plain, kind: 'subscribe', connection: way, consume },
    { version: 'test', log, stop: stop.signal },
  );
  return { report, lines };
}

/** The rows in rows files, each as `table|values`, in their order. */
function rowsIn(...paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return rowsOf(text.slice(0, text.lastIndexOf('\n')).split('\n'));
  });
}

function rowsOf(lines: readonly string[]): string[] {
  return lines.flatMap((line, at) => {
    const table = /^table: (.*), row: \d+$/.exec(line)?.[1];
    return table === undefined || lines[at + 1] === undefined ? [] : [`${table}|${lines[at + 1]}`];
  });
}

async function fiftyRows(db: string): Promise<TopicConsumers['topics']> {
  await service.run(`CREATE DATABASE ${db} KEEP 36500`);
  await service.run(`CREATE STABLE ${db}.m (ts TIMESTAMP, v INT, s NCHAR(8)) TAGS (g INT)`);
  for (let table = 0; table < 10; table++) {
    const rows = Array.from({ length: 5 }, (_, at) => `(${at + 1}, ${at === 2 ? 'NULL' : at}, 'a b')`);
    await service.run(`INSERT INTO ${db}.d${table} USING ${db}.m TAGS (${table}) VALUES ${rows.join(' ')}`);
  }
  return [{ name: `${db}_Topic`, sql: `SELECT ts, v, s FROM ${db}.m` }];
}

test('through the service the rows are the same, of all types, and each comes once', async (t) => {
  for (const statement of everything) await service.run(statement);
  const topics = [
    { name: 'all_types', sql: 'SELECT * FROM every.typed' },
    { name: 'all_others', sql: 'SELECT ts, b, i, u, f, d, exact, v, n, bin, at FROM every.s' },
    { name: 'all_keyed', sql: 'SELECT * FROM every.keyed' },
  ];
  const ways = [connection, elsewhere].map(async (way, at) => {
    const rowsFile = tool.path(`way_${at}`);
    const groups = [`way_${at}`, `way_${at}`];
    const consume = { ...topicDefaults, topics, consumers: 2, groups, rowsFile, autoCommit: false, manualCommit: true };
    const { report, lines } = await run(consume, undefined, undefined, way);
    t.is(report.outcome, 'completed', lines.join('\n'));
    t.is(lines.join('\n').includes('through the HTTP service'), way === elsewhere);
    return rowsIn(`${rowsFile}_0`, `${rowsFile}_1`).toSorted();
  });
  const [here, there] = await Promise.all(ways);
  t.true((here?.length ?? 0) > 8);
  t.deepEqual(there, here);
  // What was committed does not come again.
  const consume = { ...topicDefaults, topics, groups: ['way_1'] };
  t.is((await run(consume, undefined, undefined, elsewhere)).report.rows, 0);
  const wrong = [{ name: 'wrong', sql: 'SELECT count(*) FROM every.typed' }];
  const { failure } = (await run({ ...topicDefaults, topics: wrong }, undefined, undefined, elsewhere)).report;
  t.regex(String(failure), /0x2639/);
});

test('two consumers of one group get every row once, and say so', async (t) => {
  const topics = await fiftyRows('shared');
  const rowsFile = tool.path('shared');
  appendFileSync(`${rowsFile}_0`, 'kept\ntorn');
  const { report, lines } = await run({ ...topicDefaults, topics, consumers: 2, groups: ['g', 'g'], rowsFile });
  t.is(report.rows, 50);
  t.is(report.outcome, 'completed');
  const stored = rowsIn(`${rowsFile}_0`, `${rowsFile}_1`);
  t.is(stored.length, 50);
  t.is(new Set(stored).size, 50);
  t.true(stored.includes('d3|3 NULL a b'));
  t.regex(
    readFileSync(`${rowsFile}_0`, 'utf8'),
    /^kept\nconsumerId: 0, message: 0\ndatabase: shared, table: m, topic: shared_topic, vgroup: \d+\n/,
  );
  t.true(lines.some((line) => /^consumerId: 1, consume msgs: \d+, consume rows: \d+$/.test(line)));
  t.true(lines.some((line) => /^total consumers: 2, consume msgs: \d+, consume rows: 50$/.test(line)));
  t.is((await run({ ...topicDefaults, topics, groups: ['g'] })).report.rows, 0, 'a later run goes on after them');
});

test('independent consumers get every row each, also when they are set up at once and commit each message', async (t) => {
  const topics = await fiftyRows('apart');
  const rowsFile = tool.path('apart');
  const apart = { ...topicDefaults, topics, consumers: 2, groups: ['x', 'y'], rowsFile };
  const { report } = await run({ ...apart, setUp: 'parallel', autoCommit: false, manualCommit: true });
  t.is(report.rows, 100);
  t.is(new Set(rowsIn(`${rowsFile}_0`)).size, 50);
  t.is(new Set(rowsIn(`${rowsFile}_1`)).size, 50);
  t.is((await run({ ...topicDefaults, topics, groups: ['x'] })).report.rows, 0);
});

test('a consumer ends when it has the rows it waits for, or when it is stopped', async (t) => {
  const topics = await fiftyRows('until');
  const enough = await run({ ...topicDefaults, topics, groups: ['a'], pollDelayMs: -1, expectRows: 50 });
  t.is(enough.report.rows, 50);
  const asked = { ...topicDefaults, topics, groups: ['b'], pollDelayMs: -1 };
  const stopped = await run(asked, new AbortController(), /^topic /);
  t.is(stopped.report.outcome, 'interrupted');
});

test('a topic that cannot be made ends the run, a consumer without a place is told and counted', async (t) => {
  const topics = await fiftyRows('wrong');
  const bad = await run({ ...topicDefaults, topics: [{ name: 'bad', sql: 'SELECT count(*) FROM wrong.m' }] });
  t.is(bad.report.outcome, 'failed');
  t.is(bad.report.failure, '[0x2639] Invalid topic query');
  const { report, lines } = await run({ ...topicDefaults, topics, setUp: 'parallel', offsetReset: 'none' });
  t.is(report.outcome, 'failed');
  t.deepEqual(
    report.consumers.map((consumer) => consumer.failed),
    [true],
  );
  t.true(lines.some((line) => line.includes('No committed offset')));
});

const older: OlderSubscription = {
  superTable: undefined,
  threads: 1,
  intervalMs: 0,
  restart: false,
  keepProgress: true,
  resubAfterConsume: false,
  endAfterConsume: 1,
  queries: [],
};

test('older subscriptions keep their progress, begin anew, and follow every sub-table', async (t) => {
  await fiftyRows('older');
  const result = tool.path('older');
  const plan = (part: Partial<OlderSubscription>) =>
    ({ kind: 'statements', database: 'older', parts: [{ ...older, ...part }] }) as const;
  const queries = [{ sql: 'SELECT ts, v FROM m', result }];
  t.is((await run(plan({ queries, threads: 2 }))).report.rows, 100);
  t.is(readFileSync(result, 'utf8').split('\n').length, 101);
  await service.run(`INSERT INTO older.d1 VALUES (100, 1, 'n')`);
  t.is((await run(plan({ queries }))).report.rows, 1, 'it goes on');
  t.is((await run(plan({ queries, restart: true, keepProgress: false }))).report.rows, 51);
  t.is((await run(plan({ queries, resubAfterConsume: true, endAfterConsume: 1 }))).report.rows, 51, 'nothing was kept');
  const perTable = [{ sql: 'SELECT ts, v FROM xxxx', result: undefined }];
  const { report } = await run(plan({ queries: perTable, superTable: 'm', threads: 3 }));
  t.is(report.rows, 51);
  t.is(report.consumers.length, 10);
  const other = [{ sql: 'SELECT ts FROM m', result: undefined }];
  const topics = async () => (await service.rows('SHOW TOPICS')).filter(([name]) => String(name).startsWith('sub_'));
  const before = await topics();
  await run(plan({ queries: other, keepProgress: false }));
  t.deepEqual(await topics(), before, 'a topic whose progress nobody keeps does not stay');
});

/** A scenario as the load tool reads it. */
function fileOf(plan: TopicConsumers, more: object = {}): object {
  const { topics, groups, pollDelayMs, autoCommit, autoCommitIntervalMs, manualCommit, withTableName, rowsFile } = plan;
  const info = {
    concurrent: plan.consumers,
    'group.id': groups[0],
    poll_delay: pollDelayMs,
    'auto.offset.reset': plan.offsetReset,
    'enable.auto.commit': String(autoCommit),
    'auto.commit.interval.ms': autoCommitIntervalMs,
    'enable.manual.commit': String(manualCommit),
    'msg.with.table.name': String(withTableName),
    topic_list: topics,
    ...(rowsFile === undefined ? {} : { rows_file: rowsFile }),
  };
  return { filetype: 'subscribe', result_file: 'result.txt', tmq_info: { ...info, ...more } };
}

test('the tool reads topics by a file: shared groups once in all, independent ones once each', async (t) => {
  const topics = await fiftyRows('tool');
  const rowsFile = tool.path('tool');
  const shared = { ...topicDefaults, topics, consumers: 2, groups: ['tool'], pollDelayMs: 3000, rowsFile };
  const once = await tool.scenario(fileOf(shared));
  t.is(once.code, 0, once.out + once.errors);
  t.true(once.out.includes('total consumers: 2, consume msgs: '), once.out);
  t.regex(once.out, /consume rows: 50\n/);
  t.true(once.seconds >= 3);
  t.is(new Set(rowsIn(`${rowsFile}_0`, `${rowsFile}_1`)).size, 50);
  t.regex(tool.written('result.txt'), /consume rows: 50\n/);
  const apart = { 'group.id': undefined, group_mode: 'independent', rows_file: tool.path('apart') };
  const each = await tool.scenario(fileOf({ ...shared, pollDelayMs: 1000 }, apart));
  t.is(each.code, 0, each.out + each.errors);
  t.regex(each.out, /total consumers: 2, consume msgs: \d+, consume rows: 100\n/);
  const bad = await tool.scenario(fileOf({ ...shared, topics: [{ name: 'bad', sql: 'SELECT count(*) FROM tool.m' }] }));
  t.not(bad.code, 0);
  t.true(bad.errors.includes('[0x2639] Invalid topic query'), bad.errors);
});

test('the setting tmq.releaseIntervalMultiplierForAutocommit says how long a consumer is waited for', async (t) => {
  const topics = await fiftyRows('lease');
  tool.file('[tmq]\nreleaseIntervalMultiplierForAutocommit = 7\n', 'adapter.toml');
  const plan = { ...topicDefaults, topics, groups: ['lease'], pollDelayMs: -1, autoCommitIntervalMs: 3000 };
  const { process: child, ended } = await tool.begin({ ...fileOf(plan), cfgdir: tool.directory });
  const parameters = () =>
    service.rows(`SELECT parameters FROM performance_schema.perf_consumers WHERE consumer_group = 'lease'`);
  t.true(await until(async () => (await parameters()).length > 0));
  const shown = await parameters();
  child.kill('SIGTERM');
  t.is((await ended).code, 0);
  t.deepEqual(shown, [['tbname:1,commit:1,interval:3000ms,reset:earliest,lease:21000ms']]);
  t.deepEqual(await parameters(), [], 'who has left is not waited for');
});

/** The messages of a rows file, run by run: a run begins with its message 0. */
function runsIn(path: string): string[][][] {
  const runs: string[][][] = [];
  for (const text of readFileSync(path, 'utf8')
    .split(/^consumerId: 0, message: /m)
    .slice(1)) {
    if (text.startsWith('0\n')) runs.push([]);
    runs.at(-1)?.push(rowsOf(text.split('\n')));
  }
  return runs;
}

test('consumers that are killed and started again in turn lose nothing, and repeat only what was not committed', async (t) => {
  const [tables, batches, perBatch] = [40, moreCases(40, 126), 200];
  await service.run('CREATE DATABASE killed KEEP 36500');
  await service.run('CREATE STABLE killed.m (ts TIMESTAMP, v INT) TAGS (g INT)');
  const topics = [{ name: 'killed_t', sql: 'SELECT ts, v FROM killed.m' }];
  await service.run(`CREATE TOPIC killed_t AS ${topics[0]!.sql}`);
  const base = tool.path('killed');
  // Each message is committed once it is in the file, so of a run that was killed only the last one may come again.
  const committing = { autoCommit: false, manualCommit: true, autoCommitIntervalMs: 3000 };
  const plans = ['a', 'b'].map((name): TopicConsumers => {
    return { ...topicDefaults, ...committing, topics, groups: ['g'], pollDelayMs: -1, rowsFile: `${base}-${name}` };
  });
  const paths = ['a', 'b'].map((name) => `${base}-${name}_0`);
  const runs = await Promise.all(plans.map((plan) => tool.begin(fileOf(plan))));
  const write = async (): Promise<void> => {
    for (let batch = 0; batch < batches; batch++) {
      const inserts = Array.from({ length: tables }, (_, table) => {
        const rows = Array.from({ length: perBatch }, (__, at) => `(${batch * perBatch + at + 1},${batch})`);
        return `killed.d${table} USING killed.m TAGS (${table}) VALUES ${rows.join(' ')}`;
      });
      await service.run(`INSERT INTO ${inserts.join(' ')}`);
      await sleep(100);
    }
  };
  const size = () => paths.reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0), 0);
  const kills = moreCases(3, 6);
  const killInTurn = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill++) {
      const before = size();
      await sleep(800);
      await until(() => size() > before, 8_000);
      const turn = kill % 2;
      runs[turn]!.process.kill('SIGKILL');
      await runs[turn]!.ended;
      runs[turn] = await tool.begin(fileOf(plans[turn]!));
    }
  };
  await Promise.all([write(), killInTurn()]);
  const expected = Array.from({ length: tables * batches * perBatch }, (_, at) => {
    const time = Math.floor(at / tables);
    return `d${at % tables}|${time + 1} ${Math.floor(time / perBatch)}`;
  });
  const lines = (): string[] => paths.filter((path) => existsSync(path)).flatMap((path) => rowsIn(path));
  await until(() => new Set(lines()).size >= expected.length, 240_000);
  for (const { process: child, ended } of runs) {
    child.kill('SIGTERM');
    t.is((await ended).code, 0);
  }
  const distinct = new Set(lines());
  t.deepEqual(expected.filter((row) => !distinct.has(row)).slice(0, 5), [], 'nothing is missing');
  t.is(distinct.size, expected.length, 'nothing is there that was not written');
  const messages = paths.flatMap((path) => runsIn(path));
  const committed = messages.flatMap((run) => run.slice(0, -1).flat());
  t.is(new Set(committed).size, committed.length, 'what was committed does not come again');
  for (const run of messages) {
    const last = new Map<string, number>();
    for (const row of run.flat()) {
      const [table = '', values = ''] = row.split('|');
      const time = Number(values.split(' ')[0]);
      if (time <= (last.get(table) ?? 0)) t.fail(`out of order: ${row}`);
      last.set(table, time);
    }
  }
  t.log(`${expected.length} rows, ${kills} kills, ${lines().length - expected.length} rows again`);
  t.is((await run({ ...topicDefaults, topics, groups: ['g'] })).report.rows, 0, 'all of it is committed');
});
