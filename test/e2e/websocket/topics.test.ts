import test from 'ava';
import { rowsOfRawBlock } from '../../support/inputs/raw-block.js';
import { SocketClient } from '../../support/inputs/socket-client.js';
import { TopicClient } from '../../support/inputs/topic-client.js';
import { sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);

let databases = 0;

/** A database with a topic over its super table. */
async function newTopic(): Promise<string> {
  const db = `tmq${databases++}`;
  await service.run(`CREATE DATABASE ${db} KEEP 36500 VGROUPS 2`);
  await service.run(`CREATE STABLE ${db}.m (ts TIMESTAMP, v INT, s NCHAR(20)) TAGS (g INT)`);
  await service.run(`CREATE TOPIC ${db} AS SELECT ts, v, s FROM ${db}.m`);
  return db;
}

function write(db: string, table: string, from: number, count: number): Promise<unknown> {
  const rows = Array.from({ length: count }, (_, at) => `(${1000 + from + at}, ${from + at}, 'é${from + at}')`);
  return service.run(`INSERT INTO ${db}.${table} USING ${db}.m TAGS (1) VALUES ${rows.join(' ')}`);
}

function expected(table: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${table} ${1000 + from + at} ${from + at} é${from + at}`);
}

test('a consumer gets every row once, under the name of its table, and goes on where it committed', async (t) => {
  const db = await newTopic();
  await write(db, 'a', 0, 3);
  await write(db, 'b', 0, 2);
  const first = await TopicClient.subscribe(service.port, [db], { group_id: 'g' });
  t.deepEqual((await first.request('list_topics')).topics, [db]);
  t.deepEqual((await first.drain()).toSorted(), [...expected('a', 0, 3), ...expected('b', 0, 2)]);
  await first.request('commit', { message_id: 0 });
  await write(db, 'a', 3, 2);
  t.deepEqual(await first.drain(2_000), expected('a', 3, 2));
  first.close();
  // What was not committed comes again.
  const second = await TopicClient.subscribe(service.port, [db], { group_id: 'g' });
  t.deepEqual(await second.drain(2_000), expected('a', 3, 2));
  await second.request('commit', { message_id: 0 });
  await second.request('unsubscribe');
  await t.throwsAsync(second.request('poll', { blocking_time: 1 }), { message: /tmq not init/ });
  second.close();
  const third = await TopicClient.subscribe(service.port, [db], { group_id: 'g' });
  t.deepEqual(await third.drain(), []);
  third.close();
});

test('a message that the client has not got is given once more, and another id gets no rows', async (t) => {
  const db = await newTopic();
  await write(db, 'a', 0, 1);
  const { client } = await TopicClient.subscribe(service.port, [db], { group_id: 'g' });
  const first = await client.request('poll', { blocking_time: 2_000, message_id: 0 });
  t.like(first, { have_message: true, topic: db, database: db, message_type: 1, message_id: 1 });
  t.like(await client.request('poll', { blocking_time: 0, message_id: 0 }), { have_message: true, message_id: 1 });
  t.like(await client.request('fetch', { message_id: 7 }), { code: 0xffff, message_id: 7 });
  t.like(await client.request('fetch_block', { message_id: 1 }), { code: 0xffff, message: 'no fetch data' });
  t.like(await client.request('poll', { blocking_time: 0, message_id: 1 }), { have_message: false });
  client.socket.close();
});

test('both raw forms have the blocks of a message', async (t) => {
  const db = await newTopic();
  await write(db, 'a', 0, 2);
  const { client } = await TopicClient.subscribe(service.port, [db], { group_id: 'g' });
  await client.request('poll', { blocking_time: 2_000 });
  const older = await client.nextBinary(() => client.tell('fetch_raw', { message_id: 1 }));
  const newer = await client.nextBinary(() => client.tell('fetch_raw_data', { message_id: 1 }));
  t.deepEqual([older.readBigUInt64LE(16), older.readUInt32LE(32)], [1n, older.length - 38]);
  t.deepEqual([newer.readBigUInt64LE(42), newer.readUInt32LE(52)], [1n, newer.length - 56]);
  const raw = newer.subarray(56);
  t.deepEqual(older.subarray(38), raw);
  t.deepEqual([raw.readInt8(0), raw.readInt32LE(1), raw.readInt32LE(5)], [100, 0, 1]);
  const lengthBytes = raw.readUInt8(11) >= 0x80 ? 2 : 1;
  const blockAt = 11 + lengthBytes + 18;
  const block = raw.subarray(blockAt, blockAt + raw.readInt32LE(blockAt + 4));
  const columns = [9, 4, 10].map((type) => ({ type, scale: 0 }));
  t.deepEqual(rowsOfRawBlock(block, columns), [
    [1000n, 0, 'é0'],
    [1001n, 1, 'é1'],
  ]);
  const behind = raw.subarray(blockAt + block.length);
  t.deepEqual([...behind.subarray(0, 3)], [0, 6, 0], 'a zero, three columns, and their version');
  t.true(raw.toString('latin1').endsWith('\x02a\0'));
  const refused = await client.nextBinary(() => client.tell('fetch_raw_data', { message_id: 9 }));
  t.is(refused.readUInt32LE(34), 0xffff);
  client.socket.close();
});

test('wrong users, topics and options are refused by name, and the connection stays', async (t) => {
  const db = await newTopic();
  const client = await SocketClient.open(service.port, '/rest/tmq');
  const known = { user: 'root', password: 'taosdata', group_id: 'g', topics: [db] };
  t.like(await client.request('version'), { code: 0 });
  t.like(await client.request('poll', { blocking_time: 0 }), { code: 0xffff, message: 'server not connected' });
  t.like(await client.request('subscribe', { ...known, password: 'wrong' }), { code: 0x0357 });
  t.like(await client.request('subscribe', { ...known, topics: ['nowhere'] }), { code: 0x03e1 });
  for (const [members, message] of [
    [{ topics: [] }, /topics/],
    [{ topics: [1] }, /topics/],
    [{ group_id: '' }, /group\.id/],
    [{ group_id: 'x'.repeat(193) }, /group\.id/],
    [{ offset_reset: 'middle' }, /auto\.offset\.reset/],
    [{ session_timeout_ms: '1' }, /session\.timeout\.ms/],
    [{ auto_commit: 'perhaps' }, /enable\.auto\.commit/],
    [{ config: { 'max.flow': '1' } }, /max\.flow/],
    [{ config: { 'enable.replay': 'true' } }, /enable\.replay/],
  ] as const) {
    const reply = await client.request('subscribe', { ...known, ...members });
    t.not(reply.code, 0);
    t.regex(reply.message, message);
  }
  t.like(await client.request('subscribe', { ...known, config: { 'auto.offset.reset': 'earliest' } }), { code: 0 });
  t.like(await client.request('subscribe', known), { code: 0xffff, message: 'tmq should have unsubscribed first' });
  client.socket.close();
});

test('who may not consume a topic cannot subscribe, and loses it with the right', async (t) => {
  const db = await newTopic();
  await service.run("CREATE USER watcher PASS 'Secret_1' SYSINFO 0");
  const members = { user: 'watcher', password: 'Secret_1', group_id: 'g' };
  await t.throwsAsync(TopicClient.subscribe(service.port, [db], members));
  await service.run(`GRANT SUBSCRIBE ON ${db} TO watcher`);
  const consumer = await TopicClient.subscribe(service.port, [db], members);
  await write(db, 'a', 0, 1);
  t.deepEqual(await consumer.drain(2_000), expected('a', 0, 1));
  await service.run(`REVOKE SUBSCRIBE ON ${db} FROM watcher`);
  await t.throwsAsync(consumer.poll(5_000));
  consumer.close();
});

/** The offsets of the vgroups that a consumer reads, by vgroup. */
async function offsetsOf(
  consumer: TopicClient,
  topic: string,
): Promise<{ vgroup: number; offset: number; end: number }[]> {
  const { assignment } = await consumer.request('assignment', { topic });
  if (!Array.isArray(assignment)) throw new Error('There is no assignment.');
  return assignment.map((each) => {
    const { vgroup_id: vgroup, offset, end: last } = each as { readonly [name: string]: unknown };
    return { vgroup: Number(vgroup), offset: Number(offset), end: Number(last) };
  });
}

for (const [over, isDatabase] of [
  ['a query', false],
  ['a database', true],
] as const) {
  test(`offsets of a topic over ${over} are found, committed and gone to`, async (t) => {
    const db = await newTopic();
    const topic = isDatabase ? `${db}_all` : db;
    if (isDatabase) {
      await service.run(`CREATE TABLE ${db}.n (ts TIMESTAMP, v INT)`);
      await service.run(`CREATE TOPIC ${topic} AS DATABASE ${db}`);
    }
    await write(db, 'a', 0, 3);
    await write(db, 'b', 0, 3);
    const consumer = await TopicClient.subscribe(service.port, [topic], { group_id: 'g' });
    const before = await offsetsOf(consumer, topic);
    t.deepEqual(
      before.map(({ offset }) => offset),
      [0, 0],
    );
    const ids = before.map(({ vgroup }) => ({ topic, vgroup_id: vgroup }));
    t.deepEqual((await consumer.request('committed', { topic_vgroup_ids: ids })).committed, [-2147467247, -2147467247]);
    const all = (await consumer.drain(1_000)).toSorted();
    t.deepEqual(all, [...expected('a', 0, 3), ...expected('b', 0, 3)]);
    const { position } = await consumer.request('position', { topic_vgroup_ids: ids });
    t.deepEqual(
      (await offsetsOf(consumer, topic)).map(({ offset }) => offset),
      position,
    );
    t.deepEqual(
      (await offsetsOf(consumer, topic)).map(({ end: last }) => last),
      position,
    );
    await consumer.request('commit', { message_id: 0 });
    t.deepEqual((await consumer.request('committed', { topic_vgroup_ids: ids })).committed, position);
    for (const { vgroup } of before) await consumer.request('seek', { topic, vgroup_id: vgroup, offset: 0 });
    t.deepEqual((await consumer.drain(1_000)).toSorted(), all);
    const [first] = before;
    for (const members of [
      { vgroup_id: 999, offset: 0 },
      { vgroup_id: first?.vgroup ?? 0, offset: -5 },
    ]) {
      await t.throwsAsync(consumer.request('seek', { topic, ...members }), { message: /Vgroup|Offset/ });
    }
    await t.throwsAsync(consumer.request('assignment', { topic: 'other' }), { message: /not subscribed/ });
    for (const { vgroup } of before) await consumer.request('commit_offset', { topic, vgroup_id: vgroup, offset: 0 });
    t.deepEqual((await consumer.request('committed', { topic_vgroup_ids: ids })).committed, [0, 0]);
    consumer.close();
    const next = await TopicClient.subscribe(service.port, [topic], { group_id: 'g' });
    t.deepEqual((await next.drain(2_000)).toSorted(), all);
    next.close();
  });
}

test('a consumer that is silent loses its shares, and what it has not committed comes again', async (t) => {
  const db = await newTopic();
  const members = { group_id: 'g', session_timeout_ms: '6000' };
  const silent = await TopicClient.subscribe(service.port, [db], members);
  for (const table of ['a', 'b', 'c', 'd']) await write(db, table, 0, 2);
  const all = ['a', 'b', 'c', 'd'].flatMap((table) => expected(table, 0, 2));
  t.deepEqual((await silent.drain(1_000)).toSorted(), all);
  const other = await TopicClient.subscribe(service.port, [db], members);
  const rows = new Set<string>();
  for (const until = Date.now() + 30_000; rows.size < all.length && Date.now() < until; ) {
    for (const row of await other.drain(500)) rows.add(row);
  }
  t.deepEqual([...rows].toSorted(), all);
  other.close();
  silent.close();
});

test('a large insert comes in several messages, and auto commit keeps what the client has polled beyond', async (t) => {
  const db = await newTopic();
  const count = 40_000;
  await write(db, 'a', 0, count);
  const members = { group_id: 'g', auto_commit: 'true', auto_commit_interval_ms: '1' };
  const first = await TopicClient.subscribe(service.port, [db], members);
  const some = await first.poll(5_000);
  t.is(some?.rows.length, 16_384);
  const next = await first.poll(5_000);
  t.is(next?.rows.length, 16_384);
  // The connection ends while the second message is in hand: it comes again, the first one does not.
  first.close();
  const second = await TopicClient.subscribe(service.port, [db], members);
  t.deepEqual(await second.drain(3_000), expected('a', 16_384, count - 16_384));
  second.close();
});

test('random requests get errors, and the connection and its consumer stay', async (t) => {
  const db = await newTopic();
  await write(db, 'a', 0, 2);
  const consumer = await TopicClient.subscribe(service.port, [db], { group_id: 'g' });
  const { client } = consumer;
  const values = [null, -1, 0, 1, 2 ** 53, 18446744073709551615n, 1.5, '', 'x', '7', [], [1], [{}], {}, { a: 1 }, true];
  const names = ['topic', 'vgroup_id', 'offset', 'message_id', 'topic_vgroup_ids', 'topics', 'user', 'config'];
  const actions = ['fetch', 'fetch_block', 'fetch_json_meta', 'assignment', 'seek', 'commit_offset', 'committed'];
  for (const action of [...actions, 'position', 'subscribe', 'list_topics', 'fetch_raw']) {
    for (const [at, value] of values.entries()) {
      const members = Object.fromEntries(names.map((name, index) => [name, values[(at + index) % values.length]]));
      for (const each of [{}, { topic: db, vgroup_id: 1, offset: value }, members]) {
        const { code, message } = await client.request(action, each);
        t.true(code === 0 || message.length > 0, `${action} ${String(value)}`);
        t.not(message, 'Internal error', action);
      }
    }
  }
  for (const length of [0, 3, 24, 100]) client.socket.send(Buffer.alloc(length, 255));
  t.deepEqual(await consumer.drain(2_000), expected('a', 0, 2));
  consumer.close();
});

test('an acknowledged row is in the next message, however shortly the client waits', async (t) => {
  await service.run('CREATE DATABASE tmq_short KEEP 36500');
  await service.run('CREATE TOPIC tmq_short AS DATABASE tmq_short');
  await service.run('CREATE TABLE tmq_short.n (ts TIMESTAMP, v INT)');
  const { client } = await TopicClient.subscribe(service.port, ['tmq_short'], { group_id: 'g' });
  t.like(await client.request('poll', { blocking_time: 0 }), { have_message: false });
  await service.run('INSERT INTO tmq_short.n VALUES (1000, 1)');
  t.like(await client.request('poll', { blocking_time: 0 }), { have_message: true });
  client.socket.close();
});

test('rows that one statement wrote to several tables are one message, with a block and its columns for each', async (t) => {
  await service.run('CREATE DATABASE tmq_many KEEP 36500 VGROUPS 1');
  await service.run('CREATE TABLE tmq_many.a (ts TIMESTAMP, v INT)');
  await service.run('CREATE TABLE tmq_many.b (ts TIMESTAMP, w BIGINT)');
  await service.run('CREATE TABLE tmq_many.c (ts TIMESTAMP, v INT)');
  await service.run('CREATE TOPIC tmq_many AS DATABASE tmq_many');
  await service.run('INSERT INTO tmq_many.a VALUES (1000, 1) tmq_many.c VALUES (1000, 3)');
  await service.run('INSERT INTO tmq_many.b VALUES (1000, 2)');
  const { client } = await TopicClient.subscribe(service.port, ['tmq_many'], { group_id: 'g' });
  const messages: string[][] = [];
  for (let count = 0; count < 3; ) {
    const { message_id } = await client.request('poll', { blocking_time: 10_000 });
    const names: string[] = [];
    for (;;) {
      const block = await client.request('fetch', { message_id });
      if (block.completed === true) break;
      names.push(`${block.table_name} ${String(block.fields_names)}`);
    }
    count += names.length;
    messages.push(names);
  }
  t.deepEqual(messages.map((names) => names.toSorted()).toSorted(), [['a ts,v', 'c ts,v'], ['b ts,w']]);
  client.socket.close();
});

test('consumers are in the list of connections, with their application and connector', async (t) => {
  const db = await newTopic();
  const { client } = await TopicClient.subscribe(service.port, [db], {
    group_id: 'g',
    app: 'reader',
    connector: 'c-1',
  });
  const listed = () =>
    service.rows("SELECT user, connector_info FROM performance_schema.perf_connections WHERE user_app = 'reader'");
  t.deepEqual(await listed(), [['root', 'c-1']]);
  client.socket.close();
  await until(async () => (await listed()).length === 0);
  t.pass();
});
