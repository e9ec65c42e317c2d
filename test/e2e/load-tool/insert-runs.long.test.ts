import test from 'ava';
import { LoadTool } from '../../support/load/load-tool.js';
import { scenario, superTable } from '../../support/load/scenario.js';
import { rowsSoon } from '../../support/service/rows-soon.js';
import { startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const telnetDatabase = 'telnet_load';
const refusingDatabase = 'telnet_refusing';
const { service, end } = await startService(
  '--tsdbwire_telnet.enable',
  '--tsdbwire_telnet.ports=0,0',
  `--tsdbwire_telnet.dbs=${telnetDatabase},${refusingDatabase}`,
);
const tool = new LoadTool(service, 'here');
test.after.always(async () => {
  tool.remove();
  await end();
});

/** True once a table is there with more rows. */
async function hasMoreThan(rows: number, table: string): Promise<boolean> {
  const { body } = await service.sql(`SELECT COUNT(*) FROM ${table}`);
  return body.code === 0 && Number(body.data[0]?.[0]) > rows;
}

test('existing sub-tables are filled from an offset up to a limit, unless the database is made anew', async (t) => {
  const range = { childtable_count: 12, childtable_from: 4, childtable_to: 9, insert_rows: 6 };
  t.is((await tool.scenario(scenario('exist', [superTable(range)]))).code, 0);
  const more = superTable({
    child_table_exists: 'yes',
    childtable_count: 5,
    childtable_limit: 2,
    childtable_offset: 1,
    insert_rows: 10,
    start_timestamp: '2024-03-01T00:00:00Z',
  });
  for (const [insert_mode, rows] of [
    ['taosc', 50],
    ['stmt', 50],
  ] as const) {
    const ending = await tool.scenario(scenario('exist', [{ ...more, insert_mode }], { drop: 'no' }));
    t.is(ending.code, 0, ending.errors);
    t.deepEqual(await service.rows('SELECT COUNT(*) FROM exist.m'), [[rows]]);
  }
  const counts = await service.rows('SELECT tbname, COUNT(*) FROM exist.m GROUP BY tbname ORDER BY tbname');
  t.deepEqual(
    counts.map(([, count]) => count),
    [6, 16, 16, 6, 6],
  );
  t.is((await tool.scenario(scenario('exist', [more], { drop: 'yes' }))).code, 0);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM exist.m'), [[50]]);
});

for (const mode of ['taosc', 'stmt']) {
  test(`interlaced rows lose only those of a table that is dropped meanwhile, with the mode ${mode}`, async (t) => {
    const name = `gap_${mode}`;
    const keys = { insert_mode: mode, childtable_count: 5, insert_rows: 30, interlace_rows: 1, insert_interval: 100 };
    const rows = { ...scenario(name, [superTable({ ...keys, childtable_prefix: 'g' })]), continue_if_fail: 'yes' };
    const ending = tool.scenario({ ...rows, thread_count: 1 });
    t.true(await until(() => hasMoreThan(0, `${name}.m`)));
    await service.run(`DROP TABLE ${name}.g2`);
    const { code, out, errors } = await ending;
    t.is(code, 0, errors);
    const counts = await service.rows(`SELECT tbname, COUNT(*) FROM ${name}.m GROUP BY tbname ORDER BY tbname`);
    t.deepEqual(
      counts,
      ['g0', 'g1', 'g3', 'g4'].map((table) => [table, 30]),
      `${out}${errors}`,
    );
  });
}

test('super tables are filled one after the other, each with a summary, and a total at the end', async (t) => {
  const tables = [
    superTable({}),
    superTable({ name: 'n', childtable_prefix: 'l', childtable_count: 4, insert_rows: 5 }),
  ];
  const { code, out } = await tool.scenario({ ...scenario('both', tables), result_file: 'both.txt' });
  t.is(code, 0);
  t.regex(out, /insert rows: 6 with[\s\S]*insert rows: 20 with[\s\S]*Total: .*insert rows: 26 with/);
  t.regex(tool.written('both.txt'), /SUCC: Total: Spent [\d.]+ seconds to insert rows: 26 /);
});

test('an aggregate over time ranges waits for the rows of its own super table', async (t) => {
  const aggregate = (name: string, start_when_inserted: number) => ({
    name,
    function: 'sum(v)',
    interval: '1m',
    sliding: '1m',
    start_when_inserted,
  });
  const tables = [
    superTable({ insert_rows: 20, tsmas: [aggregate('due', 40)] }),
    superTable({ name: 'n', childtable_prefix: 'l', tsmas: [aggregate('early', 41), aggregate('later', 7)] }),
  ];
  const { code, out, errors } = await tool.scenario(scenario('waits', tables));
  t.is(code, 0, errors);
  t.regex(out + errors, /TSMA early was not created: there were never 41 rows/);
  t.regex(out + errors, /TSMA later was not created: there were never 7 rows/);
  const names = "SELECT tsma_name FROM information_schema.ins_tsmas WHERE db_name = 'waits'";
  t.deepEqual(await rowsSoon(service, 'waits', names), [['due']]);
});

test('telnet lines over TCP are stored when the run ends', async (t) => {
  await service.run(`CREATE DATABASE ${telnetDatabase}`);
  const table = superTable({
    insert_mode: 'sml-rest',
    line_protocol: 'telnet',
    tcp_transfer: 'yes',
    insert_rows: 10,
  });
  const run = await tool.begin({
    ...scenario(telnetDatabase, [table], { drop: 'no' }),
    telnet_tcp_port: service.listeners.get(telnetDatabase),
    port: service.port,
  });
  const ending = await run.ended;
  t.is(ending.code, 0, ending.out + ending.errors);
  t.deepEqual(await service.rows(`SELECT COUNT(*) FROM ${telnetDatabase}.m`), [[20]]);
});

test('telnet lines over TCP that the listener refuses count as failed, all of them', async (t) => {
  await service.run(`CREATE DATABASE ${refusingDatabase}`);
  await service.run(`CREATE TABLE ${refusingDatabase}.m (ts TIMESTAMP, v INT)`);
  const table = superTable({
    insert_mode: 'sml-rest',
    line_protocol: 'telnet',
    tcp_transfer: 'yes',
    insert_rows: 3000,
    num_of_records_per_req: 500,
    continue_if_fail: 'yes',
  });
  for (const [continue_if_fail, code] of [
    ['no', 255],
    ['yes', 0],
  ] as const) {
    const ending = await tool.scenario({
      ...scenario('elsewhere', [{ ...table, continue_if_fail }]),
      telnet_tcp_port: service.listeners.get(refusingDatabase),
      port: service.port,
    });
    t.is(ending.code, code, ending.out + ending.errors);
    t.regex(ending.errors, /rows that were sent were refused or lost/);
    t.regex(ending.out, /insert rows: 0 with/);
    if (continue_if_fail === 'yes') t.regex(ending.out, /failed rows: 6000 in/);
  }
});

test('the smart policy creates a sub-table that is missing, with its own tags', async (t) => {
  const table = {
    childtable_count: 6,
    insert_rows: 400,
    interlace_rows: 1,
    insert_interval: 20,
    num_of_records_per_req: 6,
  };
  const run = await tool.begin({
    ...scenario('smart', [superTable({ ...table, continue_if_fail: 'smart' })]),
    continue_if_fail: 'smart',
  });
  t.true(await until(() => hasMoreThan(5, 'smart.k3')));
  const tags = await service.rows('SELECT DISTINCT g FROM smart.k3');
  await service.run('DROP TABLE smart.k3');
  const ending = await run.ended;
  t.is(ending.code, 0, ending.out + ending.errors);
  t.deepEqual(await service.rows('SELECT DISTINCT g FROM smart.k3'), tags);
  const counts = await service.rows('SELECT COUNT(*) FROM smart.m GROUP BY tbname');
  t.is(counts.length, 6);
  t.is(counts.filter(([count]) => count === 400).length, 5);
});

test('a run without an end goes on until it is interrupted', async (t) => {
  for (const insert_mode of ['taosc', 'stmt']) {
    const table = superTable({ insert_mode, non_stop_mode: 'yes', interlace_rows: 1, insert_interval: 50 });
    const run = await tool.begin(scenario(`stop_${insert_mode}`, [table]));
    t.true(await until(() => run.said().includes('go to 2 table')));
    // Three rounds over both tables.
    t.true(await until(() => hasMoreThan(4, `stop_${insert_mode}.m`)));
    run.process.kill('SIGINT');
    const ending = await run.ended;
    t.is(ending.code, 0, ending.out + ending.errors);
    const rows = Number(/insert rows: (\d+)/.exec(ending.out)?.[1]);
    t.true(rows > 4);
    t.deepEqual(await service.rows(`SELECT COUNT(*) FROM stop_${insert_mode}.m`), [[rows]]);
    const [[count, spread] = []] = await service.rows(
      `SELECT COUNT(*), CAST(MAX(ts) AS BIGINT) - CAST(MIN(ts) AS BIGINT) FROM stop_${insert_mode}.k0`,
    );
    t.is(Number(spread), Number(count) - 1);
  }
});
