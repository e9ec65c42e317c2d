import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { eventOf, eventsSoon, moveEvent, rulesSetting } from '../support/events/events.js';
import { startService } from '../support/service/service.js';
import { until } from '../support/until.js';

/** From the answer to a write until the engine is killed: before its event is stored, while it is, and after. */
const delaysMs = [0, 5, 40];

const hot = {
  name: 'hot',
  database: 'd',
  table: 'ovens',
  column: 'v',
  comparison: '>',
  threshold: 80,
  element: '{nth}',
};
const { service, end } = await startService(
  '--smlAutoCreateDB=true',
  '--events.repeatInterval=60s',
  '--events.writesFailing=0s',
  rulesSetting(hot),
);
test.after.always(end);

/** Writes until the engine takes it. */
async function write(line: string): Promise<void> {
  await until(async () => (await service.write(line, { db: 'd' })).status === 204);
}

test.serial(
  'an engine killed between the firing and the storing of an event costs none and doubles none',
  async (t) => {
    await write('ovens,nth=first v=1');
    for (const [nth, delayMs] of delaysMs.entries()) {
      await write(`ovens,nth=${nth} v=99`);
      await sleep(delayMs);
      const pid = service.enginePid();
      if (pid > 0) process.kill(pid, 'SIGKILL');
      const events = await eventsSoon(service, (all) => all.some(({ elementId }) => elementId === String(nth)));
      t.is(events.filter(({ elementId }) => elementId === String(nth)).length, 1);
    }
    // Whatever was tried again is done by the time that what comes after it is stored.
    await write('ovens,nth=last v=99');
    const events = await eventsSoon(service, (all) => all.some(({ elementId }) => elementId === 'last'));
    const counts = events.filter(({ rule }) => rule === 'hot').map(({ elementId, count }) => `${elementId}: ${count}`);
    t.deepEqual(counts.toSorted(), [...delaysMs.keys(), 'last'].map((nth) => `${nth}: 1`).toSorted());
  },
);

test.serial('an engine that was down is an event that is over once it is back', async (t) => {
  const events = await eventsSoon(service, (all) => {
    const down = all.filter(({ rule }) => rule === 'engine-down');
    return down.length === delaysMs.length && down.every(({ status }) => status === 'resolved');
  });
  for (const event of events.filter(({ rule }) => rule === 'engine-down')) {
    t.like(event, { source: 'system', severity: 'critical', resolvedBy: '(condition cleared)', value: null });
    t.true((event.endTime ?? 0) >= event.startTime);
  }
});

test.serial('events outlive the service, and what is open goes on', async (t) => {
  const [first] = await eventsSoon(service, (all) => all.some(({ elementId }) => elementId === '0'));
  t.truthy(first);
  const other = await service.attach('--events.repeatInterval=200ms', rulesSetting(hot));
  t.teardown(() => other.stop());
  const [event] = await eventsSoon(other, (all) => all.some(({ elementId }) => elementId === '0'), { elementId: '0' });
  await moveEvent(other, event?.id ?? '', 'acknowledge');
  // The other process knows what is open since its start: the row counts, and the next one clears.
  await other.write('ovens,nth=0 v=98', { db: 'd' });
  await eventsSoon(service, ([seen]) => seen?.count === 2 && seen.value === 98, { elementId: '0' });
  await other.write('ovens,nth=0 v=20', { db: 'd' });
  await eventsSoon(service, ([seen]) => seen?.status === 'resolved', { elementId: '0' });
  t.like(await eventOf(service, event?.id ?? ''), {
    acknowledgedBy: 'root',
    resolvedBy: '(condition cleared)',
    count: 2,
  });
});
