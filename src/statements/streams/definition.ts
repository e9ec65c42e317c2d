import { checkedName, declaredType } from '../../database/catalogue/column-type.js';
import { storableTimes } from '../../database/catalogue/storable-times.js';
import { createNamed } from '../../database/store/create-named.js';
import type { StreamTable } from '../../model/derivation.js';
import { Codes, FaultError } from '../../model/fault.js';
import { noSuperTable, refusals } from '../../model/refusals.js';
import type { DatabaseDef } from '../../model/schema.js';
import { planStream, streamTableShape } from '../../sql/plan/stream.js';
import {
  type CreateStream,
  invalidStream,
  resultsVanish,
  type StreamQuery,
  streamQuery,
} from '../../sql/plan/stream-query.js';
import { durationTicks } from '../../sql/times/timestamp.js';
import type { QueryContext } from '../../sql/values/context.js';
import { type DefinitionContext, databaseOf, submit } from '../definitions/context.js';
import { type StreamContext, streamNames, streamStatement, tableId } from './context.js';

/** Longest statement that a stream keeps, in bytes. */
const maxStatementBytes = 65_536;
/** Streams of one installation. */
const maxStreams = 1000;

/**
 * CREATE STREAM: checks the query, makes the super table of the results where it is missing, and records from where on
 * the rows of the source count. What no stream can run is refused here, with 0x2645.
 */
export async function createStream(
  statement: CreateStream,
  definitions: DefinitionContext,
  context: StreamContext,
): Promise<void> {
  const { catalogue } = definitions;
  const name = checkedName(statement.name.text, 192);
  if (catalogue.derivations.stream(name) !== undefined) {
    if (statement.ifNotExists) return;
    throw new FaultError(refusals.streamAlreadyExists);
  }
  if (catalogue.derivations.streams().length >= maxStreams)
    throw invalidStream(`there are ${maxStreams} streams already`);
  if (Buffer.byteLength(definitions.statement) > maxStatementBytes) throw new FaultError(refusals.statementTooLong);
  const maker = { current: definitions.database, user: definitions.user, timeZone: definitions.timeZone };
  const database = await databaseOf(definitions, statement.target);
  const query = streamQuery(statement, await streamNames(statement, maker, context));
  checkOptions(statement, query);
  if (database.precision !== catalogue.database(query.database)?.precision) {
    throw invalidStream('source and target have databases of different precision');
  }
  const source = { database: query.database, table: sourceName(statement), id: tableId(query.source) };
  checkCircle(query, database, statement.target.name.text, definitions);
  await context.changes.track(catalogue.database(query.database)!, query.source.table);
  checkWriters(statement, query, database, definitions);
  const ownsTarget = await makeTarget(statement, query, database, definitions);
  const names = await streamNames(statement, maker, context);
  checkTarget(statement, query, name, names, definitions);
  const target = targetOf(statement, database, definitions);
  const start = statement.options.fillHistory ? 0 : await context.changes.latest(query.source.table);
  const { statement: text } = definitions;
  const operation = {
    op: 'create-stream',
    name,
    statement: text,
    ...maker,
    source,
    target,
    ownsTarget,
    start,
  } as const;
  await submit(definitions, operation, statement.ifNotExists ? Codes.streamAlreadyExists : undefined);
}

function sourceName({ query }: CreateStream): string {
  return query.kind === 'select' && query.from?.kind === 'table' ? query.from.table.name.text : '';
}

/** Windows that rows make end when the next one begins, which only the rows show. */
function checkOptions({ options }: CreateStream, { windows }: StreamQuery): void {
  const { trigger, watermark, ignoreExpired } = options;
  if (trigger.kind === 'window-close' && windows.kind !== 'interval') {
    throw invalidStream('TRIGGER WINDOW_CLOSE needs INTERVAL windows');
  }
  if (ignoreExpired && windows.kind === 'rows') throw invalidStream('IGNORE EXPIRED 1 needs INTERVAL windows');
  for (const duration of [watermark, trigger.kind === 'max-delay' ? trigger.delay : undefined]) {
    if (duration === undefined) continue;
    const ticks = durationTicks(duration, 'ns');
    if (ticks === undefined || ticks < 0n) throw invalidStream('WATERMARK and MAX_DELAY are fixed and not negative');
  }
}

