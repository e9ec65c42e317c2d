import test from 'ava';
import { NEVER } from 'rxjs';
import { slotOf } from '../../../src/events/event-id.js';
import type { EventOperation } from '../../../src/model/event-log.js';
import { ServiceSignals } from '../../../src/pipelines/events/signals.js';
import { SystemWatch, type SystemWatchContext } from '../../../src/pipelines/events/system-watch.js';
import { silentLog } from '../../support/engine/engine.js';
import { until } from '../../support/until.js';

const identity = 'here:6041';

test('open events of removed targets end at the start, and others stay open', async (t) => {
  const signals = new ServiceSignals();
  signals.targets.add('http://kept:9100');
  const open = ['http://kept:9100', 'http://gone:9100'].map((element) => {
    return { rule: 'target-unreachable', attributes: { service: identity, element } };
  });
  const other = { rule: 'target-unreachable', attributes: { service: 'there:6041', element: 'http://theirs:9100' } };
  const recorded: Promise<readonly EventOperation[]>[] = [];
  const watch = new SystemWatch({
    identity,
    guard$: NEVER,
    watchEngine: () => () => {},
    signals,
    store: { open: async () => [...open, other] } as unknown as SystemWatchContext['store'],
    queue: { add: (make: () => Promise<readonly EventOperation[]>) => void recorded.push(make()) },
    failingMs: 60_000,
    repeatIntervalMs: 60_000,
    log: silentLog,
  });
  await watch.start();
  t.true(await until(() => recorded.length > 0, 10_000));
  await watch.stop();
  const operations = (await Promise.all(recorded)).flat();
  t.deepEqual(
    operations.map(({ op, slot }) => [op, slot]),
    [['clear', slotOf('system', 'target-unreachable', identity, 'http://gone:9100')]],
  );
});
