import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { Subject } from 'rxjs';
import type { Batch, ByteBlock } from '../../src/model/batch.js';
import type { Delivery } from '../../src/model/delivery.js';
import type { Identity } from '../../src/model/exchange.js';
import { Codes, type Fault, fault } from '../../src/model/fault.js';
import { ConfiguredUser } from '../../src/pipelines/configured-user.js';
import { type LogLine, recordingLog } from '../support/inputs/http-server.js';
import { until } from '../support/until.js';

const wrong = fault('auth', Codes.authenticationFailure, 'Authentication failure');
const away = fault('network', Codes.networkUnavailable, 'away');

/** Batches through the operator; the verdicts are given in turn, the last one again and again. */
function gateway(...verdicts: (Identity | Fault)[]) {
  const log: LogLine[] = [];
  const user = new ConfiguredUser('root', async () => verdicts.shift() ?? { user: 'root' }, recordingLog(log));
  const input = new Subject<Batch<ByteBlock>>();
  const passed: number[] = [];
  const endings: Delivery[] = [];
  input.pipe(user.admit()).subscribe((batch) => passed.push(batch.rows));
  const send = (rows: number): void => {
    const target = { database: 'd', user: 'root', createDatabase: false, ttl: 0, precision: 'ns' } as const;
    const payload = { kind: 'bytes', format: 'lineproto', bytes: new Uint8Array(0) } as const;
    input.next({ origin: 'test', target, payload, rows, bytes: 1, settle: (ending) => endings.push(ending) });
  };
  return { user, send, passed, endings, log };
}

test('batches pass in their order, the first ones once the user is let in', async (t) => {
  const { user, send, passed, log } = gateway({ user: 'root' });
  send(1);
  send(2);
  t.deepEqual(passed, []);
  await user.verify();
  await turn();
  send(3);
  t.deepEqual(passed, [1, 2, 3]);
  t.deepEqual(log, []);
});

test('a wrong password is one error in the log, and what arrives is rejected', async (t) => {
  const { user, send, passed, endings, log } = gateway(wrong);
  await user.verify();
  send(1);
  send(2);
  t.deepEqual(passed, []);
  t.deepEqual(endings, [
    { outcome: 'rejected', fault: wrong },
    { outcome: 'rejected', fault: wrong },
  ]);
  t.deepEqual(
    log.map(({ level }) => level),
    ['error'],
  );
});

test('a password that becomes right lets batches pass again', async (t) => {
  const { user, send, passed, log } = gateway(wrong);
  await user.verify();
  await user.verify();
  send(1);
  t.deepEqual(passed, [1]);
  t.is(log.at(-1)?.level, 'info');
});

test('a database that cannot tell is asked again and keeps the verdict that there is', async (t) => {
  const waiting = gateway(away);
  waiting.send(1);
  t.true(await until(() => waiting.passed.length > 0));
  t.deepEqual(waiting.passed, [1]);
  const known = gateway({ user: 'root' }, away);
  await known.user.verify();
  await known.user.verify();
  known.send(1);
  t.deepEqual(known.passed, [1]);
});

test('what waits for a verdict when the service stops fails', async (t) => {
  const { user, send, endings, passed } = gateway(away, away, away);
  send(1);
  user.stop();
  t.true(await until(() => endings.length > 0));
  t.is(endings[0]?.outcome, 'failed');
  t.deepEqual(passed, []);
});
