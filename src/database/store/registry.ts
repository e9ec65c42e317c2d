import { BlockBuilder, type ColumnBlock } from '../../model/column-block.js';
import { type DatabaseDef, dataType } from '../../model/schema.js';
import { leadIn, seriesId } from '../catalogue/identity.js';
import { BatchedCalls } from '../engine/batched-calls.js';
import type { Engine } from '../engine/engine.js';
import { setOfIds } from '../engine/key-sets.js';
import { type EngineColumn, encodeTables, structureOf, structureText } from '../engine/native-block.js';
import { OwnTables } from '../engine/own-tables.js';
import type { TableChange } from '../engine/table-change.js';
import { packedColumn } from './compression.js';

/** Keys in one look-up statement, and from how many on a look-up is not worth sharing a statement with others. */
const keysPerQuery = 10_000;
const manyKeys = 500;

/**
 * The registry, by the keys of sub-tables. `lead` is that of their ids, 0 where these are the keys, as all were once.
 * `dropped` matters to lists alone: a dropped sub-table is never looked up again, because its name leads to another key
 * from then on.
 */
const table = 'sluice.sub_tables';
const create: readonly TableChange[] = [
  {
    change: 'make-table',
    table,
    columns: [
      'database String',
      'id UInt64',
      packedColumn('name', 'String'),
      'parent String',
      'ttl Int32',
      packedColumn('created', 'Int64'),
    ],
    kind: { order: 'database, id' },
  },
  {
    change: 'add-columns',
    table,
    columns: ['dropped UInt8', 'comment Nullable(String)', packedColumn('lead', 'UInt16')],
  },
];

/** Columns of a row beside key and time of creation. */
const types = {
  lead: dataType('SMALLINT UNSIGNED'),
  database: dataType('VARCHAR'),
  name: dataType('VARCHAR'),
  parent: dataType('VARCHAR'),
  ttl: dataType('INT'),
  dropped: dataType('TINYINT UNSIGNED'),
  comment: dataType('VARCHAR'),
};
const columns = Object.entries(types).map(([name, type]): EngineColumn => ({ physical: name, name, type }));
const insert = {
  table,
  columns: `id, created, ${columns.map(({ name }) => name).join(', ')}`,
  format: 'Native',
  through: { structure: structureText(structureOf(columns)) },
};

/** Sub-tables to look for in the registry. */
interface LookUp {
  readonly database: string;
  readonly keys: readonly bigint[];
}

/** A sub-table found in the registry. */
export interface Registered {
  readonly key: bigint;
  readonly id: bigint;
  readonly name: string;
  /** Id of its super table. */
  readonly parent: string;
  readonly ttl: number;
}

/** Sub-tables of one super table that are written into the registry together. */
interface Registrations {
  readonly database: string;
  /** Id of the super table. */
  readonly parent: string;
  /** Unix ms. */
  readonly created: bigint;
  readonly dropped: boolean;
  readonly subTables: readonly {
    readonly key: bigint;
    readonly id: bigint;
    readonly name: string;
    readonly ttl?: number;
    readonly comment?: string | undefined;
  }[];
}

