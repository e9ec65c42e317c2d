import test from 'ava';
import { TopicConsumer } from '../../src/database/consumers/consumer.js';
import type { ConsumerOptions } from '../../src/database/consumers/consumer-options.js';
import { lineForm } from '../../src/database/consumers/message-form.js';
import type { TopicMessage } from '../../src/model/topic-message.js';
import { whenBrief, whenLong } from '../support/cases.js';
import { partsOn } from '../support/engine/engine-parts.js';
import { engineSecret } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const brief = whenBrief(test);
const long = whenLong(test);
// Consumers are processes of their own: they see what is stored.
const { neighbour, end } = await sharedService();
const service = await neighbour();
const parts = await partsOn(service.engineUrl, engineSecret);
test.after.always(async () => {
  await parts.end();
  await end();
});

const never = new AbortController().signal;
const defaults: Omit<ConsumerOptions, 'group'> = {
  clientId: 'test',
  user: 'root',
  offsetReset: 'earliest',
  autoCommit: true,
  autoCommitIntervalMs: 60_000,
  releaseMultiplier: 1,
  withTableName: true,
};

function subscribe(topics: readonly string[], options: Partial<ConsumerOptions> & { group: string }) {
  return TopicConsumer.subscribe(topics, { ...defaults, ...options }, lineForm, {
    ...parts,
    visible: () => undefined,
  });
}

/** Everything that comes until nothing has come for a while, as `name|values`. */
async function drain(consumer: TopicConsumer, quietMs = 400): Promise<string[]> {
  const rows: string[] = [];
  for (;;) {
    const message = await consumer.poll(quietMs, never);
    if (message === undefined) return rows;
    rows.push(...rowsOf(message));
  }
}

/**
 * Polls consumers side by side until so many rows came and none of them finds or awaits more. All go on polling until then:
 * whoever stops releases nothing to the others.
 */
async function collect(consumers: readonly TopicConsumer[], count: number): Promise<string[][]> {
  const rows: string[][] = consumers.map(() => []);
  const areQuiet = consumers.map(() => false);
  const isDone = () => rows.flat().length >= count && areQuiet.every(Boolean);
  const read = async (consumer: TopicConsumer, at: number): Promise<void> => {
    for (const until = Date.now() + 60_000; !isDone() && Date.now() < until; ) {
      const message = await consumer.poll(300, never);
      areQuiet[at] = message === undefined;
      if (message !== undefined) rows[at]?.push(...rowsOf(message));
    }
  };
  await Promise.all(consumers.map(read));
  return rows;
}

function rowsOf({ names, rows }: TopicMessage): string[] {
  return rows.map((row, at) => `${names[at]}|${row.replaceAll('\t', ' ')}`);
}

let databases = 0;
async function newDatabase(options = ''): Promise<string> {
  const db = `db${databases++}`;
  await service.run(`CREATE DATABASE ${db} KEEP 36500 ${options}`);
  await service.run(`CREATE STABLE ${db}.m (ts TIMESTAMP, v INT, s VARCHAR(20)) TAGS (g INT)`);
  return db;
}

function write(db: string, table: string, from: number, count: number): Promise<unknown> {
  const rows = Array.from({ length: count }, (_, at) => `(${1000 + from + at}, ${from + at}, 'x y')`);
  return service.run(`INSERT INTO ${db}.${table} USING ${db}.m TAGS (${table.slice(1)}) VALUES ${rows.join(' ')}`);
}

