import test from 'ava';
import fc from 'fast-check';
import { boundFields, boundTables } from '../../support/inputs/bound-rows.js';
import { SocketClient } from '../../support/inputs/socket-client.js';
import { queryRows } from '../../support/inputs/socket-rows.js';
import { sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(async () => {
  await service.run('CREATE DATABASE fuzzed');
  await service.run('CREATE STABLE fuzzed.s (ts TIMESTAMP, v INT, w VARCHAR(10)) TAGS (g INT)');
});

function open(user = 'root', password = 'taosdata'): Promise<SocketClient> {
  return SocketClient.logIn(service.port, { user, password, db: 'fuzzed' });
}

const columns = [
  { type: 9, values: [1_700_000_000_000, 1_700_000_000_001] },
  { type: 4, values: [1, null] },
  { type: 8, values: ['a', 'b'] },
];
const tables = ['t1', 't2'].map((name) => ({ name, tags: [{ type: 4, values: [1] }], columns }));
const named = [{ type: 8, values: ['t1', 't2'] }, { type: 4, values: [1, 2] }, ...columns];

/** Bodies of the binary actions, of which the first three need an open statement. */
const bodies: readonly (readonly [action: number, body: Buffer])[] = [
  [9, boundTables(tables)],
  [11, boundFields(2, 2, named)],
  [2, Buffer.concat([Buffer.alloc(28), boundFields(2, 2, named)])],
  [1, Buffer.alloc(40)],
  [6, Buffer.concat([Buffer.from([1, 0, 8, 0, 0, 0]), Buffer.from('select 1')])],
  [7, Buffer.from([1, 0])],
  [4, Buffer.alloc(8)],
];

/** What a number of 32 bits in a message is replaced by. */
const lies = [0, 1, 27, 28, 2 ** 16, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

const mutation = fc.record({
  body: fc.nat(bodies.length - 1),
  cut: fc.option(fc.nat(400)),
  changes: fc.array(fc.record({ at: fc.nat(400), lie: fc.nat(lies.length - 1) }), { maxLength: 4 }),
  id: fc.constantFrom(0n, 1n, 2n, 2n ** 64n - 1n),
});

function mutated(body: Buffer, cut: number | null, changes: readonly { at: number; lie: number }[]): Buffer {
  const bytes = Buffer.from(cut === null ? body : body.subarray(0, cut % (body.length + 1)));
  for (const { at, lie } of changes) if (bytes.length >= 4) bytes.writeUInt32LE(lies[lie]!, at % (bytes.length - 3));
  return bytes;
}

test.serial(
  'binary messages that are cut, lie about lengths and places, or name what there is not are answered one by one',
  async (t) => {
    const client = await open();
    const { stmt_id } = await client.request('stmt2_init');
    await client.request('stmt2_prepare', {
      stmt_id,
      sql: 'INSERT INTO ? USING s TAGS (?) VALUES (?, ?, ?)',
      get_fields: true,
    });
    const before = service.memory('VmRSS');
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 20, maxLength: 40 }), async (all) => {
        client.messages.length = 0;
        for (const { body, cut, changes, id } of all) {
          const [action, bytes] = bodies[body]!;
          client.send(action, id, mutated(bytes, cut, changes));
        }
        await until(() => client.messages.length >= all.length || client.socket.readyState !== client.socket.OPEN);
        t.is(client.messages.length, all.length);
      }),
      { numRuns: 8 },
    );
    t.like(await client.request('get_current_db'), { code: 0, db: 'fuzzed' });
    t.true(service.memory('VmRSS') - before < 200 * 2 ** 20, `${service.memory('VmRSS') - before}`);
    client.socket.close();
  },
);

test.serial('text messages that are cut or have values of other types are answered one by one', async (t) => {
  const client = await open();
  const { stmt_id } = await client.request('init');
  const values = fc.oneof(fc.jsonValue(), fc.constantFrom(2 ** 53, -1, '', 'SELECT 1', '1'.repeat(30)));
  const names = [
    'sql',
    'id',
    'stmt_id',
    'result_id',
    'tags',
    'columns',
    'options',
    'protocol',
    'data',
    'name',
    'index',
  ];
  const actions = [
    'query',
    'fetch',
    'fetch_block',
    'num_fields',
    'options_connection',
    'insert',
    'prepare',
    'set_table_name',
    'set_tags',
    'bind',
    'add_batch',
    'exec',
    'get_tag_fields',
    'get_col_fields',
    'use_result',
    'stmt_num_params',
    'stmt_get_param',
    'stmt2_prepare',
    'stmt2_exec',
    'stmt2_result',
    'conn',
    'version',
    'toString',
    '__proto__',
  ];
  const request = fc.record({
    action: fc.constantFrom(...actions),
    args: fc.dictionary(fc.constantFrom(...names), values),
    cut: fc.option(fc.nat(80)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 20, maxLength: 40 }), async (all) => {
      client.messages.length = 0;
      for (const { action, args, cut } of all) {
        const text = JSON.stringify({ action, args: { stmt_id: Number(stmt_id), ...args } });
        client.socket.send(cut === null ? text : text.slice(0, cut));
      }
      await until(() => client.messages.length >= all.length || client.socket.readyState !== client.socket.OPEN);
      t.is(client.messages.length, all.length);
    }),
    { numRuns: 8 },
  );
  t.like(await client.request('get_current_db'), { code: 0 });
  client.socket.close();
});

test.serial('results and statements that are open at once have a limit, which leaves the others alone', async (t) => {
  const client = await open();
  for (let at = 0; at < 1_000; at++) client.tell('stmt2_init');
  t.like(await client.request('stmt2_init'), { code: 0xffff });
  t.like(await client.request('stmt2_close', { stmt_id: 5 }), { code: 0 });
  t.like(await client.request('stmt2_init'), { code: 0, stmt_id: 1_001 });
  for (let at = 0; at < 1_000; at++) client.tell('query', { sql: 'SELECT 1' });
  await until(() => client.messages.length >= 2_000);
  t.regex((await client.request('query', { sql: 'SELECT 1' })).message, /at most 1000 open results/);
  const other = await open();
  t.deepEqual((await queryRows(other, 'SELECT 1')).rows, [[1n]]);
  client.socket.close();
  other.socket.close();
});

test.serial('a client that never reads its answers holds little memory, and others are served', async (t) => {
  await service.run('CREATE TABLE fuzzed.wide (ts TIMESTAMP, w VARCHAR(1000))');
  const values = Array.from({ length: 2_000 }, (_, at) => `(${1_700_000_000_000 + at}, '${'x'.repeat(900)}')`);
  await service.run(`INSERT INTO fuzzed.wide VALUES ${values.join(' ')}`);
  await service.run("CREATE USER mute PASS 'Secret-12345'");
  await service.run('GRANT READ ON fuzzed.* TO mute');
  const before = service.memory('VmRSS');
  const silent = await Promise.all(Array.from({ length: 4 }, () => open('mute', 'Secret-12345')));
  for (const client of silent) {
    client.socket.pause();
    for (let at = 0; at < 500; at++) client.tell('query', { sql: 'SELECT * FROM wide' });
    for (let id = 1; id < 200; id++) client.send(7, BigInt(id), Buffer.from([1, 0]));
  }
  const other = await open();
  const begun = performance.now();
  t.is((await queryRows(other, 'SELECT count(*) FROM s')).rows.length, 1);
  t.true(performance.now() - begun < 5_000);
  t.true(service.memory('VmRSS') - before < 400 * 2 ** 20, `${service.memory('VmRSS') - before}`);
  for (const { socket } of silent) socket.terminate();
  other.socket.close();
});