/** A stream must not feed itself, be it by way of others. */
function checkCircle(
  { source, database: from }: StreamQuery,
  { name: database }: DatabaseDef,
  target: string,
  { catalogue }: DefinitionContext,
): void {
  const streams = catalogue.derivations.streams();
  const open = [{ database, table: target }];
  for (let next = open.pop(), seen = 0; next !== undefined && seen <= streams.length; next = open.pop(), seen++) {
    const at = next;
    if (at.database === from && at.table === source.table.name) throw invalidStream('it would read what it writes');
    open.push(...streams.filter((stream) => isSource(stream.source, at)).map((stream) => stream.target));
  }
}

function isSource(source: StreamTable, { database, table }: Pick<StreamTable, 'database' | 'table'>): boolean {
  return source.database === database && source.table === table;
}

/** Results that may vanish are removed from the target, so nothing else may be in it. */
function checkWriters(
  statement: CreateStream,
  { windows, source }: StreamQuery,
  { name: database }: DatabaseDef,
  { catalogue }: DefinitionContext,
): void {
  const table = catalogue.table(database, statement.target.name.text);
  if (table === undefined) return;
  const { derivations } = catalogue;
  if (windows.kind === 'rows' && !derivations.isStreamTable(table.id)) {
    throw invalidStream('windows that rows make need a table of their own, which the stream makes');
  }
  const others = derivations.streams().filter(({ target }) => target.id === table.id);
  const mayVanish = others.some((other) => resultsVanish(streamStatement(other)));
  if (others.length > 0 && (mayVanish || resultsVanish(statement, source.table.tags))) {
    throw invalidStream(`stream ${others[0]?.name ?? ''} writes to the same table`);
  }
}

/** Makes the super table of the results unless it is there; returns whether it was made. */
async function makeTarget(
  statement: CreateStream,
  query: StreamQuery,
  database: DatabaseDef,
  definitions: DefinitionContext,
): Promise<boolean> {
  const { catalogue, subTables, storage } = definitions;
  const name = checkedName(statement.target.name.text, 192);
  const table = catalogue.table(database.name, name);
  if (table?.kind === 'super') return catalogue.derivations.isStreamTable(table.id);
  if (table !== undefined) throw new FaultError(noSuperTable(name));
  const shape = streamTableShape(statement, query, ({ type }) => type && declaredType(type, 'tag'));
  const spec = { database: database.name, name, kind: 'super', comment: undefined, ttl: 0, ...shape } as const;
  const refused = await createNamed(catalogue, subTables, database, { op: 'create-table', ...spec });
  if (refused !== undefined && refused.code !== Codes.stableAlreadyExists) throw new FaultError(refused);
  const created = catalogue.table(database.name, name);
  if (created !== undefined) await storage.ensure(database, created);
  return refused === undefined;
}

/** Throws the fault of results that the columns and tags of the target cannot take. */
function checkTarget(
  statement: CreateStream,
  query: StreamQuery,
  name: string,
  names: QueryContext,
  { catalogue }: DefinitionContext,
): void {
  const everything = { rows: () => [], results: () => [] };
  planStream(statement, query, everything, name, names, (database) => storableTimes(catalogue.database(database)!));
}

function targetOf({ target }: CreateStream, database: DatabaseDef, { catalogue }: DefinitionContext): StreamTable {
  const table = catalogue.table(database.name, target.name.text);
  if (table === undefined) throw new FaultError(noSuperTable(target.name.text));
  return { database: database.name, table: table.name, id: table.id };
}
