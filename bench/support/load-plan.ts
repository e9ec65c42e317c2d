import type { FieldPlan, SuperTablePlan, ValuePlan } from '../../src/model/load-scenario.js';
import { dataType, type TypeName } from '../../src/model/schema.js';
import { openRowSource, type RowSource } from '../../src/sources/generated-rows/source.js';

function field(name: string, type: TypeName, values: ValuePlan, length?: number): FieldPlan {
  return { name, type: dataType(type, length), values, sma: false };
}

const places = ['SanFrancisco', 'LosAngles', 'SanDiego', 'SanJose', 'PaloAlto', 'Campbell', 'MountainView'];

/** What the load tool writes without arguments, with changes: 10,000 tables of 10,000 rows with FLOAT, INT, FLOAT. */
export function demoPlan(changes: Partial<SuperTablePlan> = {}): SuperTablePlan {
  return {
    name: 'meters',
    normalTables: false,
    escapeNames: false,
    columns: [
      field('current', 'FLOAT', { kind: 'steps', first: 9.8, step: 0.04, count: 10 }),
      field('voltage', 'INT', { kind: 'range', min: 105, max: 115 }),
      field('phase', 'FLOAT', { kind: 'steps', first: 0.2917, step: 0.00278, count: 10 }),
    ],
    tags: [
      field('groupid', 'INT', { kind: 'range', min: 1, max: 11 }),
      field('location', 'VARCHAR', { kind: 'choice', values: places.map((place) => `California.${place}`) }, 24),
    ],
    options: [],
    childPrefix: 'd',
    childCount: 10_000,
    childFrom: 0,
    childTo: changes.childCount ?? 10_000,
    childExists: false,
    childOffset: 0,
    childLimit: 0,
    ttl: 0,
    autoCreateTable: false,
    createBatches: [10],
    createPausesMs: [],
    tagsFile: undefined,
    mode: 'taosc',
    format: 'line',
    tcpPort: undefined,
    rows: 10_000,
    rowsPerRequest: 30_000,
    interlaceRows: 0,
    insertIntervalMs: 0,
    nonStop: false,
    partialColumns: 0,
    maxSqlBytes: 1_048_576,
    start: 1_500_000_000_000n,
    step: 1n,
    disorderRatio: 0,
    disorderRange: 1000,
    preparedRows: 10_000,
    randomPerTable: false,
    chinese: false,
    sample: undefined,
    failure: 'no',
    attempts: { more: 0, intervalMs: 0 },
    tsmas: [],
    ...changes,
  };
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
