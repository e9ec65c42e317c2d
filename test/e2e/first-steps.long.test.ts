import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { blocksOf, statementsIn } from '../support/documents/documents.js';
import { freePort } from '../support/service/free-ports.js';
import { adapterProgram, directoryFor, run } from '../support/service/processes.js';
import { rowsSoon } from '../support/service/rows-soon.js';
import { engineSecret, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

/** The page for the first ten minutes, from its settings file to its backup. Only the port is another. */
const port = await freePort();
const blocks = blocksOf('docs/first-steps.md').map((block) => ({
  ...block,
  text: block.text.replaceAll('6041', String(port)),
}));

function block(language: string, part: string): string {
  const block = blocks.find((shown) => shown.language === language && shown.text.includes(part));
  if (block === undefined) throw new Error(`docs/first-steps.md has no block with ${part}.`);
  return block.text;
}

test('from a settings file to a plot, an event, and a backup that restores', async (t) => {
  const directory = directoryFor(t);
  const file = join(directory, 'first.toml');
  writeFileSync(file, block('toml', '[hostexporter]'));
  const { service, end } = await startService('-c', file, `--port=${port}`);
  t.teardown(end);
  t.is(service.port, port);
  const [memory = ''] = statementsIn(block('sql', 'adapter_system_mem_percent'));
  const rows = await rowsSoon(service, 'hostexporter', memory);
  t.deepEqual(
    rows.map(([, url]) => url),
    [`http://localhost:${port}/metrics`],
  );

  const [plot = ''] = statementsIn(block('sql', 'INTERVAL(2s)'));
  const lines = await rowsSoon(service, 'hostexporter', plot, (rows) => rows.length > 2);
  t.true(
    lines.some(
      ([, pipeline, outcome, count]) => pipeline === 'hostexporter' && outcome === 'stored' && Number(count) > 0,
    ),
  );

  const [, path = ''] = /localhost:\d+(\/api[^']+)/.exec(block('sh', '/api/v1/events')) ?? [];
  const titles = async (): Promise<string> => (await service.request({ method: 'GET', path })).text;
  t.true(await until(async () => /The database uses more than 50 MB/.test(await titles())));

  const enginePort = new URL(service.engineUrl).port;
  const words = (shown: string): string[] =>
    shown
      .replace(/^npm start -- /, '')
      .replaceAll('./', `${directory}/`)
      .split(' ');
  const backup = [
    ...words(block('sh', 'backup')),
    `--database.port=${enginePort}`,
    `--database.password=${engineSecret}`,
  ];
  t.is((await run(t, process.execPath, [adapterProgram, ...backup]).ended).code, 0);
  await end();

  const [restore = '', start = ''] = block('sh', 'restore').split('\n');
  t.is((await run(t, process.execPath, [adapterProgram, ...words(restore)]).ended).code, 0);
  t.is(start, 'npm start -- -c first.toml --database.path=./restored');
  const again = await startService('-c', file, `--port=${port}`, `--database.path=${join(directory, 'restored')}`);
  t.teardown(again.end);
  t.true(
    (await rowsSoon(again.service, 'hostexporter', plot, (rows) => rows.length >= lines.length)).length >= lines.length,
  );
});
