import type { ColumnMeta } from '../../../src/model/exchange.js';
import { FaultError } from '../../../src/model/fault.js';
import { type ColumnDef, dataType, type Precision, type TableDef, type TypeName } from '../../../src/model/schema.js';
import { arrayRowFormat, objectRowFormat, withSettings } from '../../../src/sql/engine/settings.js';
import { engineType } from '../../../src/sql/engine/storage.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { planQuery, type QueryPlan } from '../../../src/sql/plan/query.js';
import type { QueryContext, TableTarget } from '../../../src/sql/values/context.js';
import { releaseSession, takeSession } from './engine-session.js';

/** A column as `name TYPE(length, scale)`. */
function column(text: string, at: number): ColumnDef {
  const match = /^(\w+) ([A-Z ]+?)(?:\((\d+)(?:,(\d+))?\))?$/.exec(text);
  const [, name = '', type = '', length, scale] = match ?? [];
  const declared = dataType(
    typeName(type),
    length === undefined ? undefined : Number(length),
    scale === undefined ? undefined : Number(scale),
  );
  return { name, type: declared, physical: `c${at + 1}` };
}

const typeNames: readonly TypeName[] = [
  'BOOL',
  'TINYINT',
  'SMALLINT',
  'INT',
  'BIGINT',
  'TINYINT UNSIGNED',
  'SMALLINT UNSIGNED',
  'INT UNSIGNED',
  'BIGINT UNSIGNED',
  'FLOAT',
  'DOUBLE',
  'TIMESTAMP',
  'VARCHAR',
  'NCHAR',
  'VARBINARY',
  'GEOMETRY',
  'DECIMAL',
  'JSON',
  'BLOB',
];

function typeName(text: string): TypeName {
  const type = typeNames.find((name) => name === text);
  if (type === undefined) throw new Error(`No type ${text}`);
  return type;
}

/** Rows of one sub-table or normal table: values as engine SQL, the time first. */
export type Rows = readonly (readonly (string | number | bigint | null)[])[];

/** What a test may change about a request. */
export type ContextOverrides = Partial<
  Pick<
    QueryContext,
    | 'database'
    | 'connectionZone'
    | 'outputZone'
    | 'form'
    | 'rowLimit'
    | 'isLarge'
    | 'hasShortSeries'
    | 'uniqueRows'
    | 'mayAssume'
  >
>;

/** Fixtures in this process so far: each has names of its own in the engine that they share. */
let fixtures = 0;

/** Number of the table that the super tables share their storage with. */
const stranger = 0;

/**
 * Databases on the real engine, laid out as the planner expects, with a way to ask them. Super tables share their storage
 * with another table, which has the same rows under the same ids, and a sub-table called `stranger` beside each of theirs: a
 * query that looks at what is not its table's gives too much.
 */
export class QueryFixture {
  readonly #session = takeSession();
  readonly #number = ++fixtures;
  readonly #databases = new Map<string, Precision>();
  readonly #targets = new Map<string, TableTarget>();
  #serial = 0;

  /** 2024-01-02T03:04:05Z */
  readonly nowNanos = 1704164645000000000n;

  close(): void {
    releaseSession();
  }

  exec(sql: string): void {
    this.#session.query(sql, 'TabSeparated');
  }

  database(name: string, precision: Precision): void {
    this.#databases.set(name, precision);
    this.exec(`CREATE DATABASE IF NOT EXISTS ${this.#engineDatabase(name)}`);
  }

