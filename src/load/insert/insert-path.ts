import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { storableTimes } from '../../database/catalogue/storable-times.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import type { WireFormat } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import { Codes, expectedFault, FaultError, fault, missingDatabase } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { DatabaseDef, SubTable } from '../../model/schema.js';
import { type InsertTarget, insertEncoder } from '../encode/insert-sql.js';
import { linesEncoder } from '../encode/lines.js';
import type { RowEncoder } from '../encode/row-encoder.js';
import { storedName } from '../model/names.js';
import type { RowBlocks, RowSink, RowText, RunSql, WriteBlocks, WriteLines } from '../model/ports.js';
import { blocksByTable, type RowRequest } from '../model/row-request.js';
import type { DatabasePlan, InsertMode, SuperTablePlan } from '../model/scenario.js';
import type { RowSource } from '../rows/source.js';
import type { HttpService } from '../sinks/http-service.js';
import { blocksSink, linesSink, sqlTextSink } from '../sinks/in-process.js';
import { restLinesSink } from '../sinks/rest.js';
import { restStatements } from '../sinks/rest-statements.js';
import { type LateEnding, TelnetTcpSink } from '../sinks/telnet-tcp.js';

/** The database as the tool reaches it in its own process. */
interface WorldPorts {
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  readonly run: RunSql;
  readonly writeBlocks: WriteBlocks;
  readonly writeLines: WriteLines;
}

/** All ways that rows may take; which of them are there depends on the modes of the scenario. */
export interface InsertWays {
  readonly world: WorldPorts | undefined;
  readonly http: HttpService | undefined;
  /** Host of telnet-format listeners. */
  readonly host: string;
  /** Fires when nothing may be waited for any longer. */
  readonly cut: AbortSignal;
}

/** A request on its way, or a part of it where it is too long for one. */
export interface RequestPart {
  readonly rows: number;
  send(deadline: AbortSignal): Promise<Delivery>;
}

/** The path of one thread: its encoder, its sink. */
export interface InsertPath {
  /** True when requests of a thread follow each other on one connection. */
  readonly isRemote: boolean;
  /** The parts of a request, each made when the one before has ended, because they share a buffer. */
  parts(request: RowRequest): Iterable<RequestPart>;
  /** Waits for what was written, and tells what came of it where no delivery did. */
  end(deadline: AbortSignal): Promise<LateEnding | undefined>;
  stop(): Promise<void>;
}

/** Longest text of a schemaless request. */
const maxLinesBytes = 1024 * 1024;

/** Data that fill one super table. */
export interface FilledTable {
  readonly database: DatabasePlan;
  readonly plan: SuperTablePlan;
  readonly source: RowSource;
}

/** How rows travel: as the mode of the super table says, or, where only the HTTP service can be reached, as that takes them. */
export function pathMode({ mode }: SuperTablePlan, { world }: InsertWays): InsertMode {
  if (world !== undefined) return mode;
  return mode === 'sml' || mode === 'sml-rest' ? 'sml-rest' : 'rest';
}

/** The path of a super table, for one thread. */
export function openPath(table: FilledTable, ways: InsertWays): InsertPath {
  const { plan } = table;
  const mode = pathMode(plan, ways);
  const isRemote = mode === 'rest' || mode === 'sml-rest';
  const text = (encoder: RowEncoder, format: WireFormat, sink: RowSink<RowText>): InsertPath =>
    new TextPath(table, isRemote, encoder, format, sink);
  switch (mode) {
    case 'stmt':
      return new BlocksPath(table, needed(ways.world));
    case 'taosc':
      return text(sqlEncoder(table), 'sql-insert', sqlTextSink(needed(ways.world).run));
    case 'rest':
      return text(sqlEncoder(table), 'sql-insert', sqlTextSink(restStatements(needed(ways.http))));
    case 'sml':
      return text(schemalessEncoder(table), formatOf(plan), linesSink(needed(ways.world).writeLines));
    case 'sml-rest': {
      const { tcpPort } = plan;
      const sink =
        tcpPort === undefined
          ? restLinesSink(needed(ways.http))
          : new TelnetTcpSink({ host: ways.host, port: tcpPort, cut: ways.cut });
      return text(schemalessEncoder(table), formatOf(plan), sink);
    }
  }
}

