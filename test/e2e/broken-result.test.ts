import test from 'ava';
import { isAlive } from '../support/service/processes.js';
import { startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const { service, end } = await startService();
test.after.always(end);

const rows = 400_000;

test.before(async () => {
  await service.run('CREATE DATABASE d');
  const lines = Array.from({ length: rows }, (_, i) => `large,k=a v=${i}i,f=0.5 ${1700000000000 + i}`);
  await service.write(lines.join('\n'), { db: 'd', precision: 'ms' });
});

/** Asks for all rows, loses the engine after the first piece; true when the answer ended as a whole one does. */
async function loseEngine(headers: Readonly<Record<string, string>>): Promise<{ complete: boolean; text: string }> {
  const response = await service.open({ path: '/rest/sql/d', body: 'SELECT * FROM large', headers });
  const pieces: Buffer[] = [];
  try {
    for await (const piece of response) {
      if (pieces.length === 0) {
        const engine = service.enginePid();
        process.kill(engine, 'SIGKILL');
        await until(() => !isAlive(engine));
      }
      pieces.push(piece);
    }
  } catch {
    return { complete: false, text: Buffer.concat(pieces).toString('latin1') };
  }
  return { complete: response.complete, text: Buffer.concat(pieces).toString('latin1') };
}

/** Waits until statements run again, and tells how many rows there are. */
async function countAgain(): Promise<unknown> {
  let count: unknown;
  await until(async () => {
    const { body } = await service.sql('SELECT count(*) FROM d.large');
    count = body.data?.[0]?.[0];
    return body.code === 0;
  });
  return count;
}

test.serial('a result that breaks off never looks complete, and the service goes on', async (t) => {
  t.is(await countAgain(), rows);
  const { complete, text } = await loseEngine({});
  t.false(complete);
  t.true(text.startsWith('{"code":0,"column_meta":'));
  t.notRegex(text, /"rows":\d+}$/);
  t.is(await countAgain(), rows);
});

test.serial('neither does a compressed one', async (t) => {
  t.is(await countAgain(), rows);
  const { complete } = await loseEngine({ 'accept-encoding': 'gzip' });
  t.false(complete);
  t.is(await countAgain(), rows);
});

test.serial('while the engine is away statements are refused as unreachable', async (t) => {
  t.is(await countAgain(), rows);
  process.kill(service.enginePid(), 'SIGKILL');
  const { status, body } = await service.sql('SELECT count(*) FROM d.large');
  if (body.code !== 0) t.deepEqual([status, body.code], [200, 0x000b]);
  t.is(await countAgain(), rows);
  t.is((await service.write('large,k=b v=1i 1700000000000', { db: 'd', precision: 'ms' })).text, '');
  t.is(await countAgain(), rows + 1);
});
