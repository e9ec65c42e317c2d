import { FaultError } from '../../model/fault.js';
import { pause } from '../../pipelines/pause.js';
import { environmentOf } from '../execution/environment.js';
import { faultLine, firstColumn, type StatementContext } from '../execution/statements.js';
import { allThreads } from '../execution/threads.js';
import { forChild, sqlName, storedName } from '../model/names.js';
import type { Watch } from '../model/ports.js';
import { type LoadSetting, type QueryPartReport, type QueryReport, settingList } from '../model/report.js';
import type { QueryScenario, QueryText, SpecifiedQueries, SuperTableQueries } from '../model/scenario.js';
import { splitTables } from '../rows/plan.js';
import { type RowsFile, RowsFiles } from '../sinks/rows-file.js';
import { partLine, QueryCounts, totalLines } from './query-counts.js';
import {
  executeQuery,
  maxShownErrors,
  orFileFailure,
  type QueryContext,
  ResultFileFailure,
} from './query-execution.js';
import { RunningQueries } from './running-queries.js';

/** Input of a query run. */
interface QueryRun extends StatementContext {
  readonly version: string;
  readonly watch: Watch;
}

/** A part of a run before it begins. */
interface QueryPart extends Omit<QueryPartReport, 'figures'> {
  /** Queries of all threads. */
  readonly total: number;
  /** Number of the statement, from 1 on. */
  readonly number?: number;
  /** The share of one thread. */
  work(thread: number, counts: QueryCounts): Promise<void>;
}

/**
 * Runs the queries of a scenario: first the statements as they are, one after the other, each on all threads, then
 * those for every sub-table. Never throws for what the database refuses: the report says how the run ended.
 */
export async function runQueries(scenario: QueryScenario, run: QueryRun): Promise<QueryReport> {
  const rule = { slowerThanMs: scenario.killSlowerThanMs, intervalMs: scenario.killIntervalMs };
  const running = new RunningQueries(rule, run.log, run.stop);
  try {
    return await new QueryRunner(scenario, run, running).run();
  } finally {
    running.close();
  }
}

class QueryRunner {
  readonly #scenario: QueryScenario;
  readonly #run: QueryRun;
  readonly #context: QueryContext;
  readonly #parts: QueryPartReport[] = [];
  readonly #totals = new QueryCounts();
  readonly #files = new RowsFiles();
  #failure: string | undefined;

  constructor(scenario: QueryScenario, run: QueryRun, running: RunningQueries) {
    this.#scenario = scenario;
    this.#run = run;
    const { log, stop } = run;
    this.#context = { database: storedName(scenario.database, false), run: run.run, log, stop, running };
  }

  async run(): Promise<QueryReport> {
    const { log, stop, version } = this.#run;
    const startedMs = Date.now();
    const environment = await environmentOf(version, this.#run.run);
    const begun = performance.now();
    try {
      for await (const part of this.#partsToRun()) if (!this.#isOver) await this.#runPart(part);
    } catch (error) {
      if (error instanceof FaultError) this.#fail(faultLine(error.fault));
      else if (error instanceof ResultFileFailure) this.#fail(error.message);
      else throw error;
    } finally {
      await this.#files.close();
    }
    const totals = this.#totals.report((performance.now() - begun) / 1000);
    for (const line of totalLines(totals)) log.done(line);
    const failure = this.#failure;
    const outcome = failure !== undefined ? 'failed' : stop.aborted ? 'interrupted' : 'completed';
    const endedMs = Date.now();
    const settings = settingsOf(this.#scenario);
    return { version, startedMs, endedMs, outcome, failure, environment, settings, totals, parts: this.#parts };
  }

  get #isOver(): boolean {
    return this.#failure !== undefined || this.#run.stop.aborted;
  }

  #fail(reason: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#run.log.error(`The run ends: ${reason}`);
  }

  async *#partsToRun(): AsyncGenerator<QueryPart, void, void> {
    const { specified, superTable } = this.#scenario;
    if (specified?.mixed) yield this.#mixed(specified);
    else if (specified !== undefined) {
      for (const [at, query] of specified.queries.entries()) yield this.#specified(specified, query, at + 1);
    }
    if (superTable !== undefined && !this.#isOver) yield await this.#superTable(superTable);
  }

  #specified({ threads, times, intervalMs }: SpecifiedQueries, query: QueryText, number: number): QueryPart {
    const work = async (_: number, counts: QueryCounts): Promise<void> => {
      const file = await this.#fileOf(query);
      await this.#repeat(times, intervalMs, () => this.#execute(query.sql, file, counts));
    };
    return { section: 'specified', statements: [query.sql], threads, total: times * threads, number, work };
  }

  /** The statements are cut into contiguous parts, one for each thread; results are not saved. */
  #mixed({ queries, threads, times }: SpecifiedQueries): QueryPart {
    const shares = shared(queries, threads);
    const statements = queries.map(({ sql }) => sql);
    const work = async (thread: number, counts: QueryCounts): Promise<void> => {
      for (const { sql } of shares[thread] ?? [])
        await this.#repeat(times, 0, () => this.#execute(sql, undefined, counts));
    };
    return { section: 'mixed', statements, threads: shares.length, total: queries.length * times, work };
  }

