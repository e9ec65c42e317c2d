import { createSocket } from 'node:dgram';
import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);

async function values(): Promise<readonly (readonly unknown[])[]> {
  const { body } = await service.sql('SELECT site, v, s, _ts FROM lineproto_udp.boilers ORDER BY v');
  return body.code === 0 ? body.data : [];
}

test('line protocol over UDP is stored, and what is bad in one datagram costs neither its neighbours nor other datagrams', async (t) => {
  const datagrams = createSocket('udp4');
  t.teardown(() => datagrams.close());
  const port = service.listeners.get('lineproto_udp');
  const texts = [
    'boilers,site=a v=1,s="two\nlines" 1700000000000000001',
    'boilers,site=a s="not closed',
    'boilers,site=b v=2 1700000000000000002\nboilers v=bad\nboilers,site=c v=3 1700000000000000003\n',
    'boilers,site=a s="not closed either',
    'boilers,site=d v=4 1700000000000000004',
    '" 1700000000000000005',
  ];
  for (const text of texts) datagrams.send(text, port, '127.0.0.1');
  const expected = [
    ['a', 1, 'two\nlines', '2023-11-14T22:13:20.000000001Z'],
    ['b', 2, null, '2023-11-14T22:13:20.000000002Z'],
    ['c', 3, null, '2023-11-14T22:13:20.000000003Z'],
    ['d', 4, null, '2023-11-14T22:13:20.000000004Z'],
  ];
  await until(async () => (await values()).length === expected.length);
  t.deepEqual(await values(), expected);
});

test('rows without a time are one row per datagram, also where many come together', async (t) => {
  const datagrams = createSocket('udp4');
  t.teardown(() => datagrams.close());
  const port = service.listeners.get('lineproto_udp');
  for (let i = 0; i < 20; i++) datagrams.send(`clockless,site=a v=${i}`, port, '127.0.0.1');
  const stored = async (): Promise<unknown> => {
    const { body } = await service.sql('SELECT COUNT(*) FROM lineproto_udp.clockless');
    return body.code === 0 ? body.data[0]?.[0] : 0;
  };
  t.true(await until(async () => (await stored()) === 20));
});
