import { randomInt } from 'node:crypto';
import { FaultError } from '../../model/fault.js';
import type { Precision } from '../../model/schema.js';
import { environmentOf } from '../execution/environment.js';
import { faultLine, type StatementContext } from '../execution/statements.js';
import { allThreads, throwFailure } from '../execution/threads.js';
import { storedName } from '../model/names.js';
import type { Watch } from '../model/ports.js';
import {
  type DelayFigures,
  type LoadFigures,
  type LoadReport,
  perSecond,
  type SuperTableReport,
  settingList,
} from '../model/report.js';
import { type DatabasePlan, type InsertScenario, isSchemaless, type SuperTablePlan } from '../model/scenario.js';
import { openRowSource, type RowFiles, type RowSource, readRowFiles } from '../rows/source.js';
import { aggregate } from './aggregate.js';
import { createTables } from './child-tables.js';
import { defineDatabases, defineStreams, defineSuperTable, existingTables, isRemade } from './definitions.js';
import { InsertFigures } from './figures.js';
import { type FilledTable, type InsertWays, openPath, pathMode, seriesOf } from './insert-path.js';
import { InsertWorker, RunFailure } from './insert-worker.js';
import { TsmaWorker } from './tsma-worker.js';

/** Context of an insertion run. */
export interface InsertContext extends InsertWays, StatementContext {
  readonly version: string;
  readonly watch: Watch;
  /** Ticks of timestamp text in a file. */
  readonly readTime: (text: string, precision: Precision) => bigint | undefined;
}

/** A super table whose files were read; those of sub-tables that exist are read when their names are known. */
interface PlannedTable extends Pick<FilledTable, 'database' | 'plan'> {
  readonly files: RowFiles | undefined;
}

const bytesPerMegabyte = 1024 * 1024;

/** Runs an insertion to its end; whatever goes wrong is told in the report. */
export async function runInsert(scenario: InsertScenario, context: InsertContext): Promise<LoadReport> {
  const run = new InsertRun(scenario, context);
  try {
    await run.go();
    return run.report(context.stop.aborted ? 'interrupted' : 'completed', undefined);
  } catch (error) {
    if (!(error instanceof FaultError) && !(error instanceof RunFailure)) throw error;
    const failure = error instanceof FaultError ? faultLine(error.fault) : error.message;
    context.log.error(failure);
    return run.report('failed', failure);
  }
}

/** One run: definitions first, then the super tables one after the other. */
class InsertRun {
  readonly #scenario: InsertScenario;
  readonly #context: InsertContext;
  readonly #startedMs = Date.now();
  readonly #seed: number;
  readonly #totals = new InsertFigures();
  readonly #reports: SuperTableReport[] = [];
  /** Time of all super tables that are filled, one after the other. */
  #seconds = 0;
  #environment: LoadReport['environment'] = [];
  /** The super table that is being filled, and its threads. */
  #working: { readonly name: string; readonly threads: readonly InsertWorker[] } = { name: '', threads: [] };

  constructor(scenario: InsertScenario, context: InsertContext) {
    this.#scenario = scenario;
    this.#context = context;
    this.#seed = scenario.seed ?? randomInt(2 ** 31);
  }

