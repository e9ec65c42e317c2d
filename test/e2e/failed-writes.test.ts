import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import test from 'ava';
import { directoryFor, enginePid, post, rowsOf, sql, startAdapter, writeLines } from '../support/service/processes.js';
import { basicOf, engineSecret } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const rowsOfBody = 300;

/** Lines that do not become shorter on the disk. */
const lines = (from: number): string =>
  Array.from({ length: rowsOfBody }, (_, i) => {
    const text = randomBytes(300).toString('base64');
    return `m,k=x v=${from + i}i64,s="${text}" ${startMs + from + i}`;
  }).join('\n');

test('rows of an insert or a merge whose files could not be written are not lost', async (t) => {
  const args = [`--database.path=${directoryFor(t)}`, `--database.password=${engineSecret}`];
  const adapter = await startAdapter(t, args);
  const torn = async (work: () => Promise<unknown>, leastBytes: number): Promise<boolean> => {
    const engine = enginePid(adapter);
    // From here on the engine's files end there, as on a disk that is full; of its successor they do not.
    execFileSync('prlimit', [`--fsize=${leastBytes}:unlimited`, '--pid', String(engine)]);
    await work();
    return until(() => enginePid(adapter) !== engine && enginePid(adapter) > 0);
  };
  const isCounted = (count: number): Promise<boolean> =>
    until(async () => {
      const { code, data } = await sql(adapter, 'SELECT COUNT(*), COUNT(s), SUM(v) FROM d.m');
      return code === 0 && Number(data?.[0]?.[0]) === count && Number(data?.[0]?.[1]) === count;
    });
  try {
    execFileSync('prlimit', ['--version']);
  } catch {
    skipped(t, 'there is no prlimit');
    return;
  }
  t.is((await writeLines(adapter, 'd', lines(0))).status, 204);
  t.true(await isCounted(rowsOfBody));

  const insert = (): Promise<unknown> => writeLines(adapter, 'd', lines(rowsOfBody));
  t.true(await torn(insert, 65_536), 'the engine starts again after a torn insert');
  t.true(await isCounted(2 * rowsOfBody), 'answered rows are stored once more, under another name');

  const [[database, table] = []] = await rowsOfEngine(
    `SELECT database, table FROM system.parts WHERE active AND rows = ${rowsOfBody} LIMIT 1`,
  );
  const merge = (): Promise<unknown> => askEngine(`OPTIMIZE TABLE ${database}.${table} FINAL`).catch(() => undefined);
  t.true(await torn(merge, 100_000), 'and after a torn merge');
  t.true(await isCounted(2 * rowsOfBody), 'the parts that were merged are back');
  t.deepEqual(await rowsOf(adapter, 'SELECT SUM(v) FROM d.m'), [[(rowsOfBody * 2 * (rowsOfBody * 2 - 1)) / 2]]);

  async function askEngine(statement: string): Promise<string> {
    const { port } = new URL(adapter.engineUrl);
    const authorization = basicOf('default', engineSecret);
    return (await post(Number(port), '/', statement, { authorization })).text;
  }
  async function rowsOfEngine(statement: string): Promise<string[][]> {
    return (await askEngine(`${statement} FORMAT TSV`)).split('\n').map((line) => line.split('\t'));
  }
});
