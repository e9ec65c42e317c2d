import test from 'ava';
import { SocketClient } from '../../support/inputs/socket-client.js';
import { sharedService } from '../../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(async () => {
  await service.run('CREATE DATABASE sml');
});

function open(path: string, members = {}): Promise<SocketClient> {
  return SocketClient.logIn(service.port, { user: 'root', password: 'taosdata', ...members }, path);
}

test('all three protocols are written into the current database, on both paths', async (t) => {
  for (const [at, path] of ['/ws', '/rest/schemaless'].entries()) {
    const client = await open(path, { db: 'sml' });
    const stored = { code: 0, action: 'insert', affected_rows: 2, total_rows: 2 };
    const lines = `m${at},a=b v=1i 1700000000\nm${at},a=c v=2i 1700000000`;
    t.like(await client.request('insert', { protocol: 1, precision: 's', data: lines }), stored);
    const telnet = `t${at} 1700000000 1.5 a=b\nt${at} 1700000001000 2.5 a=b`;
    t.like(await client.request('insert', { protocol: 2, precision: 's', ttl: 10, data: telnet }), stored);
    const json = JSON.stringify(
      [1, 2].map((value) => ({ metric: `j${at}`, timestamp: 1_700_000_000 + value, value, tags: { a: 'b' } })),
    );
    t.like(await client.request('insert', { protocol: 3, precision: '', data: json }), stored);
    t.deepEqual(await service.rows(`SELECT _ts, v, a FROM sml.m${at} ORDER BY v`), [
      ['2023-11-14T22:13:20.000Z', 1, 'b'],
      ['2023-11-14T22:13:20.000Z', 2, 'c'],
    ]);
    t.deepEqual(await service.rows(`SELECT count(*) FROM sml.t${at}`), [[2]]);
    t.deepEqual(await service.rows(`SELECT count(*) FROM sml.j${at}`), [[2]]);
    client.socket.close();
  }
  t.deepEqual(await service.rows("SELECT DISTINCT ttl FROM information_schema.ins_tables WHERE stable_name = 't0'"), [
    [10],
  ]);
});

test('a tag names the sub-table, and is no tag of it', async (t) => {
  const client = await open('/ws', { db: 'sml' });
  const data =
    'named,tname=cpu1,host=a v=1i 1700000000\nnamed,tname=cpu2,host=b v=2i 1700000000\nnamed,host=c v=3i 1700000000';
  const names = 'SELECT tbname, host, v FROM sml.named ORDER BY v';
  t.like(await client.request('insert', { protocol: 1, precision: 's', data, table_name_key: 'tname' }), {
    code: 0,
    affected_rows: 3,
  });
  const rows = await service.rows(names);
  t.deepEqual(rows.slice(0, 2), [
    ['cpu1', 'a', 1],
    ['cpu2', 'b', 2],
  ]);
  t.regex(String(rows[2]?.[0]), /^t_[0-9a-f]{32}$/);
  t.deepEqual(
    (await service.rows('DESCRIBE sml.named')).filter((row) => row.includes('TAG')).map(([name]) => name),
    ['host'],
  );
  // Without it the same lines are other series.
  t.like(await client.request('insert', { protocol: 1, precision: 's', data: 'other,tname=cpu1 v=1i 1700000000' }), {
    code: 0,
  });
  t.deepEqual(await service.rows('SELECT tname FROM sml.other'), [['cpu1']]);
  client.socket.close();
});

test('bad rows are named, good ones stored, and wrong arguments refused', async (t) => {
  const client = await open('/ws', { db: 'sml' });
  const answer = await client.request('insert', { protocol: 1, precision: 's', data: 'good v=1i 1700000000\nbad' });
  t.not(answer.code, 0);
  t.regex(answer.message, /^line 2: .*1 rejected, 1 written/);
  t.deepEqual(await service.rows('SELECT count(*) FROM sml.good'), [[1]]);
  for (const [members, message] of [
    [{ protocol: 4 }, /unknown schemaless protocol 4/],
    [{ protocol: 1, precision: 'x' }, /precision must be/],
    [{ protocol: 1, ttl: 2 ** 40 }, /ttl must be/],
    [{ protocol: 1, data: 5 }, /args.data must be a text/],
  ] as const) {
    t.regex((await client.request('insert', { data: 'a v=1i', ...members })).message, message);
  }
  const nowhere = await open('/ws');
  t.like(await nowhere.request('insert', { protocol: 1, data: 'a v=1i' }), { code: 0x2616 });
  client.socket.close();
  nowhere.socket.close();
});
