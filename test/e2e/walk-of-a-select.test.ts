// In a process of its own: it measures which code runs.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import test from 'ava';
import { basicOf } from '../support/service/service.js';
import { startInProcess } from '../support/service/service-in-process.js';
import { standsStill, until } from '../support/until.js';

const headers = { authorization: basicOf('root', 'taosdata') };

/** The part of `docs/walks.md` about a SELECT. */
function walk(): string {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/walks.md'), 'utf8');
  return text.slice(text.indexOf('## A SELECT'), text.indexOf('## A StatsD'));
}

/** Files of `src` that run while `work` does, by the coverage of the runtime. */
async function filesOf(work: () => Promise<void>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result.flatMap(({ url, functions }) => {
    const [, path] = /\/build\/(src\/.*)\.js$/.exec(url) ?? [];
    const hasRun = functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0);
    return path !== undefined && hasRun ? [`${path}.ts`] : [];
  });
}

test('the walk of a SELECT names every file that runs in it', async (t) => {
  const { service, end } = await startInProcess({});
  t.teardown(end);
  const post = async (path: string, body: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'POST', body, headers })).text();
  await post('/rest/sql', 'CREATE DATABASE demo');
  await post('/lineproto/v1/write?db=demo', 'room,floor=2 celsius=21.5');
  await until(async () => (await post('/rest/sql/demo', 'SELECT COUNT(*) FROM room')).includes('[[1]]'));
  // Work in the background, such as that of streams, runs at the same time: rarely, or also while nothing is queried.
  const background = new Set(await filesOf(async () => void (await standsStill(() => 0, 3_000))));
  let files: readonly string[] | undefined;
  for (const width of ['1m', '2m', '3m', '4m', '5m']) {
    const used = new Set(
      await filesOf(async () => {
        const result = await post('/rest/sql/demo', `SELECT AVG(celsius) FROM room INTERVAL(${width})`);
        t.regex(result, /"data":\[\[21.5\]\]/);
      }),
    );
    files = (files ?? [...used]).filter((file) => used.has(file));
  }
  const named = walk();
  t.true((files ?? []).length > 80);
  t.deepEqual(
    files?.filter((file) => !named.includes(`\`${file}\``) && !background.has(file)),
    [],
  );
});
