import { Access } from '../../database/catalogue/rights.js';
import type { Engine } from '../../database/engine/engine.js';
import type { Changes } from '../../database/store/changes.js';
import type { StreamStates } from '../../database/store/stream-states.js';
import type { ComponentLog } from '../../model/component.js';
import type { StreamDef } from '../../model/derivation.js';
import { parseStatement } from '../../sql/parser/statement.js';
import type { CreateStream } from '../../sql/plan/stream-query.js';
import { collectTables, type QueryContext, type TableTarget } from '../../sql/values/context.js';
import { type QueryNamesContext, type QueryRequest, queryContext } from '../queries/query-names.js';
import type { RowWriter } from '../row-writer.js';

/** Context in which streams are made and run. */
export interface StreamContext extends QueryNamesContext {
  readonly engine: Engine;
  readonly changes: Changes;
  readonly states: StreamStates;
  readonly writes: RowWriter;
  readonly log: ComponentLog;
}

/** The statement that made a stream. */
export function streamStatement({ name, statement }: Pick<StreamDef, 'name' | 'statement'>): CreateStream {
  const parsed = parseStatement(statement);
  if (parsed.kind !== 'create-stream') throw new Error(`Stream ${name} was not made by CREATE STREAM.`);
  return parsed;
}

/** Meaning of the names in a stream's statement to its maker, who reads the source and writes the target. */
export async function streamNames(
  { query, target }: CreateStream,
  { current, user, timeZone }: Pick<StreamDef, 'current' | 'user' | 'timeZone'>,
  context: StreamContext,
): Promise<QueryContext> {
  const request: QueryRequest = {
    database: current,
    connectionZone: timeZone,
    timeZone: 'UTC',
    form: 'arrays',
    rowLimit: -1,
  };
  const access = new Access(context.catalogue, user);
  const into = { database: target.database?.text, name: target.name.text };
  const nothing = (): undefined => undefined;
  const read = await queryContext(collectTables(query), nothing, request, access, 'READ', context);
  const written = await queryContext([into], nothing, request, access, 'WRITE', context);
  const within = into.database ?? current;
  return {
    ...read,
    resolveTable: (database, name) =>
      (database === within && name === into.name ? written : read).resolveTable(database, name),
  };
}

/** Identity of a table, which a later one of its name does not have. */
export function tableId(target: TableTarget): string {
  return target.kind === 'sub' ? String(target.id) : target.table.id;
}
