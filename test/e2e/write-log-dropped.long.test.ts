import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
  directoryFor,
  execute,
  type Listening,
  rowsOf,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';

const startMs = Date.UTC(2026, 0, 1);

interface Rejected {
  readonly table?: string;
  readonly rows: number;
  readonly reason: string;
}

function rejectedIn(path: string): readonly Rejected[] {
  const file = join(path, 'wal', 'rejected.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

async function countOf(adapter: Listening, table: string): Promise<number> {
  return Number((await rowsOf(adapter, `SELECT COUNT(*) FROM ${table}`))[0]?.[0]);
}

/** Writes until it is told to stop; gives how many writes were acknowledged. */
async function acknowledged(isOver: () => boolean, write: (n: number) => Promise<boolean>): Promise<number> {
  let count = 0;
  for (let n = 0; !isOver(); n++) if (await write(n)) count++;
  return count;
}

test('while a table is dropped again and again, texts with rows of it lose only these', async (t) => {
  const path = directoryFor(t);
  const adapter = await startAdapter(t, [`--database.path=${path}`]);
  await execute(
    adapter,
    "CREATE DATABASE d PRECISION 'ms'",
    ...['d.g0', 'd.g1', 'd.g2'].map((table) => `CREATE TABLE ${table} (ts TIMESTAMP, v INT)`),
    'CREATE STABLE d.s (ts TIMESTAMP, v INT) TAGS (w INT)',
    ...['s0', 's1'].map((name) => `CREATE TABLE d.${name} USING d.s TAGS (1)`),
  );
  let isOver = false;
  const insert = async (tables: readonly string[], n: number): Promise<boolean> => {
    const clauses = tables.map((table) => `d.${table} VALUES (${startMs + n}, ${n})`);
    return (await sql(adapter, `INSERT INTO ${clauses.join(' ')}`)).code === 0;
  };
  const writers = [
    acknowledged(
      () => isOver,
      (n) => insert(['g0', 'g1', 'g2'], n),
    ),
    acknowledged(
      () => isOver,
      (n) => insert(['s0', 's1'], n),
    ),
    acknowledged(
      () => isOver,
      async (n) => {
        const lines = `l0 v=${n}i64 ${startMs + n}\nl1 v=${n}i64 ${startMs + n}`;
        return (await writeLines(adapter, 'd', lines)).status === 204;
      },
    ),
  ] as const;
  for (let drop = 0; drop < 4; drop++) {
    await execute(adapter, 'DROP TABLE d.g2', 'CREATE TABLE d.g2 (ts TIMESTAMP, v INT)');
    await execute(adapter, 'DROP TABLE d.s1', 'CREATE TABLE d.s1 USING d.s TAGS (1)');
    await sql(adapter, 'DROP STABLE IF EXISTS d.l1');
  }
  isOver = true;
  const [tables, subTables, lines] = await Promise.all(writers);
  t.true(tables! > 10 && subTables! > 10 && lines! > 10, `${tables}, ${subTables}, ${lines}`);
  t.deepEqual(
    [await countOf(adapter, 'd.g0'), await countOf(adapter, 'd.g1')],
    [tables, tables],
    'tables beside the dropped one',
  );
  t.is(await countOf(adapter, 'd.s0'), subTables, 'a sub-table beside the dropped one');
  t.is(await countOf(adapter, 'd.l0'), lines, 'lines beside those of the dropped table');
  for (const { table, rows } of rejectedIn(path)) {
    t.true(table === 'g2' || table === 's', `${table} is not dropped`);
    t.true(rows > 0);
  }
});

/** Answers texts that only the log holds, changes the catalogue, and starts the service that reads them back. */
async function readBackAfter(
  t: ExecutionContext,
  { definitions, texts, changes }: Record<'definitions' | 'texts' | 'changes', readonly string[]>,
): Promise<{ readonly adapter: Listening; readonly rejected: () => readonly Rejected[] }> {
  const path = directoryFor(t);
  const settings = [`--database.path=${path}`, '--write.flushInterval=10m'];
  const first = await startAdapter(t, settings);
  await execute(first, "CREATE DATABASE d PRECISION 'ms'", ...definitions);
  for (const text of texts) {
    if (text.startsWith('INSERT')) await execute(first, text);
    else t.is((await writeLines(first, 'd', text)).status, 204);
  }
  first.child.kill('SIGKILL');
  await first.ended;
  renameSync(join(path, 'wal'), join(path, 'wal-before'));
  const second = await startAdapter(t, settings);
  await execute(second, ...changes);
  second.child.kill('SIGTERM');
  await second.ended;
  rmSync(join(path, 'wal'), { recursive: true, force: true });
  renameSync(join(path, 'wal-before'), join(path, 'wal'));
  return { adapter: await startAdapter(t, settings), rejected: () => rejectedIn(path) };
}

test('texts that are read back after a start lose only the rows that the changed catalogue refuses', async (t) => {
  const { adapter, rejected } = await readBackAfter(t, {
    definitions: [
      ...['g0', 'g1', 'g2', 'typed', 'wider'].map(
        (table) => `CREATE TABLE d.${table} (ts TIMESTAMP, v NCHAR(9), w INT)`,
      ),
      'CREATE STABLE d.s (ts TIMESTAMP, v INT) TAGS (w INT)',
      ...['s0', 's1'].map((name) => `CREATE TABLE d.${name} USING d.s TAGS (1)`),
    ],
    texts: [
      // It has a name to look up, for which the rows before it are stored.
      `INSERT INTO d.s0 VALUES (${startMs}, 1) d.s1 VALUES (${startMs}, 1), (${startMs + 1}, 1)
        d.s2 USING d.s TAGS (2) VALUES (${startMs}, 1) d.s2 VALUES (${startMs + 1}, 1)`,
      `INSERT INTO d.g0 VALUES (${startMs}, '1', 1) d.g2 VALUES (${startMs}, '1', 1)(${startMs + 1}, '2', 1) d.g1 VALUES (${startMs}, '1', 1)`,
      `INSERT INTO d.typed (ts, v) VALUES (${startMs}, '1'), (${startMs + 1}, 'x'), (${startMs + 2}, '3'), (${startMs + 3}, 'y'), (${startMs + 4}, '5')`,
      `INSERT INTO d.wider VALUES (${startMs}, '1', 1) d.g1 VALUES (${startMs + 1}, '2', 2)`,
      `l0 v=1i64 ${startMs}\nl1 v=1i64 ${startMs}\nl0 v=2i64 ${startMs + 1}`,
    ],
    changes: [
      'DROP TABLE d.g2',
      'DROP TABLE d.s1',
      'ALTER TABLE d.typed DROP COLUMN v',
      'ALTER TABLE d.typed ADD COLUMN v INT',
      'ALTER TABLE d.wider DROP COLUMN w',
      'DROP STABLE d.l1',
      'CREATE STABLE d.l1 (_ts TIMESTAMP, v NCHAR(8)) TAGS (w NCHAR(8))',
    ],
  });
  t.is(await countOf(adapter, 'd.g0'), 1);
  t.is(await countOf(adapter, 'd.g1'), 2);
  t.is(await countOf(adapter, 'd.s0'), 1);
  t.is(await countOf(adapter, 'd.s2'), 2);
  t.deepEqual(await rowsOf(adapter, 'SELECT v FROM d.typed ORDER BY ts'), [[1], [3], [5]]);
  t.is(await countOf(adapter, 'd.l0'), 2);
  // A reader waits for all texts, and a text that is refused has ended once it is named.
  t.deepEqual(
    rejected().map(({ table, rows }) => [table, rows]),
    [
      ['s1', 2],
      ['g2', 2],
      ['typed', 2],
      ['wider', 1],
      [undefined, 1],
    ],
  );
  t.regex(rejected()[1]!.reason, /g2/);
});
