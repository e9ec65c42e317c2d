import test, { type ExecutionContext } from 'ava';
import { cases, every, whenBrief, whenLong } from '../support/cases.js';
import { type Rows, rowsSoon } from '../support/service/rows-soon.js';
import { basicOf } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';
import { comesTrue } from '../support/until.js';

const brief = whenBrief(test.serial);
const long = whenLong(test.serial);
const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;

const at = (ms: number): string => new Date(base + ms).toISOString();

/** Super table `m`, normal table `n`, and the database `o` for results. */
test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE DATABASE o');
  await service.run('CREATE STABLE d.m (ts TIMESTAMP, v INT, k INT) TAGS (g INT)');
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, v INT, k INT)');
  for (const [at, name] of ['a', 'b', 'c'].entries())
    await service.run(`CREATE TABLE d.${name} USING d.m TAGS (${at % 2})`);
});

/** Waits until a query gives what another one or a list of rows says, and compares. */
async function becomes(t: ExecutionContext, query: string, expected: string | Rows): Promise<void> {
  const expectedRows = async (): Promise<Rows> => (typeof expected === 'string' ? service.rows(expected) : expected);
  const text = JSON.stringify(await expectedRows());
  const results = await rowsSoon(service, 'd', query, (rows) => JSON.stringify(rows) === text);
  t.deepEqual(results, await expectedRows(), query);
}

/** Numbers below a limit, the same ones in every run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
}

/** Windows of the dialect, each with its columns and what to order by. */
const byTable = 'PARTITION BY tbname';

const windows: Readonly<Record<string, readonly [columns: string, rest: string]>> = {
  tables: ['_wstart, _wend, count(*), sum(v), min(v), last(v)', `FROM d.m ${byTable} INTERVAL(10s)`],
  tags: ['_wstart, count(*), max(v)', 'FROM d.m PARTITION BY g INTERVAL(20s, 5s)'],
  sliding: ['_wstart, count(*), sum(k)', `FROM d.m ${byTable} INTERVAL(15s) SLIDING(5s)`],
  groups: ['_wstart, count(*), sum(v)', 'FROM d.n PARTITION BY k INTERVAL(10s)'],
  months: ['_wstart, count(*), sum(v)', 'FROM d.n INTERVAL(1n)'],
  some: ['_wstart, count(*), sum(v)', `FROM d.m WHERE v > 6 ${byTable} INTERVAL(5s)`],
  session: ['_wstart, _wend, count(*), sum(v), twa(v), elapsed(ts)', `FROM d.m ${byTable} SESSION(ts, 2s)`],
  state: ['_wstart, _wend, count(*), sum(v)', `FROM d.m ${byTable} STATE_WINDOW(k)`],
  event: ['_wstart, _wend, count(*), sum(v)', `FROM d.m ${byTable} EVENT_WINDOW START WITH v > 5 END WITH v < 3`],
  count: ['_wstart, _wend, count(*), sum(v)', `FROM d.m ${byTable} COUNT_WINDOW(4, 2)`],
  normal: ['_wstart, _wend, count(*), sum(v), twa(k), elapsed(ts)', 'FROM d.n SESSION(ts, 3s)'],
  rows: ['ts, v * 2, k', `FROM d.m WHERE k > 0 ${byTable}`],
};

