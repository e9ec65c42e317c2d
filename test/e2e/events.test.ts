import { once } from 'node:events';
import { createServer } from 'node:http';
import test from 'ava';
import { EngineClient } from '../../src/database/engine/client.js';
import { EventsStore } from '../../src/database/store/events-store.js';
import type { Event, EventMove } from '../../src/model/event.js';
import { whenBrief, whenLong } from '../support/cases.js';
import { askEvents, eventOf, eventsSoon, moveEvent, pageOf, rulesSetting } from '../support/events/events.js';
import { storedEvent } from '../support/events/stored-events.js';
import { basicOf, startService, type TestService } from '../support/service/service.js';
import { startInProcess } from '../support/service/service-in-process.js';
import { until } from '../support/until.js';

const brief = whenBrief(test.serial);
const long = whenLong(test.serial);
const exporter = createServer((_request, response) => response.end('up_and_well 1\n'));
exporter.listen(0, '127.0.0.1');
await once(exporter, 'listening');
const address = exporter.address();
const target = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/metrics`;

const hot = { database: 'd', table: 'ovens', column: 'v', comparison: '>', threshold: 80 };
const rules = rulesSetting(
  {
    ...hot,
    name: 'hot',
    severity: 'critical',
    element: '{oven}',
    title: '{oven} in {site}: {value} {comparison} {threshold}',
  },
  { ...hot, name: 'hysteresis', column: 'h', clear: 70 },
  { ...hot, name: 'stays', column: 's', resolve: false, element: '{oven}' },
  { ...hot, name: 'north', column: 'n', tags: { site: ['north', 'far-north'] }, severity: 'info' },
  { ...hot, name: 'lasting', column: 'l', for: '10s' },
  { name: 'silent', database: 'd', table: 'beats', absence: '2s', element: '{host}', severity: 'info' },
  {
    name: 'many',
    database: 'd',
    sql: 'SELECT host AS element, COUNT(*) AS value FROM crowd GROUP BY host HAVING COUNT(*) > 2',
    interval: '1s',
    title: '{element} has {value}',
  },
);
// Rules look at rows once they are stored.
const settings = ['--events.repeatInterval=300ms', '--write.flushInterval=50ms', rules];
const { service, end } = await startService(
  '--smlAutoCreateDB=true',
  '--hostexporter.enable',
  `--hostexporter.urls=${target}`,
  '--hostexporter.gatherDuration=1s',
  ...settings,
);
const second = await service.attach(...settings);
const engine = new EngineClient({ url: service.engineUrl, user: 'default', password: 'e2e-secret' });
test.after.always(async () => {
  await engine.close();
  await second.stop();
  await end();
  exporter.close();
});

async function write(lines: string): Promise<void> {
  const { status, text } = await service.write(lines, { db: 'd' });
  if (status !== 204) throw new Error(`${status}: ${text}`);
}

/** The events of a rule, newest first, as soon as they are as wanted. */
async function ofRule(
  rule: string,
  enough: (events: readonly Event[]) => boolean,
  from = service,
): Promise<readonly Event[]> {
  const mine = (events: readonly Event[]) => events.filter((event) => event.rule === rule);
  return mine(await eventsSoon(from, (events) => enough(mine(events))));
}

const isOpen = ({ status }: Event): boolean => status !== 'resolved';

/** A fresh event of the rule `hot`, which only people resolve. */
let ovens = 0;
async function freshEvent(): Promise<Event> {
  const oven = `fresh-${++ovens}`;
  await write(`ovens,oven=${oven},site=south v=99`);
  const [event] = await eventsSoon(service, (events) => events.length > 0, { elementId: oven });
  if (event === undefined) throw new Error('There is no event.');
  return event;
}

brief('an event tells what happened, is counted on, and is over when its condition clears', async (t) => {
  const before = Date.now();
  await write('ovens,oven=one,site=north v=81.5');
  const [event] = await eventsSoon(service, (events) => events.length === 1, { elementId: 'one' });
  t.like(event, {
    status: 'active',
    severity: 'critical',
    elementId: 'one',
    title: 'one in north: 81.5 > 80',
    source: 'rule',
    rule: 'hot',
    value: 81.5,
    threshold: 80,
    count: 1,
    endTime: null,
    acknowledgedBy: null,
    resolvedBy: null,
    comment: null,
  });
  t.like(event?.attributes, { database: 'd', table: 'ovens', column: 'v', oven: 'one', site: 'north' });
  t.true((event?.startTime ?? 0) >= before && (event?.startTime ?? 0) <= Date.now());
  await write('ovens,oven=one,site=north v=90');
  await write('ovens,oven=one,site=north v=95');
  const [counted] = await eventsSoon(service, ([one]) => one?.count === 3, { elementId: 'one' });
  t.like(counted, { id: event?.id, value: 95, status: 'active', title: 'one in north: 81.5 > 80' });
  t.true((counted?.lastSeenTime ?? 0) > (event?.lastSeenTime ?? 0));
  await write('ovens,oven=one,site=north v=80');
  const [over] = await eventsSoon(service, ([one]) => one?.status === 'resolved', { elementId: 'one' });
  t.like(over, { id: event?.id, count: 3, resolvedBy: '(condition cleared)' });
  await write('ovens,oven=one,site=north v=81');
  const [next] = await eventsSoon(service, (events) => events.length === 2, { elementId: 'one' });
  t.not(next?.id, event?.id);
});

brief('thresholds, durations and tags say when a rule fires and when it clears', async (t) => {
  const at = Date.now();
  /** Lines of one field each, so many seconds from now. */
  const send = (...points: readonly (readonly [field: string, seconds: number, site?: string])[]): Promise<void> =>
    write(
      points.map(([field, s, site = 'a']) => `ovens,oven=two,site=${site} ${field} ${at + s * 1000}000000`).join('\n'),
    );
  await send(['h=81', 0], ['h=75', 1], ['h=85', 2]);
  await send(['l=81', 0], ['l=82', 9], ['n=81', 0], ['n=82', 1, 'north'], ['n=83', 1, 'far-north']);
  const [between] = await ofRule('hysteresis', ([event]) => event?.count === 2);
  t.is(between?.status, 'active');
  t.is((await ofRule('north', (events) => events.length === 2)).length, 2);
  await send(['l=83', 10], ['h=70', 3]);
  const [lasting] = await ofRule('lasting', (events) => events.length > 0);
  t.like(lasting, { count: 3, startTime: at });
  t.like((await ofRule('hysteresis', ([event]) => event?.status === 'resolved'))[0], { endTime: at + 3000 });
  t.deepEqual((await ofRule('north', () => true)).map(({ attributes }) => attributes.site).toSorted(), [
    'far-north',
    'north',
  ]);
});

brief('a rule that does not resolve leaves that to people', async (t) => {
  await write('ovens,oven=three s=81');
  const [event] = await ofRule('stays', (events) => events.length === 1);
  await write('ovens,oven=three s=1');
  await write('ovens,oven=three s=82');
  await ofRule('stays', ([one]) => one?.count === 2);
  t.true((await ofRule('stays', () => true)).every(isOpen));
  t.like(await moveEvent(service, event?.id ?? '', 'resolve'), {
    changed: true,
    status: 'resolved',
    resolvedBy: 'root',
  });
  await write('ovens,oven=three s=83');
  t.is((await ofRule('stays', (events) => events.length === 2)).filter(isOpen).length, 1);
});

brief('a move is told by whom and why, and repeating it is harmless and says so', async (t) => {
  const { id } = await freshEvent();
  const acknowledged = await moveEvent(service, id, 'acknowledge', '{"comment":"I have it"}');
  t.like(acknowledged, { changed: true, status: 'acknowledged', acknowledgedBy: 'root', comment: 'I have it' });
  t.like(await moveEvent(second, id, 'acknowledge'), { ...acknowledged, changed: false });
  const resolved = await moveEvent(second, id, 'resolve');
  t.like(resolved, { changed: true, status: 'resolved', resolvedBy: 'root', comment: 'I have it' });
  t.is(resolved.endTime, resolved.resolvedAt);
  t.like(await moveEvent(service, id, 'resolve', '{"comment":"again"}'), { ...resolved, changed: false });
  const { changed: _, ...left } = resolved;
  t.deepEqual(await eventOf(service, id), left);
  for (const of of [service, second]) {
    const late = await askEvents(of, `/${id}/acknowledge`, { method: 'PUT' });
    t.is(late.status, 409);
    t.regex(JSON.parse(late.text).desc, new RegExp(`${id} is resolved`));
  }
});

const walks: readonly (readonly EventMove[])[] = [[], ['acknowledge'], ['resolve'], ['acknowledge', 'resolve']];

long('every transition raced by two clients, over one service and over two, has one winner', async (t) => {
  for (const before of walks) {
    for (const [left, right] of [
      ['acknowledge', 'acknowledge'],
      ['acknowledge', 'resolve'],
      ['resolve', 'resolve'],
    ] as const) {
      for (const other of [service, second]) {
        const { id } = await freshEvent();
        for (const move of before) await moveEvent(service, id, move);
        const race = async (of: TestService, move: EventMove) => {
          const { status, text } = await askEvents(of, `/${id}/${move}`, { method: 'PUT' });
          return { move, status, changed: JSON.parse(text).changed === true };
        };
        const answers = await Promise.all([race(service, left), race(other, right)]);
        const what = `${before.join(' ')}: ${left} against ${right}: ${JSON.stringify(answers)}`;
        const wasResolved = before.includes('resolve');
        const done = (move: EventMove): number => answers.filter((one) => one.move === move && one.changed).length;
        const isResolved = wasResolved || right === 'resolve';
        t.is(done('resolve'), Number(!wasResolved && right === 'resolve'), what);
        const mayAcknowledge = !wasResolved && !before.includes('acknowledge') && left === 'acknowledge';
        t.true(done('acknowledge') <= Number(mayAcknowledge), what);
        if (mayAcknowledge && right === 'acknowledge') t.is(done('acknowledge'), 1, what);
        for (const { move, status } of answers) {
          if (move === 'resolve') t.is(status, 200, what);
          else if (wasResolved) t.is(status, 409, what);
          else t.true(status === 200 || (status === 409 && isResolved), what);
        }
        const [here, there] = await Promise.all([eventOf(service, id), eventOf(second, id)]);
        t.deepEqual(here, there);
        t.is(here.status, isResolved ? 'resolved' : 'acknowledged');
      }
    }
  }
});

brief('users see the events of what they may read, and move those of what they may write', async (t) => {
  const { id } = await freshEvent();
  await service.run("CREATE USER operator PASS 'Operator1!'");
  const auth = basicOf('operator', 'Operator1!');
  const statusOf = async (path: string, method = 'GET'): Promise<number> =>
    (await askEvents(service, path, { method, auth })).status;
  t.is((await pageOf(service, {}, auth)).total, 0);
  t.is(await statusOf(`/${id}`), 404);
  t.is(await statusOf(`/${id}/resolve`, 'PUT'), 404);
  await service.run('GRANT READ ON d.ovens TO operator');
  const { records } = await pageOf(service, { pageSize: 1000 }, auth);
  t.true(records.some((event) => event.id === id));
  t.true(records.every(({ attributes }) => attributes.table === 'ovens'));
  t.is(await statusOf(`/${id}`), 200);
  t.is(await statusOf(`/${id}/acknowledge`, 'PUT'), 403);
  await service.run('REVOKE READ ON d.ovens FROM operator');
  t.is((await pageOf(service, {}, auth)).total, 0);
  await service.run('GRANT READ ON d.* TO operator');
  await service.run('GRANT WRITE ON d.* TO operator');
  t.true((await pageOf(service, {}, auth)).total > 0);
  const moved = await askEvents(service, `/${id}/acknowledge`, { method: 'PUT', auth });
  t.is(moved.status, 200);
  t.is(JSON.parse(moved.text).acknowledgedBy, 'operator');
  // What is about the service is the administrator's.
  const own = await pageOf(service, { pageSize: 1000 }, auth);
  t.true(own.records.every(({ source }) => source === 'rule'));
  for (const unknown of ['x', '019a0000-0000-7000-8000-000000000001', encodeURIComponent("' OR 1")]) {
    t.is((await askEvents(service, `/${unknown}`)).status, 404);
    t.is((await askEvents(service, `/${unknown}/resolve`, { method: 'PUT' })).status, 404);
  }
  t.is((await askEvents(service, '', { auth: basicOf('operator', 'wrong') })).status, 401);
});

brief('pages do not shift when events come, and together they are the whole list', async (t) => {
  const store = new EventsStore(engine);
  const position = await store.position();
  const eventOf = (n: number, opened: number) =>
    storedEvent(n, { elementId: 'paged', opened, slot: String(5_000 + n) });
  await store.put(Array.from({ length: 25 }, (_, n) => eventOf(n, position)));
  const first = await pageOf(service, { elementId: 'paged', pageSize: 10 });
  t.is(first.total, 25);
  await store.put([eventOf(100, first.asOf + 1), eventOf(-1, first.asOf + 1)]);
  const pages = [first];
  for (const pageNum of [2, 3, 4]) {
    pages.push(await pageOf(service, { elementId: 'paged', pageSize: 10, pageNum, asOf: first.asOf }));
  }
  t.deepEqual(
    pages.map(({ total, records }) => [total, records.length]),
    [
      [25, 10],
      [25, 10],
      [25, 5],
      [25, 0],
    ],
  );
  const listed = pages.flatMap(({ records }) => records);
  t.deepEqual(
    listed.map(({ title }) => title),
    Array.from({ length: 25 }, (_, n) => `event ${24 - n}`),
  );
  t.is((await pageOf(service, { elementId: 'paged' })).total, 27);
});

brief('series that fall silent are events until they are heard again', async (t) => {
  await write('beats,host=a v=1\nbeats,host=b v=1');
  const beating = setInterval(() => void write('beats,host=b v=1'), 200);
  t.teardown(() => clearInterval(beating));
  const [silent, ...others] = await ofRule('silent', (events) => events.length > 0);
  t.like(silent, { elementId: 'a', status: 'active', severity: 'info', value: null, threshold: null });
  t.deepEqual(others, []);
  await write('beats,host=a v=1');
  await ofRule('silent', (events) => events.some((event) => event.elementId === 'a' && !isOpen(event)));
  clearInterval(beating);
  t.true((await ofRule('silent', (events) => events.some(({ elementId }) => elementId === 'b'))).length > 1);
});

brief('what a query finds is an event until it finds it no more, once for both services', async (t) => {
  await write(Array.from({ length: 4 }, (_, i) => `crowd,host=a v=1 ${Date.now() + i}000000`).join('\n'));
  const [event] = await ofRule('many', (events) => events.length > 0);
  t.like(event, { elementId: 'a', value: 4, title: 'a has 4', status: 'active', attributes: { database: 'd' } });
  await service.run("DELETE FROM d.crowd WHERE host = 'a'");
  const over = await ofRule('many', (events) => !events.some(isOpen));
  t.is(over.length, 1);
});

brief('a target that cannot be scraped is an event until it answers again', async (t) => {
  exporter.closeAllConnections();
  exporter.close();
  const [event] = await ofRule('target-unreachable', (events) => events.some(isOpen));
  t.like(event, { source: 'system', severity: 'warning', elementId: target });
  // A scrape that was under way is reset.
  t.regex(event?.description ?? '', /ECONNREFUSED|ECONNRESET/);
  exporter.listen(Number(new URL(target).port), '127.0.0.1');
  await once(exporter, 'listening');
  await ofRule('target-unreachable', (events) => !events.some(isOpen));
});

long('while memory is short there are events, and of writes that are refused for long', async (t) => {
  let percent = 10;
  const guarded = await startInProcess(
    { readMemoryPercent: () => percent },
    '--monitor.collectDuration=20ms',
    '--events.writesFailing=1s',
  );
  t.teardown(guarded.end);
  const own = async (path: string, method = 'GET') => {
    const headers = { authorization: basicOf('root', 'taosdata') };
    return fetch(`http://127.0.0.1:${guarded.service.port}${path}`, { method, headers });
  };
  const listed = async (): Promise<readonly Event[]> => {
    const reply = await own('/api/v1/events');
    if (reply.status !== 200) return [];
    const { records }: { records: readonly Event[] } = JSON.parse(await reply.text());
    return records;
  };
  const openRules = (events: readonly Event[]): string =>
    events
      .filter(isOpen)
      .map(({ rule }) => rule)
      .join(', ');
  const opened = async (open: string): Promise<readonly Event[]> => {
    let events: readonly Event[] = [];
    await until(async () => {
      events = await listed();
      return events.length > 0 && openRules(events) === open;
    });
    if (openRules(events) !== open) throw new Error(`What is open is ${openRules(events)}, and not ${open}.`);
    return events;
  };
  percent = 75;
  await opened('memory-queries');
  percent = 95;
  let refusals = 0;
  const refuse = async () => {
    if ((await own('/lineproto/v1/write?db=d', 'POST')).status === 503) refusals++;
  };
  const refusing = setInterval(() => void refuse(), 50);
  // Events are not listed meanwhile either. So many refusals take three times as long as `events.writesFailing`.
  await until(() => refusals >= 60);
  clearInterval(refusing);
  percent = 75;
  const after = await opened('memory-queries');
  t.deepEqual(after.map(({ rule }) => rule).toSorted(), ['memory-all', 'memory-queries', 'writes-failing']);
  t.regex(after.find(({ rule }) => rule === 'writes-failing')?.elementId ?? '', /\/http$/);
  percent = 10;
  await opened('');
});
