import { existsSync } from 'node:fs';
import test from 'ava';
import { LoadTool } from '../../support/load/load-tool.js';
import { startService } from '../../support/service/service.js';

const { service, end } = await startService();
const tool = new LoadTool(service, 'here');
test.after.always(async () => {
  tool.remove();
  await end();
});

const port = String(service.port);

for (const mode of ['taosc', 'stmt', 'sml', 'sml-json']) {
  test.serial(`${mode} needs no more than the address, the user and the password of the service`, async (t) => {
    const name = `far_${mode.replace('-', '_')}`;
    const ended = await tool.run(['-P', port, '-I', mode, '-d', name, '-t', '3', '-n', '20', '-T', '2', '-y']);
    t.is(ended.code, 0, ended.out + ended.errors);
    t.regex(ended.out, new RegExp(`through the HTTP service at http://localhost:${port}`));
    t.notRegex(ended.out + ended.errors, /cannot be used|not reached/, 'all is well');
    t.regex(ended.out, new RegExp(`by ${mode.replace(/-.*/, '')}, over HTTP as (rest|sml-rest),`));
    t.deepEqual(await service.rows(`SELECT COUNT(*) FROM ${name}.meters`), [[60]]);
  });
}

test.serial('queries in the default mode go through the service too', async (t) => {
  const query = {
    filetype: 'query',
    databases: 'far_taosc',
    port: service.port,
    specified_table_query: { sqls: [{ sql: 'select count(*) from meters', result: tool.path('far') }] },
  };
  const ended = await tool.scenario(query);
  t.is(ended.code, 0, ended.out + ended.errors);
  t.is(tool.written('far'), '60\n');
});

test.serial('a run that fails leaves the reports as they were', async (t) => {
  tool.file('<p>the run before</p>', 'before.html');
  const reports = ['--html', tool.path('before.html'), '--json', tool.path('none.json')];
  const ended = await tool.run(['-P', '9', '-d', 'far_taosc', '-t', '1', '-n', '1', '-y', ...reports]);
  t.is(ended.code, 255);
  t.is(tool.written('before.html'), '<p>the run before</p>');
  t.false(existsSync(tool.path('none.json')));
});

test.serial('a wrong password of the service is told as such', async (t) => {
  const ended = await tool.run(['-P', port, '-p', 'wrong', '-d', 'far_taosc', '-t', '1', '-n', '1', '-y']);
  t.is(ended.code, 255);
  t.regex(ended.out + ended.errors, /\[0x0357\] Authentication failure/);
});

test.serial('only the port that is named is asked', async (t) => {
  const ended = await tool.run(['-P', '9', '-d', 'far_taosc', '-t', '1', '-n', '1', '-y']);
  t.is(ended.code, 255);
  t.regex(ended.out + ended.errors, /No database at http:\/\/localhost:9|No database at http:\/\/127\.0\.0\.1:9/);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM far_taosc.meters'), [[60]], 'nothing was dropped');
});
