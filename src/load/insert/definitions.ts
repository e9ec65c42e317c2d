import { Codes, FaultError, fault, missingDatabase } from '../../model/fault.js';
import { isVariable } from '../../model/schema.js';
import {
  childNamesText,
  createDatabaseText,
  createSuperTable,
  dropDatabaseText,
  dropStreamText,
  superTableText,
} from '../encode/definitions.js';
import { define, firstColumn, queried, type StatementContext, shortened } from '../execution/statements.js';
import { createStreamText, storedName } from '../model/names.js';
import type { Attempts, DatabasePlan, FieldPlan, InsertScenario, SuperTablePlan } from '../model/scenario.js';

/** Precisions of the databases that the user of the run can see, by name. */
async function existingDatabases({ run }: StatementContext): Promise<ReadonlyMap<string, string>> {
  const databases = new Map<string, string>();
  const sql = 'SELECT name, `precision` FROM information_schema.ins_databases';
  for await (const [name, precision] of queried(run, sql)) databases.set(String(name), String(precision));
  return databases;
}

/** Attempts of the definitions of a database: those of its first super table, whose default is the scenario's. */
function attemptsOf(database: DatabasePlan | undefined): Attempts {
  return database?.superTables[0]?.attempts ?? { more: 0, intervalMs: 0 };
}

/** True when a plan's database is dropped and made anew. */
export function isRemade(scenario: InsertScenario, database: DatabasePlan): boolean {
  return database.drop && !scenario.supplement;
}

/**
 * Drops and creates databases, all of them before anything else; those to be used as they are must be there and fit.
 * Nothing is dropped before each statement that makes a database anew has been taken once: of one that exists it
 * changes nothing.
 */
export async function defineDatabases(scenario: InsertScenario, context: StatementContext): Promise<void> {
  const { log } = context;
  const existing = await existingDatabases(context);
  const replaced: DatabasePlan[] = [];
  for (const database of scenario.databases) {
    const name = storedName(database.name, database.escapeNames);
    const isThere = existing.has(name);
    if (!isRemade(scenario, database)) {
      checkExisting(name, database, existing.get(name));
      continue;
    }
    if (isThere) replaced.push(database);
    else log.info(createDatabaseText(database));
    await define(createDatabaseText(database), attemptsOf(database), context);
  }
  for (const database of replaced) await replaceDatabase(scenario, database, context);
}

async function replaceDatabase(
  { streams }: InsertScenario,
  database: DatabasePlan,
  context: StatementContext,
): Promise<void> {
  const { log } = context;
  const attempts = attemptsOf(database);
  for (const stream of streams) await define(dropStreamText(stream), attempts, context);
  log.warn(`Database ${storedName(database.name, database.escapeNames)} exists: it is dropped with everything in it.`);
  await define(dropDatabaseText(database), attempts, context);
  log.info(createDatabaseText(database));
  await define(createDatabaseText(database), attempts, context);
}

function checkExisting(name: string, { precision }: DatabasePlan, existing: string | undefined): void {
  if (existing === undefined) throw new FaultError(missingDatabase(name));
  if (existing === precision) return;
  const text = `Database ${name} has times in ${existing}, and the run would write them in ${precision}`;
  throw new FaultError(fault('parameter', Codes.invalidParameters, text));
}

/** Creates a super table unless it is there, and checks that it is what the rows are made for. */
export async function defineSuperTable(
  scenario: InsertScenario,
  database: DatabasePlan,
  plan: SuperTablePlan,
  context: StatementContext,
): Promise<void> {
  const stored = storedName(database.name, database.escapeNames);
  const names = { database: stored, quoted: plan.escapeNames };
  if (!scenario.supplement) {
    const sql = createSuperTable(names, storedName(plan.name, plan.escapeNames), plan);
    context.log.info(shortened(sql, 1000));
    await define(sql, plan.attempts, context, { database: stored });
  }
  await checkSuperTable(database, plan, context);
}

interface ServerField {
  readonly name: string;
  readonly type: string;
  readonly length: number;
}

/** Compares the table with the plan: names and types, and that texts have room. */
async function checkSuperTable(database: DatabasePlan, plan: SuperTablePlan, { run }: StatementContext): Promise<void> {
  const columns: ServerField[] = [];
  const tags: ServerField[] = [];
  for await (const [name, type, length, note] of queried(run, `DESCRIBE ${superTableText(database, plan)}`)) {
    const list = note === 'TAG' ? tags : columns;
    list.push({ name: String(name), type: String(type), length: Number(length) });
  }
  const problem = differenceOf('column', plan.columns, columns.slice(1)) ?? differenceOf('tag', plan.tags, tags);
  if (problem === undefined) return;
  const text = `Super table ${superTableText(database, plan)} exists and is another one: ${problem}`;
  throw new FaultError(fault('parameter', Codes.invalidParameters, text));
}

function differenceOf(kind: string, planned: readonly FieldPlan[], fields: readonly ServerField[]): string | undefined {
  if (planned.length !== fields.length) return `it has ${fields.length} ${kind}s instead of ${planned.length}`;
  for (const [i, { name, type }] of planned.entries()) {
    const there = fields[i]!;
    if (there.name !== storedName(name, false)) return `${kind} ${i + 1} is ${there.name} instead of ${name}`;
    if (there.type.replace(/\(.*/, '') !== type.name) return `${kind} ${name} is ${there.type} instead of ${type.name}`;
    const isShort = isVariable(type.name) && type.name !== 'JSON' && there.length < type.length;
    if (isShort) return `${kind} ${name} has room for ${there.length} instead of ${type.length}`;
  }
  return undefined;
}

/** Names of the sub-tables that are to be filled as they are. */
export function existingTables(
  database: DatabasePlan,
  plan: SuperTablePlan,
  { run }: StatementContext,
): Promise<string[]> {
  return firstColumn(run, childNamesText(database, plan));
}

/** Makes the streams of the scenario anew, and logs both statements. Names without a database are in the only one. */
export async function defineStreams({ streams, databases }: InsertScenario, context: StatementContext): Promise<void> {
  const [first, ...others] = databases;
  const attempts = attemptsOf(first);
  const isAlone = first !== undefined && others.length === 0;
  const options = isAlone ? { database: storedName(first.name, first.escapeNames) } : {};
  for (const stream of streams) {
    for (const sql of [dropStreamText(stream), createStreamText(stream)]) {
      context.log.info(sql);
      await define(sql, attempts, context, options);
    }
  }
}
