import test from 'ava';
import fc from 'fast-check';
import { EngineClient } from '../../../../src/database/engine/client.js';
import { QueryChannel } from '../../../../src/database/engine/query-channel.js';
import { ResultCache } from '../../../../src/database/host/server/result-cache.js';
import { printExpr } from '../../../../src/sql/engine/print.js';
import { nothingAfter } from '../../../../src/sql/engine/storage.js';
import { startEngine } from '../../../support/engine/engine.js';
import { until } from '../../../support/until.js';

const { supervisor, endpoint, end } = await startEngine();
const client = new EngineClient(endpoint);
const asks = new QueryChannel(() => supervisor.handover);
test.after.always(async () => {
  asks.close();
  await client.close();
  await end();
});
test.before(async () => {
  await until(() => asks.query('SELECT 1', {})?.catch(() => {}) !== undefined);
});

const text = async (sql: string): Promise<string> => String(await asks.query(`${sql} FORMAT TSV`, {})).trimEnd();
/** Has another one at each run. */
const run = 'queryID()';

/** True once the same run of a statement cache twice. */
const isCached = (sql: string) =>
  until(async () => {
    const before = await text(sql);
    return before === (await text(sql));
  });

test.serial('a result is cached until its table changes, and changes of other tables keep it', async (t) => {
  for (const table of ['cached', 'other']) {
    await client.exec(`CREATE TABLE default.${table} (a Int64) ENGINE = MergeTree ORDER BY a`);
  }
  const sum = `SELECT sum(a), ${run} FROM default.cached`;
  t.true(await isCached(sum));
  const before = await text(sum);
  t.regex(before, /^0\t/);
  await client.insert('INSERT INTO default.other FORMAT TSV', Buffer.from('1\n'));
  t.is(await text(sum), before);
  await client.insert('INSERT INTO default.cached (a) FORMAT TSV', Buffer.from('1\n2\n'));
  t.regex(await text(sum), /^3\t/);
  await client.insert('INSERT INTO `default`.`cached` FORMAT TSV', Buffer.from('4\n'));
  t.regex(await text(sum), /^7\t/);
  await client.exec('INSERT INTO default.cached SELECT a + 7 FROM default.other');
  t.regex(await text(sum), /^15\t/);
  t.true(await isCached(sum));
  await client.exec('DELETE FROM default.cached WHERE a = 8');
  t.regex(await text(sum), /^7\t/);
  t.true(await isCached(sum));
  await client.exec('TRUNCATE TABLE default.cached');
  t.regex(await text(sum), /^0\t/);
});

test.serial('nothing is cached while the engine makes changes of statements that have ended', async (t) => {
  await client.exec('CREATE TABLE default.late (a Int64) ENGINE = MergeTree ORDER BY a');
  await client.insert('INSERT INTO default.late FORMAT TSV', Buffer.from('1\n2\n'));
  const sum = `SELECT sum(a), ${run} FROM default.late`;
  t.true(await isCached(sum));
  await client.exec('SYSTEM STOP MERGES default.late');
  await client.exec('ALTER TABLE default.late DELETE WHERE a = 2 SETTINGS mutations_sync = 0');
  const results = [await text(sum), await text(sum)];
  t.deepEqual(new Set(results.map((result) => result.split('\t')[0])), new Set(['3']));
  t.not(results[0], results[1]);
  await client.exec('SYSTEM START MERGES default.late');
  t.true(await until(async () => (await text(sum)).startsWith('1\t')));
  t.true(await isCached(sum));
});