test.serial(
  'results of every kind of window equal those of the query itself, whatever the order of rows',
  async (t) => {
    const tested = every(3, Object.entries(windows).toReversed());
    for (const [name, [columns, rest]] of tested) {
      await service.run(`CREATE STREAM s_${name} TRIGGER AT_ONCE INTO o.${name} AS SELECT ${columns} ${rest}`);
    }
    const next = numbers(11);
    const workedIn = async () => Number((await service.rows('SELECT count(*) FROM o.rows'))[0]?.[0]);
    let worked = await workedIn();
    for (let round = 0; round < cases(2, 4); round++) {
      for (const name of ['a', 'b', 'c', 'n']) {
        const rows = Array.from({ length: 10 }, () => `(${base + next(120) * 1000}, ${next(10)}, ${next(3)})`);
        await service.run(`INSERT INTO d.${name} VALUES ${rows.join(' ')}`);
      }
      // What came so far is worked in before more comes.
      const before = worked;
      await comesTrue(async () => {
        worked = await workedIn();
        return worked > before;
      }, 2_000);
    }
    for (const [name, [columns, rest]] of tested) {
      const described = await service.rows(`DESCRIBE o.${name}`);
      const own = described.filter(([, , , note]) => note !== 'TAG').map(([column]) => `\`${column}\``);
      const order = columns.split(',').map((_, place) => place + 1);
      await becomes(
        t,
        `SELECT ${own.join(', ')} FROM o.${name} ORDER BY ${order.join(', ')}`,
        `SELECT ${columns} ${rest} ORDER BY ${order.join(', ')}`,
      );
    }
    for (const [name] of tested) await service.run(`DROP STREAM s_${name}`);
  },
);

brief('WINDOW_CLOSE writes a window once its end and the watermark are behind the newest row', async (t) => {
  await service.run('CREATE TABLE d.wc (ts TIMESTAMP, v INT)');
  await service.run(
    `CREATE STREAM wc TRIGGER WINDOW_CLOSE WATERMARK 5s INTO o.wc (ts, n, s) AS
      SELECT _wstart, count(*), sum(v) FROM d.wc INTERVAL(10s)`,
  );
  const result = 'SELECT ts, n, s FROM o.wc ORDER BY ts';
  const insert = (...rows: (readonly [second: number, v: number])[]) =>
    service.run(`INSERT INTO d.wc VALUES ${rows.map(([second, v]) => `(${base + second * 1000}, ${v})`).join(' ')}`);
  await insert([1, 1], [12, 2], [14, 4]);
  await service.run('CREATE STREAM wc_seen INTO o.wc_seen AS SELECT _wstart, count(*) FROM d.wc INTERVAL(10s)');
  await insert([13, 0]);
  await becomes(t, 'SELECT count(*) FROM o.wc_seen', [[1]]);
  t.deepEqual(await service.rows(result), []);
  await service.run('DROP STREAM wc_seen');
  // Late by less than the watermark, and the row that closes the first window.
  await insert([9, 8], [15, 16]);
  await becomes(t, result, [[at(0), 2, 9]]);
  // Late by more: the window that is closed is written anew.
  await insert([2, 32]);
  await becomes(t, result, [[at(0), 3, 41]]);
  await insert([40, 64]);
  await becomes(t, result, [
    [at(0), 3, 41],
    [at(10_000), 4, 22],
  ]);
  await service.run('DROP STREAM wc');
});

brief('IGNORE EXPIRED 1 leaves closed windows as they were', async (t) => {
  await service.run('CREATE TABLE d.ie (ts TIMESTAMP, v INT)');
  const query = 'SELECT _wstart, count(*) FROM d.ie INTERVAL(10s)';
  for (const trigger of ['AT_ONCE', 'WINDOW_CLOSE']) {
    await service.run(
      `CREATE STREAM ie_${trigger} TRIGGER ${trigger} IGNORE EXPIRED 1 INTO o.ie_${trigger} AS ${query}`,
    );
  }
  await service.run(`INSERT INTO d.ie VALUES (${base + 1000}, 1) (${base + 20_000}, 1)`);
  await becomes(t, 'SELECT * FROM o.ie_window_close', [[at(0), 1, '2202906307356721367']]);
  await becomes(t, 'SELECT count(*) FROM o.ie_at_once', [[2]]);
  await service.run(`INSERT INTO d.ie VALUES (${base + 2000}, 1) (${base + 21_000}, 1) (${base + 40_000}, 1)`);
  const [closed, all] = ['o.ie_window_close', 'o.ie_at_once'].map(
    (table) => `SELECT _wstart, \`count(*)\` FROM ${table}`,
  );
  await becomes(t, closed ?? '', [
    [at(0), 1],
    [at(20_000), 2],
  ]);
  await becomes(t, all ?? '', [
    [at(0), 1],
    [at(20_000), 2],
    [at(40_000), 1],
  ]);
  for (const trigger of ['AT_ONCE', 'WINDOW_CLOSE']) await service.run(`DROP STREAM ie_${trigger}`);
});