  async #superTable({ superTable, queries, threads, times, intervalMs }: SuperTableQueries): Promise<QueryPart> {
    const { database, run } = this.#context;
    const table = `${sqlName(database, false)}.${sqlName(storedName(superTable, false), false)}`;
    const names = await firstColumn(run, `SELECT DISTINCT tbname FROM ${table}`, { database });
    const tables = names.sort(byName);
    if (tables.length === 0) this.#run.log.warn(`The super table ${superTable} has no sub-tables.`);
    const shares = shared(tables, threads);
    const work = async (thread: number, counts: QueryCounts): Promise<void> => {
      const files = await Promise.all(queries.map((query) => this.#fileOf(query)));
      await this.#repeat(times, intervalMs, async () => {
        for (const table of shares[thread] ?? []) {
          for (const [at, { sql }] of queries.entries()) {
            if (this.#isOver) return;
            await this.#execute(forChild(sql, database, table), files[at], counts);
          }
        }
      });
    };
    const total = queries.length * times * tables.length;
    return { section: 'super', statements: queries.map(({ sql }) => sql), threads: shares.length, total, work };
  }

  /** The file of a statement's results, which all threads and statements that name it share. */
  async #fileOf({ result }: QueryText): Promise<RowsFile | undefined> {
    return result === undefined ? undefined : orFileFailure(this.#files.get(result));
  }

  async #runPart({ total, number = 1, work, ...part }: QueryPart): Promise<void> {
    const { log, watch } = this.#run;
    const counts = new QueryCounts();
    const begun = performance.now();
    const read = () => ({ done: counts.queries, failed: counts.errors });
    const watched = watch({ label: `${part.section} queries`, unit: 'queries', total, read });
    const threads = Array.from({ length: part.threads }, (_, thread) => thread);
    try {
      await allThreads(threads, (thread) => work(thread, counts));
    } finally {
      watched();
      const report = { ...part, figures: counts.report((performance.now() - begun) / 1000) };
      this.#parts.push(report);
      this.#totals.add(counts);
      const hidden = counts.errors - maxShownErrors;
      if (hidden > 0) log.warn(`${hidden} further failed queries are counted and not shown.`);
      log.done(partLine(report, number));
    }
  }

  /** Does something several times, each at least `intervalMs` after the one before began. */
  async #repeat(times: number, intervalMs: number, work: () => Promise<void>): Promise<void> {
    for (let time = 0; time < times && !this.#isOver; time++) {
      const begun = performance.now();
      await work();
      const leftMs = intervalMs - (performance.now() - begun);
      if (leftMs > 0 && time + 1 < times && !this.#isOver) await pause(leftMs, this.#run.stop);
    }
  }

  async #execute(sql: string, file: RowsFile | undefined, counts: QueryCounts): Promise<void> {
    const { stop } = this.#run;
    try {
      const isComplete = await executeQuery(sql, file, counts, this.#context);
      if (isComplete || stop.aborted || this.#scenario.failure === 'yes') return;
      this.#fail('a query failed, and continue_if_fail does not say "yes"');
    } catch (error) {
      if (!(error instanceof ResultFileFailure)) throw error;
      this.#fail(error.message);
    }
  }
}

/** Contiguous shares of a list, one for each thread; fewer where there are not enough items. */
function shared<T>(items: readonly T[], threads: number): readonly (readonly T[])[] {
  return splitTables({ from: 0, to: items.length }, threads).map(({ from, to }) => items.slice(from, to));
}

/** `d2` is before `d10`. */
const byName = new Intl.Collator('en', { numeric: true }).compare;

/** Settings in effect, without secrets. */
function settingsOf({ connection, database, mode, failure, specified, superTable }: QueryScenario): LoadSetting[] {
  return settingList({
    host: connection.host,
    port: mode === 'rest' ? connection.httpPort : connection.port,
    user: connection.user,
    database,
    query_mode: mode,
    continue_if_fail: failure,
    ...(specified && { specified_table_query: runsText(specified) }),
    ...(superTable && { super_table_query: `${superTable.superTable}, ${runsText(superTable)}` }),
  });
}

function runsText({ queries, times, threads, intervalMs }: SpecifiedQueries | SuperTableQueries): string {
  return `${queries.length} statements, ${times} times, ${threads} threads, every ${intervalMs} ms`;
}