  async go(): Promise<void> {
    const { log, stop } = this.#context;
    const scenario = this.#scenario;
    log.debug(`The seed of this run is ${this.#seed}.`);
    this.#environment = await environmentOf(this.#context.version, this.#context.run);
    const planned: PlannedTable[] = [];
    for (const database of scenario.databases) {
      for (const plan of database.superTables) planned.push(await this.#planned(database, plan));
    }
    await defineDatabases(scenario, this.#context);
    const tables: FilledTable[] = [];
    for (const table of planned) tables.push(await this.#prepare(table));
    const tsmas = tables.flatMap((table) => (table.plan.tsmas.length === 0 ? [] : [this.#tsmaWorker(table)]));
    try {
      for (const table of tables) if (!stop.aborted) await this.#createTables(table);
      if (!stop.aborted) await defineStreams(scenario, this.#context);
      await this.#insertAll(tables);
    } finally {
      for (const worker of tsmas) await worker.stop();
    }
    const [first] = tables;
    if (scenario.aggregate && first !== undefined && !stop.aborted) await aggregate(first, this.#context);
  }

  /** Report of the run so far. */
  report(outcome: LoadReport['outcome'], failure: string | undefined): LoadReport {
    return {
      version: this.#context.version,
      startedMs: this.#startedMs,
      endedMs: Date.now(),
      outcome,
      failure,
      environment: this.#environment,
      settings: settingsOf(this.#scenario, this.#seed),
      totals: this.#totals.report(this.#seconds),
      superTables: this.#reports,
    };
  }

  /** Reads the files of a super table before anything is dropped for it. */
  async #planned(database: DatabasePlan, asked: SuperTablePlan): Promise<PlannedTable> {
    // Sub-tables of a database that is made anew do not exist.
    const plan = isRemade(this.#scenario, database) ? { ...asked, childExists: false } : asked;
    if (plan.childExists) return { database, plan, files: undefined };
    const readTime = (text: string) => this.#context.readTime(text, database.precision);
    return { database, plan, files: await readRowFiles({ plan, readTime }) };
  }

  async #prepare({ database, plan, files }: PlannedTable): Promise<FilledTable> {
    const scenario = this.#scenario;
    if (!isSchemaless(plan.mode) && !plan.normalTables) await defineSuperTable(scenario, database, plan, this.#context);
    const { world, readTime } = this.#context;
    await world?.catalogue.sync();
    const { precision } = database;
    const options = {
      plan,
      database: storedName(database.name, database.escapeNames),
      precision,
      seed: this.#seed,
      ...(plan.childExists ? { existing: await existingTables(database, plan, this.#context) } : {}),
      ...(plan.mode === 'stmt' && world !== undefined ? { seriesOf: seriesOf(database, plan, world) } : {}),
      readTime: (text: string) => readTime(text, precision),
    };
    const source = await openRowSource(options, files);
    for (const note of source.pace.notes) this.#context.log.info(note);
    if (!source.tags.distinct) {
      const text = `No tag of ${plan.name} can number its sub-tables: without a schema some of them may become one.`;
      this.#context.log.warn(text);
    }
    return { database, plan, source };
  }

  #tsmaWorker({ database, plan }: FilledTable): TsmaWorker {
    const name = `${database.name}.${plan.name}`;
    const rows = (): number => {
      const done = this.#reports.find((report) => `${report.database}.${report.name}` === name);
      if (done !== undefined) return done.figures.rows;
      return this.#working.name === name ? this.#rowsOfThreads('rows') : 0;
    };
    return new TsmaWorker(database, plan, rows, this.#context);
  }

  async #createTables(table: FilledTable): Promise<void> {
    const { plan, source } = table;
    const { log } = this.#context;
    const tables = source.tables.to - source.tables.from;
    if (plan.childExists) {
      log.info(`${tables} tables of ${plan.name} exist and are filled.`);
    } else if (isSchemaless(plan.mode) || (plan.autoCreateTable && !plan.normalTables)) {
      log.info(`${tables} tables of ${plan.name} are created as their rows are inserted.`);
    } else {
      const context = { ...this.#context, threads: this.#scenario.createTableThreads };
      const created = await createTables(table, context);
      const rate = (created.tables / Math.max(created.seconds, 1e-6)).toFixed(2);
      log.done(
        `Spent ${created.seconds.toFixed(4)} seconds to create ${created.tables} table(s) with ${created.threads} thread(s), ${rate} tables/second`,
      );
    }
  }

  async #insertAll(tables: readonly FilledTable[]): Promise<void> {
    const { stop } = this.#context;
    try {
      for (const table of tables) if (table.plan.rows > 0 && !stop.aborted) await this.#insertOne(table);
    } finally {
      if (this.#reports.length > 1) this.#tellTotals();
    }
  }

  async #insertOne(table: FilledTable): Promise<void> {
    const { database, plan, source } = table;
    const ranges = source.split(this.#scenario.threads);
    this.#estimate(table, ranges.length);
    const broken = new AbortController();
    const context: StatementContext = { ...this.#context, stop: AbortSignal.any([this.#context.stop, broken.signal]) };
    const threads = ranges.map(() => new InsertWorker(table, openPath(table, this.#context), context));
    const name = `${database.name}.${plan.name}`;
    this.#working = { name, threads };
    const watched = this.#context.watch({
      label: `inserting into ${name}`,
      unit: 'rows',
      total: source.rows,
      read: () => ({ done: this.#rowsOfThreads('rows'), failed: this.#rowsOfThreads('failedRows') }),
    });
    const begun = performance.now();
    const endings = await allThreads(threads, (thread, number) => thread.run(ranges[number]!), broken);
    const seconds = (performance.now() - begun) / 1000;
    watched();
    this.#finish(table, threads, seconds);
    throwFailure(endings);
  }

  /** Tells what the threads of a super table have done, and adds it to the report. */
  #finish({ database, plan, source }: FilledTable, workers: readonly InsertWorker[], seconds: number): void {
    const { log } = this.#context;
    const sum = new InsertFigures();
    for (const [i, worker] of workers.entries()) {
      log.done(threadLine(i, source.pace.interlaceRows > 0, worker.figures.report(seconds)));
      sum.add(worker.figures);
    }
    this.#working = { name: '', threads: [] };
    this.#totals.add(sum);
    this.#seconds += seconds;
    const figures = sum.report(seconds);
    const threads = workers.length;
    const into = plan.tcpPort === undefined ? database.name : `what the listener on port ${plan.tcpPort} writes to`;
    for (const line of summaryLines(figures, threads, into)) log.done(line);
    const overwritten = overwrittenNote(plan, source.rows);
    if (overwritten !== undefined) log.info(overwritten);
    const subTables = source.tables.to - source.tables.from;
    this.#reports.push({
      database: database.name,
      name: plan.name,
      mode: pathText(plan, this.#context),
      subTables,
      threads,
      figures,
    });
  }

  #estimate({ plan, source }: FilledTable, threads: number): void {
    const tables = source.tables.to - source.tables.from;
    const rows = source.rows === undefined ? 'rows until it is stopped' : `${source.rows} rows`;
    const megabytes = Math.ceil(memoryOf(plan, source, threads) / bytesPerMegabyte);
    this.#context.log.info(
      `${rows} go to ${tables} table(s) of ${plan.name} by ${pathText(plan, this.#context)}, at most ${source.pace.rowsPerRequest} per request, with ${threads} thread(s); buffers take about ${megabytes} MB`,
    );
  }

  /** Rows of the super table that is being filled, so far. */
  #rowsOfThreads(name: 'rows' | 'failedRows'): number {
    return this.#working.threads.reduce((total, { figures }) => total + figures[name], 0);
  }

  #tellTotals(): void {
    const { log } = this.#context;
    const databases = [...new Set(this.#reports.map(({ database }) => database))].join(', ');
    const threads = Math.max(...this.#reports.map((report) => report.threads));
    const [first = '', ...more] = summaryLines(this.#totals.report(this.#seconds), threads, databases);
    for (const line of [`Total: ${first}`, ...more]) log.done(line);
  }
}

/** The mode of a super table, and the path that takes its place where only the HTTP service can be reached. */
function pathText(plan: SuperTablePlan, ways: InsertWays): string {
  const path = pathMode(plan, ways);
  return path === plan.mode ? plan.mode : `${plan.mode}, over HTTP as ${path}`;
}

/** A sentence when late rows take the times of others, of which the table then holds fewer than were written. */
function overwrittenNote(plan: SuperTablePlan, total: number | undefined): string | undefined {
  const { disorderRatio, disorderRange, rows, step } = plan;
  if (disorderRatio === 0 || disorderRange === 0 || total === undefined) return undefined;
  if (BigInt(disorderRange) >= BigInt(rows) * step) return undefined;
  return `Late rows may have replaced others of ${plan.name}: the disorder range ${disorderRange} is shorter than all rows take.`;
}

/** Text buffers of the threads, and the pool of rows with its printed form. */
function memoryOf(plan: SuperTablePlan, { pace }: RowSource, threads: number): number {
  const rowBytes = plan.columns.reduce((sum, { type }) => sum + type.length + 1, 16);
  const pool = plan.preparedRows * rowBytes;
  const text = plan.mode === 'stmt' ? pace.rowsPerRequest * rowBytes : plan.maxSqlBytes;
  return pool + threads * (text + (plan.mode === 'stmt' ? 0 : pool));
}

/** Settings in effect, without secrets. */
function settingsOf(scenario: InsertScenario, seed: number): LoadReport['settings'] {
  const { connection, threads, databases } = scenario;
  const filled = databases.flatMap((database) =>
    database.superTables.map((plan) => [
      `${database.name}.${plan.name}`,
      `${plan.mode}, ${plan.childTo - plan.childFrom} tables of ${plan.rows} rows, ${plan.rowsPerRequest} rows per request, interlace ${plan.interlaceRows}`,
    ]),
  );
  const { host, port, user } = connection;
  return settingList({ host, port, user, threads, seed, ...Object.fromEntries(filled) });
}

/** The line of one thread; its rate is over the time of all threads, so that the rates add up to that of the summary. */
export function threadLine(thread: number, interlaced: boolean, { rows, seconds }: LoadFigures): string {
  const mode = interlaced ? 'interlace' : 'progressive';
  const rate = perSecond(rows, seconds).toFixed(2);
  return `thread[${thread}] ${mode} mode, completed total inserted rows: ${rows}, ${rate} records/second`;
}

/** The lines of a super table, or of several together. */
export function summaryLines(figures: LoadFigures, threads: number, database: string): string[] {
  const { seconds, rows, failedRows, failedRequests, retries } = figures;
  const rate = perSecond(rows, seconds).toFixed(2);
  const lines = [
    `Spent ${seconds.toFixed(6)} seconds to insert rows: ${rows} with ${threads} thread(s) into ${database} ${rate} records/second`,
    `insert delay, ${delayText(figures.delays)}`,
  ];
  if (failedRequests + retries > 0) {
    lines.push(`failed rows: ${failedRows} in ${failedRequests} request(s), further attempts: ${retries}`);
  }
  return lines;
}

/** Delays in milliseconds, in the order of the reports. */
export function delayText({ min, mean, p50, p90, p95, p99, max }: DelayFigures): string {
  return Object.entries({ min, avg: mean, p50, p90, p95, p99, max })
    .map(([name, ms]) => `${name}: ${ms.toFixed(4)}ms`)
    .join(', ');
}
