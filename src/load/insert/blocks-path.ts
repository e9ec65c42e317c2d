import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { storableTimes } from '../../database/catalogue/storable-times.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import { Codes, expectedFault, FaultError, fault, missingDatabase } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { DatabaseDef, SubTable } from '../../model/schema.js';
import { storedName } from '../model/names.js';
import type { RowBlocks, RowSink } from '../model/ports.js';
import { type RowRequest, tableRequests } from '../model/row-request.js';
import type { DatabasePlan, SuperTablePlan } from '../model/scenario.js';
import { blocksSink } from '../sinks/embedded.js';
import type { EmbeddedPorts, FilledTable, RequestPart, RowPath } from './row-path.js';

/** The mode `stmt`: rows as column blocks with the ids of their series. */
export class BlocksPath implements RowPath {
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
