import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { storableTimes } from '../../database/catalogue/storable-times.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import { Codes, expectedFault, FaultError, fault, missingDatabase } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { DatabaseDef, SubTable } from '../../model/schema.js';
import { httpLinesSink } from '../destination/http-lines.js';
import type { HttpService } from '../destination/http-service.js';
import { httpStatements } from '../destination/http-statements.js';
import { type InsertTarget, insertEncoder } from '../encode/insert-sql.js';
import { linesEncoder } from '../encode/lines.js';
import type { RowEncoder } from '../encode/row-encoder.js';
import { storedName } from '../model/names.js';
import type { RowBlocks, RowSink, RowText, RunSql, WriteBlocks, WriteLines } from '../model/ports.js';
import { type RowRequest, tableRequests } from '../model/row-request.js';
import { type DatabasePlan, type InsertMode, isSchemaless, type SuperTablePlan } from '../model/scenario.js';
import type { RowSource } from '../rows/source.js';
import { blocksSink, linesSink, sqlSink } from '../sinks/embedded.js';
import { TelnetTcpSink } from '../sinks/telnet-tcp.js';

/** The ways to the database; which of them are there depends on the modes of the scenario. */
export interface InsertWays {
  readonly embedded: EmbeddedPorts | undefined;
  readonly http: HttpService | undefined;
  /** Fires when nothing may wait any longer. */
  readonly cut: AbortSignal;
}

/** The embedded service as rows use it. */
interface EmbeddedPorts {
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  readonly run: RunSql;
  readonly writeBlocks: WriteBlocks;
  readonly writeLines: WriteLines;
  ping(): Promise<boolean>;
}

/** A request, or a part of it where it is too long for one. */
export interface RequestPart {
  readonly rows: number;
  send(deadline: AbortSignal): Promise<Delivery>;
}

/** A mode for one thread: its encoder, and the sink behind it. */
export interface RowPath extends Pick<RowSink<RowText>, 'end' | 'stop'> {
  /** True when requests of a thread follow each other on one connection. */
  readonly isRemote: boolean;
  /** The parts of a request, each made when the one before has ended, because they share a buffer. */
  parts(request: RowRequest): Iterable<RequestPart>;
}

/** Data that fill one super table. */
export interface FilledTable {
  readonly database: DatabasePlan;
  readonly plan: SuperTablePlan;
  readonly source: RowSource;
}

/** Longest text of a schemaless request. */
const maxLinesBytes = 1024 * 1024;

/** The mode of a super table, or, where only HTTP reaches the database, the mode in its place. */
export function pathMode({ mode }: SuperTablePlan, { embedded }: InsertWays): InsertMode {
  if (embedded !== undefined) return mode;
  return isSchemaless(mode) ? 'sml-rest' : 'rest';
}

/** The path of a super table for one thread; `host` is that of telnet-format listeners. */
export function openPath(table: FilledTable, ways: InsertWays, host: string): RowPath {
  const { plan } = table;
  const { embedded, http, cut } = ways;
  switch (pathMode(plan, ways)) {
    case 'stmt':
      return new BlocksPath(table, needed(embedded));
    case 'taosc':
      return textPath(table, sqlEncoder(table), sqlSink(needed(embedded).run));
    case 'rest':
      return textPath(table, sqlEncoder(table), sqlSink(httpStatements(needed(http))), true);
    case 'sml':
      return textPath(table, schemalessEncoder(table), linesSink(needed(embedded).writeLines));
    case 'sml-rest': {
      const { tcpPort: port } = plan;
      const sink = port === undefined ? httpLinesSink(needed(http)) : new TelnetTcpSink({ host, port, cut });
      return textPath(table, schemalessEncoder(table), sink, true);
    }
  }
}

function needed<T>(way: T | undefined): T {
  if (way === undefined) throw new Error('A mode of the scenario has no way to the database.');
  return way;
}

