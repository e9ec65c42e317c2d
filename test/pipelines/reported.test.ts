import test from 'ava';
import { of } from 'rxjs';
import { type Delivery, delivered } from '../../src/model/delivery.js';
import { Codes, fault } from '../../src/model/fault.js';
import { reported } from '../../src/pipelines/inputs.js';
import { LossLog } from '../../src/sources/support/loss-log.js';
import { silentLog } from '../support/engine/engine.js';

test('endings are passed on, and losses are said', (t) => {
  const said: object[] = [];
  const seen: Delivery[] = [];
  const bad = fault('syntax', Codes.lineSyntax, 'bad line');
  const endings: Delivery[] = [
    delivered(5),
    delivered(2, 3, [{ row: 0, fault: bad }]),
    { outcome: 'rejected', fault: fault('database', Codes.databaseNotExist, 'no database') },
    { outcome: 'shed', reason: 'memory' },
    { outcome: 'rejected', fault: fault('database', Codes.permissionDenied, 'Permission denied') },
  ];
  const log = {
    ...silentLog,
    warn: (fields: object) => said.push(fields),
    error: (fields: object) => said.push(fields),
  };
  const losses = new LossLog(log);
  const operator = reported(losses);
  const target = { database: 'd', user: 'u', createDatabase: false, ttl: 0, precision: 'ns' } as const;
  const payload = { kind: 'bytes', format: 'lineproto', bytes: new Uint8Array(0) } as const;
  const batch = { origin: 'x', target, payload, rows: 0, bytes: 0, settle: (ending: Delivery) => seen.push(ending) };
  for (const ending of endings)
    of(batch)
      .pipe(operator)
      .subscribe((wrapped) => wrapped.settle(ending));
  t.deepEqual(seen, endings);
  losses.stop();
  t.deepEqual(said, [
    { count: 3, reason: 'bad line' },
    { count: 1, reason: 'no database' },
    {
      count: 1,
      reason:
        'Permission denied: user u, database d. As root: ' +
        "CREATE DATABASE IF NOT EXISTS `d` PRECISION 'ns'; GRANT WRITE ON `d`.* TO u",
    },
  ]);
});
