import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { EventPage } from '../../src/model/event.js';
import type { RuleList, RuleSilence, ShownRule } from '../../src/model/rule-list.js';
import { eventsSoon } from '../support/events/events.js';
import { webhookReceiver } from '../support/events/webhook-receiver.js';
import { freeFixedPorts } from '../support/service/free-ports.js';
import { directoryFor, execute, startAdapter, store } from '../support/service/processes.js';
import { basic, basicOf, startService, type TestService } from '../support/service/service.js';
import { until } from '../support/until.js';

const receiver = await webhookReceiver();
const file = join(tmpdir(), `sluice-stored-rules-${process.pid}.toml`);

const ruleOf = (name: string, table: string, threshold = 80): string =>
  `name = "${name}"\ndatabase = "d"\ntable = "${table}"\ncolumn = "v"\ncomparison = ">"\nthreshold = ${threshold}\n`;
const inFile = (...rules: readonly string[]): string => rules.map((rule) => `[[events.rules]]\n${rule}\n`).join('');

writeFileSync(file, inFile(ruleOf('of the file', 'ovens')));
const settings = [
  '--smlAutoCreateDB=true',
  `--notify.webhook=http://127.0.0.1:${receiver.port}/hook`,
  '--notify.severity=info',
  '-c',
  file,
];
const { service, end } = await startService(...settings);
test.after.always(async () => {
  await end();
  receiver.close();
  rmSync(file, { force: true });
});

interface Answer<T> {
  readonly status: number;
  readonly text: string;
  readonly body: T;
}

async function send<T>(method: string, path: string, body = '', of: TestService = service): Promise<Answer<T>> {
  const { status, text } = await of.request({ method, path: `/api/v1/${path}`, body });
  return { status, text, body: text === '' ? undefined : JSON.parse(text) };
}

async function create(toml: string): Promise<ShownRule> {
  const { status, text, body } = await send<ShownRule>('POST', 'rules', toml);
  if (status !== 201) throw new Error(text);
  return body;
}

const rulesOf = async (of = service): Promise<readonly ShownRule[]> =>
  (await send<RuleList>('GET', 'rules', '', of)).body.records;
const named = async (name: string, of = service): Promise<ShownRule | undefined> =>
  (await rulesOf(of)).find((rule) => rule.name === name);

function silence(rule: string, forMs: number): Promise<Answer<RuleSilence>> {
  return send('POST', 'silences', JSON.stringify({ rule, untilTime: Date.now() + forMs, reason: 'repair' }));
}

async function write(line: string, to = service): Promise<void> {
  const reply = await to.write(line, { db: 'd', ack: 'stored' });
  if (reply.status !== 204) throw new Error(reply.text);
}

const told = (words: string): number =>
  receiver.posts.flatMap(({ events }) => events).filter((one) => `${one.change} ${one.title}` === words).length;
const isTold = (words: string): Promise<true> => until(() => told(words) > 0);

test.serial(
  'a stored rule is watched at once, replaced by its version, and ends its events when deleted',
  async (t) => {
    const text = `# for the boilers\n${ruleOf('boilers', 'boilers')}`;
    const created = await create(text);
    t.like(created, { name: 'boilers', kind: 'value', condition: 'v > 80', toml: text, silence: null });
    t.like(created.stored, { version: 1, updatedBy: 'root', problem: null });
    t.deepEqual(await rulesOf(), [(await named('of the file'))!, created]);
    t.is((await named('of the file'))?.stored, null);
    await write('boilers,site=a v=81');
    t.true(await isTold('opened boilers v of site=a is > 80'));

    const path = `rules/${created.stored?.id}`;
    const changed = await send<ShownRule>('PUT', `${path}?version=1`, ruleOf('boilers', 'boilers', 90));
    t.is(changed.status, 200, changed.text);
    t.like(changed.body, { condition: 'v > 90', stored: { version: 2 } });
    await write('boilers,site=b v=85\nboilers,site=c v=95');
    t.true(await isTold('opened boilers v of site=c is > 90'));
    t.is(told('opened boilers v of site=b is > 90'), 0);

    const late = await send('PUT', `${path}?version=1`, ruleOf('boilers', 'boilers', 70));
    t.is(late.status, 409, late.text);
    t.is((await send('PUT', path, ruleOf('boilers', 'boilers'))).status, 400);
    t.is((await send('DELETE', `${path}?version=1`)).status, 409);
    t.is((await send('DELETE', `${path}?version=2`)).status, 204);
    t.is((await send('DELETE', `${path}?version=2`)).status, 404);
    t.is((await send('PUT', `${path}?version=2`, ruleOf('boilers', 'boilers'))).status, 404);
    t.true(await isTold('resolved boilers v of site=c is > 90'));
    t.is(await named('boilers'), undefined);
  },
);

