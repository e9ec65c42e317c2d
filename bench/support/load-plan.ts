import type { SuperTablePlan } from '../../src/load/model/scenario.js';
import { openRowSource, type RowSource } from '../../src/load/rows/source.js';
import { readLoadRequest } from '../../src/load/settings/read.js';
import { parseTimestamp } from '../../src/sql/times/timestamp.js';

/** What the load tool writes without arguments, with changes: 10,000 tables of 10,000 rows with FLOAT, INT, FLOAT. */
export function demoPlan(changes: Partial<SuperTablePlan> = {}): SuperTablePlan {
  const request = readLoadRequest({
    program: 'sluice-bench',
    version: '',
    argv: [],
    env: {},
    nowMs: Date.now(),
    readFile: (path) => {
      throw new Error(`No file is read without arguments: ${path}`);
    },
    hasFile: () => false,
    sqlMistake: () => undefined,
    parseTime: (text, precision) => parseTimestamp(text, precision, 'UTC'),
    randomName: () => 'demo',
  });
  if (request.outcome !== 'run' || request.scenario.kind !== 'insert') {
    throw new Error('The load tool does not insert when it has no arguments.');
  }
  const plan = request.scenario.databases[0]?.superTables[0];
  if (plan === undefined) throw new Error('The load tool has no super table when it has no arguments.');
  return { ...plan, childTo: changes.childCount ?? plan.childTo, ...changes };
}

export function openDemo(changes: Partial<SuperTablePlan> = {}): Promise<RowSource> {
  return openRowSource({
    plan: demoPlan(changes),
    database: 'test',
    precision: 'ms',
    seed: 1,
    seriesOf: (table) => BigInt(table.length),
    readTime: () => undefined,
  });
}
