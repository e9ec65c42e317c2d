import test from 'ava';
import fc from 'fast-check';
import { moreCases } from '../../support/cases.js';
import { type Data, type Row, randomData } from '../../support/naive/rows.js';
import { randomStatement } from '../../support/naive/statements.js';
import { tagDefinitions, tagLiterals } from '../../support/naive/tags.js';
import { propertyRuns } from '../../support/property-seed.js';
import { sharedService } from '../../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

/** Statements over the same rows; a long run has 2,000 of them. */
const statementsOfData = 20;
const runs = propertyRuns(moreCases(10, 100));

let databases = 0;

/** Units of a tick of each precision; the durations of the statements are ticks of milliseconds. */
const ticks = { ms: 'a', us: 'u', ns: 'b' } as const;
type Precision = keyof typeof ticks;

/** Writes rows to a database of their own; the numbers are ticks, which lie in 1970 where they are shorter than milliseconds. */
async function stored({ rows, left, right }: Data, precision: Precision): Promise<string> {
  databases += 1;
  const database = `d${databases}`;
  await service.run(`CREATE DATABASE ${database} PRECISION '${precision}' KEEP 36500`);
  await service.run(`CREATE STABLE s (ts TIMESTAMP, v INT, w INT) TAGS (g INT, ${tagDefinitions})`, { database });
  for (const [tb, g] of [
    ['a', 1],
    ['b', 2],
    ['c', 1],
  ] as const) {
    const own = rows.filter((row: Row) => row.tb === tb).map(({ t, v, w }) => `(${t}, ${v}, ${w})`);
    if (own.length > 0)
      await service.run(`INSERT INTO ${tb} USING s TAGS (${g}, ${tagLiterals(tb)}) VALUES ${own.join(' ')}`, {
        database,
      });
  }
  for (const [name, list] of [
    ['l', left],
    ['r', right],
  ] as const) {
    await service.run(`CREATE TABLE ${name} (ts TIMESTAMP, v INT)`, { database });
    const values = list.map(({ t, v }) => `(${t}, ${v})`).join(' ');
    if (values !== '') await service.run(`INSERT INTO ${name} VALUES ${values}`, { database });
  }
  return database;
}

test('random statements give what a plain walk over the rows gives', async (t) => {
  t.timeout(runs * 120_000);
  const statements = fc.array(randomStatement, { minLength: statementsOfData, maxLength: statementsOfData });
  const precisions = fc.constantFrom<Precision>('ms', 'us', 'ns');
  const property = fc.asyncProperty(randomData, statements, precisions, async (data, list, precision) => {
    const database = await stored(data, precision);
    for (const { sql: inMilliseconds, ordered, answer } of list) {
      const sql = inMilliseconds.replaceAll(/(\d)a\b/g, `$1${ticks[precision]}`);
      const { body, text } = await service.sql(sql, { database });
      const expected = answer(data);
      const shown = `${sql}\n${JSON.stringify(data)}\n${text}`;
      const lines = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row));
      const [rows, expectedRows] = [lines(body.data ?? []), lines(expected)];
      t.deepEqual(ordered ? rows : rows.sort(), ordered ? expectedRows : expectedRows.sort(), shown);
    }
    await service.run(`DROP DATABASE ${database}`);
  });
  await fc.assert(property, { numRuns: runs, endOnFailure: true });
});