/** The engine table in which every sub-table has a row: the names, apart from the tags. */
export class Registry {
  readonly #engine: Engine;
  readonly #readings = new BatchedCalls((lookUps: readonly LookUp[]) => this.#readTogether(lookUps));
  readonly #insertions = new BatchedCalls((blocks: readonly ColumnBlock[]) => this.#insertTogether(blocks));
  readonly #tables: OwnTables;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#tables = new OwnTables(engine, create);
  }

  /** Makes the registry where it is missing. */
  prepare(): Promise<void> {
    return this.#tables.prepare();
  }

  /** The rows of sub-tables, of those that were registered. Look-ups of few that are made at once share a statement. */
  async read({ id: database }: DatabaseDef, keys: readonly bigint[]): Promise<readonly Registered[]> {
    await this.prepare();
    if (keys.length === 0) return [];
    if (keys.length < manyKeys) return this.#readings.call({ database, keys });
    const rows: Registered[] = [];
    for (let at = 0; at < keys.length; at += keysPerQuery) {
      rows.push(...(await this.#readSome(database, keys.slice(at, at + keysPerQuery))));
    }
    return rows;
  }

  /** The keys of those that are registered and not dropped. */
  async undropped({ id: database }: DatabaseDef, some: readonly { key: bigint }[]): Promise<ReadonlySet<bigint>> {
    await this.prepare();
    const keys = some.map(({ key }) => key);
    const known = new Set<bigint>();
    for (let at = 0; at < keys.length; at += keysPerQuery) {
      const rows = await this.#engine.rows(
        `SELECT toString(id) FROM sluice.sub_tables FINAL
         PREWHERE database = '${database}' AND id IN ${setOfIds(keys.slice(at, at + keysPerQuery))}
         WHERE dropped = 0 SETTINGS max_threads = 1`,
      );
      for (const [key] of rows) known.add(BigInt(String(key)));
    }
    return known;
  }

  /** Answers look-ups with one statement for each database. */
  async #readTogether(lookUps: readonly LookUp[]): Promise<readonly (readonly Registered[])[]> {
    const byDatabase = new Map<string, Set<bigint>>();
    for (const { database, keys } of lookUps) {
      const all = byDatabase.get(database) ?? new Set();
      for (const key of keys) all.add(key);
      byDatabase.set(database, all);
    }
    const byKey = new Map<string, ReadonlyMap<bigint, Registered>>();
    for (const [database, keys] of byDatabase) {
      const rows = await this.#readSome(database, [...keys]);
      byKey.set(database, new Map(rows.map((row) => [row.key, row])));
    }
    return lookUps.map(({ database, keys }) => {
      const rows = byKey.get(database);
      return keys.flatMap((key) => rows?.get(key) ?? []);
    });
  }

  async #readSome(database: string, keys: readonly bigint[]): Promise<readonly Registered[]> {
    // Keys alone decide, so they may do so before rows are merged.
    const rows = await this.#engine.rows(
      `SELECT toString(id), lead, name, parent, ttl FROM sluice.sub_tables FINAL
       PREWHERE database = '${database}' AND id IN ${setOfIds(keys)}
       SETTINGS max_threads = 1`,
    );
    return rows.map(([text, lead, name, parent, ttl]) => {
      const key = BigInt(String(text));
      return {
        key,
        id: seriesId(key, Number(lead)),
        name: String(name),
        parent: String(parent),
        ttl: Number(ttl),
      };
    });
  }

  /** Appends rows; what is appended at once shares a statement. */
  async insert(registrations: Registrations): Promise<void> {
    await this.prepare();
    await this.#insertions.call(blockOf(registrations));
  }

  async #insertTogether(blocks: readonly ColumnBlock[]): Promise<readonly undefined[]> {
    await this.#engine.insert(insert, encodeTables([{ columns, blocks }]));
    return blocks.map(() => undefined);
  }
}

function blockOf({ database, parent, created, dropped, subTables }: Registrations): ColumnBlock {
  const block = new BlockBuilder('sluice', 'sub_tables', 'overwrite', subTables.length);
  const add = (name: keyof typeof types) => block.addColumn(name, types[name]);
  const [leads, ttls, marks] = [add('lead'), add('ttl'), add('dropped')];
  const [databases, names, parents, comments] = [add('database'), add('name'), add('parent'), add('comment')];
  for (const { key, id, name, ttl = 0, comment } of subTables) {
    const row = block.rows;
    block.setKey(key, created);
    leads.putNumber(row, leadIn(key, id));
    databases.putText(row, database);
    names.putText(row, name);
    parents.putText(row, parent);
    ttls.putNumber(row, ttl);
    marks.putNumber(row, Number(dropped));
    if (comment !== undefined) comments.putText(row, comment);
    block.rows++;
  }
  return block.finish();
}
