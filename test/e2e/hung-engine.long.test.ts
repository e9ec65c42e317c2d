import test from 'ava';
import { startService } from '../support/service/service.js';
import { until } from '../support/until.js';

test('while the engine hangs ping and metrics say so, statements end with a clear error, and an event tells of it', async (t) => {
  const { service, end } = await startService('--database.hangTimeout=8s');
  t.teardown(end);
  await service.run('CREATE DATABASE d');
  const ping = async () => (await service.request({ method: 'GET', path: '/-/ping', auth: false })).status;
  t.is(await ping(), 200);
  const engine = service.enginePid();
  process.kill(engine, 'SIGSTOP');
  const open = [service.sql('SELECT count(*) FROM information_schema.ins_tables'), service.sql('CREATE DATABASE e')];
  const write = service.write('m v=1 1700000000000000000', { db: 'd' });
  t.true(await until(async () => (await ping()) === 503, 15_000));
  for (const { body } of await Promise.all(open)) {
    t.regex(body.desc ?? '', /cannot be reached: it does not answer/);
  }
  const written = await write;
  t.is(written.status, 204, 'what is logged is answered');
  t.regex((await service.request({ method: 'GET', path: '/metrics' })).text, /^adapter_engine_up 0$/m);
  t.true(await until(async () => (await ping()) === 200), 'it is replaced');
  t.not(service.enginePid(), engine);
  t.true(await until(async () => (await service.write('m v=1 1700000000000000000', { db: 'd' })).status === 204));
  const events = async () => (await service.request({ method: 'GET', path: '/api/v1/events' })).text;
  t.true(await until(async () => /engine-down/.test(await events())));
});
