import { expectedFault } from '../../model/fault.js';
import { superTableText } from '../encode/definitions.js';
import { qualifiedName } from '../encode/insert-sql.js';
import { faultLine, type StatementContext } from '../execution/statements.js';
import { sqlName, storedName } from '../model/names.js';
import { type FilledTable, insertTarget } from './modes.js';

/** Most tags, by their number, that one series of queries over a super table goes up to. */
const mostGroups = 10;

/**
 * The aggregation queries after an insertion (`-x`): each function over a growing number of groups of the super table,
 * or over each normal table. What fails ends this phase and not the run.
 */
export async function aggregate(table: FilledTable, context: StatementContext): Promise<void> {
  const { plan, source } = table;
  const tables = source.tables.to - source.tables.from;
  const records = tables * plan.rows;
  context.log.done(`Querying On ${records} records`);
  try {
    for (const expression of functionsOf(table)) {
      const queries = plan.normalTables
        ? queriesOfTables(table, expression)
        : queriesOfGroups(table, expression, tables);
      for (const sql of queries) {
        if (context.stop.aborted) return;
        await time(sql, records, context);
      }
    }
  } catch (error) {
    context.log.error(`An aggregation query failed: ${faultLine(expectedFault(error))}`);
  }
}

async function time(sql: string, records: number, { run, log }: StatementContext): Promise<void> {
  const begun = performance.now();
  const answer = await run(sql);
  if (answer.kind === 'rows') for await (const _ of answer.lines);
  const ms = performance.now() - begun;
  log.done(`${sql} took ${(ms / 1000).toFixed(6)} second(s)`);
  log.done(`Speed: ${(records / ms).toFixed(2)} records/ms, Latency: ${ms.toFixed(4)} ms`);
}

function functionsOf({ plan }: FilledTable): readonly string[] {
  const [column] = plan.columns;
  const name = sqlName(storedName(column?.name ?? 'ts', false), false);
  const functions = ['avg', 'sum', 'max', 'min', 'first', 'last'].map((word) => `${word}(${name})`);
  return ['*', 'count(*)', ...functions];
}

function queriesOfGroups({ database, plan }: FilledTable, expression: string, tables: number): string[] {
  const [tag] = plan.tags;
  const name = sqlName(storedName(tag?.name ?? 'tbname', false), false);
  return Array.from({ length: Math.min(mostGroups, tables) }, (_, m) => {
    const groups = Array.from({ length: m + 1 }, (_, group) => `${name} = ${group + 1}`).join(' OR ');
    return `SELECT ${expression} FROM ${superTableText(database, plan)} WHERE ${groups}`;
  });
}

function* queriesOfTables({ database, plan, source }: FilledTable, expression: string): Generator<string, void, void> {
  const target = insertTarget(database, plan, source);
  for (let table = source.tables.from; table < source.tables.to; table++) {
    yield `SELECT ${expression} FROM ${qualifiedName(target, source.tables.nameOf(table))} WHERE ts >= ${plan.start}`;
  }
}