function sqlEncoder({ database, plan, source }: FilledTable): RowEncoder {
  return insertEncoder(insertTarget(database, plan, source), plan.maxSqlBytes);
}

/** Names in statements of the tables of a super table. */
export function insertTarget(database: DatabasePlan, plan: SuperTablePlan, source: RowSource): InsertTarget {
  const written = plan.columns.slice(0, plan.partialColumns || plan.columns.length);
  const isPartial = written.length < plan.columns.length;
  return {
    database: storedName(database.name, database.escapeNames),
    quoted: plan.escapeNames,
    nameOf: (table) => source.tables.nameOf(table),
    using: plan.autoCreateTable && !plan.normalTables ? usingTarget(plan, source) : undefined,
    columns: isPartial ? ['ts', ...written.map(({ name }) => storedName(name, false))] : undefined,
  };
}

/** The super table and the tags of sub-tables that are created. */
export function usingTarget(plan: SuperTablePlan, source: RowSource) {
  return {
    superTable: storedName(plan.name, plan.escapeNames),
    tags: plan.tags,
    tagRows: (from: number, count: number) => source.tags.rows(from, count),
  };
}

function schemalessEncoder({ database, plan, source }: FilledTable): RowEncoder {
  const target = {
    format: plan.format,
    superTable: plan.name,
    precision: database.precision,
    tags: plan.tags,
    tagRows: (from: number, count: number) => source.tags.rows(from, count),
    nameOf: (table: number) => source.tables.nameOf(table),
    put: plan.tcpPort !== undefined,
  };
  return linesEncoder(target, maxLinesBytes);
}

/** Rows as text: one part for each text that they fill. */
function textPath(
  { database, plan }: FilledTable,
  encoder: RowEncoder,
  sink: RowSink<RowText>,
  isRemote = false,
): RowPath {
  const place = {
    database: storedName(database.name, database.escapeNames),
    format: encoder.format,
    precision: database.precision,
  };
  function* parts(request: RowRequest): Generator<RequestPart, void, void> {
    for (let from = 0; from < request.block.rows; ) {
      const { bytes, rows } = encoder.encode(request, from);
      from += rows;
      // The next request may be encoded while a short one is in flight.
      const text = request.block.rows < plan.rowsPerRequest ? Buffer.from(bytes) : bytes;
      yield { rows, send: (deadline) => sink.write({ ...place, rows, text }, deadline) };
    }
  }
  return {
    isRemote,
    parts,
    end: async (deadline) => sink.end?.(deadline),
    stop: async () => sink.stop?.(),
  };
}

/** The mode `stmt`: rows as column blocks with the ids of their series. */
class BlocksPath implements RowPath {
  readonly isRemote = false;
  readonly #table: FilledTable;
  readonly #embedded: EmbeddedPorts;
  readonly #database: DatabaseDef;
  readonly #sink: RowSink<RowBlocks>;
  /** Epoch of the database for which the ids of the source are right. */
  readonly #epoch: number;
  /** The first time that the database keeps, where rows may lie before it; undefined where none does. */
  readonly #oldest: bigint | undefined;