brief(
  'a group gets every row once and in order, goes on where it committed, and other groups get them too',
  async (t) => {
    const db = await newDatabase();
    await write(db, 'd1', 0, 3);
    await write(db, 'd2', 0, 2);
    await service.run(`CREATE TOPIC ${db}_t AS SELECT ts, v, g FROM ${db}.m WHERE v <> 1`);
    const first = await subscribe([`${db}_t`], { group: 'one' });
    const read = await drain(first);
    t.deepEqual(read.toSorted(), ['d1|1000 0 1', 'd1|1002 2 1', 'd2|1000 0 2']);
    await write(db, 'd1', 3, 2);
    await service.run(`INSERT INTO ${db}.d1 VALUES (1000, 7, NULL)`);
    t.deepEqual(await drain(first), ['d1|1003 3 1', 'd1|1004 4 1', 'd1|1000 7 1']);
    await first.close();
    await write(db, 'd3', 0, 1);
    const next = await subscribe([`${db}_t`], { group: 'one' });
    t.deepEqual(await drain(next), ['d3|1000 0 3']);
    await next.close();
    const other = await subscribe([`${db}_t`], { group: 'two' });
    t.is((await drain(other)).length, 7);
    await other.close();
  },
);

brief(
  'latest begins with what comes after, none wants a committed offset, and nothing is committed unasked',
  async (t) => {
    const db = await newDatabase();
    await write(db, 'd1', 0, 3);
    await service.run(`CREATE TOPIC ${db}_t AS STABLE ${db}.m`);
    await t.throwsAsync(subscribe([`${db}_t`], { group: 'g', offsetReset: 'none' }), {
      message: /No committed offset/,
    });
    const latest = await subscribe([`${db}_t`], { group: 'g', offsetReset: 'latest', autoCommit: false });
    t.deepEqual(await drain(latest), []);
    await write(db, 'd1', 3, 1);
    t.deepEqual(await drain(latest), ['d1|1003 3 x y']);
    await latest.close();
    const again = await subscribe([`${db}_t`], { group: 'g', offsetReset: 'none', autoCommit: false });
    t.deepEqual(await drain(again), ['d1|1003 3 x y']);
    await again.commit();
    await again.close();
    const third = await subscribe([`${db}_t`], { group: 'g', offsetReset: 'none', withTableName: false });
    t.deepEqual(await drain(third), []);
    await write(db, 'd2', 0, 1);
    t.deepEqual(await drain(third), ['|1000 0 x y']);
    await third.close();
  },
);

brief('a topic over a database follows tables as they come, each with its own columns', async (t) => {
  const db = await newDatabase();
  await service.run(`CREATE TOPIC ${db}_t AS DATABASE ${db}`);
  const consumer = await subscribe([`${db}_t`], { group: 'g', offsetReset: 'latest' });
  t.deepEqual(await drain(consumer), []);
  await write(db, 'd1', 0, 1);
  await service.run(`CREATE TABLE ${db}.n1 (ts TIMESTAMP, a DOUBLE, b BOOL)`);
  await service.run(`CREATE TABLE ${db}.n2 (ts TIMESTAMP, c DOUBLE, d BOOL)`);
  await service.run(`INSERT INTO ${db}.n1 VALUES (5, 1.5, true) ${db}.n2 VALUES (6, NULL, false)`);
  const lines = await drain(consumer);
  t.deepEqual(lines.toSorted(), ['d1|1000 0 x y', 'n1|5 1.5 true', 'n2|6 \\N false']);
  await write(db, 'd2', 0, 1);
  await service.run(`DROP STABLE ${db}.m`);
  await service.run(`INSERT INTO ${db}.n1 VALUES (7, 2.5, false)`);
  t.deepEqual(await collect([consumer], 1), [['n1|7 2.5 false']], 'a table that is dropped takes its rows along');
  await consumer.close();
});

