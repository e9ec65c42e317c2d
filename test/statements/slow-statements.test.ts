import test from 'ava';
import { Codes, FaultError, fault } from '../../src/model/fault.js';
import { SlowStatements } from '../../src/statements/slow-statements.js';

/** A list over a clock that is set by hand. */
function listOf(thresholdMs: number) {
  const clock = { nowMs: 0 };
  const slow = new SlowStatements(thresholdMs, () => clock.nowMs);
  const begin = (text: string, user = 'root') => slow.begin(user, { statement: Buffer.from(text), database: 'd' }).end;
  const shown = () => slow.list().records.map(({ id, state, durationMs }) => [id, state, durationMs]);
  return { clock, slow, begin, shown };
}

test('keeps what took as long as the threshold, and shows what runs as long already', (t) => {
  const { clock, begin, shown } = listOf(100);
  const [fast, slow] = [begin('select 1'), begin('select 2')];
  begin('select 3');
  clock.nowMs = 99;
  fast();
  t.deepEqual(shown(), []);
  clock.nowMs = 100;
  slow();
  t.deepEqual(shown(), [
    [3, 'running', 100],
    [2, 'done', 100],
  ]);
  clock.nowMs = 250;
  slow();
  t.deepEqual(shown(), [
    [3, 'running', 250],
    [2, 'done', 100],
  ]);
});

test('a statement that waited for its turn is as slow as its wait is long, and says how long that was', (t) => {
  const { clock, slow } = listOf(100);
  clock.nowMs = 1_000;
  const { waited, end } = slow.begin('root', { statement: Buffer.from('select 1'), database: 'd' }, 60.4);
  clock.nowMs = 1_050;
  waited(20.2);
  t.is(end(), 80.6);
  t.like(slow.list().records[0], { durationMs: 110, waitedMs: 81 });
});

test('says who ran it where, when, and what it failed of, without passwords', (t) => {
  const { clock, slow, begin } = listOf(1);
  const before = Date.now();
  const end = begin("ALTER USER ann PASS 'secret'", 'ann');
  clock.nowMs = 5;
  end(new FaultError(fault('database', Codes.insufficientPrivilege, "Not for PASS 'secret'")));
  const [record] = slow.list().records;
  t.true(record !== undefined && record.startTime >= before && record.startTime <= Date.now());
  const { startTime: _, ...rest } = record ?? { startTime: 0 };
  t.deepEqual(rest, {
    id: 1,
    user: 'ann',
    database: 'd',
    sql: "ALTER USER ann PASS '******'",
    state: 'failed',
    durationMs: 5,
    waitedMs: 0,
    error: { code: Codes.insufficientPrivilege, desc: "Not for PASS '******'" },
  });
  const broken = begin('select 1');
  clock.nowMs = 10;
  broken(new TypeError('something inside'));
  t.deepEqual(slow.list().records[0]?.error, { code: Codes.free, desc: 'Internal error' });
});

test('keeps the newest 200, and the beginning of a long text', (t) => {
  const { clock, slow, begin } = listOf(1);
  for (let at = 1; at <= 300; at++) {
    const end = begin(`select ${'x'.repeat(10_000)}`);
    clock.nowMs += 1;
    end();
  }
  const { records } = slow.list();
  t.deepEqual([records.length, records[0]?.id, records[199]?.id], [200, 300, 101]);
  t.true(records.every(({ sql }) => sql.length === 2048));
});

test('a threshold of 0 keeps nothing', (t) => {
  const { clock, slow, begin } = listOf(0);
  const end = begin('select 1');
  begin('select 2');
  clock.nowMs = 1e9;
  end();
  t.deepEqual(slow.list(), { thresholdMs: 0, records: [] });
});
