// In a process of its own: it measures which code runs.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import test from 'ava';
import { boundTables } from '../support/inputs/bound-rows.js';
import { SocketClient } from '../support/inputs/socket-client.js';
import { queryRows } from '../support/inputs/socket-rows.js';
import { basicOf } from '../support/service/service.js';
import { startInProcess } from '../support/service/service-in-process.js';
import { standsStill, until } from '../support/until.js';

const headers = { authorization: basicOf('root', 'taosdata') };

/** The walks of `docs/walks.md` with these titles. */
function walks(...titles: readonly string[]): string {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/walks.md'), 'utf8');
  const parts = text.split(/^## /m).filter((part) => titles.some((title) => part.startsWith(`${title}\n`)));
  if (parts.length !== titles.length) throw new Error(`Not all of these walks are there: ${titles.join(', ')}.`);
  return parts.join('');
}

/** Files that run each time that work is done, but not while nothing is done. */
async function filesOfEach(all: readonly (() => Promise<void>)[]): Promise<readonly string[]> {
  // Work in the background, such as that of streams, runs at the same time: rarely, or also while nothing is queried.
  const background = new Set(await filesOf(async () => void (await standsStill(() => 0, 3_000))));
  let files: readonly string[] | undefined;
  for (const work of all) {
    const used = new Set(await filesOf(work));
    files = (files ?? [...used]).filter((file) => used.has(file));
  }
  return (files ?? []).filter((file) => !background.has(file));
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

const { service, end } = await startInProcess({});
test.after.always(end);

async function post(path: string, body: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'POST', body, headers })).text();
}

test.before(async () => {
  await post('/rest/sql', 'CREATE DATABASE demo');
  await post('/lineproto/v1/write?db=demo', 'room,floor=2 celsius=21.5');
  await until(async () => (await post('/rest/sql/demo', 'SELECT COUNT(*) FROM room')).includes('[[1]]'));
});

const widths = ['1m', '2m', '3m', '4m', '5m'] as const;

test.serial('the walk of a SELECT names every file that runs in it', async (t) => {
  const files = await filesOfEach(
    widths.map((width) => async () => {
      const result = await post('/rest/sql/demo', `SELECT AVG(celsius) FROM room INTERVAL(${width})`);
      t.regex(result, /"data":\[\[21.5\]\]/);
    }),
  );
  const named = walks('A SELECT');
  t.true(files.length > 80);
  t.deepEqual(
    files.filter((file) => !named.includes(`\`${file}\``)),
    [],
  );
});

test.serial('the walk of a query over WebSocket names every other file that runs in it', async (t) => {
  const client = await SocketClient.logIn(service.port, { user: 'root', password: 'taosdata', db: 'demo' });
  const files = await filesOfEach(
    widths.map((width) => async () => {
      const { rows } = await queryRows(client, `SELECT AVG(celsius) FROM room INTERVAL(${width})`);
      t.deepEqual(rows, [[21.5]]);
    }),
  );
  client.socket.close();
  const named = walks('A SELECT', 'A query over WebSocket');
  t.true(files.length > 60);
  t.deepEqual(
    files.filter((file) => !named.includes(`\`${file}\``)),
    [],
  );
});

test.serial(
  'the walk of bound rows names every file of WebSocket, binding and the scanner that runs in it',
  async (t) => {
    await post('/rest/sql/demo', 'CREATE STABLE meters (ts TIMESTAMP, voltage INT) TAGS (floor INT)');
    const client = await SocketClient.logIn(service.port, { user: 'root', password: 'taosdata', db: 'demo' });
    const files = await filesOfEach(
      widths.map((_, at) => async () => {
        const { stmt_id } = await client.request('stmt2_init');
        const sql = 'INSERT INTO ? USING meters TAGS (?) VALUES (?, ?)';
        await client.request('stmt2_prepare', { stmt_id, sql });
        const columns = [
          { type: 9, values: [1_700_000_000_000] },
          { type: 4, values: [220] },
        ];
        const tables = boundTables([{ name: `d${at}`, tags: [{ type: 4, values: [at] }], columns }]);
        await client.reply(client.send(9, BigInt(String(stmt_id)), tables));
        t.like(await client.request('stmt2_exec', { stmt_id }), { code: 0, affected: 1 });
      }),
    );
    client.socket.close();
    const named = walks('A line of line protocol', 'A SELECT', 'A query over WebSocket', 'Rows bound by stmt2');
    const own = files.filter((file) =>
      /^src\/(http\/websocket|statements\/bound|transforms\/bound|sql\/insert)\//.test(file),
    );
    t.true(own.length > 15);
    t.deepEqual(
      own.filter((file) => !named.includes(`\`${file}\``)),
      [],
    );
  },
);