brief(
  'a topic over a metric whose storage others share gives its rows alone, one over the database those of all',
  async (t) => {
    const db = await newDatabase();
    const put = (lines: string) => service.write(lines, { db, precision: 'ms' });
    t.is((await put('a,g=1 v=1 1000\nb,g=1 v=2 1000')).status, 204);
    await service.run(`CREATE TOPIC ${db}_a AS SELECT v FROM ${db}.a`);
    await service.run(`CREATE TOPIC ${db}_all AS DATABASE ${db}`);
    const [one, all] = [
      await subscribe([`${db}_a`], { group: 'g', withTableName: false }),
      await subscribe([`${db}_all`], { group: 'g', withTableName: false }),
    ];
    const values = async (consumer: TopicConsumer) =>
      (await drain(consumer)).map((row) => row.split('|')[1]).toSorted();
    t.deepEqual(await values(one), ['1']);
    t.deepEqual(await values(all), ['1000 1', '1000 2']);
    t.is((await put('b,g=1 v=3 2000\nc,g=2 v=4 2000')).status, 204);
    t.deepEqual(await values(one), []);
    t.deepEqual(await values(all), ['2000 3', '2000 4']);
    t.is((await put('a,g=3 v=5 3000\nb,g=3 v=6 3000')).status, 204);
    t.deepEqual(await values(one), ['5']);
    t.deepEqual(await values(all), ['3000 5', '3000 6']);
    await one.close();
    await all.close();
  },
);

brief('a topic keeps the columns of its star and reads the one sub-table that it names', async (t) => {
  const db = await newDatabase();
  await write(db, 'd1', 0, 1);
  await service.run(`CREATE TOPIC ${db}_t AS SELECT * FROM ${db}.d1`);
  await service.run(`ALTER STABLE ${db}.m ADD COLUMN later INT`);
  await service.run(`INSERT INTO ${db}.d1 VALUES (2000, 9, 'z', 1)`);
  await write(db, 'd2', 0, 1).catch(() => undefined);
  const consumer = await subscribe([`${db}_t`], { group: 'g' });
  t.deepEqual(await drain(consumer), ['d1|1000 0 x y', 'd1|2000 9 z']);
  await consumer.close();
});

long('consumers share the vgroups, and one that joins or leaves moves only its share', async (t) => {
  const db = await newDatabase('VGROUPS 4');
  const tables = Array.from({ length: 20 }, (_, at) => `d${at}`);
  for (const table of tables) await write(db, table, 0, 2);
  await service.run(`CREATE TOPIC ${db}_t AS SELECT ts, v FROM ${db}.m`);
  const one = await subscribe([`${db}_t`], { group: 'g' });
  const two = await subscribe([`${db}_t`], { group: 'g' });
  const both = await collect([one, two], 40);
  t.is(both.flat().length, 40);
  t.is(new Set(both.flat()).size, 40);
  const listed = await service.rows(
    `SELECT vgroup_id, consumer_id, rows FROM information_schema.ins_subscriptions WHERE topic_name = '${db}_t'`,
  );
  t.is(listed.length, 4);
  t.deepEqual(new Set(listed.map(([, id]) => id)), new Set([one.id, two.id]));
  const consumers = await service.rows(
    `SELECT consumer_id, status, topics, client_id FROM performance_schema.perf_consumers WHERE topics = '${db}_t'`,
  );
  t.deepEqual(
    consumers.toSorted(),
    [one.id, two.id].toSorted().map((id) => [id, 'ready', `${db}_t`, 'test']),
  );
  t.is(await service.code(`DROP TOPIC ${db}_t`), 0x03eb);
  t.is(await service.code(`DROP CONSUMER GROUP g ON ${db}_t`), 0x03ec);
  for (const table of tables) await write(db, table, 2, 2);
  const parted = await collect([one, two], 40);
  t.is(new Set(parted.flat()).size, 40);
  t.is(parted.flat().length, 40);
  t.true(
    parted.every((rows) => rows.length > 0),
    'both have read',
  );
  await two.close();
  for (const table of tables) await write(db, table, 4, 1);
  t.is((await collect([one], 20))[0]?.length, 20);
  await one.close();
  t.deepEqual(
    await service.rows(`SELECT sum(rows) FROM information_schema.ins_subscriptions WHERE topic_name = '${db}_t'`),
    [[100]],
  );
  t.is(await service.code(`DROP CONSUMER GROUP g ON ${db}_t`), 0);
  const anew = await subscribe([`${db}_t`], { group: 'g' });
  t.is((await collect([anew], 100))[0]?.length, 100);
  await anew.close();
  t.is(await service.code(`DROP TOPIC ${db}_t`), 0);
});