test.serial('a rule that cannot work, or has the name of another one, is refused and not stored', async (t) => {
  const created = await create(ruleOf('first', 'pumps'));
  const before = await rulesOf();
  for (const [text, says] of [
    ['name = "x', /line 2, column/],
    [`${ruleOf('x', 'pumps')}comparsion = "<"`, /did you mean comparison/],
    ['name = "q"\ndatabase = "d"\nsql = "SELECT FROM"', /cannot be read/],
    ['name = "q"\ndatabase = "d"\npromql = "sum("', /cannot be read/],
    [ruleOf('of the file', 'pumps'), /There is a rule \\"of the file\\" already/],
    [ruleOf('first', 'pumps'), /There is a rule \\"first\\" already/],
    [ruleOf('engine-down', 'pumps'), /none of the service's own/],
    ['', /name is not set/],
    ['x'.repeat(70_000), /rule/],
  ] as const) {
    const reply = await send('POST', 'rules', text);
    t.is(reply.status, 400, reply.text);
    t.regex(reply.text, says);
  }
  const other = await create(ruleOf('second', 'pumps'));
  const taken = await send('PUT', `rules/${other.stored?.id}?version=1`, ruleOf('first', 'pumps'));
  t.is(taken.status, 400, taken.text);
  t.deepEqual(await rulesOf(), [...before, other]);
  for (const rule of [created, other]) await send('DELETE', `rules/${rule.stored?.id}?version=1`);
});

test.serial('other services on the database watch the rule, and hold its silence, within seconds', async (t) => {
  const second = await service.attach(...settings);
  t.teardown(() => second.stop());
  const created = await create(ruleOf('shared', 'tanks'));
  await until(async () => (await named('shared', second)) !== undefined);
  await write('tanks,site=a v=99', second);
  t.true(await isTold('opened tanks v of site=a is > 80'));
  t.is((await silence('shared', 600_000)).status, 201);
  await until(async () => (await named('shared', second))?.silence?.reason === 'repair');
  // A service that starts later has the rule from the beginning, and its open events stay.
  const third = await service.attach(...settings);
  t.teardown(() => third.stop());
  t.deepEqual(await named('shared', third), await named('shared'));
  const open = await eventsSoon(service, (events) => events.some(({ rule }) => rule === 'shared'));
  t.is(open.find(({ rule }) => rule === 'shared')?.status, 'active');
  const path = `rules/${created.stored?.id}?version=1`;
  t.is((await send('DELETE', path, '', second)).status, 204);
  await until(async () => (await named('shared')) === undefined);
  t.true(await isTold('resolved tanks v of site=a is > 80'));
});

test.serial('a silenced rule makes events and sends nothing until the silence ends', async (t) => {
  const rule = 'of the file';
  t.is((await silence(rule, 600_000)).status, 201);
  t.like((await named(rule))?.silence, { rule, reason: 'repair', user: 'root' });
  await write('ovens,site=a v=81\novens,site=b v=82');
  await eventsSoon(service, (events) => events.filter((event) => event.rule === rule).length === 2);
  await write('ovens,site=b v=1');
  await eventsSoon(service, (events) => events.some((event) => event.rule === rule && event.status === 'resolved'));
  // A longer silence takes the place of the first, and holds back what opened under that.
  t.is((await silence(rule, 900_000)).status, 201);
  t.is((await send('DELETE', `silences?rule=${encodeURIComponent(rule)}`)).status, 204);
  t.true(await isTold('opened ovens v of site=a is > 80'));
  t.is((await named(rule))?.silence, null);
  t.is(told('opened ovens v of site=b is > 80'), 0);
  t.is(told('resolved ovens v of site=b is > 80'), 0);
  t.is((await send('DELETE', `silences?rule=${encodeURIComponent(rule)}`)).status, 400);
  // The end of an event that people know of is told, whether silenced or not.
  t.is((await silence(rule, 600_000)).status, 201);
  await write('ovens,site=a v=1');
  t.true(await isTold('resolved ovens v of site=a is > 80'));
  await send('DELETE', `silences?rule=${encodeURIComponent(rule)}`);
});

test.serial('a silence ends by itself, and then sends what is still active', async (t) => {
  t.is((await silence('of the file', 3_000)).status, 201);
  await write('ovens,site=c v=81');
  t.is(told('opened ovens v of site=c is > 80'), 0);
  t.true(await isTold('opened ovens v of site=c is > 80'));
  t.is((await named('of the file'))?.silence, null);
  await write('ovens,site=c v=1');
});

test.serial('a silence of no rule, of the past, or without a reason is refused', async (t) => {
  const until = Date.now() + 60_000;
  for (const [body, says] of [
    ['{', /not JSON/],
    ['{}', /must have the key rule/],
    [JSON.stringify({ rule: 'x', untilTime: until, reason: 'r' }), /There is no rule \\"x\\"/],
    [JSON.stringify({ rule: 'of the file', untilTime: 1, reason: 'r' }), /a time from now on, at most a year ahead/],
    [JSON.stringify({ rule: 'of the file', untilTime: 2 * until, reason: 'r' }), /at most a year ahead/],
    [JSON.stringify({ rule: 'of the file', untilTime: until, reason: '' }), /body\.reason must be a text/],
    [JSON.stringify({ rule: 'of the file', untilTime: until, reason: 'r', x: 1 }), /has the key/],
  ] as const) {
    const reply = await send('POST', 'silences', body);
    t.is(reply.status, 400, reply.text);
    t.regex(reply.text, says);
  }
  t.is((await send('DELETE', 'silences')).status, 400);
  const ofService = await silence('engine-down', 60_000);
  t.is(ofService.status, 201, ofService.text);
});

test.serial('a reload keeps the stored rules; one whose name the file takes is listed with the reason', async (t) => {
  const created = await create(ruleOf('later', 'fans'));
  writeFileSync(file, inFile(ruleOf('of the file', 'ovens'), ruleOf('later', 'fans', 30)));
  t.like((await send('POST', 'rules/reload')).body, { rules: 2, added: [], changed: ['later'], removed: [] });
  const [, ofFile, hidden] = await rulesOf();
  t.like(ofFile, { name: 'later', condition: 'v > 30', stored: null });
  t.like(hidden, { name: 'later', condition: 'v > 80' });
  t.regex(hidden?.stored?.problem ?? '', /settings file, or a rule that is older, has this name/);
  writeFileSync(file, inFile(ruleOf('of the file', 'ovens')));
  t.like((await send('POST', 'rules/reload')).body, { rules: 2, changed: ['later'] });
  t.deepEqual(await named('later'), created);
  await send('DELETE', `rules/${created.stored?.id}?version=1`);
});

test.serial('a change of other rules does not let the times of `for` begin again', async (t) => {
  const at = (seconds: number) => `${BigInt(Date.now() + seconds * 1000) * 1_000_000n}`;
  await create(`${ruleOf('slow', 'slow')}for = "60s"`);
  const query = (name: string) =>
    `name = "${name}"\ndatabase = "d"\nsql = "SELECT MAX(v) AS value FROM slow"\ninterval = "1s"`;
  await write(`slow,site=a v=99 ${at(-70)}`);
  await create(`${query('lasting')}\nfor = "4s"`);
  await create(query('at once'));
  // Both have run once this one has found something.
  await eventsSoon(service, (events) => events.some(({ rule }) => rule === 'at once'));
  const other = await create(`${query('other')}\nfor = "1h"`);
  // For the rule over values the times of the rows count.
  await write(`slow,site=a v=99 ${at(0)}`);
  t.true(await isTold('opened slow v of site=a is > 80'));
  const events = await eventsSoon(service, (all) => all.some(({ rule }) => rule === 'lasting'));
  const lasting = events.find(({ rule }) => rule === 'lasting');
  t.true((lasting?.startTime ?? 0) < (other.stored?.updatedTime ?? 0));
  for (const { name, stored } of await rulesOf()) {
    if (name !== 'of the file') await send('DELETE', `rules/${stored?.id}?version=${stored?.version}`);
  }
});

test.serial('a restart keeps the stored rules, the open events and the silences', async (t) => {
  const [port = 0] = await freeFixedPorts(1);
  const own = [`--database.path=${directoryFor(t)}`, `--log.path=${directoryFor(t)}`, `--port=${port}`];
  const first = await startAdapter(t, own);
  const at = async <T>(method: string, path: string, body?: string): Promise<T> => {
    const headers = { authorization: basic };
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, { method, headers, ...(body && { body }) });
    return (await reply.json()) as T;
  };
  await at('POST', 'rules', ruleOf('kept', 'ovens'));
  await at('POST', 'silences', JSON.stringify({ rule: 'kept', untilTime: Date.now() + 600_000, reason: 'repair' }));
  await execute(first, 'CREATE DATABASE d');
  await store(first, 'd', 'ovens,site=a v=81');
  const open = 'events?status=active&severity=warning';
  await until(async () => (await at<EventPage>('GET', open)).total === 1);
  const before = await at<RuleList>('GET', 'rules');
  first.child.kill('SIGTERM');
  await first.ended;
  const second = await startAdapter(t, own);
  t.deepEqual((await at<RuleList>('GET', 'rules')).records, before.records);
  await store(second, 'd', 'ovens,site=b v=81');
  await until(async () => (await at<EventPage>('GET', open)).total === 2);
});

test.serial('only administrators make, change and silence rules', async (t) => {
  await service.run("CREATE USER bob PASS 'bobsPass1!'");
  const auth = basicOf('bob', 'bobsPass1!');
  const until = { rule: 'of the file', untilTime: Date.now() + 60_000, reason: 'r' };
  for (const [method, path, body] of [
    ['POST', 'rules', ruleOf('x', 'x')],
    ['PUT', 'rules/1?version=1', ruleOf('x', 'x')],
    ['DELETE', 'rules/1?version=1', ''],
    ['POST', 'silences', JSON.stringify(until)],
    ['DELETE', 'silences?rule=x', ''],
  ] as const) {
    t.is((await service.request({ method, path: `/api/v1/${path}`, body, auth })).status, 403, path);
    t.is((await service.request({ method, path: `/api/v1/${path}`, body, auth: false })).status, 401, path);
  }
});