brief('FILL_HISTORY counts what is there when the stream is made', async (t) => {
  await service.run('CREATE TABLE d.fh (ts TIMESTAMP, v INT)');
  await service.run(`INSERT INTO d.fh VALUES (${base}, 1) (${base + 10_000}, 1)`);
  for (const history of [0, 1]) {
    const options = `FILL_HISTORY ${history} INTO o.fh${history}`;
    await service.run(`CREATE STREAM fh${history} ${options} AS SELECT _wstart, count(*) c FROM d.fh INTERVAL(10s)`);
  }
  await becomes(t, 'SELECT _wstart, c FROM o.fh1', [
    [at(0), 1],
    [at(10_000), 1],
  ]);
  await service.run(`INSERT INTO d.fh VALUES (${base + 11_000}, 1)`);
  await becomes(t, 'SELECT _wstart, c FROM o.fh0', [[at(10_000), 2]]);
  await becomes(t, 'SELECT _wstart, c FROM o.fh1', [
    [at(0), 1],
    [at(10_000), 2],
  ]);
});

brief('a stream reads its own table where several share their storage', async (t) => {
  const lines = (from: number, to: number): string =>
    ['heat', 'cold']
      .flatMap((table, place) =>
        Array.from(
          { length: to - from },
          (_, i) => `${table},h=h${i % 2} value=${from + i + place}i ${base + (from + i) * 1000}`,
        ),
      )
      .join('\n');
  const write = async (from: number, to: number): Promise<void> => {
    t.is((await service.write(lines(from, to), { db: 'd', precision: 'ms' })).status, 204);
  };
  await write(0, 20);
  const kinds = { w: 'INTERVAL(10s)', s: 'SESSION(_ts, 3s)' };
  for (const [name, window] of Object.entries(kinds)) {
    const columns = '_wstart ts, count(*) c, sum(value) s';
    await service.run(
      `CREATE STREAM heat_${name} FILL_HISTORY 1 INTO o.heat_${name} AS
        SELECT ${columns} FROM d.heat PARTITION BY tbname ${window}`,
    );
  }
  await write(20, 40);
  await write(45, 50);
  for (const [name, window] of Object.entries(kinds)) {
    const columns = '_wstart ts, count(*) c, sum(value) s';
    const query = `SELECT ${columns} FROM d.heat PARTITION BY tbname ${window} ORDER BY 1, 2, 3`;
    await becomes(t, `SELECT ts, c, s FROM o.heat_${name} ORDER BY 1, 2, 3`, query);
    await service.run(`DROP STREAM heat_${name}`);
  }
});

long('MAX_DELAY writes windows that are still open', async (t) => {
  await service.run('CREATE TABLE d.md (ts TIMESTAMP, v INT)');
  await service.run(
    'CREATE STREAM md TRIGGER MAX_DELAY 2s INTO o.md AS SELECT _wstart, sum(v) s FROM d.md INTERVAL(1h)',
  );
  await service.run(`INSERT INTO d.md VALUES (${base}, 3)`);
  await becomes(t, 'SELECT s FROM o.md', [[3]]);
  await service.run(`INSERT INTO d.md VALUES (${base + 1}, 4)`);
  await becomes(t, 'SELECT s FROM o.md', [[7]]);
});

brief('sub-tables of results are named by SUBTABLE and carry the tags of their group', async (t) => {
  await service.run(
    `CREATE STREAM named FILL_HISTORY 1 INTO o.named (ts, total) TAGS (source VARCHAR(20), g INT)
      SUBTABLE (concat('of_', source)) AS
      SELECT _wstart, sum(v) FROM d.m PARTITION BY tbname source, g INTERVAL(1d)`,
  );
  await service.run(`INSERT INTO d.a VALUES (${base}, 1, 1)`);
  await becomes(t, 'SELECT DISTINCT tbname, source, g FROM o.named ORDER BY tbname', [
    ['of_a', 'a', 0],
    ['of_b', 'b', 1],
    ['of_c', 'c', 0],
  ]);
  t.deepEqual(
    (await service.rows('DESCRIBE o.named')).map(([name, type, , note]) => [name, type, note]),
    [
      ['ts', 'TIMESTAMP', ''],
      ['total', 'BIGINT', ''],
      ['source', 'VARCHAR', 'TAG'],
      ['g', 'INT', 'TAG'],
    ],
  );
  await service.run('DROP STREAM named');
});