long('a consumer that does not come back loses its share, and its uncommitted rows are given out again', async (t) => {
  const db = await newDatabase();
  for (const table of ['d1', 'd2', 'd3', 'd4']) await write(db, table, 0, 5);
  await service.run(`CREATE TOPIC ${db}_t AS SELECT ts, v FROM ${db}.m`);
  const lost = await subscribe([`${db}_t`], { group: 'g', autoCommit: false, autoCommitIntervalMs: 100 });
  const before = await drain(lost);
  t.is(before.length, 20);
  const other = await subscribe([`${db}_t`], { group: 'g', autoCommitIntervalMs: 100 });
  const [after = []] = await collect([other], 20);
  t.deepEqual(after.toSorted(), before.toSorted());
  await write(db, 'd1', 5, 1);
  await write(db, 'd2', 5, 1);
  await write(db, 'd3', 5, 1);
  await write(db, 'd4', 5, 1);
  t.is((await collect([other], 4))[0]?.length, 4);
  await other.commit();
  t.deepEqual(await drain(lost, 1500), [], 'it takes part again, from what the group has committed');
  await other.close();
  await lost.close();
});

long('an insert of many rows comes in messages that are committed one by one', async (t) => {
  const db = await newDatabase('VGROUPS 1');
  const tables = 4;
  const perTable = 10_000;
  const texts = Array.from({ length: tables }, (_, table) => {
    const rows = Array.from({ length: perTable }, (__, at) => `(${at + 1},${at},NULL)`);
    return `${db}.d${table} USING ${db}.m TAGS (${table}) VALUES ${rows.join('')}`;
  });
  await service.run(`INSERT INTO ${texts.join(' ')}`);
  await write(db, 'd9', 0, 1);
  await service.run(`CREATE TOPIC ${db}_t AS SELECT ts, v FROM ${db}.m`);
  const options = { group: 'g', autoCommit: false };
  const lines: string[] = [];
  for (let messages = 0; ; messages++) {
    // Every consumer reads and commits one message, and begins where the one before has ended.
    const consumer = await subscribe([`${db}_t`], options);
    const message = await consumer.poll(500, never);
    await consumer.commit();
    await consumer.close();
    if (message === undefined) {
      t.true(messages > 2, 'there were several messages');
      break;
    }
    t.true(message.rows.length <= 16_384);
    lines.push(...rowsOf(message));
  }
  t.is(lines.length, tables * perTable + 1);
  t.is(new Set(lines).size, lines.length);
  t.is(lines.at(-1), 'd9|1000 0');
  const whole = await subscribe([`${db}_t`], { group: 'h' });
  t.deepEqual(await drain(whole), lines);
  await whole.close();
});

brief('only those who may subscribe do', async (t) => {
  const db = await newDatabase();
  await service.run(`CREATE TOPIC ${db}_t AS DATABASE ${db}`);
  await service.run("CREATE USER reader PASS 'Secret_12'");
  const asReader = { group: 'r', user: 'reader' };
  await t.throwsAsync(subscribe([`${db}_t`], asReader), { message: /Insufficient privilege/ });
  await service.run(`GRANT SUBSCRIBE ON ${db}_t TO reader`);
  const consumer = await subscribe([`${db}_t`], asReader);
  await consumer.close();
  await t.throwsAsync(subscribe(['nothing'], asReader), { message: /Topic not exist/ });
  const open = await subscribe([`${db}_t`], asReader);
  await service.run(`DROP TOPIC FORCE ${db}_t`);
  await t.throwsAsync(drain(open, 30_000), { message: /Topic not exist/ });
});
