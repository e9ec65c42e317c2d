import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import test from 'ava';
import { basic } from '../support/service/service.js';
import { startInProcess } from '../support/service/service-in-process.js';
import { until } from '../support/until.js';

let percent = 10;
let scrapes = 0;
const exporter = http.createServer((_request, response) => {
  scrapes++;
  response.end('up_and_running 1\n');
});
exporter.listen(0, '127.0.0.1');
await once(exporter, 'listening');
const exporterAddress = exporter.address();
const exporterPort = typeof exporterAddress === 'object' && exporterAddress !== null ? exporterAddress.port : 0;

const { service, lines, end } = await startInProcess(
  { readMemoryPercent: () => percent },
  '--monitor.collectDuration=5ms',
  '--smlAutoCreateDB=true',
  '--statsgw.gatherInterval=100ms',
  '--tsdbwire_telnet.enable=true',
  '--tsdbwire_telnet.ports=0',
  '--tsdbwire_telnet.dbs=tsdb',
  '--hostexporter.enable=true',
  '--hostexporter.gatherDuration=100ms',
  `--hostexporter.urls=http://127.0.0.1:${exporterPort}/metrics`,
);
test.after.always(async () => {
  await end();
  exporter.close();
});

/** The port that a component says it listens on. */
function portOf(component: string): number {
  for (const line of lines) {
    const entry: { component?: string; listens?: number; listensOn?: number } = JSON.parse(line);
    const port = entry.listens ?? entry.listensOn;
    if (entry.component === component && port !== undefined) return port;
  }
  throw new Error(`${component} does not listen:\n${lines.join('')}`);
}

async function count(sql: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${service.port}/rest/sql`, {
    method: 'POST',
    headers: { authorization: basic },
    body: sql,
  });
  // The guard may not have looked since memory is free.
  if (response.status === 503) return 0;
  const body: { code: number; data?: readonly (readonly unknown[])[] } = JSON.parse(await response.text());
  return body.code === 0 ? Number(body.data?.[0]?.[0] ?? 0) : 0;
}

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

test('while everything is paused TCP is held, UDP is shed and counted, scrapes are left out and counted', async (t) => {
  const telnet = net.connect(portOf('tsdbwire_telnet'), '127.0.0.1');
  const udp = dgram.createSocket('udp4');
  const send = (message: string) =>
    new Promise<void>((resolve) => udp.send(message, portOf('statsgw'), '127.0.0.1', () => resolve()));
  t.teardown(() => {
    telnet.destroy();
    udp.close();
  });
  telnet.write('put speed 1700000001 1 host=a\n');
  await send('before:1|c');
  t.true(await until(async () => (await count('SELECT COUNT(*) FROM tsdb.speed')) === 1));
  t.true(await until(async () => (await count('SELECT COUNT(*) FROM statsgw.before')) === 1));
  t.true(await until(async () => scrapes > 0));

  percent = 90;
  const skips = () => figure('adapter_hostexporter_skipped_scrapes');
  t.true(await until(async () => (await skips()) > 0));
  const scraped = scrapes;
  const skipped = await skips();
  telnet.write('put speed 1700000002 2 host=a\n');
  t.true(await until(async () => (await skips()) > skipped));
  telnet.write('put speed 1700000003 3 host=a\n');
  for (let i = 0; i < 5; i++) await send('during:1|c');
  const later = await skips();
  t.true(await until(async () => (await skips()) > later));
  t.true(await until(async () => (await figure('adapter_statsgw_shed_datagrams')) === 5));
  t.is(scrapes, scraped, 'nobody is scraped');
  t.is(await figure('adapter_telnet_lines'), 1, 'no line passes');

  percent = 75;
  t.true(await until(async () => (await figure('adapter_telnet_lines')) === 3), 'the held lines are read');
  percent = 10;
  t.true(await until(async () => (await count('SELECT COUNT(*) FROM tsdb.speed')) === 3));
  await send('after:1|c');
  t.true(await until(async () => (await count('SELECT COUNT(*) FROM statsgw.after')) === 1));
  t.is(await count('SELECT COUNT(*) FROM statsgw.during'), 0);
  t.true(await until(async () => scrapes > scraped));
});