brief('a stream writes into a super table that is there, and adds one that is not', async (t) => {
  await service.run('CREATE STABLE o.there (t TIMESTAMP, more INT, n DOUBLE) TAGS (group_id BIGINT UNSIGNED, x INT)');
  const before = (await service.rows('SHOW STABLES', { database: 'o' })).length;
  const query = `SELECT _wstart, count(*) FROM d.b INTERVAL(1d)`;
  await service.run(`CREATE STREAM IF NOT EXISTS there FILL_HISTORY 1 INTO o.there (t, n) AS ${query}`);
  await service.run(`CREATE STREAM IF NOT EXISTS there FILL_HISTORY 1 INTO o.there (t, n) AS ${query}`);
  await becomes(
    t,
    'SELECT t, more, n, x FROM o.there',
    `SELECT _wstart, null, cast(count(*) as double), null FROM d.b INTERVAL(1d)`,
  );
  await service.run(`CREATE STREAM added INTO o.added AS ${query}`);
  t.is((await service.rows('SHOW STABLES', { database: 'o' })).length, before + 1);
  await service.run('DROP STREAM IF EXISTS there');
  await service.run('DROP STREAM added');
});

long('a stream as the load tool makes it fills its super table', async (t) => {
  const before = (await service.rows('SHOW STABLES', { database: 'o' })).length;
  await service.run('CREATE DATABASE bench');
  await service.run('CREATE STABLE bench.meters (ts TIMESTAMP, current FLOAT, voltage INT) TAGS (groupid INT)');
  await service.run('DROP STREAM IF EXISTS bench_stream');
  await service.run(
    `CREATE STREAM IF NOT EXISTS bench_stream TRIGGER at_once WATERMARK 5s INTO o.stb_out
      as select _wstart, count(voltage), max(voltage) from bench.meters interval(10s)`,
  );
  t.is((await service.rows('SHOW STABLES', { database: 'o' })).length, before + 1);
  for (let table = 0; table < 10; table++) {
    const rows = Array.from({ length: 100 }, (_, i) => `(${base + i * 1000}, 1.5, ${table + i})`);
    await service.run(`INSERT INTO bench.d${table} USING bench.meters TAGS (${table}) VALUES ${rows.join(' ')}`);
  }
  await becomes(
    t,
    'SELECT * FROM (SELECT `_wstart`, `count(voltage)`, `max(voltage)` FROM o.stb_out) ORDER BY 1',
    Array.from({ length: 10 }, (_, i) => [at(i * 10_000), 100, 9 + i * 10 + 9]),
  );
  await service.run('DROP STREAM bench_stream');
});

brief('a paused stream rests, and works in what it missed when it goes on', async (t) => {
  await service.run('CREATE TABLE d.p (ts TIMESTAMP, v INT)');
  await service.run('CREATE STREAM p INTO o.p AS SELECT _wstart, sum(v) s FROM d.p INTERVAL(10s)');
  const status = "SELECT status FROM information_schema.ins_streams WHERE stream_name = 'p'";
  await service.run('PAUSE STREAM p');
  t.deepEqual(await service.rows(status), [['Paused']]);
  await service.run(`INSERT INTO d.p VALUES (${base}, 3)`);
  await service.run(
    'CREATE STREAM p_seen FILL_HISTORY 1 INTO o.p_seen AS SELECT _wstart, sum(v) s FROM d.p INTERVAL(10s)',
  );
  await becomes(t, 'SELECT s FROM o.p_seen', [[3]]);
  t.deepEqual(await service.rows('SELECT s FROM o.p'), []);
  await service.run('DROP STREAM p_seen');
  await service.run('RESUME STREAM p');
  await becomes(t, 'SELECT s FROM o.p', [[3]]);
  t.deepEqual(await service.rows(status), [['Running']]);
  await service.run('DROP STREAM p');
  t.deepEqual(await service.rows(status), []);
});

