import test from 'ava';
import { boundTables } from '../../support/inputs/bound-rows.js';
import { SocketClient } from '../../support/inputs/socket-client.js';
import { fetchRows, queryRows } from '../../support/inputs/socket-rows.js';
import { root, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const { service, end } = await startService('--limits.resultIdle=4s', '--limits.statements=2');
test.after.always(end);

/** Too long to be buffered, so it holds its slot until it is fetched. */
const long = Array.from({ length: 6 }, () => 'SELECT * FROM many').join(' UNION ALL ');

test.before(async () => {
  await service.run('CREATE DATABASE idle');
  await service.run('CREATE TABLE idle.many (ts TIMESTAMP, v INT, w VARCHAR(1000))');
  for (let part = 0; part < 4; part++) {
    const values = Array.from(
      { length: 500 },
      (_, at) => `(${1_700_000_000_000 + part * 1e6 + at}, ${at}, '${'w'.repeat(990)}')`,
    );
    await service.run(`INSERT INTO idle.many VALUES ${values.join(' ')}`);
  }
});

function open(): Promise<SocketClient> {
  return SocketClient.logIn(service.port, { ...root, db: 'idle' });
}

test('results that nothing is fetched of give their slots to others, and say so when they are fetched', async (t) => {
  const [client, other] = [await open(), await open()];
  const { id } = await client.request('query', { sql: long });
  const { stmt_id } = await client.request('stmt2_init');
  await client.request('stmt2_prepare', { stmt_id, sql: `${long} UNION ALL SELECT * FROM many WHERE v > ?` });
  await client.reply(client.send(9, BigInt(String(stmt_id)), boundTables([{ columns: [{ type: 4, values: [1] }] }])));
  t.like(await client.request('stmt2_exec', { stmt_id }), { code: 0 });
  // Both slots are held.
  const begun = performance.now();
  t.deepEqual((await queryRows(other, 'SELECT count(*) FROM many')).rows, [[2_000n]]);
  t.true(performance.now() - begun > 200);
  await until(async () => (await service.rows('SHOW QUERIES')).every((row) => !String(row).includes('UNION ALL')));
  t.regex(
    (await client.request('fetch', { id })).message,
    /nothing of it was fetched for 4000 ms \(limits.resultIdle\)/,
  );
  const used = await client.request('stmt2_result', { stmt_id });
  t.like(await client.request('fetch', { id: used.id }), { code: 0x020f });
  // Nothing else of the connection is lost.
  t.is((await fetchRows(client, await client.request('query', { sql: long }))).rows.length, 12_000);
  client.socket.close();
  other.socket.close();
});

test('a statement that is closed before its result is used gives its slot back', async (t) => {
  const client = await open();
  for (let at = 0; at < 5; at++) {
    const { stmt_id } = await client.request('stmt2_init');
    await client.request('stmt2_prepare', { stmt_id, sql: long });
    t.like(await client.request('stmt2_exec', { stmt_id }), { code: 0 });
    t.like(await client.request('stmt2_close', { stmt_id }), { code: 0 });
  }
  client.socket.close();
});