  superTable(database: string, name: string, columns: readonly string[], tags: readonly string[]): void {
    const table = { ...this.#define(database, name, columns, tags, true), number: this.#serial };
    this.#targets.set(`${database}.${name}`, { kind: 'super', table });
    const stored = table.tags.map(({ physical, type }) => `${physical} Nullable(${engineType(type)})`);
    this.exec(
      `CREATE TABLE ${table.tagStorage ?? ''} (t UInt32, id UInt64, name String, ${stored.join(', ')}, dropped UInt8, _v UInt64) ` +
        'ENGINE = ReplacingMergeTree(_v) ORDER BY (t, id)',
    );
  }

  /** `tags` are engine SQL in the order of the super table's tags. */
  subTable(database: string, superTable: string, name: string, tags: readonly string[], rows: Rows): void {
    const parent = this.#table(database, superTable);
    this.#serial += 1;
    const id = BigInt(this.#serial) * 1_000_000_007n;
    this.#targets.set(`${database}.${name}`, { kind: 'sub', table: parent, id, name });
    const row = (number: number, of: string): string => `(${[number, id, `'${of}'`, ...tags, 0, 1].join(', ')})`;
    this.exec(
      `INSERT INTO ${parent.tagStorage ?? ''} SETTINGS async_insert = 0 VALUES ${row(parent.number ?? 0, name)}, ${row(stranger, 'stranger')}`,
    );
    this.insert(database, name, rows);
  }

  normalTable(database: string, name: string, columns: readonly string[], rows: Rows): void {
    this.#serial += 1;
    const table = {
      ...this.#define(database, name, columns, []),
      seriesId: BigInt(this.#serial),
      kind: 'normal',
    } as const;
    this.#targets.set(`${database}.${name}`, { kind: 'normal', table: { ...table, tagStorage: undefined } });
    this.insert(database, name, rows);
  }

  /** Marks a sub-table as dropped; its rows stay behind. */
  drop(database: string, name: string): void {
    const target = this.#targets.get(`${database}.${name}`);
    if (target?.kind !== 'sub') throw new Error(`No sub-table ${name}`);
    const { tagStorage, number } = target.table;
    const source = `SELECT * REPLACE (1 AS dropped, 2 AS _v) FROM ${tagStorage} FINAL WHERE t = ${number} AND id = ${target.id}`;
    this.exec(`INSERT INTO ${target.table.tagStorage ?? ''} ${source}`);
    this.#targets.delete(`${database}.${name}`);
  }

  /** A later write overwrites an earlier one of the same time. */
  insert(database: string, name: string, rows: Rows): void {
    const target = this.#targets.get(`${database}.${name}`);
    if (target === undefined || target.kind === 'super') throw new Error(`No rows for ${name}`);
    const id = target.kind === 'sub' ? target.id : (target.table.seriesId ?? 0n);
    this.#serial += 1;
    const { number } = target.table;
    const values = rows.flatMap((row) => {
      const cells = [id, ...row.map((value) => value ?? 'NULL'), this.#serial].join(', ');
      return number === undefined ? [`(${cells})`] : [`(${number}, ${cells})`, `(${stranger}, ${cells})`];
    });
    if (values.length > 0)
      this.exec(`INSERT INTO ${target.table.storage} SETTINGS async_insert = 0 VALUES ${values.join(', ')}`);
  }

  /** The plan of a query. */
  plan(sql: string, overrides: ContextOverrides = {}): QueryPlan {
    const statement = parseStatement(sql);
    if (statement.kind !== 'query') throw new Error('Not a query');
    return planQuery(statement.query, {
      database: [...this.#databases.keys()][0],
      systemTable: () => undefined,
      resolveTable: (database, name) => this.#targets.get(`${database}.${name}`),
      precisionOf: (database) => this.#databases.get(database),
      nowNanos: () => this.nowNanos,
      connectionZone: 'UTC',
      outputZone: 'UTC',
      form: 'arrays',
      rowLimit: -1,
      user: 'root',
      serverVersion: '3.4.0.0',
      ...overrides,
    });
  }

  /** The rows of a query as clients see them, one line of JSON each. */
  rows(sql: string, overrides: ContextOverrides = {}): string[] {
    const { sql: text, settings } = this.plan(sql, overrides);
    const format = overrides.form === 'objects' ? objectRowFormat : arrayRowFormat;
    try {
      return this.#session
        .query(withSettings(text, settings), format)
        .split('\n')
        .filter((line) => line !== '');
    } catch (error) {
      throw new Error(
        `${text.slice(0, 4000)}\n${error instanceof Error ? error.message.slice(0, 2000) : String(error)}`,
      );
    }
  }

  meta(sql: string, overrides: ContextOverrides = {}): readonly ColumnMeta[] {
    return this.plan(sql, overrides).meta;
  }

  /** The wire code a query is refused with; 0 when it is not refused. */
  refusal(sql: string, overrides: ContextOverrides = {}): number {
    try {
      this.plan(sql, overrides);
      return 0;
    } catch (error) {
      if (error instanceof FaultError) return error.fault.code;
      throw error;
    }
  }

  #engineDatabase(name: string): string {
    return `${name}_data${this.#number}`;
  }

  #table(database: string, name: string): TableDef {
    const target = this.#targets.get(`${database}.${name}`);
    if (target === undefined) throw new Error(`No table ${name}`);
    return target.table;
  }

  #define(
    database: string,
    name: string,
    columns: readonly string[],
    tags: readonly string[],
    isNumbered = false,
  ): TableDef {
    this.#serial += 1;
    const storage = `${this.#engineDatabase(database)}.t${this.#serial}`;
    const defined = columns.map(column);
    const stored = defined.map(({ physical, type }) => `${physical} Nullable(${engineType(type)})`);
    const [number, key] = isNumbered ? ['t UInt32, ', 't, '] : ['', ''];
    this.exec(
      `CREATE TABLE ${storage} (${number}id UInt64, ts Int64, ${stored.join(', ')}, _v UInt64) ` +
        `ENGINE = ReplacingMergeTree(_v) ORDER BY (${key}id, ts)`,
    );
    return {
      id: String(this.#serial),
      database,
      name,
      kind: 'super',
      timeColumn: 'ts',
      columns: defined,
      tags: tags.map(column),
      storage,
      tagStorage: `${this.#engineDatabase(database)}.g${this.#serial}`,
      seriesId: undefined,
      comment: undefined,
      ttl: 0,
      created: 0,
      revision: 1,
    };
  }
}
