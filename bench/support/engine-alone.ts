import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { type MetersScale, start, stepMs } from './meters.js';

const rowsPerInsert = 100_000;

/** The embedded engine in this process, with the rows of `bodiesOf` as `t` and their tags as `tags`, merged to one part. */
export interface EngineAlone {
  query(statement: string): Promise<void>;
  close(): void;
}

/** Loads the same points as the service gets, by a formula. */
export async function startEngineAlone({ devices, points }: MetersScale): Promise<EngineAlone> {
  const path = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const session = new Session(join(path, 'db'));
  const run = (statement: string) => session.queryAsync(statement, { format: 'JSONCompact' });
  await run(`CREATE TABLE t (tid UInt32, ts DateTime64(3), current Float64, voltage Int64, phase Float64)
    ENGINE = ReplacingMergeTree ORDER BY (tid, ts)`);
  await run('CREATE TABLE tags (tid UInt32, groupid String, location String) ENGINE = MergeTree ORDER BY tid');
  await run(`INSERT INTO tags SELECT number, toString(number % 10 + 1),
    concat('city-', toString(intDiv(number, 10) % 10), '.', toString(intDiv(number, 100))) FROM numbers(${devices})`);
  const step = Math.max(1, Math.floor(rowsPerInsert / devices));
  for (let point = 0; point < points; point += step) {
    const count = Math.min(step, points - point) * devices;
    await run(`INSERT INTO t SELECT d, fromUnixTimestamp64Milli(toInt64(${start} + p * ${stepMs})), 9 + (w % 50) / 10, 200 + w % 40, w / 1000
      FROM (SELECT number % ${devices} AS d, ${point} + intDiv(number, ${devices}) AS p, (d * 7919 + p * 104729) % 1000 AS w FROM numbers(${count}))`);
  }
  await run('OPTIMIZE TABLE t FINAL');
  return {
    async query(statement) {
      await run(`${statement} SETTINGS final = 1`);
    },
    close() {
      session.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
