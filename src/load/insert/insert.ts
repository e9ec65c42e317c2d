import { randomInt } from 'node:crypto';
import { FaultError } from '../../model/fault.js';
import type { Precision } from '../../model/schema.js';
import { pingHttp } from '../destination/http-statements.js';
import { environmentOf } from '../execution/environment.js';
import { faultLine, type StatementContext } from '../execution/statements.js';
import { allThreads } from '../execution/threads.js';
import { storedName } from '../model/names.js';
import type { Watch } from '../model/ports.js';
import { type LoadReport, type SuperTableReport, settingList } from '../model/report.js';
import { type DatabasePlan, type InsertScenario, isSchemaless, type SuperTablePlan } from '../model/scenario.js';
import { openRowSource, type RowFiles, type RowSource, readRowFiles } from '../rows/source.js';
import { aggregate } from './aggregate.js';
import { createTables } from './child-tables.js';
import { defineDatabases, defineStreams, defineSuperTable, existingTables, isRemade } from './definitions.js';
import { InsertFigures, summaryLines, threadLine } from './figures.js';
import { InsertWorker, RunFailure } from './insert-worker.js';
import { type FilledTable, type InsertWays, openPath, pathMode, seriesOf } from './modes.js';
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
/** Connections that are opened before the first row. */
const maxOpenedBeforehand = 64;

/** Runs an insertion to its end; the report says what failed. */
export async function runInsert(scenario: InsertScenario, context: InsertContext): Promise<LoadReport> {
  const run = new InsertRun(scenario, context);
  try {
    await openConnections(scenario, context);
    await run.go();
    return run.report(context.stop.aborted ? 'interrupted' : 'completed', undefined);
  } catch (error) {
    if (!(error instanceof FaultError) && !(error instanceof RunFailure)) throw error;
    const failure = error instanceof FaultError ? faultLine(error.fault) : error.message;
    context.log.error(failure);
    return run.report('failed', failure);
  }
}

