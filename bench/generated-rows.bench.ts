import type { SuperTablePlan } from '../src/load/model/scenario.js';
import { openDemo } from './support/load-plan.js';

const maxSeconds = 2;

/** Prints rows/s of generated column blocks that nobody writes. */
export async function run(): Promise<void> {
  await measure('one table after the other', {});
  await measure('10 rows a table and round', { interlaceRows: 10 });
  await measure('1 row a table and round', { interlaceRows: 1 });
  await measure('values of their own for each table', { randomPerTable: true });
  await measure('a tenth of the rows late', { disorderRatio: 10 });
  await measure('a million tables of 10 rows', { childCount: 1_000_000, rows: 10 });
}

async function measure(name: string, changes: Partial<SuperTablePlan>): Promise<void> {
  const source = await openDemo(changes);
  const begin = performance.now();
  let rows = 0;
  let seconds = 0;
  for (const { block } of source.requests(source.tables)) {
    rows += block.rows;
    seconds = (performance.now() - begin) / 1000;
    if (seconds > maxSeconds) break;
  }
  console.log(`generated rows, ${name}: ${(rows / seconds / 1e6).toFixed(1)} million rows/s`);
}
