import { isUtf8 } from 'node:buffer';
import { Access } from '../database/catalogue/rights.js';
import { storableTimes } from '../database/catalogue/storable-times.js';
import { deleteRows } from '../database/store/delete-rows.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { SqlAnswer } from '../model/exchange.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import { noSuperTable, notSupported } from '../model/refusals.js';
import { parseStatement } from '../sql/parser/statement.js';
import { planDelete, planSubTables } from '../sql/plan/delete.js';
import { planInsertSelect } from '../sql/plan/insert-select.js';
import { expandViews } from '../sql/resolve/views.js';
import type { StatementOf } from '../sql/syntax/ast-statement.js';
import type { QueryContext } from '../sql/values/context.js';
import { insertBound } from './bound/insert-bound.js';
import {
  databaseOf,
  definitionsOf,
  done,
  type RequestScope,
  runRegistered,
  type StatementContext,
  upToDate,
} from './context.js';
import { createChildTables } from './definitions/child-tables.js';
import { databaseOf as databaseFor, findTable } from './definitions/context.js';
import { tagValues } from './definitions/set-tags.js';
import { createView } from './definitions/views.js';
import { withCalls } from './inserts/insert-calls.js';
import { insertRows } from './inserts/insert-rows.js';
import { insertSelected } from './inserts/insert-select.js';
import { planned, readable, tablesOf, writable } from './queries/queries.js';
import { nowNanos } from './queries/query-names.js';

/** Runs a statement that changes rows. It cannot be cancelled once it has started. */
async function change(
  { request, user }: RequestScope,
  context: StatementContext,
  run: () => Promise<number>,
): Promise<SqlAnswer> {
  const running = context.running.begin(user, request.statement);
  try {
    return { kind: 'affected', rows: await upToDate(context, run) };
  } finally {
    running.end();
  }
}

/** INSERT … VALUES. Calls of functions among the values are computed once it is refused for one. */
export function insert(scope: RequestScope, context: StatementContext): Promise<SqlAnswer> {
  // One NOW for all attempts, so that none stores rows beside those of the one before.
  const nowNs = nowNanos();
  if (scope.request.bound !== undefined) {
    return change(scope, context, () => insertBound(scope.request, scope.user, nowNs, context));
  }
  return change(scope, context, () =>
    withCalls(scope, context, ({ request, user }, isComputed) =>
      insertRows(request, user, nowNs, context, isComputed ? 'tags' : 'all'),
    ),
  );
}

const tagNotUtf8 = fault(
  'syntax',
  Codes.insertSyntax,
  'syntax error: a tag is not UTF-8; INSERT … USING … takes bytes for VARBINARY',
);

/** CREATE TABLE … USING …, whose tags may be calls of functions. */
export function makeSubTables(
  statement: StatementOf<'create-child-tables'>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  return withCalls(scope, context, async (current, isComputed) => {
    // What a function gives may be no text, and would become another one.
    if (isComputed && !isUtf8(current.request.statement)) throw new FaultError(tagNotUtf8);
    const same = !isComputed ? statement : parseStatement(current.request.statement.toString('utf8'));
    if (same.kind !== statement.kind) throw new Error(`A statement of kind ${statement.kind} became ${same.kind}.`);
    await createChildTables(same.tables, definitionsOf(current, context));
    return done;
  });
}

/** DELETE. */
export function remove(
  { table, where }: StatementOf<'delete'>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const { engine, storage, writes } = context;
  const { request } = scope;
  return change(scope, context, async () => {
    await writes.visible(databaseOf(table, request.database));
    return deleteRows(planDelete(table, where, await writable(table, scope, context)), engine, storage);
  });
}

/** `ALTER TABLE USING super_table SET TAG …`, of all sub-tables that meet a condition on their tags. */
export async function setTagsUsing(
  { table, tags, where }: StatementOf<'set-tags-using'>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const { storage, subTables } = context;
  const definitions = definitionsOf(scope, context);
  const database = await databaseFor(definitions, table);
  const parent = await findTable(definitions, database, table.name.text);
  if (parent?.kind !== 'super') throw new FaultError(noSuperTable(table.name.text));
  const values = tagValues(tags, parent, database, definitions);
  const right = new Access(context.catalogue, scope.user).may('WRITE', database.name) ? 'WRITE' : 'ALTER';
  const which = planSubTables(table, where, await writable(table, scope, context, right));
  await storage.ensure(database, parent);
  await subTables.setTagsWhere(parent, which, values);
  return done;
}

/** INSERT … SELECT. */
export function insertQuery(
  statement: StatementOf<'insert-select'>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const { request, user } = scope;
  const { catalogue, writes } = context;
  const { table } = statement;
  return runRegistered(scope, context, async ({ signal }) => {
    const plan = await upToDate(context, async () => {
      const read = tablesOf(statement.query, request.database, catalogue);
      const written = databaseOf(table, request.database);
      await writes.visible(read === 'all' || written === 'all' ? 'all' : [...read, ...written]);
      const target = await writable(table, scope, context);
      const { query, context: source } = await readable(statement.query, scope, context);
      const into = table.database?.text ?? request.database;
      const resolveTable: QueryContext['resolveTable'] = (database, name) =>
        (database === into && name === table.name.text ? target : source).resolveTable(database, name);
      const names = { ...source, resolveTable };
      return planInsertSelect({ ...statement, query }, names, (name) => storableTimes(catalogue.database(name)!));
    });
    const write = (blocks: readonly ColumnBlock[], bytes: number) => writes.insert({ blocks, user, bytes });
    const rows = await insertSelected(plan, { ...context, access: new Access(catalogue, user), write, signal });
    return { kind: 'affected', rows };
  });
}

/** CREATE VIEW: a view is made of a query that can be run, also once the view exists. */
export async function makeView(
  statement: StatementOf<'create-view'>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const { request } = scope;
  const { catalogue } = context;
  const { query, view } = statement;
  await upToDate(context, () => planned(query, scope, context));
  const own = { database: view.database?.text ?? request.database, name: view.name.text };
  expandViews(query, request.database, (database, name) => {
    if (database === own.database && name === own.name)
      throw new FaultError(notSupported(`view ${name} that stands on itself`));
    const other = catalogue.view(database, name);
    return other && { query: context.reader.view(other), current: other.current };
  });
  await createView(statement, definitionsOf(scope, context));
  return done;
}