/** Opens as many connections as there are requests at once, so that rows find them open. A failure shows up later. */
async function openConnections(scenario: InsertScenario, { embedded, http }: InsertContext): Promise<void> {
  const { threads, createTableThreads, connectionPoolSize, databases } = scenario;
  const plans = databases.flatMap(({ superTables }) => superTables);
  const tables = Math.max(0, ...plans.map(({ childFrom, childTo }) => childTo - childFrom));
  const length = Math.min(connectionPoolSize, Math.max(threads, createTableThreads), tables, maxOpenedBeforehand);
  await Promise.allSettled(Array.from({ length }, () => Promise.all([embedded?.ping(), http && pingHttp(http)])));
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
      for (const table of tables) if (table.plan.rows > 0 && !stop.aborted) await this.#insert(table);
    } finally {
      if (this.#reports.length > 1) this.#logTotals();
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
  async #planned(database: DatabasePlan, configured: SuperTablePlan): Promise<PlannedTable> {
    // Sub-tables of a database that is made anew do not exist.
    const plan = isRemade(this.#scenario, database) ? { ...configured, childExists: false } : configured;
    if (plan.childExists) return { database, plan, files: undefined };
    const readTime = (text: string) => this.#context.readTime(text, database.precision);
    return { database, plan, files: await readRowFiles({ plan, readTime }) };
  }

  async #prepare({ database, plan, files }: PlannedTable): Promise<FilledTable> {
    const { embedded, readTime, log } = this.#context;
    if (!isSchemaless(plan.mode) && !plan.normalTables)
      await defineSuperTable(this.#scenario, database, plan, this.#context);
    await embedded?.catalogue.sync();
    const { precision } = database;
    const options = {
      plan,
      database: storedName(database.name, database.escapeNames),
      precision,
      seed: this.#seed,
      ...(plan.childExists ? { existing: await existingTables(database, plan, this.#context) } : {}),
      ...(plan.mode === 'stmt' && embedded !== undefined ? { seriesOf: seriesOf(database, plan, embedded) } : {}),
      readTime: (text: string) => readTime(text, precision),
    };
    const source = await openRowSource(options, files);
    for (const note of source.pace.notes) log.info(note);
    if (!source.tags.distinct) {
      log.warn(`No tag of ${plan.name} can number its sub-tables: without a schema some of them may become one.`);
    }
    return { database, plan, source };
  }

  #tsmaWorker({ database, plan }: FilledTable): TsmaWorker {
    const name = `${database.name}.${plan.name}`;
    const rows = (): number => {
      const done = this.#reports.find((report) => `${report.database}.${report.name}` === name);
      return done?.figures.rows ?? (this.#working.name === name ? this.#rowsOfThreads('rows') : 0);
    };
    return new TsmaWorker(database, plan, rows, this.#context);
  }

  async #createTables(table: FilledTable): Promise<void> {
    const { plan, source } = table;
    const { log } = this.#context;
    const tables = source.tables.to - source.tables.from;
    if (plan.childExists) log.info(`${tables} tables of ${plan.name} exist and are filled.`);
    else if (isSchemaless(plan.mode) || (plan.autoCreateTable && !plan.normalTables)) {
      log.info(`${tables} tables of ${plan.name} are created as their rows are inserted.`);
    } else log.done(await createTables(table, { ...this.#context, threads: this.#scenario.createTableThreads }));
  }

  async #insert(table: FilledTable): Promise<void> {
    const { database, plan, source } = table;
    const context = this.#context;
    const ranges = source.split(this.#scenario.threads);
    const path = pathText(plan, context);
    context.log.info(estimateLine(table, ranges.length, path));
    const broken = new AbortController();
    const stop = AbortSignal.any([context.stop, broken.signal]);
    const { host } = this.#scenario.connection;
    const threads = ranges.map(() => new InsertWorker(table, openPath(table, context, host), { ...context, stop }));
    const name = `${database.name}.${plan.name}`;
    this.#working = { name, threads };
    const watched = context.watch({
      label: `inserting into ${name}`,
      unit: 'rows',
      total: source.rows,
      read: () => ({ done: this.#rowsOfThreads('rows'), failed: this.#rowsOfThreads('failedRows') }),
    });
    const begun = performance.now();
    try {
      await allThreads(threads, (thread, number) => thread.run(ranges[number]!), broken);
    } finally {
      watched();
      this.#finish(table, path, (performance.now() - begun) / 1000);
    }
  }

  /** Logs what the threads of a super table have done, and adds it to the report. */
  #finish({ database, plan, source }: FilledTable, mode: string, seconds: number): void {
    const { log } = this.#context;
    const sum = new InsertFigures();
    const { threads } = this.#working;
    for (const [i, worker] of threads.entries()) {
      log.done(threadLine(i, source.pace.interlaceRows > 0, worker.figures.report(seconds)));
      sum.add(worker.figures);
    }
    this.#working = { name: '', threads: [] };
    this.#totals.add(sum);
    this.#seconds += seconds;
    const figures = sum.report(seconds);
    const into = plan.tcpPort === undefined ? database.name : `what the listener on port ${plan.tcpPort} writes to`;
    for (const line of summaryLines(figures, threads.length, into)) log.done(line);
    const overwritten = overwrittenNote(plan, source.rows);
    if (overwritten !== undefined) log.info(overwritten);
    const subTables = source.tables.to - source.tables.from;
    const report = { database: database.name, name: plan.name, mode, subTables, threads: threads.length, figures };
    this.#reports.push(report);
  }

  /** Rows of the super table that is being filled, so far. */
  #rowsOfThreads(name: 'rows' | 'failedRows'): number {
    return this.#working.threads.reduce((total, { figures }) => total + figures[name], 0);
  }

  #logTotals(): void {
    const databases = [...new Set(this.#reports.map(({ database }) => database))].join(', ');
    const threads = Math.max(...this.#reports.map((report) => report.threads));
    const [first = '', ...more] = summaryLines(this.#totals.report(this.#seconds), threads, databases);
    for (const line of [`Total: ${first}`, ...more]) this.#context.log.done(line);
  }
}

/** The mode of a super table, and the one in its place where only HTTP reaches the database. */
function pathText(plan: SuperTablePlan, ways: InsertWays): string {
  const path = pathMode(plan, ways);
  return path === plan.mode ? plan.mode : `${plan.mode}, over HTTP as ${path}`;
}

function estimateLine({ plan, source }: FilledTable, threads: number, path: string): string {
  const tables = source.tables.to - source.tables.from;
  const rows = source.rows === undefined ? 'rows until it is stopped' : `${source.rows} rows`;
  const megabytes = Math.ceil(memoryOf(plan, source, threads) / bytesPerMegabyte);
  return `${rows} go to ${tables} table(s) of ${plan.name} by ${path}, at most ${source.pace.rowsPerRequest} per request, with ${threads} thread(s); buffers take about ${megabytes} MB`;
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
