import { Access } from '../../database/catalogue/rights.js';
import { storableTimes } from '../../database/catalogue/storable-times.js';
import type { StreamDef } from '../../model/derivation.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { DatabaseDef } from '../../model/schema.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { ofSeries, ofTable } from '../../sql/engine/storage.js';
import type { InsertSelectPlan } from '../../sql/plan/insert-select.js';
import { planStream, type StreamPiece } from '../../sql/plan/stream.js';
import { type CreateStream, type StreamQuery, streamQuery } from '../../sql/plan/stream-query.js';
import type { QueryContext } from '../../sql/values/context.js';
import { insertSelected } from '../inserts/insert-select.js';
import { type StreamContext, streamNames, tableId } from './context.js';

/** A stream with what its statement means now. */
export interface PreparedStream {
  readonly def: StreamDef;
  readonly statement: CreateStream;
  readonly query: StreamQuery;
  readonly names: QueryContext;
  readonly source: DatabaseDef;
  readonly context: StreamContext;
  readonly signal: AbortSignal;
}

/** Resolves the names of a stream's statement. Throws FaultErrors when something that the stream needs is gone. */
export async function preparedStream(
  def: StreamDef,
  statement: CreateStream,
  context: StreamContext,
  signal: AbortSignal,
): Promise<PreparedStream> {
  const { catalogue } = context;
  if (catalogue.principals.user(def.user) === undefined) throw broken(`user ${def.user} was dropped`);
  const { source: from, target: into } = def;
  if (catalogue.table(into.database, into.table)?.id !== into.id) {
    throw broken(`table ${into.database}.${into.table} was dropped`);
  }
  const names = await streamNames(statement, def, context);
  if (names.resolveTable(from.database, from.table) === undefined)
    throw broken(`table ${from.database}.${from.table} was dropped`);
  const query = streamQuery(statement, names);
  if (tableId(query.source) !== from.id) throw broken(`table ${from.database}.${from.table} was dropped`);
  const source = catalogue.database(query.database);
  if (source === undefined) throw broken(`database ${from.database} was dropped`);
  return { def, statement, query, names, source, context, signal };
}

function broken(reason: string): FaultError {
  return new FaultError(fault('database', Codes.invalidStreamQuery, `The stream cannot run: ${reason}`));
}

/** Conditions on bare stored rows: that they are of the source, where others lie beside them. */
export function seriesTerms({ source }: StreamQuery): Expr[] {
  const own = ofTable(source.table);
  if (source.kind === 'super') return own;
  const id = source.kind === 'sub' ? source.id : source.table.seriesId;
  return [...own, ...(id === undefined ? [] : [ofSeries([id])])];
}

/** The plan of the rows for one piece of the source. */
export function planPiece(stream: PreparedStream, piece: StreamPiece): InsertSelectPlan {
  const { statement, query, def, names, context } = stream;
  return planStream(statement, query, piece, def.name, names, (database) => {
    return storableTimes(context.catalogue.database(database)!);
  });
}

/** Writes the rows of a plan as those of the stream's maker; gives their number. */
export async function store({ context, def, signal }: PreparedStream, plan: InsertSelectPlan): Promise<number> {
  const { engine, catalogue, subTables, writes } = context;
  const access = new Access(catalogue, def.user);
  return insertSelected(plan, {
    engine: engine.complete,
    catalogue,
    subTables,
    access,
    write: (blocks, bytes) => writes.insert({ blocks, user: def.user, bytes }),
    signal,
  });
}
