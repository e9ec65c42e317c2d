import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

test('what is not supported is refused by name', async (t) => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE STABLE d.s (ts TIMESTAMP, v INT) TAGS (g INT)');
  await service.run('CREATE TABLE d.c USING d.s TAGS (1)');
  const named: readonly (readonly [statement: string, name: string])[] = [
    ['GRANT WRITE ON d.s WITH g = 1 TO u', 'a condition on tags of a right other than READ'],
    ['DELETE FROM d.s WHERE ts > (SELECT max(ts) FROM d.s)', 'a subquery here'],
    ['CREATE VTABLE d.v (ts TIMESTAMP, v INT FROM d.c.v)', 'CREATE VTABLE'],
    ['CREATE STABLE d.v (ts TIMESTAMP, v INT) TAGS (g INT) VIRTUAL 1', 'virtual tables'],
    ['SHOW CREATE VTABLE d.v', 'SHOW CREATE VTABLE'],
    ['SELECT count(*) FROM d.s ANOMALY_WINDOW(v)', 'ANOMALY_WINDOW'],
  ];
  for (const [statement, name] of named) {
    const { body } = await service.sql(statement);
    t.deepEqual([body.code, body.desc], [0x0100, `Operation not supported: ${name}`], statement);
  }
  t.is(await service.code('ALTER TABLE d.c ADD COLUMN w INT'), 0x2649);
});
