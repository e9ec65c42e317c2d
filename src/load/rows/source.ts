import { IterableX } from 'ix/iterable/iterablex';
import { filter } from 'ix/iterable/operators/filter';
import { map } from 'ix/iterable/operators/map';
import type { Column } from '../../model/column-block.js';
import type { Precision } from '../../model/schema.js';
import { storedName } from '../model/names.js';
import type { RowRequest } from '../model/row-request.js';
import { type FieldPlan, isSchemaless, type SuperTablePlan } from '../model/scenario.js';
import { type FieldMaker, fillRows, makerOf } from './columns.js';
import { readCsvFile } from './csv-file.js';
import { Disorder } from './disorder.js';
import { type Pace, paceOf, splitTables, type TableRange, type Turn, turnsOf } from './plan.js';
import { builderOf, makePool, PooledColumns } from './pool.js';
import { mixed, mixedText } from './random.js';
import { readSamples, type SampleRows, type Samples } from './sample.js';
import { SeriesIds, type TableSet, tablesNamed, tablesOf } from './tables.js';
import { generatedTags, type TagRows, tagsFromFile } from './tags.js';
import { RowTimes } from './times.js';

/** Which rows of which sub-tables are made. */
export interface RowSourceOptions {
  readonly plan: SuperTablePlan;
  /** Database as stored. */
  readonly database: string;
  readonly precision: Precision;
  /** The same seed gives the same rows and tags. */
  readonly seed: number;
  /** Names of tables that are there already and are to be filled; left out, they are named by the plan. */
  readonly existing?: Iterable<string>;
  /** Id of the series of a table, by its stored name; left out, ids are 0: text does not need them. */
  readonly seriesOf?: (table: string) => bigint;
  /** Ticks of a time written as text in a file; undefined when it is no time. */
  readonly readTime: (text: string) => bigint | undefined;
}

/** Where a thread is in the pool that its tables share. */
interface Cursor {
  next: number;
}

/** Rows in the files of a super table; its tables are known with them. */
export interface RowFiles {
  readonly tables: TableSet;
  readonly tags: TagRows | undefined;
  readonly samples: Samples | undefined;
}

/**
 * Opens the rows of a super table, with its files where they were read before, otherwise they are read now. Throws a
 * FaultError that names the column, or file and row, that it cannot make rows of.
 */
export async function openRowSource(options: RowSourceOptions, files?: RowFiles): Promise<RowSource> {
  return new RowSource(options, files ?? (await readRowFiles(options)));
}

/** Reads the files of a super table, which needs no database. Throws a FaultError that names file and row. */
export async function readRowFiles({
  plan,
  existing,
  readTime,
}: Pick<RowSourceOptions, 'plan' | 'existing' | 'readTime'>): Promise<RowFiles> {
  const csv = { fields: plan.tags, withTimes: false, maxRows: plan.childCount, readTime };
  const read =
    existing === undefined && plan.tagsFile !== undefined ? await readCsvFile(plan.tagsFile, csv) : undefined;
  const tables = existing === undefined ? tablesOf(plan, read?.rows) : tablesNamed(existing);
  const samples = plan.sample && (await readSamples(plan.sample, plan, fieldsOf(plan), tables, readTime));
  return { tables, tags: read && tagsFromFile(read), samples };
}

/** The columns that are written, with their stored names. */
function fieldsOf({ mode, partialColumns, columns }: SuperTablePlan): FieldPlan[] {
  const isSql = mode === 'taosc' || mode === 'rest';
  const written = isSql && partialColumns > 0 ? columns.slice(0, partialColumns) : columns;
  return written.map((field) => ({ ...field, name: storedName(field.name, isSchemaless(mode)) }));
}

/**
 * The rows of one super table as a pulled source: each thread iterates over the requests of its own range of tables,
 * and nothing is made before it is pulled. Memory does not grow with tables or rows, except for the files that were
 * read.
 */
