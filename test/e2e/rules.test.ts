import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { NotificationChannel, NotificationTest } from '../../src/model/notification.js';
import type { RuleChanges, RuleList, RuleTrial } from '../../src/model/rule-list.js';
import { eventsSoon } from '../support/events/events.js';
import { webhookReceiver } from '../support/events/webhook-receiver.js';
import { basicOf, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const receiver = await webhookReceiver();
const file = join(tmpdir(), `sluice-rules-${process.pid}.toml`);

const hot = `[[events.rules]]
name = "hot"
database = "d"
table = "ovens"
tags = { site = "north" }
column = "v"
comparison = ">"
threshold = 80
severity = "critical"
`;
const silent = `[[events.rules]]
name = "silent"
database = "d"
table = "beats"
absence = "1h"
`;
writeFileSync(file, hot);
const { service, end } = await startService(
  '--smlAutoCreateDB=true',
  `--notify.webhook=http://127.0.0.1:${receiver.port}/hooks/top-secret`,
  '-c',
  file,
);
test.after.always(async () => {
  await end();
  receiver.close();
  rmSync(file, { force: true });
});

async function asked<T>(method: 'GET' | 'POST', path: string, body = ''): Promise<T> {
  const reply = await service.request({ method, path: `/api/v1/${path}`, body });
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
  const answer: T = JSON.parse(reply.text);
  return answer;
}

async function write(line: string): Promise<void> {
  const reply = await service.write(line, { db: 'd', ack: 'stored' });
  if (reply.status !== 204) throw new Error(reply.text);
}

/** Whether a webhook has come to be told this of an event, as its change and title. */
function isTold(words: string): Promise<boolean> {
  return until(() => receiver.posts.some(({ events }) => events.some((one) => `${one.change} ${one.title}` === words)));
}

test.serial(
  'a rule tells of a series by its tags, on the list and over the webhook, when it begins and ends',
  async (t) => {
    await write('ovens,site=north,line=1 v=93');
    const [event] = await eventsSoon(service, (events) => events.length > 0);
    t.like(event, { elementId: 'line=1, site=north', title: 'ovens v of line=1, site=north is > 80' });
    t.true(await isTold('opened ovens v of line=1, site=north is > 80'));
    await write('ovens,site=north,line=1 v=20');
    t.true(await isTold('resolved ovens v of line=1, site=north is > 80'));
  },
);

test.serial('rules are listed as they may stand in the file', async (t) => {
  const { records } = await asked<RuleList>('GET', 'rules');
  t.like(records, [{ name: 'hot', kind: 'value', database: 'd', table: 'ovens', condition: 'v > 80' }]);
  t.regex(records[0]?.toml ?? '', /^\[\[events\.rules\]\]\nname = "hot"\n.*threshold = 80\n/s);
  const again = await asked<RuleTrial>('POST', 'rules/try', records[0]?.toml);
  t.is(again.name, 'hot');
});

test.serial('a rule of any kind is tried on the data that is there, and leaves nothing behind', async (t) => {
  await write('tried,site=north v=5,w=1\ntried,site=north v=9,w=1\ntried,site=south v=9,w=1');
  const rule = 'name = "try"\ndatabase = "d"\ntable = "tried"\ncolumn = "v"\ncomparison = ">"\nthreshold = 4';
  const trial = await asked<RuleTrial>('POST', 'rules/try', `${rule}\ntags = { site = "north" }`);
  t.like(trial, { name: 'try', total: 1 });
  t.like(trial.records, [{ elementId: 'site=north', title: 'tried v of site=north is > 4', value: 9 }]);
  t.is((await asked<RuleTrial>('POST', 'rules/try', rule)).total, 2);
  const query = 'name = "q"\ndatabase = "d"\nsql = "SELECT site AS element, MAX(v) AS value FROM tried GROUP BY site"';
  t.is((await asked<RuleTrial>('POST', 'rules/try', query)).total, 2);
  await write(`tried,site=west v=1,w=1 ${BigInt(Date.now() - 7_200_000) * 1_000_000n}`);
  const absence = 'name = "a"\ndatabase = "d"\ntable = "tried"\nabsence = "1h"';
  const missed = await asked<RuleTrial>('POST', 'rules/try', absence);
  t.deepEqual(
    missed.records.map(({ elementId }) => elementId),
    ['site=west'],
  );
  t.is((await asked<RuleList>('GET', 'rules')).records.length, 1);
});

test.serial('a rule is tried on the state of now, and what is over is named apart', async (t) => {
  await service.run('CREATE STABLE d.doors (ts TIMESTAMP, opened BOOL, gap DOUBLE) TAGS (g INT)');
  const rows = (name: string, ...values: string[]) =>
    service.run(
      `INSERT INTO d.${name} USING d.doors TAGS (1) VALUES ${values.map((one, at) => `(NOW - ${9 - at}m, ${one})`).join(' ')}`,
    );
  await rows('shut', 'true, 9', 'true, 8', 'false, 3', 'NULL, NULL');
  await rows('ajar', 'true, 9', 'false, 5', 'NULL, NULL');
  await rows('open', 'false, 1', 'true, 7', 'NULL, NULL');
  await rows('never', 'false, 1', 'NULL, NULL');
  const trialOf = async (condition: string) => {
    const rule = `name = "doors"\ndatabase = "d"\ntable = "doors"\n${condition}`;
    const { earlier, ...now } = await asked<RuleTrial>('POST', 'rules/try', rule);
    return [now, earlier].map(({ total, records }) => [
      total,
      ...records.map((one) => `${one.elementId} ${one.value} ${one.rows}`).toSorted(),
    ]);
  };
  t.deepEqual(await trialOf('column = "opened"\ncomparison = "="\nthreshold = 1'), [
    [1, 'open 1 1'],
    [2, 'ajar 1 1', 'shut 1 2'],
  ]);
  // Between the two thresholds nothing changes.
  t.deepEqual(await trialOf('column = "gap"\ncomparison = ">"\nthreshold = 6\nclear = 4'), [
    [2, 'ajar 9 1', 'open 7 1'],
    [1, 'shut 8 2'],
  ]);
  t.deepEqual(await trialOf('column = "gap"\ncomparison = "<"\nthreshold = 2\nclear = 6'), [
    [1, 'never 1 1'],
    [1, 'open 1 1'],
  ]);
});

test.serial('series without rows in the time of a rule are no findings', async (t) => {
  await service.run('CREATE STABLE d.empties (ts TIMESTAMP, v DOUBLE) TAGS (g INT)');
  await service.run('CREATE TABLE d.none USING d.empties TAGS (1)');
  await service.run('INSERT INTO d.old USING d.empties TAGS (2) VALUES (NOW - 2h, 99) (NOW, 1)');
  await service.run('INSERT INTO d.now USING d.empties TAGS (3) VALUES (NOW, 99)');
  const values = 'name = "v"\ndatabase = "d"\ntable = "empties"\ncolumn = "v"\ncomparison = ">"\nthreshold = 80';
  const elementsOf = async (rule: string) => {
    const { total, records } = await asked<RuleTrial>('POST', 'rules/try', rule);
    return [total, ...records.map(({ elementId }) => elementId).toSorted()];
  };
  t.deepEqual(await elementsOf(values), [1, 'now']);
  const where = 'FROM empties WHERE ts > NOW - 1h AND v > 80';
  const query = (sql: string) =>
    `name = "q"\ndatabase = "d"\nsql = "SELECT tbname AS element, COUNT(*) AS value ${sql}"`;
  t.deepEqual(await elementsOf(query(`${where} GROUP BY tbname`)), [1, 'now']);
  t.deepEqual(await elementsOf(query(`${where} PARTITION BY tbname ORDER BY value LIMIT 5`)), [1, 'now']);
  t.deepEqual(await elementsOf(query(`${where} PARTITION BY tbname HAVING COUNT(*) = 0`)), [1, 'none']);
  const union = `${where} GROUP BY tbname UNION ALL SELECT tbname, COUNT(*) ${where} GROUP BY tbname`;
  t.deepEqual(await elementsOf(query(union)), [1, 'now']);
  // Clients see what they saw.
  t.is((await service.rows(`SELECT tbname, COUNT(*) ${where} GROUP BY tbname`, { database: 'd' })).length, 2);
});

test.serial('what is wrong with a rule that is tried is named', async (t) => {
  const refused = async (body: string) => {
    const reply = await service.request({ path: '/api/v1/rules/try', body });
    t.is(reply.status, 400, reply.text);
    return reply.text;
  };
  t.regex(await refused('name = "x'), /line 2, column/);
  t.regex(
    await refused(`${hot}\ncomparsion = "<"`),
    /comparsion.*is refused; allowed: a key out of .*did you mean comparison/,
  );
  t.regex(await refused(hot.replace('"ovens"', '"owens"')), /There is no table owens in database d/);
  t.regex(await refused(hot.replace('"v"', '"u"')), /Table ovens has no column u/);
  t.regex(await refused(`${hot}${silent}`), /One rule is tried at a time, not 2/);
  t.regex(await refused('name = "q"\ndatabase = "d"\nsql = "SELECT FROM"'), /cannot be read/);
});

test.serial('rules are read again without a restart; events of a rule that is gone end', async (t) => {
  await write('ovens,site=north,line=2 v=99');
  t.true(await isTold('opened ovens v of line=2, site=north is > 80'));
  writeFileSync(file, silent + hot.replace('"hot"', '"warm"').replace('80', '30'));
  t.deepEqual(await asked<RuleChanges>('POST', 'rules/reload'), {
    rules: 2,
    added: ['silent', 'warm'],
    changed: [],
    removed: ['hot'],
  });
  t.true(await isTold('resolved ovens v of line=2, site=north is > 80'));
  await write('ovens,site=north,line=3 v=40');
  t.true(await isTold('opened ovens v of line=3, site=north is > 30'));
  // The event of a rule that has only changed goes on.
  writeFileSync(file, hot.replace('"hot"', '"warm"').replace('80', '35'));
  t.deepEqual(await asked<RuleChanges>('POST', 'rules/reload'), {
    rules: 1,
    added: [],
    changed: ['warm'],
    removed: ['silent'],
  });
  await write('ovens,site=north,line=3 v=10');
  t.true(await isTold('resolved ovens v of line=3, site=north is > 30'));
});

test.serial('a file that is wrong is refused with what is wrong, and the old rules go on', async (t) => {
  writeFileSync(file, hot.replace('80', '"much"'));
  const reply = await service.request({ path: '/api/v1/rules/reload' });
  t.is(reply.status, 400);
  t.regex(reply.text, /events\.rules\[1\] threshold.*much/);
  writeFileSync(file, 'nonsense');
  t.is((await service.request({ path: '/api/v1/rules/reload' })).status, 400);
  t.deepEqual(
    (await asked<RuleList>('GET', 'rules')).records.map(({ name }) => name),
    ['warm'],
  );
  await write('ovens,site=north,line=4 v=50');
  t.true(await isTold('opened ovens v of line=4, site=north is > 35'));
});

test.serial('a test message goes out at once, and what is secret in the address is nowhere', async (t) => {
  const { records } = await asked<{ records: NotificationTest[] }>('POST', 'notifications/test');
  t.deepEqual(records, [{ kind: 'webhook', target: `http://127.0.0.1:${receiver.port}/…`, problem: null }]);
  t.true(await isTold('opened Test message'));
  const list = await asked<{ records: NotificationChannel[] }>('GET', 'notifications');
  t.like(list.records[0], { kind: 'webhook', waiting: 0, failed: 0, problem: null });
  const { text: figures } = await service.request({ method: 'GET', path: '/metrics' });
  t.regex(figures, /adapter_notifications_sent [1-9]/);
  t.notRegex(`${service.log.join()}${JSON.stringify(list)}${figures}`, /top-secret/);
});

test.serial('only administrators see and do all that', async (t) => {
  await service.run("CREATE USER bob PASS 'bobsPass1!'");
  const auth = basicOf('bob', 'bobsPass1!');
  for (const [method, path] of [
    ['GET', 'rules'],
    ['POST', 'rules/reload'],
    ['POST', 'rules/try'],
    ['GET', 'notifications'],
    ['POST', 'notifications/test'],
  ] as const) {
    t.is((await service.request({ method, path: `/api/v1/${path}`, auth })).status, 403, path);
    t.is((await service.request({ method, path: `/api/v1/${path}`, auth: false })).status, 401, path);
  }
});
