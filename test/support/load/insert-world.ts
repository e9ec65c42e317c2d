import type { ColumnBlock } from '../../../src/model/column-block.js';
import { FaultError } from '../../../src/model/fault.js';
import type {
  ColumnDef,
  DatabaseDef,
  DataType,
  Precision,
  SubTable,
  TableDef,
  TagValue,
} from '../../../src/model/schema.js';
import { type InsertContext, type InsertPlan, type Resolved, scanInsert } from '../../../src/sql/insert/scanner.js';

export type Columns = Readonly<Record<string, DataType>>;

/** 2024-03-01T00:00:00Z */
export const nowMs = 1709251200000;

/** A schema in memory for statements to be scanned against: what the catalogue would answer, without a database. */
export class InsertWorld implements InsertContext {
  currentDatabase: string | undefined = 'plant';
  zone = 'UTC';
  checksTexts: InsertContext['checksTexts'] = undefined;
  nowNs = BigInt(nowMs) * 1000000n;
  min = -(1n << 63n);
  max = (1n << 63n) - 1n;
  readonly created: { readonly name: string; readonly tags: Record<string, TagValue>; readonly ttl: number }[] = [];
  readonly #databases = new Map<string, DatabaseDef>();
  readonly #tables = new Map<string, Resolved>();
  #nextId = 1n;

  addDatabase(name: string, precision: Precision = 'ms'): this {
    this.#databases.set(name, { id: name, name, precision, keepDays: 3650, options: {}, created: 0 });
    return this;
  }

  addNormal(name: string, columns: Columns, database = 'plant'): this {
    return this.#set(name, { kind: 'normal', table: this.#table(name, columns, undefined, database) }, database);
  }

  addSuper(name: string, columns: Columns, tags: Columns, database = 'plant'): this {
    return this.#set(name, { kind: 'super', table: this.#table(name, columns, tags, database) }, database);
  }

  addSub(name: string, superTable: string, registered = true, database = 'plant'): this {
    const table = this.resolve(database, superTable);
    if (typeof table === 'string') throw new Error(`There is no super table ${superTable}.`);
    const id = this.#nextId++;
    const subTable = { key: id, id, name, superTable, tags: new Map(), ttl: 0, registered };
    return this.#set(name, { kind: 'sub', table: table.table, subTable }, database);
  }

  addUnknown(name: string, database = 'plant'): this {
    return this.#set(name, 'unknown', database);
  }

  database(name: string): DatabaseDef | undefined {
    return this.#databases.get(name);
  }

  resolve(database: string, name: string): Resolved {
    return this.#tables.get(`${database}.${name}`) ?? 'absent';
  }

  timeRange(): { readonly min: bigint; readonly max: bigint } {
    return { min: this.min, max: this.max };
  }

  makeSubTable(
    _database: DatabaseDef,
    superTable: TableDef,
    name: string,
    tags: ReadonlyMap<string, TagValue>,
    ttl: number,
  ): SubTable {
    this.created.push({ name, tags: Object.fromEntries(tags), ttl });
    const id = this.#nextId++;
    return { key: id, id, name, superTable: superTable.name, tags, ttl, registered: false };
  }

  plan(sql: string): InsertPlan {
    return scanInsert(Buffer.from(sql), this);
  }

  /** The blocks of a statement that must be complete. */
  blocks(sql: string): readonly ColumnBlock[] {
    const plan = this.plan(sql);
    if (plan.kind !== 'blocks') throw new Error('The statement needs a lookup.');
    return plan.blocks;
  }

  /** Code and message of the fault that a statement must end in. */
  faultOf(sql: string): { readonly code: number; readonly message: string } {
    try {
      this.plan(sql);
    } catch (error) {
      if (error instanceof FaultError) return { code: error.fault.code, message: error.fault.message };
      throw error;
    }
    throw new Error(`No fault: ${sql}`);
  }

  #set(name: string, resolved: Resolved, database: string): this {
    this.#tables.set(`${database}.${name}`, resolved);
    return this;
  }

  #table(name: string, columns: Columns, tags: Columns | undefined, database: string): TableDef {
    return {
      id: `${database}.${name}`,
      database,
      name,
      kind: tags === undefined ? 'normal' : 'super',
      timeColumn: 'ts',
      columns: definitions(columns),
      tags: definitions(tags ?? {}),
      storage: name,
      tagStorage: tags === undefined ? undefined : `${name}_tags`,
      seriesId: tags === undefined ? this.#nextId++ : undefined,
      comment: undefined,
      ttl: 0,
      created: 0,
      revision: 1,
    };
  }
}

function definitions(columns: Columns): ColumnDef[] {
  return Object.entries(columns).map(([name, type], index) => ({ name, type, physical: `p${index}` }));
}

export type Cell = bigint | number | string | null;

/** A block as rows of cells, times first; texts are decoded as Latin-1 so that every byte shows. */
export function rowsOf(block: ColumnBlock): Cell[][] {
  const cells = block.columns.map((column) => {
    const decoded: Cell[] = [];
    let at = 0;
    for (let row = 0; row < block.rows; row++) {
      if (column.pool !== undefined) {
        let length = 0;
        let shift = 0;
        let byte: number;
        do {
          byte = column.pool[at++] ?? 0;
          length += (byte & 0x7f) * 2 ** shift;
          shift += 7;
        } while (byte >= 0x80);
        decoded.push(Buffer.from(column.pool.subarray(at, at + length)).toString('latin1'));
        at += length;
      } else if (column.type.name === 'DECIMAL' && column.type.length > 18) {
        const low = BigInt(column.values?.[2 * row] ?? 0);
        const high = BigInt(column.values?.[2 * row + 1] ?? 0);
        decoded.push(BigInt.asIntN(128, low | (high << 64n)));
      } else {
        decoded.push(column.values?.[row] ?? null);
      }
    }
    return decoded.map((cell, row) => (column.nulls[row] === 1 ? null : cell));
  });
  return Array.from(block.times, (time, row) => [time, ...cells.map((column) => column[row] ?? null)]);
}

/** A world with one normal table `t` that has one column `c` of a type. */
export function worldOf(type: DataType): InsertWorld {
  return new InsertWorld().addDatabase('plant').addNormal('t', { c: type });
}

/** The value that a literal becomes in a column of a type. */
export function cellOf(type: DataType, literal: string): Cell {
  const [block] = worldOf(type).blocks(`INSERT INTO t VALUES (1000, ${literal})`);
  return block === undefined ? null : (rowsOf(block)[0]?.[1] ?? null);
}
