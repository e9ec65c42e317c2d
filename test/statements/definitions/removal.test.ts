import test from 'ava';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import { removeThoroughly } from '../../../src/statements/definitions/removal.js';
import { until } from '../../support/until.js';

test('a removal that fails throws and is repeated; one that worked is repeated once', async (t) => {
  const outage = new FaultError(fault('network', Codes.networkUnavailable, 'down'));
  const runs = { failing: 0, working: 0 };
  const failing = async (): Promise<void> => {
    runs.failing++;
    if (runs.failing < 3) throw outage;
  };
  t.is(await t.throwsAsync(removeThoroughly(failing)), outage);
  await removeThoroughly(async () => {
    runs.working++;
  });
  t.true(await until(() => runs.failing === 3 && runs.working === 2));
});
