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

/** One thread's share of a part. */
type Worker = (thread: number) => Promise<void>;

/**
 * Runs the queries of a scenario: first the statements as they are, one after the other, each on all threads, then those for
 * every sub-table. Never throws for what the database refuses: the report says how the run ended.
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
    this.#context = { database: storedName(scenario.database, false), run: run.run, log: run.log, running };
  }

  async run(): Promise<QueryReport> {
    const { log, stop, version } = this.#run;
    const { specified, superTable } = this.#scenario;
    const startedMs = Date.now();
    const environment = await environmentOf(version, this.#run.run);
    const begun = performance.now();
    try {
      if (specified !== undefined) await (specified.mixed ? this.#mixed(specified) : this.#specified(specified));
      if (superTable !== undefined && !this.#isOver) await this.#superTable(superTable);
    } catch (error) {
      if (error instanceof FaultError) this.#fail(faultLine(error.fault));
      else if (error instanceof ResultFileFailure) this.#fail(error.message);
      else throw error;
    } finally {
      await this.#files.close();
    }
    const totals = this.#totals.report((performance.now() - begun) / 1000);
    for (const line of totalLines(totals)) log.done(line);
    const outcome = this.#failure !== undefined ? 'failed' : stop.aborted ? 'interrupted' : 'completed';
    const endedMs = Date.now();
    const settings = settingsOf(this.#scenario);
    return {
      version,
      startedMs,
      endedMs,
      outcome,
      failure: this.#failure,
      environment,
      settings,
      totals,
      parts: this.#parts,
    };
  }

  get #isOver(): boolean {
    return this.#failure !== undefined || this.#run.stop.aborted;
  }

  #fail(reason: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#run.log.error(`The run ends: ${reason}`);
  }

  async #specified({ queries, threads, times, intervalMs }: SpecifiedQueries): Promise<void> {
    for (const [index, query] of queries.entries()) {
      if (this.#isOver) return;
      const counts = new QueryCounts();
      const worker = async (): Promise<void> => {
        const file = await this.#fileOf(query);
        await this.#repeat(times, intervalMs, () => this.#execute(query.sql, file, counts));
      };
      const part = { section: 'specified', statements: [query.sql], threads } as const;
      await this.#runPart(part, counts, times * threads, worker, index + 1);
    }
  }

  /** The statements are cut into contiguous parts, one for each thread; results are not kept. */
  async #mixed({ queries, threads, times }: SpecifiedQueries): Promise<void> {
    const shares = shared(queries, threads);
    const counts = new QueryCounts();
    const worker = async (thread: number): Promise<void> => {
      for (const { sql } of shares[thread] ?? [])
        await this.#repeat(times, 0, () => this.#execute(sql, undefined, counts));
    };
    const part = { section: 'mixed', statements: queries.map(({ sql }) => sql), threads: shares.length } as const;
    await this.#runPart(part, counts, queries.length * times, worker);
  }

  async #superTable({ superTable, queries, threads, times, intervalMs }: SuperTableQueries): Promise<void> {
    const { database } = this.#context;
    const tables = await this.#childNames(superTable);
    if (tables.length === 0) this.#run.log.warn(`The super table ${superTable} has no sub-tables.`);
    const shares = shared(tables, threads);
    const counts = new QueryCounts();
    const worker = async (thread: number): Promise<void> => {
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
    const part = { section: 'super', statements: queries.map(({ sql }) => sql), threads: shares.length } as const;
    await this.#runPart(part, counts, queries.length * times * tables.length, worker);
  }

  /** The file of a statement's results, which all threads and statements that name it share. */
  async #fileOf({ result }: QueryText): Promise<RowsFile | undefined> {
    return result === undefined ? undefined : orFileFailure(this.#files.get(result));
  }

  async #childNames(superTable: string): Promise<string[]> {
    const { database, run } = this.#context;
    const table = `${sqlName(database, false)}.${sqlName(storedName(superTable, false), false)}`;
    return (await firstColumn(run, `SELECT DISTINCT tbname FROM ${table}`, { database })).sort(byName);
  }

  async #runPart(
    part: Omit<QueryPartReport, 'figures'>,
    counts: QueryCounts,
    total: number,
    worker: Worker,
    number = 1,
  ): Promise<void> {
    const { log, watch } = this.#run;
    const begun = performance.now();
    const read = () => ({ done: counts.queries, failed: counts.errors });
    const watched = watch({ label: `${part.section} queries`, unit: 'queries', total, read });
    const threads = Array.from({ length: part.threads }, (_, thread) => thread);
    const ended = allThreads(threads, worker);
    await ended.catch(() => {});
    watched();
    const report = { ...part, figures: counts.report((performance.now() - begun) / 1000) };
    this.#parts.push(report);
    this.#totals.add(counts);
    const hidden = counts.errors - maxShownErrors;
    if (hidden > 0) log.warn(`${hidden} further failed queries are counted and not shown.`);
    log.done(partLine(report, number));
    await ended;
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
      const isComplete = await executeQuery(sql, file, counts, this.#context, stop);
      if (isComplete || stop.aborted || this.#scenario.failure === 'yes') return;
    } catch (error) {
      if (error instanceof ResultFileFailure) this.#fail(error.message);
      else throw error;
      return;
    }
    this.#fail('a query failed, and continue_if_fail does not say "yes"');
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
  const values: Record<string, string | number> = {
    host: connection.host,
    port: mode === 'rest' ? connection.httpPort : connection.port,
    user: connection.user,
    database,
    query_mode: mode,
    continue_if_fail: failure,
  };
  if (specified !== undefined) values.specified_table_query = runsText(specified);
  if (superTable !== undefined) values.super_table_query = `${superTable.superTable}, ${runsText(superTable)}`;
  return settingList(values);
}

function runsText({ queries, times, threads, intervalMs }: SpecifiedQueries | SuperTableQueries): string {
  return `${queries.length} statements, ${times} times, ${threads} threads, every ${intervalMs} ms`;
}
