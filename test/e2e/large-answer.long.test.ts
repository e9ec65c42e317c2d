import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);

const base = 1_700_000_000_000;

test('a million rows stream through a service whose memory stays flat', async (t) => {
  await service.run('CREATE DATABASE q');
  const chunk = 100_000;
  for (let first = 0; first < 1_000_000; first += chunk) {
    const lines = Array.from({ length: chunk }, (_, i) => `wide,k=a v=${first + i}i,f=0.5 ${base + first + i}`);
    t.is((await service.write(lines.join('\n'), { db: 'q', precision: 'ms' })).text, '');
  }
  const query = async (): Promise<{ rows: number; bytes: number; tail: string }> => {
    const response = await service.open({ path: '/rest/sql/q', body: 'SELECT _ts, v, f FROM wide' });
    t.is(response.headers['transfer-encoding'], 'chunked');
    // A client that is slow to begin makes the service wait, not collect.
    t.true(await until(() => response.readableLength >= response.readableHighWaterMark));
    let rows = 0;
    let bytes = 0;
    let tail = '';
    for await (const piece of response) {
      const chunkBytes: Buffer = piece;
      bytes += chunkBytes.length;
      for (let at = chunkBytes.indexOf('['); at >= 0; at = chunkBytes.indexOf('[', at + 1)) rows++;
      tail = (tail + chunkBytes.toString('latin1')).slice(-40);
    }
    return { rows, bytes, tail };
  };
  await query();
  const before = service.memory('VmRSS');
  service.forgetMostMemory();
  const { rows, bytes, tail } = await query();
  const grown = service.memory('VmHWM') - before;
  // The opening brackets of column_meta, its three columns and data are no rows.
  t.is(rows - 5, 1_000_000);
  t.true(tail.endsWith(',0.5]],"rows":1000000}'), tail);
  t.true(bytes > 35_000_000);
  t.log(`${Math.round(bytes / 1e6)} MB, memory grew by ${Math.round(grown / 1e6)} MB`);
  t.true(grown < 100e6, `${grown}`);
});
