import test from 'ava';
import fc from 'fast-check';
import type { ColumnBlock } from '../../../src/model/column-block.js';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import { divideInsert } from '../../../src/statements/inserts/insert-division.js';
import { cases } from '../../support/cases.js';

const refusal = fault('syntax', Codes.insertSyntax, 'a bad row');
const gone = fault('database', Codes.tableNotExist, 'gone');

/** Divides a statement whose rows are refused that say `bad`, and whose clauses are that name a table `gone…`; records what was scanned. */
async function divided(statement: string) {
  const taken: string[] = [];
  let scans = 0;
  const scan = async (part: Buffer): Promise<readonly ColumnBlock[]> => {
    scans++;
    const text = part.toString();
    if (/gone\d* /.test(text)) throw new FaultError(gone);
    if (/VALUES\s*$/.test(text)) throw new FaultError(fault('syntax', Codes.insertSyntax, noRows));
    if (text.includes('bad')) throw new FaultError(refusal);
    taken.push(text);
    return [];
  };
  const { refused } = await divideInsert(Buffer.from(statement), scan);
  return { taken, refused, scans };
}

const noRows = "syntax error near '' (no any data points)";

test('rows that are refused are counted by table, and all others are scanned once, in their order', async (t) => {
  const clause = fc.record({
    table: fc.constantFrom('a', 'b', 'gone1'),
    rows: fc.array(fc.boolean(), { minLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(clause, { minLength: 1, maxLength: 6 }), async (clauses) => {
      let next = 0;
      const good: number[] = [];
      const bad = new Map<string, number>();
      const parts = clauses.map(({ table, rows }) => {
        const values = rows.map((isBad) => {
          const n = next++;
          if (isBad || table === 'gone1') bad.set(table, (bad.get(table) ?? 0) + 1);
          else good.push(n);
          return isBad ? `(${n}, 'bad')` : `(${n}, ')(''')`;
        });
        return `${table} (ts, v) VALUES ${values.join(', ')}`;
      });
      const { taken, refused } = await divided(`INSERT INTO ${parts.join(' ')};`);
      t.deepEqual(new Map(refused.map(({ table, rows }) => [table, rows])), bad);
      const numbers = taken.flatMap((text) => [...text.matchAll(/\((\d+), /g)].map(([, n]) => Number(n)));
      t.deepEqual(numbers, good);
    }),
    { numRuns: cases(50, 200, 1_000) },
  );
});

test('a table that is gone costs one look at it, however many rows it has', async (t) => {
  const rows = Array.from({ length: 5_000 }, (_, n) => `(${n}, 1)`).join('');
  const { refused, taken, scans } = await divided(`INSERT INTO a VALUES (1, 1) gone1 VALUES ${rows} b VALUES (2, 2)`);
  t.deepEqual(refused, [{ table: 'gone1', rows: 5_000, fault: gone }]);
  t.is(taken.length, 2);
  t.true(scans < 8, `${scans} scans`);
});

test('a fault that may pass refuses nothing', async (t) => {
  const away = new FaultError(fault('network', Codes.networkUnavailable, 'away'));
  await t.throwsAsync(
    divideInsert(Buffer.from('INSERT INTO a VALUES (1, 1)'), () => Promise.reject(away)),
    { is: away },
  );
});
