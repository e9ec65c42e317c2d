import net from 'node:net';
import { totalmem } from 'node:os';
import test from 'ava';
import { basic, startService, type TestService } from '../support/service/service.js';
import { until } from '../support/until.js';

const mebibyte = 1024 * 1024;
/** Above what an idle service takes. */
const roomBytes = 400 * mebibyte;
/** How soon the service is back once a peak of memory is over. */
const backWithinMs = 10_000;

async function memoryPercent(service: TestService): Promise<number> {
  const { text } = await service.request({ method: 'GET', path: '/metrics' });
  return Number(/^adapter_system_mem_percent\S* (\S+)/m.exec(text)?.[1]);
}

test('after a peak of memory that made the guard refuse queries they are answered again within 10 s', async (t) => {
  t.timeout(180_000);
  const first = await startService();
  const idle = await memoryPercent(first.service);
  await first.end();
  const { service, end } = await startService(
    `--monitor.pauseQueryMemoryThreshold=${(idle + (roomBytes / totalmem()) * 100).toFixed(2)}`,
    '--monitor.pauseAllMemoryThreshold=90',
    '--monitor.collectDuration=100ms',
    '--limits.bodyBytes=3GB',
  );
  t.teardown(end);
  const statusOf = async (sql: string): Promise<number> =>
    (await service.request({ path: '/rest/sql', body: sql })).status;
  t.is(await statusOf('SELECT 1'), 200);
  const [length, part] = [60 * mebibyte, Buffer.alloc(59 * mebibyte, 0x20)];
  const sockets = Array.from({ length: 20 }, () => {
    const socket = net.connect({ port: service.port, host: '127.0.0.1' });
    socket.on('error', () => {}).resume();
    socket.write(`POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: ${length}\r\n\r\n`);
    socket.write(part);
    return socket;
  });
  t.true(await until(async () => (await statusOf('SELECT 1')) === 503), 'the guard never refused a query');
  t.log(`${(service.memory('VmRSS') / mebibyte).toFixed(0)} MiB when queries are refused`);
  for (const socket of sockets) socket.destroy();
  const ended = performance.now();
  t.true(await until(async () => (await statusOf('SELECT 1')) === 200, backWithinMs));
  t.log(`back after ${((performance.now() - ended) / 1000).toFixed(1)} s`);
});
