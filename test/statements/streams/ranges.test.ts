import test from 'ava';
import { batched, rowRanges } from '../../../src/statements/streams/ranges.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const { client: engine, end } = await sharedEngine();
test.after.always(end);

async function ranges(times: string, step: bigint, where: readonly string[] = ['1']) {
  await engine.exec('CREATE DATABASE IF NOT EXISTS r');
  await engine.exec('DROP TABLE IF EXISTS r.t');
  await engine.exec(`CREATE TABLE r.t (ts Int64) ENGINE = MergeTree ORDER BY ts AS ${times}`);
  return rowRanges(engine, 'r.t', where, step);
}

test.serial('no rows are in no range', async (t) => {
  t.deepEqual(await ranges('SELECT toInt64(5) AS ts', 10n, ['ts > 5']), []);
});

test.serial('rows that lie close are one range', async (t) => {
  t.deepEqual(await ranges('SELECT arrayJoin([-7, 3, 600]) AS ts', 10n), [{ low: -7n, high: 600n, rows: 3 }]);
  t.deepEqual(await ranges('SELECT arrayJoin([-7, 3, 600]) AS ts', 10n, ['ts < 600']), [
    { low: -7n, high: 3n, rows: 2 },
  ]);
});

test.serial('rows far apart are ranges of their own, in order', async (t) => {
  const times = 'SELECT arrayJoin([1000000000, 5, 7, 1000000003, 500000000]) AS ts';
  t.deepEqual(await ranges(times, 10n), [
    { low: 5n, high: 7n, rows: 2 },
    { low: 500_000_000n, high: 500_000_000n, rows: 1 },
    { low: 1_000_000_000n, high: 1_000_000_003n, rows: 2 },
  ]);
});

test.serial('neighbouring rows are cut where a range gets too large', async (t) => {
  const parts = await ranges('SELECT intDiv(number, 2) AS ts FROM numbers(5000000)', 100n);
  t.true(parts.length >= 3);
  t.is(parts[0]?.low, 0n);
  t.is(parts.at(-1)?.high, 2_499_999n);
  for (const [at, range] of parts.entries()) {
    t.true((range.high - range.low + 1n) * 2n <= 2_000_000n);
    if (at > 0) t.is(range.low, (parts[at - 1]?.high ?? 0n) + 1n);
  }
});

test('ranges are worked on in groups of bounded size', (t) => {
  const range = (rows: number) => ({ low: 0n, high: 1n, rows });
  const sizes = (...rows: readonly number[]) => batched(rows.map(range)).map((batch) => batch.length);
  t.deepEqual(sizes(), []);
  t.deepEqual(sizes(5_000_000), [1]);
  t.deepEqual(sizes(1, 1_999_999, 1, 5_000_000, 1), [2, 1, 1, 1]);
  t.deepEqual(sizes(...Array.from({ length: 130 }, () => 1)), [64, 64, 2]);
});
