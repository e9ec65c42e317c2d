import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startService } from '../support/service/service.js';

test('the log is a file as well, at level debug statements are recorded in another, and neither holds a secret', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const { service, end } = await startService(`--log.path=${directory}`, '--logLevel=debug');
  await service.rows('SELECT\n 1', { query: { req_id: '77' } });
  await service.run("CREATE USER keeper PASS 'Hidden-123'");
  await service.request({ method: 'GET', path: '/rest/login/root/taosdata', auth: false });
  await service.write('m v=1', { db: 'nowhere', u: 'root', p: 'taosdata' }, { auth: false });
  await end();
  const files = readdirSync(directory);
  const read = (pattern: RegExp): string =>
    files
      .filter((name) => pattern.test(name))
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('');
  const log = read(/^adapter_0_\d{8}\.log$/);
  t.true(log.includes('"requestId":"0x4d"'), 'the request id goes from the client to the log');
  t.true(log.includes('Sluice has stopped.'));
  const record = read(/^httpsql_0_\d{8}\.log$/);
  t.regex(record, / 0x4d '\/rest\/sql\?req_id=77' 'POST' '\S+' SELECT\\n 1\n/);
  t.true(record.includes("CREATE USER keeper PASS '******'"));
  for (const secret of ['Hidden-123', 'taosdata']) t.false(`${log}${record}`.includes(secret), secret);
});