function needed<T>(way: T | undefined): T {
  if (way === undefined) throw new Error('A mode of the scenario has no way to the database.');
  return way;
}

function formatOf({ format }: SuperTablePlan): WireFormat {
  if (format === 'line') return 'lineproto';
  return format === 'telnet' ? 'tsdbwire-telnet' : 'tsdbwire-json';
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
class TextPath implements InsertPath {
  readonly isRemote: boolean;
  readonly #table: FilledTable;
  readonly #encoder: RowEncoder;
  readonly #format: WireFormat;
  readonly #sink: RowSink<RowText>;

  constructor(table: FilledTable, isRemote: boolean, encoder: RowEncoder, format: WireFormat, sink: RowSink<RowText>) {
    this.#table = table;
    this.isRemote = isRemote;
    this.#encoder = encoder;
    this.#format = format;
    this.#sink = sink;
  }

  *parts(request: RowRequest): Generator<RequestPart, void, void> {
    const { database, plan } = this.#table;
    const place = {
      database: storedName(database.name, database.escapeNames),
      format: this.#format,
      precision: database.precision,
    };
    for (let from = 0; from < request.block.rows; ) {
      const { bytes, rows } = this.#encoder.encode(request, from);
      from += rows;
      // The next request may be encoded while a short one is under way.
      const text = request.block.rows < plan.rowsPerRequest ? Buffer.from(bytes) : bytes;
      yield { rows, send: (deadline) => this.#sink.write({ ...place, rows, text }, deadline) };
    }
  }

  async end(deadline: AbortSignal): Promise<LateEnding | undefined> {
    return this.#sink instanceof TelnetTcpSink ? this.#sink.end(deadline) : undefined;
  }

  async stop(): Promise<void> {
    await this.#sink.stop?.();
  }
}

/** Rows as they are: columns and ids of series. */
class BlocksPath implements InsertPath {
  readonly isRemote = false;
  readonly #table: FilledTable;
  readonly #world: WorldPorts;
  readonly #database: DatabaseDef;
  readonly #sink: RowSink<RowBlocks>;
  /** Epoch of the database for which the ids of the source are right. */
  readonly #epoch: number;
  /** The first time that the database keeps, where rows may lie before it; undefined where none does. */
  readonly #oldest: bigint | undefined;

  constructor(table: FilledTable, world: WorldPorts) {
    this.#table = table;
    this.#world = world;
    this.#database = databaseOf(table.database, world.catalogue);
    this.#sink = blocksSink(world.writeBlocks);
    this.#epoch = world.catalogue.epoch(this.#database.name);
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
    const { catalogue } = this.#world;
    const oldest = this.#oldest;
    if (oldest !== undefined && request.block.times.some((time) => time < oldest)) {
      return {
        outcome: 'rejected',
        fault: fault('parameter', Codes.timestampOutOfRange, 'Timestamp data out of range'),
      };
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
    if (plan.normalTables) return blocksByTable(request, (table) => source.tables.nameOf(table));
    if (!plan.autoCreateTable) return [request.block];
    return [{ ...request.block, newSubTables: this.#unknown(request.tables) }];
  }

  #unknown(tables: Uint32Array): SubTable[] {
    const { plan, source } = this.#table;
    const { subTables } = this.#world;
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
    const { subTables, catalogue } = this.#world;
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

  async end(): Promise<undefined> {}

  async stop(): Promise<void> {}
}

/** The database of a plan in the catalogue, which has been read since the plan's definitions were made. */
function databaseOf({ name, escapeNames }: DatabasePlan, catalogue: Catalogue): DatabaseDef {
  const def = catalogue.database(storedName(name, escapeNames));
  if (def === undefined) throw new FaultError(missingDatabase(name));
  return def;
}

/** The series of each table, for rows that travel as they are. */
export function seriesOf(database: DatabasePlan, plan: SuperTablePlan, world: WorldPorts): (name: string) => bigint {
  const def = databaseOf(database, world.catalogue);
  if (!plan.normalTables) return (name) => world.subTables.keyOf(def, name);
  return (name) => {
    const id = world.catalogue.table(def.name, name)?.seriesId;
    if (id === undefined) throw new FaultError(fault('database', Codes.tableNotExist, `Table does not exist: ${name}`));
    return id;
  };
}