  constructor(table: FilledTable, embedded: EmbeddedPorts) {
    this.#table = table;
    this.#embedded = embedded;
    this.#database = databaseOf(table.database, embedded.catalogue);
    this.#sink = blocksSink(embedded.writeBlocks);
    this.#epoch = embedded.catalogue.epoch(this.#database.name);
    const { min } = storableTimes(this.#database);
    const { start, disorderRatio, disorderRange, sample } = table.plan;
    const first = disorderRatio > 0 ? start - BigInt(disorderRange) : start;
    this.#oldest = sample?.useTimes === true || first < min ? min : undefined;
  }

  *parts(request: RowRequest): Generator<RequestPart, void, void> {
    const { rows } = request.block;
    yield { rows, send: (deadline) => this.#send(request, deadline) };
  }

  async #send(request: RowRequest, deadline: AbortSignal): Promise<Delivery> {
    const { catalogue } = this.#embedded;
    const oldest = this.#oldest;
    if (oldest !== undefined && request.block.times.some((time) => time < oldest)) {
      const failure = fault('parameter', Codes.timestampOutOfRange, 'Timestamp data out of range');
      return { outcome: 'rejected', fault: failure };
    }
    try {
      const isCurrent = catalogue.epoch(this.#database.name) === this.#epoch;
      const blocks = this.#blocks(isCurrent ? request : await this.#renewed(request));
      // Ids, times and three values or so; only the bound of memory depends on it.
      const { rows, columns } = request.block;
      return await this.#sink.write({ blocks, rows, bytes: rows * (16 + 8 * columns.length) }, deadline);
    } catch (error) {
      const failure = expectedFault(error);
      return { outcome: failure.kind === 'network' ? 'failed' : 'rejected', fault: failure };
    }
  }

  #blocks(request: RowRequest): readonly ColumnBlock[] {
    const { plan, source } = this.#table;
    if (plan.normalTables) {
      const named = ({ block, tables }: RowRequest) => ({ ...block, table: source.tables.nameOf(tables[0]!) });
      return tableRequests(request).map(named);
    }
    if (!plan.autoCreateTable) return [request.block];
    return [{ ...request.block, newSubTables: this.#unknown(request.tables) }];
  }

  #unknown(tables: Uint32Array): SubTable[] {
    const { plan, source } = this.#table;
    const { subTables } = this.#embedded;
    const missing: SubTable[] = [];
    for (const table of tables) {
      const name = source.tables.nameOf(table);
      if (subTables.known(this.#database, name) !== undefined) continue;
      const values = source.tags.rows(table, 1)[0] ?? [];
      const tags = new Map(plan.tags.map((tag, i) => [storedName(tag.name, false), values[i]]));
      missing.push(subTables.make(this.#database, storedName(plan.name, plan.escapeNames), name, tags, plan.ttl));
    }
    return missing;
  }

  /** The rows with the ids that their tables have after something was dropped; a table that is gone is a fault. */
  async #renewed(request: RowRequest): Promise<RowRequest> {
    const { plan, source } = this.#table;
    const { subTables, catalogue } = this.#embedded;
    const names = Array.from(request.tables, (table) => source.tables.nameOf(table));
    await catalogue.sync();
    const byName = plan.normalTables ? undefined : await subTables.lookUp(this.#database, names);
    const ids = new BigUint64Array(request.block.rows);
    for (const [part, name] of names.entries()) {
      const known = byName?.get(name)?.id ?? catalogue.table(this.#database.name, name)?.seriesId;
      const id = known ?? (plan.autoCreateTable ? subTables.keyOf(this.#database, name) : undefined);
      if (id === undefined) throw new FaultError(refusals.tableNotExist);
      ids.fill(id, request.starts[part], request.starts[part + 1]);
    }
    return { ...request, block: { ...request.block, ids } };
  }
}

/** The database of a plan in the catalogue, which has been read since the plan's definitions were made. */
function databaseOf({ name, escapeNames }: DatabasePlan, catalogue: Catalogue): DatabaseDef {
  const def = catalogue.database(storedName(name, escapeNames));
  if (def === undefined) throw new FaultError(missingDatabase(name));
  return def;
}

/** The series of each table, for rows that are column blocks. */
export function seriesOf(
  database: DatabasePlan,
  plan: SuperTablePlan,
  embedded: EmbeddedPorts,
): (name: string) => bigint {
  const def = databaseOf(database, embedded.catalogue);
  if (!plan.normalTables) return (name) => embedded.subTables.keyOf(def, name);
  return (name) => {
    const id = embedded.catalogue.table(def.name, name)?.seriesId;
    if (id === undefined) throw new FaultError(fault('database', Codes.tableNotExist, `Table does not exist: ${name}`));
    return id;
  };
}