export class RowSource {
  readonly tables: TableSet;
  readonly tags: TagRows;
  readonly pace: Pace;
  /** All rows of all tables; undefined when the run goes on until it is stopped. */
  readonly rows: number | undefined;
  readonly #options: RowSourceOptions;
  readonly #makers: readonly FieldMaker[];
  readonly #samples: Samples | undefined;
  /** Rows that all tables share, unless each has its own. */
  readonly #pool: PooledColumns | undefined;
  readonly #endless: boolean;
  readonly #seed: number;

  constructor(options: RowSourceOptions, { tables, tags, samples }: RowFiles) {
    const { plan, precision } = options;
    this.#options = options;
    this.#seed = mixedText(options.seed, plan.name);
    this.tables = tables;
    this.tags = tags ?? generatedTags(plan, this.#seed, precision);
    this.#samples = samples;
    this.#endless = plan.nonStop && samples?.all.times === undefined;
    this.pace = this.#paceOf();
    this.#makers = fieldsOf(plan).map((field, i) =>
      makerOf(field, { seed: mixed(this.#seed, i), chinese: plan.chinese, precision }),
    );
    this.#pool = samples?.all.columns ?? (plan.randomPerTable ? undefined : this.#makePool());
    this.rows = this.#endless ? undefined : this.#countRows();
  }

  /** The ranges of tables that so many threads fill; there may be fewer. */
  split(threads: number): TableRange[] {
    return splitTables(this.tables, threads);
  }

  /** The requests that fill a range of tables, in order, each made when it is pulled. */
  requests(range: TableRange): IterableX<RowRequest> {
    const { plan, seriesOf } = this.#options;
    const cursor: Cursor = { next: 0 };
    const ids = new SeriesIds(this.tables, range, seriesOf, this.pace.interlaceRows > 0);
    const times = new RowTimes(plan.start, plan.step, this.#disorderOf(range));
    const turns = turnsOf(range, this.pace, (table) => this.#rowsOf(table), this.#endless);
    return IterableX.from(turns).pipe(
      map((turn) => this.#fit(turn)),
      filter((turn) => turn.rows > 0),
      map((turn) => this.#request(turn, cursor, ids, times)),
    );
  }

  #paceOf(): Pace {
    const { plan } = this.#options;
    const pace = paceOf(plan, plan.sample?.useTimes === true ? this.#mostRows() : plan.rows);
    // Tables with files of their own have rows of their own number.
    return this.#samples !== undefined && this.#samples.own.size > 0 ? { ...pace, tablesPerRequest: 1 } : pace;
  }

  #mostRows(): number {
    const samples = this.#samples;
    if (samples === undefined) return this.#options.plan.rows;
    let most = samples.all.columns.pool.rows;
    for (const { columns } of samples.own.values()) most = Math.max(most, columns.pool.rows);
    return most;
  }

  #rowsOf(table: number): number {
    const times = this.#sampleOf(table)?.times;
    return times === undefined ? this.#options.plan.rows : times.length;
  }

  #countRows(): number {
    const { from: first, to } = this.tables;
    const samples = this.#samples;
    if (samples?.all.times === undefined) return (to - first) * this.#options.plan.rows;
    let rows = (to - first - samples.own.size) * samples.all.times.length;
    for (const table of samples.own.keys()) rows += this.#rowsOf(table);
    return rows;
  }

  #sampleOf(table: number): SampleRows | undefined {
    return this.#samples?.own.get(table) ?? this.#samples?.all;
  }

  #makePool(): PooledColumns {
    const { plan } = this.#options;
    // In progressive order each table starts at the first row of the pool, and uses no more of it than it has rows.
    const isCut = this.pace.interlaceRows === 0 && !this.#endless;
    const rows = Math.max(1, isCut ? Math.min(plan.preparedRows, plan.rows) : plan.preparedRows);
    const makers = this.#makers.filter((maker) => !maker.timed);
    return new PooledColumns(makePool(makers, rows));
  }

  #disorderOf({ from: first, to }: TableRange): Disorder | undefined {
    const { disorderRatio: ratio, disorderRange: range, step, rows, sample } = this.#options.plan;
    if (ratio <= 0 || sample?.useTimes === true) return undefined;
    const tables = this.pace.interlaceRows > 0 ? to - first : 1;
    return new Disorder({ ratio, range, step, seed: this.#seed, rows: rows * tables });
  }

  /** The turn without rows that its table does not have. */
  #fit(turn: Turn): Turn {
    if (this.#samples === undefined || this.#samples.own.size === 0) return turn;
    return { ...turn, rows: Math.min(turn.rows, this.#rowsOf(turn.from) - turn.firstRow) };
  }

  #request(turn: Turn, cursor: Cursor, seriesIds: SeriesIds, rowTimes: RowTimes): RowRequest {
    const { rows, from: first, to, firstRow, endsRound } = turn;
    const { plan, database } = this.#options;
    const fileTimes = this.#sampleOf(first)?.times;
    const times = fileTimes === undefined ? rowTimes.of(turn) : timesOfFile(fileTimes, turn);
    let start = firstRow;
    if (this.pace.interlaceRows > 0 && fileTimes === undefined) {
      start = cursor.next;
      cursor.next += rows * (to - first);
    }
    const pool = this.#sampleOf(first)?.columns ?? this.#pool;
    const columns = pool === undefined ? this.#ownValues(turn, times) : this.#values(pool, turn, start, times);
    const isOneRun = fileTimes === undefined || to - first === 1;
    const isPooled = pool !== undefined && isOneRun && columns.length === pool.pool.columns.length;
    return {
      block: {
        kind: 'columns',
        database,
        table: storedName(plan.name, plan.escapeNames || isSchemaless(plan.mode)),
        rows: rows * (to - first),
        ids: seriesIds.of(turn),
        times,
        columns,
        nullMeaning: 'overwrite',
        style: undefined,
        newSubTables: [],
      },
      tables: counting(first, 1, to - first),
      starts: counting(0, rows, to - first + 1),
      pooled: isPooled ? { pool: pool.pool, first: start % pool.pool.rows } : undefined,
      endsRound,
    };
  }

  /** Values out of a pool, and beside them those that depend on time. */
  #values(pool: PooledColumns, turn: Turn, first: number, times: BigInt64Array): Column[] {
    const tables = turn.to - turn.from;
    // Rows with times of a file are the same for each table.
    const runs =
      this.#samples?.all.times === undefined
        ? [{ first, rows: turn.rows * tables }]
        : Array.from({ length: tables }, () => ({ first, rows: turn.rows }));
    const pooled = pool.take(runs);
    if (this.#samples !== undefined) return pooled;
    let at = 0;
    const words = wordsOf(times);
    return this.#makers.map((maker) => {
      if (!maker.timed) return pooled[at++]!;
      const column = builderOf(maker, times.length);
      fillRows(maker, column, { row: 0, count: times.length, first, prepared: pool.pool.rows }, undefined, words);
      return column.finish(times.length);
    });
  }

  /** Values that each table has of its own, made anew. */
  #ownValues({ from: first, to, firstRow, rows: count }: Turn, times: BigInt64Array): Column[] {
    const words = wordsOf(times);
    const prepared = this.#options.plan.preparedRows;
    return this.#makers.map((maker) => {
      const column = builderOf(maker, times.length);
      for (let table = first; table < to; table++) {
        const rows = { row: (table - first) * count, count, first: firstRow, prepared };
        fillRows(maker, column, rows, table, words);
      }
      return column.finish(times.length);
    });
  }
}

/** `first`, `first + step`, … */
function counting(first: number, step: number, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = first + i * step;
  return numbers;
}

function wordsOf(times: BigInt64Array): Uint32Array {
  return new Uint32Array(times.buffer, times.byteOffset, times.length * 2);
}

function timesOfFile(times: BigInt64Array, { from: first, to, firstRow, rows }: Turn): BigInt64Array {
  const run = times.subarray(firstRow, firstRow + rows);
  if (to - first === 1) return run;
  const all = new BigInt64Array((to - first) * rows);
  for (let part = 0; part < to - first; part++) all.set(run, part * rows);
  return all;
}
