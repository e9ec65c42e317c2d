import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { SubscribeScenario } from '../../../src/load/model/scenario.js';
import { runSubscribeScenario } from '../../../src/load/runs.js';
import { temporaryDirectory } from '../../support/engine/engine.js';
import { connectionTo } from '../../support/load/load-tool.js';
import { startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const { service, end } = await startService();
const [directory, remove] = temporaryDirectory();
test.after.always(async () => {
  await end();
  remove();
});

async function written(from: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => `(${from + at}, ${from + at})`);
  const insert = `INSERT INTO d.t1 USING d.m TAGS (1) VALUES ${rows.join(' ')}`;
  await until(async () => (await service.code(insert)) === 0);
}

test('consumers wait for an engine that was killed, lose nothing', async (t) => {
  await service.run('CREATE DATABASE d KEEP 36500');
  await service.run('CREATE STABLE d.m (ts TIMESTAMP, v INT) TAGS (g INT)');
  await written(1, 100);
  const rowsFile = join(directory, 'rows');
  const scenario: SubscribeScenario = {
    kind: 'subscribe',
    connection: connectionTo(service),
    resultFile: '',
    confirm: false,
    jsonReport: undefined,
    htmlReport: undefined,
    debug: false,
    consume: {
      kind: 'topics',
      topics: [{ name: 'x', sql: 'SELECT ts, v FROM d.m' }],
      consumers: 2,
      setUp: 'sequential',
      groups: ['g', 'g'],
      clientId: 'c',
      pollDelayMs: -1,
      offsetReset: 'earliest',
      autoCommit: true,
      autoCommitIntervalMs: 500,
      manualCommit: false,
      snapshot: false,
      withTableName: false,
      rowsFile,
      expectRows: -1,
    },
  };
  const stop = new AbortController();
  const say = (): void => undefined;
  const log = { info: say, done: say, warn: say, error: say, debug: say };
  const running = runSubscribeScenario(scenario, { version: 'test', log, stop: stop.signal });
  const read = (): number[] =>
    [0, 1].flatMap((consumer) => {
      const path = `${rowsFile}_${consumer}`;
      // The files are made when the consumers begin.
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      return [...text.matchAll(/^(\d+) \d+$/gm)].map(([, time]) => Number(time));
    });
  const reached = (rows: number) => until(() => new Set(read()).size >= rows);
  await reached(100);
  process.kill(service.enginePid(), 'SIGKILL');
  await written(101, 100);
  await reached(200);
  await written(201, 10);
  await reached(210);
  stop.abort();
  t.is((await running).outcome, 'interrupted');
  const numbers = read();
  t.deepEqual(
    [...new Set(numbers)].toSorted((a, b) => a - b),
    Array.from({ length: 210 }, (_, at) => at + 1),
  );
});
