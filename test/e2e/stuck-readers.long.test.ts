import net from 'node:net';
import test from 'ava';
import { basicOf, type TestService } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const readers = 1_000;

const { service, end } = await sharedService();
test.after.always(end);

test.before(async () => {
  const text = 'x'.repeat(100);
  for (let start = 0; start < 200_000; start += 20_000) {
    const lines = Array.from(
      { length: 20_000 },
      (_, row) => `m text="${text}",v=${start + row} ${1.7e12 + start + row}`,
    );
    const written = await service.write(lines.join('\n'), { db: 'd', precision: 'ms' });
    if (written.status !== 204) throw new Error(written.text);
  }
  await service.run("CREATE USER reader PASS 'Secret_12'");
  await service.run('GRANT READ ON d.* TO reader');
});

test('readers that do not read stop nobody else, neither short questions nor whole tables', async (t) => {
  const sockets = Array.from({ length: readers }, () => stuckReader(service));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  t.true(await until(() => sockets.filter(({ readableLength }) => readableLength > 0).length >= 3));
  t.true(await until(async () => (await inFlight()) > readers));
  const took: number[] = [];
  for (let i = 0; i < 20; i++) {
    const begun = performance.now();
    t.deepEqual(await service.rows('SELECT 1'), [[1]]);
    took.push(performance.now() - begun);
  }
  const median = took.toSorted((a, b) => a - b)[10] ?? 0;
  t.log(
    `SELECT 1 beside ${readers} stuck readers: median ${median.toFixed(1)} ms, worst ${Math.max(...took).toFixed(1)} ms`,
  );
  t.true(median < 1_000, `${took}`);
  t.deepEqual(await service.rows('SELECT count(*) FROM d.m'), [[200_000]]);
  t.is((await service.rows('SELECT * FROM d.m')).length, 200_000, 'another user has a share');
  t.is((await service.write('m v=1 1800000000000', { db: 'd', precision: 'ms' })).status, 204);
});

/** Requests that are being answered, with the one that asks. */
async function inFlight(): Promise<number> {
  const { text } = await service.request({ path: '/metrics', method: 'GET' });
  return Number(/^adapter_restful_http_request_in_flight (\d+)$/m.exec(text)?.[1]);
}

/** Asks for much more than a socket holds and reads nothing. */
function stuckReader({ port }: TestService): net.Socket {
  const statement = 'SELECT * FROM d.m';
  const socket = net.connect({ port, host: '127.0.0.1' }).pause();
  socket.on('error', () => {});
  const head = `Host: a\r\nAuthorization: ${basicOf('reader', 'Secret_12')}\r\nContent-Length: ${statement.length}`;
  socket.write(`POST /rest/sql HTTP/1.1\r\n${head}\r\n\r\n${statement}`);
  // A paused socket of the platform still takes its first bytes.
  socket.once('readable', () => {});
  return socket;
}