test.serial(
  'a statement that relies on no newer rows fails once some are stored, whatever was cached before',
  async (t) => {
    await client.exec('CREATE TABLE default.relied (a Int64) ENGINE = MergeTree ORDER BY a');
    await client.insert('INSERT INTO default.relied FORMAT TSV', Buffer.from('1\n'));
    const query = (insert: number, run: number) =>
      text(
        `SELECT count(), ${run} FROM default.relied AS t WHERE ${printExpr(nothingAfter(insert, 'default.relied', 't'))}`,
      );
    for (let run = 0; run < 5; run++) t.is(await query(1, run), `1\t${run}`);
    await client.insert('INSERT INTO default.relied FORMAT TSV', Buffer.from('2\n'));
    for (let run = 0; run < 2; run++)
      await t.throwsAsync(query(1, run), { message: /\{default\.relied has rows that/ });
    for (let run = 0; run < 2; run++) t.is(await query(2, run), `2\t${run}`);
    await t.throwsAsync(query(1, 2), { message: /\{default\.relied has rows that/ });
  },
);

test('nondeterministic results and errors are not cached', async (t) => {
  const cache = new ResultCache(async () => '0');
  let runs = 0;
  const query = (statement: string) => cache.result(statement, async () => Buffer.from(`${++runs}`));
  t.true(
    await until(async () => {
      await query('SELECT 1');
      const before = runs;
      await query('SELECT 1');
      return runs === before;
    }),
  );
  const tables = "SELECT count() FROM merge('d3_0', '^g')";
  for (const statement of ['SELECT rand64()', 'SELECT now()', 'SELECT count() FROM system.parts', tables]) {
    t.notDeepEqual(await query(statement), await query(statement));
  }
  const failing = cache.result('SELECT 2', async () => Promise.reject(new Error('no')));
  await t.throwsAsync(failing, { message: 'no' });
  t.is(await cache.result('SELECT 2', async () => undefined), undefined);
  t.is(String(await query('SELECT 2')), `${runs}`);
  await cache.invalidatedBy("INSERT INTO TABLE FUNCTION remote('localhost', 'd3_0.t') VALUES", async () => undefined);
  const before = runs;
  await query('SELECT 2');
  t.is(runs, before + 1, 'any table may have changed');
});

test('the most recently used results stay within the limit', async (t) => {
  const cache = new ResultCache(async () => '0');
  let runs = 0;
  const query = (statement: string, bytes: number) =>
    cache.result(statement, async () => {
      runs++;
      return Buffer.alloc(bytes);
    });
  t.true(
    await until(async () => {
      const before = runs;
      await query('SELECT 0', 1);
      return runs === before;
    }),
  );
  runs = 0;
  await query('SELECT 1', 2_000_000);
  await query('SELECT 1', 2_000_000);
  t.is(runs, 2);
  for (let at = 10; at < 30; at++) {
    await query(`SELECT ${at}`, 1_000_000);
    await query('SELECT 0', 1);
  }
  t.is(runs, 22);
  await query('SELECT 29', 1_000_000);
  t.is(runs, 22);
  await query('SELECT 10', 1_000_000);
  t.is(runs, 23);
  for (let at = 100; at < 1_200; at++) await query(`SELECT ${at}`, 1);
  t.is(runs, 1_123);
  await query('SELECT 1199', 1);
  await query('SELECT 201', 1);
  t.is(runs, 1_123);
  await query('SELECT 199', 1);
  t.is(runs, 1_124);
});

test('no result is older than the changes that had ended before the request', async (t) => {
  const step = fc.record({ kind: fc.constantFrom('query', 'insert', 'create'), first: fc.nat(4), second: fc.nat(4) });
  const turns = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await Promise.resolve();
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(6)), { maxLength: 30 }), async (steps) => {
      const cache = new ResultCache(async () => '0');
      await cache.result('SELECT 1', async () => undefined);
      await turns(5);
      let [stored, ended] = [0, 0];
      const under: Promise<void>[] = [];
      for (const [{ kind, first, second }, pause] of steps) {
        if (kind === 'query') {
          const least = ended;
          const read = cache.result('SELECT a FROM d.t1', async () => {
            await turns(first);
            const seen = stored;
            await turns(second);
            return Buffer.from(String(seen));
          });
          under.push(read.then((bytes) => void t.true(Number(String(bytes)) >= least)));
        } else {
          const statement =
            kind === 'insert' ? 'INSERT INTO d.t1 FORMAT Native' : 'CREATE OR REPLACE TABLE d.t1 (a Int64)';
          const change = cache.invalidatedBy(statement, async () => {
            await turns(first);
            const value = ++stored;
            await turns(second);
            return value;
          });
          under.push(
            change.then((value) => {
              ended = Math.max(ended, value);
            }),
          );
        }
        await turns(pause);
      }
      await Promise.all(under);
    }),
  );
});
