import test from 'ava';
import fc from 'fast-check';
import { EngineClient } from '../../../../src/database/engine/client.js';
import { alters, type Effect } from '../../../../src/database/engine/request.js';
import { ResultCache } from '../../../../src/database/host/server/result-cache.js';
import { printExpr } from '../../../../src/sql/engine/print.js';
import { nothingAfter } from '../../../../src/sql/engine/storage.js';
import { startEngine } from '../../../support/engine/engine.js';
import { formattedQuery } from '../../../support/engine/formatted-query.js';
import { until } from '../../../support/until.js';

const { endpoint, end } = await startEngine();
const client = new EngineClient(endpoint);
test.after.always(async () => {
  await client.close();
  await end();
});

const text = async (sql: string, ...tables: readonly string[]): Promise<string> =>
  String(await client.bytes(formattedQuery(`${sql} FORMAT TSV`, tables))).trimEnd();
/** Has another value at each run. */
const run = 'queryID()';

/** True once a run of a statement answers twice. */
const isCached = (sql: string, table: string) =>
  until(async () => {
    const before = await text(sql, table);
    return before === (await text(sql, table));
  });

test.serial('a result is cached until its table changes, and changes of other tables keep it', async (t) => {
  for (const table of ['cached', 'other']) {
    await client.exec(`CREATE TABLE default.${table} (a Int64) ENGINE = MergeTree ORDER BY a`);
  }
  const sum = `SELECT sum(a), ${run} FROM default.cached`;
  t.true(await isCached(sum, 'default.cached'));
  const before = await text(sum, 'default.cached');
  t.regex(before, /^0\t/);
  await client.insert({ table: 'default.other', format: 'TSV' }, Buffer.from('1\n'));
  t.is(await text(sum, 'default.cached'), before);
  await client.insert({ table: 'default.cached', columns: 'a', format: 'TSV' }, Buffer.from('1\n2\n'));
  t.regex(await text(sum, 'default.cached'), /^3\t/);
  await client.insert({ table: 'default.cached', format: 'TSV' }, Buffer.from('4\n'));
  t.regex(await text(sum, 'default.cached'), /^7\t/);
  await client.exec('INSERT INTO default.cached SELECT a + 7 FROM default.other', { changes: ['default.cached'] });
  t.regex(await text(sum, 'default.cached'), /^15\t/);
  t.true(await isCached(sum, 'default.cached'));
  await client.exec('DELETE FROM default.cached WHERE a = 8', alters('default.cached'));
  t.regex(await text(sum, 'default.cached'), /^7\t/);
  t.true(await isCached(sum, 'default.cached'));
  await client.exec('TRUNCATE TABLE default.cached');
  t.regex(await text(sum, 'default.cached'), /^0\t/);
});

test.serial('nothing is cached while the engine makes changes of statements that have ended', async (t) => {
  await client.exec('CREATE TABLE default.late (a Int64) ENGINE = MergeTree ORDER BY a');
  await client.insert({ table: 'default.late', format: 'TSV' }, Buffer.from('1\n2\n'));
  const sum = `SELECT sum(a), ${run} FROM default.late`;
  t.true(await isCached(sum, 'default.late'));
  await client.exec('SYSTEM STOP MERGES default.late');
  await client.exec('ALTER TABLE default.late DELETE WHERE a = 2 SETTINGS mutations_sync = 0');
  const results = [await text(sum, 'default.late'), await text(sum, 'default.late')];
  t.deepEqual(new Set(results.map((result) => result.split('\t')[0])), new Set(['3']));
  t.not(results[0], results[1]);
  await client.exec('SYSTEM START MERGES default.late');
  t.true(await until(async () => (await text(sum, 'default.late')).startsWith('1\t')));
  t.true(await isCached(sum, 'default.late'));
});

test.serial(
  'a statement that relies on no newer rows fails once some are stored, whatever was cached before',
  async (t) => {
    await client.exec('CREATE TABLE default.relied (a Int64) ENGINE = MergeTree ORDER BY a');
    await client.insert({ table: 'default.relied', format: 'TSV' }, Buffer.from('1\n'));
    const query = (insert: number, run: number) =>
      text(
        `SELECT count(), ${run} FROM default.relied AS t WHERE ${printExpr(nothingAfter(insert, 'default.relied', 't'))}`,
        'default.relied',
      );
    for (let run = 0; run < 5; run++) t.is(await query(1, run), `1\t${run}`);
    await client.insert({ table: 'default.relied', format: 'TSV' }, Buffer.from('2\n'));
    for (let run = 0; run < 2; run++)
      await t.throwsAsync(query(1, run), { message: /\{default\.relied has rows that/ });
    for (let run = 0; run < 2; run++) t.is(await query(2, run), `2\t${run}`);
    await t.throwsAsync(query(1, 2), { message: /\{default\.relied has rows that/ });
  },
);

test('results without tables and errors are not cached, and a change of any table invalidates all', async (t) => {
  const cache = new ResultCache(async () => '0');
  let runs = 0;
  const query = (key: string, tables: readonly string[] | undefined = ['d.t']) =>
    cache.result({ key, tables }, async () => Buffer.from(`${++runs}`));
  t.true(
    await until(async () => {
      await query('1');
      const before = runs;
      await query('1');
      return runs === before;
    }),
  );
  const uncached = () => cache.result({ key: '3', tables: undefined }, async () => Buffer.from(`${++runs}`));
  t.notDeepEqual(await uncached(), await uncached());
  const failing = cache.result({ key: '2', tables: ['d.t'] }, async () => Promise.reject(new Error('no')));
  await t.throwsAsync(failing, { message: 'no' });
  t.is(await cache.result({ key: '2', tables: ['d.t'] }, async () => undefined), undefined);
  t.is(String(await query('2')), `${runs}`);
  const change = (changes: Effect['changes']) => cache.invalidatedBy({ changes }, async () => undefined);
  await change(['d.u']);
  await change([]);
  let before = runs;
  await query('2');
  t.is(runs, before, 'its table has not changed');
  await change('all');
  before = runs;
  await query('2');
  t.is(runs, before + 1, 'any table may have changed');
});

test('the most recently used results stay within the limit', async (t) => {
  const cache = new ResultCache(async () => '0');
  let runs = 0;
  const query = (key: string, bytes: number) =>
    cache.result({ key, tables: ['d.t'] }, async () => {
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
  runs = 2;
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
      await cache.result({ key: '1', tables: [] }, async () => undefined);
      await turns(5);
      let [stored, ended] = [0, 0];
      const under: Promise<void>[] = [];
      for (const [{ kind, first, second }, pause] of steps) {
        if (kind === 'query') {
          const least = ended;
          const read = cache.result({ key: 'a', tables: ['d.t1'] }, async () => {
            await turns(first);
            const seen = stored;
            await turns(second);
            return Buffer.from(String(seen));
          });
          under.push(read.then((bytes) => void t.true(Number(String(bytes)) >= least)));
        } else {
          const effect: Effect = { changes: kind === 'insert' ? ['d.t1'] : 'all' };
          const change = cache.invalidatedBy(effect, async () => {
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