long('a stream that cannot go on says why, and goes on when it can', async (t) => {
  await service.run('CREATE STABLE d.f (ts TIMESTAMP, v INT) TAGS (g INT)');
  await service.run('CREATE STREAM f INTO o.f AS SELECT _wstart, sum(v) s FROM d.f INTERVAL(10s)');
  const status = "SELECT status, message FROM information_schema.ins_streams WHERE stream_name = 'f'";
  await service.run(`INSERT INTO d.f1 USING d.f TAGS (1) VALUES (${base}, 1)`);
  await becomes(t, 'SELECT s FROM o.f', [[1]]);
  await service.run('ALTER STABLE d.f ADD COLUMN w INT');
  await service.run('ALTER STABLE d.f DROP COLUMN v');
  await service.run(`INSERT INTO d.f1 VALUES (${base + 1}, 5)`);
  await becomes(t, status, [['Failed', 'Invalid column name: v (did you mean w?)']]);
  await service.run('ALTER STABLE d.f ADD COLUMN v INT');
  await service.run(`INSERT INTO d.f1 (ts, v) VALUES (${base + 1}, 6)`);
  await becomes(t, status, [['Running', null]]);
  await becomes(t, 'SELECT s FROM o.f', [[6]]);
  await service.run('DROP STABLE d.f');
  await becomes(t, status, [['Failed', 'The stream cannot run: table d.f was dropped']]);
  await service.run('CREATE STABLE d.f (ts TIMESTAMP, v INT) TAGS (g INT)');
  await service.run('CREATE STREAM f2 INTO o.f2 AS SELECT _wstart, sum(v) s FROM d.f INTERVAL(10s)');
  await service.run('DROP STABLE o.f2');
  const second = "SELECT status, message FROM information_schema.ins_streams WHERE stream_name = 'f2'";
  await becomes(t, second, [['Failed', 'The stream cannot run: table o.f2 was dropped']]);
  await service.run('DROP STREAM f');
  await service.run('DROP STREAM f2');
});

brief('a dropped database takes its streams along', async (t) => {
  await service.run('CREATE DATABASE gone');
  await service.run('CREATE STREAM into_gone INTO gone.x AS SELECT _wstart, sum(v) s FROM d.n INTERVAL(10s)');
  const count = "SELECT count(*) FROM information_schema.ins_streams WHERE stream_name = 'into_gone'";
  t.deepEqual(await service.rows(count), [[1]]);
  await service.run('DROP DATABASE gone');
  t.deepEqual(await service.rows(count), [[0]]);
});

brief('a stream reads and writes with the rights of its maker', async (t) => {
  await service.run("CREATE USER ann PASS 'Secret-12' CREATEDB 1");
  const ann = { auth: basicOf('ann', 'Secret-12') };
  await service.run('CREATE DATABASE anns', ann);
  const create = 'CREATE STREAM anns INTO anns.x AS SELECT _wstart, sum(v) s FROM d.n INTERVAL(10s)';
  t.is(await service.code(create, ann), 0x2644);
  await service.run('GRANT READ ON d.* TO ann');
  await service.run(create, ann);
  t.is(
    await service.code('CREATE STREAM ann2 INTO o.x AS SELECT _wstart, sum(v) s FROM d.n INTERVAL(10s)', ann),
    0x2644,
  );
  await service.run("CREATE USER bob PASS 'Secret-12'");
  const bob = { auth: basicOf('bob', 'Secret-12') };
  t.deepEqual(await service.rows('SHOW STREAMS', bob), []);
  t.is(await service.code('DROP STREAM anns', bob), 0x03f1);
  await service.run('REVOKE READ ON d.* FROM ann');
  const status = "SELECT status, message FROM information_schema.ins_streams WHERE stream_name = 'anns'";
  await becomes(t, status, [['Failed', 'Permission denied or target object not exist: `d`']]);
  await service.run('DROP STREAM anns', ann);
});
