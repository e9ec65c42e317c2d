import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);

/** The port of a transport, as the log has it. */
function portOf(protocol: string): number {
  for (const line of service.log) {
    const said: { listens?: number; database?: string; protocol?: string } = JSON.parse(line);
    if (said.database === 'graphite' && said.protocol === protocol && said.listens) return said.listens;
  }
  throw new Error(`Nothing listens for Graphite over ${protocol}.`);
}

async function values(table: string): Promise<readonly (readonly unknown[])[]> {
  const { body } = await service.sql(`SELECT site, _value FROM graphite.${table} ORDER BY _value`);
  return body.code === 0 ? body.data : [];
}

test('lines over TCP and UDP are stored, bad ones among them cost nothing', async (t) => {
  const seconds = Math.floor(Date.now() / 1000);
  const stream = connect(portOf('tcp'), '127.0.0.1');
  stream.end(`servers.load;site=a 1 ${seconds}\nbad line here\nservers.load;site=b 2 ${seconds}\n`);
  const datagrams = createSocket('udp4');
  t.teardown(() => datagrams.close());
  datagrams.send(`servers.load;site=c 3 ${seconds}`, portOf('udp'), '127.0.0.1');
  const expected = [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ];
  await until(async () => (await values('servers_load')).length === expected.length);
  t.deepEqual(await values('servers_load'), expected);
});

test('of two metrics whose dots make them one table the first is stored, and the log names both', async (t) => {
  const seconds = Math.floor(Date.now() / 1000);
  const stream = connect(portOf('tcp'), '127.0.0.1');
  stream.end(
    `a.web_01.load;site=a 1 ${seconds}\na.web.01_load;site=a 2 ${seconds}\na.web_01.load;site=b 3 ${seconds}\n`,
  );
  await until(async () => (await values('a_web_01_load')).length === 2);
  t.deepEqual(await values('a_web_01_load'), [
    ['a', 1],
    ['b', 3],
  ]);
  const reason = 'metric \\"a.web.01_load\\" cannot be stored in table \\"a_web_01_load\\", which holds metric';
  t.true(await until(() => service.log.some((line) => line.includes(reason) && line.includes('a.web_01.load'))));
});
