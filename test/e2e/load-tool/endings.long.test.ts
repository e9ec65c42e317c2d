import { once } from 'node:events';
import { rmSync } from 'node:fs';
import net from 'node:net';
import test from 'ava';
import { LoadTool } from '../../support/load/load-tool.js';
import { basicOf, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const { service, end } = await startService();
const tool = new LoadTool(service, 'here');
test.after.always(async () => {
  tool.remove();
  await end();
});

const table = {
  name: 'm',
  childtable_prefix: 'k',
  childtable_count: 4,
  insert_rows: 100,
  start_timestamp: '2024-02-01T00:00:00Z',
  columns: [{ type: 'int', name: 'v' }],
  tags: [{ type: 'int', name: 'g' }],
};

const scenario = (name: string, more: object = {}, top: object = {}) => ({
  filetype: 'insert',
  thread_count: 2,
  databases: [{ dbinfo: { name }, super_tables: [{ ...table, ...more }] }],
  ...top,
});

test.serial('wrong words end with a hint and without touching the server', async (t) => {
  for (const argv of [['--no-such'], ['-Z0q'], ['-n'], ['stray'], ['--tab=7'], ['-y=1']]) {
    const ending = await tool.run(['-P', '1', ...argv]);
    t.not(ending.code, 0, argv.join(' '));
    t.regex(ending.errors, /Try .*--help/, argv.join(' '));
  }
});

test.serial('many more threads than tables query no more than the tables need', async (t) => {
  for (const argv of [
    ['-P', String(service.port), '-I', 'rest'],
    ['-P', String(tool.enginePort)],
  ]) {
    // A process of its own says what the platform warns of.
    const run = await tool.start([...argv, '-y', '-d', 'threads', '-T', '3000', '-t', '2', '-n', '3']);
    const ending = await run.ended;
    t.is(ending.code, 0, ending.errors);
    t.notRegex(ending.errors, /Too many|MaxListeners/);
    t.deepEqual(await service.rows('SELECT COUNT(*) FROM threads.meters'), [[6]]);
  }
});

test.serial('help and version are printed without a connection', async (t) => {
  for (const argv of [['-V'], ['--version'], ['-?'], ['--help'], ['--usage']]) {
    const ending = await tool.run(['-P', '1', ...argv]);
    t.is(ending.code, 0);
    t.true(ending.out.length > 10);
  }
});

test.serial('what cannot be reached, and who is not let in, has one clear line with its code', async (t) => {
  const port = String(tool.enginePort);
  const http = String(service.port);
  for (const [argv, reason] of [
    [
      ['-h', 'no.such.host.invalid'],
      /\[0x000b\] No HTTP service at .*no\.such\.host.*: the(?: host name cannot be resolved|re is no such host); -P names its port/,
    ],
    [['-P', '1'], /\[0x000b\] No database at .*nothing listens there; start the service, or name the port with -P/],
    [['-P', port, '-u', 'nobody'], /\[0x0357\] Authentication failure/],
    [['-P', port, '-p', 'wrong'], /\[0x0357\] Authentication failure/],
    [['-P', '1', '-I', 'rest'], /\[0x000b\] The service at .*cannot be reached/],
    [['-P', http, '-I', 'rest', '-p', 'wrong'], /\[0x0357\] Authentication failure/],
  ] as const) {
    const ending = await tool.run([...argv, '-y', '-t', '1', '-n', '1']);
    t.is(ending.code, 255, argv.join(' '));
    t.regex(ending.errors, reason);
    t.is(ending.errors.trim().split('\n').length, 1, ending.errors);
    t.notRegex(ending.out + ending.errors, /wrong/);
  }
});

test.serial('a file that is missing, or no JSON, or a wrong type is named and drops nothing', async (t) => {
  await service.run('CREATE DATABASE kept');
  t.not((await tool.run(['-f', 'missing.json'])).code, 0);
  const noJson = await tool.run(['-f', tool.file('a,b\n', 'rows.csv')]);
  t.not(noJson.code, 0);
  t.regex(noJson.errors, /rows\.csv/);
  const wrongType = await tool.arguments('-d', 'kept', '-b', 'int,nosuch');
  t.not(wrongType.code, 0);
  t.regex(wrongType.errors, /nosuch/i);
  const schemaless = await tool.arguments('-d', 'kept', '-N', '-I', 'sml', '-t', '2', '-n', '1');
  t.not(schemaless.code, 0);
  t.deepEqual(await service.rows("SELECT name FROM information_schema.ins_databases WHERE name = 'kept'"), [['kept']]);
});

test.serial('what the database or a file of rows would be refused for drops nothing', async (t) => {
  await service.run('CREATE DATABASE holds');
  await service.run('CREATE TABLE holds.rows (ts TIMESTAMP, v INT)');
  const tables = async () =>
    service.rows("SELECT table_name FROM information_schema.ins_tables WHERE db_name = 'holds'");
  const sample = (file: string) => ({ data_source: 'sample', sample_file: tool.path(file) });
  const words = tool.file("1\n'one'\n");
  for (const [content, reason, code] of [
    [scenario('holds', sample('nowhere.csv')), /nowhere\.csv" cannot be read/, 255],
    [scenario('holds', { data_source: 'sample', sample_file: words }), /row 2, column "v"/, 255],
    [scenario('holds', { tags_file: tool.path('notags.csv') }), /notags\.csv" cannot be read/, 255],
    [{ filetype: 'insert', databases: [{ dbinfo: { name: 'holds', replica: 77 } }] }, /Invalid option replica: 77/, 1],
    [
      { filetype: 'insert', databases: [{ dbinfo: { name: 'holds' } }, { dbinfo: { name: 'next', keep: 'x' } }] },
      /line 1: databases\[1\]\.dbinfo\.keep: Invalid option keep: x/,
      1,
    ],
  ] as const) {
    const ending = await tool.scenario(content);
    t.is(ending.code, code, ending.out);
    t.regex(ending.errors, reason);
    t.deepEqual(await tables(), [['rows']]);
  }
});

test.serial('with a file other arguments do not count, and the run says so', async (t) => {
  const ending = await tool.scenario(scenario('beside'), '-n', '999', '-y');
  t.is(ending.code, 0, ending.errors);
  t.regex(ending.errors, /--records/);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM beside.m'), [[400]]);
});

test.serial('a run that asks for confirmation never waits for somebody who is not there', async (t) => {
  const content = JSON.stringify({
    ...scenario('confirm'),
    host: '127.0.0.1',
    port: tool.enginePort,
    confirm_parameter_prompt: 'yes',
  });
  for (const input of ['\n\n\n', '']) {
    const ending = await tool.run(['-f', tool.file(content)]).then((first) => first);
    t.is(ending.code, 0, `${input}${ending.errors}`);
    t.is(ending.out.match(/without a terminal/g)?.length, 1);
  }
});

test.serial('the result file is appended to, and one that cannot be written does not end the run', async (t) => {
  tool.file('X\n', 'kept.txt');
  t.is((await tool.arguments('-d', 'result', '-t', '1', '-n', '1', '-o', 'kept.txt')).code, 0);
  t.regex(tool.written('kept.txt'), /^X\n[\s\S]*SUCC: Spent/);
  const ending = await tool.arguments('-d', 'result', '-t', '1', '-n', '1', '-o', '/nowhere/out.txt');
  t.is(ending.code, 0);
  t.regex(ending.errors, /\/nowhere\/out\.txt cannot be written/);
});

test.serial('passwords are never shown', async (t) => {
  await service.run("CREATE USER loader PASS 'Secret_123'");
  await service.run('ALTER USER loader CREATEDB 1');
  t.is(await service.code('DROP DATABASE IF EXISTS secret', { auth: basicOf('loader', 'Secret_123') }), 0);
  const argv = ['-P', String(tool.enginePort), '-u', 'loader', '-p', 'Secret_123', '-g', '-y', '-d', 'secret'];
  const ending = await tool.run([...argv, '-t', '1', '-n', '1', '-o', 'secret.txt', '--json', 'secret.json']);
  t.is(ending.code, 0, ending.errors);
  t.notRegex(ending.out + ending.errors, /Secret_123/);
  t.notRegex(tool.written('secret.txt') + tool.written('secret.json'), /Secret_123/);
});

test.serial('an interrupted run finishes what is under way, sums up and ends well', async (t) => {
  const run = await tool.begin(
    scenario('interrupted', { insert_rows: 100000, interlace_rows: 10, insert_interval: 20 }),
  );
  await until(() => /go to 4 table/.test(run.said()));
  await until(async () => Number((await service.sql('SELECT COUNT(*) FROM interrupted.m')).body.data?.[0]?.[0]) > 0);
  run.process.kill('SIGTERM');
  const ending = await run.ended;
  t.is(ending.code, 0, ending.errors);
  const rows = Number(/insert rows: (\d+)/.exec(ending.out)?.[1]);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM interrupted.m'), [[rows]]);
});

test.serial('a second signal ends the run at once', async (t) => {
  const run = await tool.begin(
    scenario('twice', { insert_rows: 1000 }, { host: '127.0.0.1', port: 1, keep_trying: -1, trying_interval: 600000 }),
  );
  await until(() => run.complained().includes('then re-connect'));
  run.process.kill('SIGINT');
  run.process.kill('SIGINT');
  const ending = await run.ended;
  t.true(ending.signal === 'SIGINT' || ending.code === 130 || ending.code === 255);
});

test.serial('the first signal ends a run whose server takes the connection and never answers', async (t) => {
  const silent = net.createServer((socket) => socket.on('error', () => {}).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  for (const mode of ['taosc', 'rest']) {
    const asked = once(silent, 'connection');
    const run = await tool.start(['-h', '127.0.0.1', '-P', String(port), '-I', mode, '-t', '1', '-n', '1']);
    await asked;
    run.process.kill('SIGINT');
    const { code, out, errors } = await run.ended;
    t.is(code, 0, errors);
    t.regex(out, /Stopped before anything was done/);
  }
  silent.close();
});

test.serial(
  'the first signal ends a run whose server stops answering, and what it had not answered has failed',
  async (t) => {
    const content = scenario('halted', { insert_rows: 100000, interlace_rows: 10, insert_interval: 20 });
    const run = await tool.begin(content);
    await until(async () => Number((await service.sql('SELECT COUNT(*) FROM halted.m')).body.data?.[0]?.[0]) > 0);
    const engine = service.enginePid();
    process.kill(engine, 'SIGSTOP');
    try {
      // Requests are on their way by the time that the next round begins.
      await new Promise((resolve) => setTimeout(resolve, 200));
      run.process.kill('SIGINT');
      const { code, out, errors } = await run.ended;
      t.is(code, 255, errors);
      t.regex(errors, /What has not ended within 10 seconds is broken off/);
      t.regex(out, /failed rows: [1-9]/);
    } finally {
      process.kill(engine, 'SIGCONT');
    }
  },
);

test.serial(
  'with attempts a run waits for a database that comes up later, and outlasts one that is started anew',
  async (t) => {
    const first = await startService();
    const port = new URL(first.service.engineUrl).port;
    const path = first.service.path ?? '';
    const place = [`--database.path=${path}`, `--database.port=${port}`];
    await first.service.stop();
    const content = { keep_trying: 300, trying_interval: 300, host: '127.0.0.1', port: Number(port) };
    const more = { insert_rows: 3000, num_of_records_per_req: 50, interlace_rows: 50, insert_interval: 100 };
    const run = await tool.begin(scenario('late', more, content));
    let said = '';
    run.process.stderr?.on('data', (piece: string) => {
      said += piece;
    });
    await until(() => said.includes('will sleep 300 milliseconds then re-connect'));
    const second = await startService(...place);
    await until(async () => Number((await second.service.sql('SELECT COUNT(*) FROM late.m')).body.data?.[0]?.[0]) > 0);
    await second.service.stop();
    await until(() => said.includes('will sleep 300 milliseconds then re-insert'));
    // Another secret, as with every start that is told none.
    const third = await startService(...place, '--database.password=another-secret');
    const ending = await run.ended;
    t.is(ending.code, 0, ending.errors.slice(-2000));
    t.deepEqual(await third.service.rows('SELECT COUNT(*) FROM late.m'), [[12000]]);
    for (const started of [first, second, third]) await started.end();
    rmSync(path, { recursive: true, force: true });
  },
);

for (const insert_mode of ['taosc', 'stmt']) {
  test.serial(
    `an engine that is killed loses and doubles nothing of a run by ${insert_mode} that keeps trying`,
    async (t) => {
      const name = `killed_${insert_mode}`;
      // With pauses, so that the run goes on for two seconds at least.
      const pace = { interlace_rows: 100, insert_interval: 20 };
      const more = { insert_mode, childtable_count: 20, insert_rows: 10000, ...pace };
      const top = { thread_count: 4, num_of_records_per_req: 500, keep_trying: 200, trying_interval: 200 };
      const run = await tool.begin(scenario(name, more, top));
      const stored = async () => Number((await service.sql(`SELECT COUNT(*) FROM ${name}.m`)).body.data?.[0]?.[0] ?? 0);
      await until(async () => (await stored()) > 5000);
      process.kill(service.enginePid(), 'SIGKILL');
      const ending = await run.ended;
      t.is(ending.code, 0, ending.errors);
      t.regex(ending.errors, /will sleep 200 milliseconds then re-insert/);
      t.regex(ending.out, /insert rows: 200000 with 4/);
      t.deepEqual(await service.rows(`SELECT COUNT(*) FROM ${name}.m`), [[200000]]);
      const counts = await service.rows(`SELECT DISTINCT c FROM (SELECT COUNT(*) AS c FROM ${name}.m GROUP BY tbname)`);
      t.deepEqual(counts, [[10000]]);
    },
  );
}

test.serial(
  'without attempts a killed engine ends the run with a clear line, or fails requests that are told apart',
  async (t) => {
    for (const [continue_if_fail, code] of [
      ['no', 255],
      ['yes', 0],
    ] as const) {
      const name = `broken_${continue_if_fail}`;
      const more = {
        childtable_count: 20,
        insert_rows: 2000,
        interlace_rows: 20,
        insert_interval: 20,
        continue_if_fail,
      };
      const run = await tool.begin(scenario(name, more, { continue_if_fail, num_of_records_per_req: 200 }));
      const stored = async () => Number((await service.sql(`SELECT COUNT(*) FROM ${name}.m`)).body.data?.[0]?.[0] ?? 0);
      await until(async () => (await stored()) > 2000);
      process.kill(service.enginePid(), 'SIGKILL');
      const ending = await run.ended;
      t.is(ending.code, code, ending.errors);
      t.regex(ending.errors, /A request failed: \[0x[0-9a-f]{4}\]/);
      const [, failed] = /failed rows: (\d+) in/.exec(ending.out) ?? [];
      t.true(Number(failed) > 0, ending.out);
      await until(async () => (await service.sql(`SELECT COUNT(*) FROM ${name}.m`)).body.code === 0);
      const inserted = Number(/insert rows: (\d+)/.exec(ending.out)?.[1]);
      const rows = await stored();
      // What failed may have been stored although its answer was lost.
      t.true(rows >= inserted && rows <= inserted + Number(failed), `${rows} rows for ${inserted} and ${failed}`);
    }
  },
);
