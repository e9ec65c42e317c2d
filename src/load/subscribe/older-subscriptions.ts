import { createHash } from 'node:crypto';
import { expectedFault } from '../../model/fault.js';
import { pause } from '../../pipelines/pause.js';
import { faultLine, firstColumn } from '../execution/statements.js';
import { forChild, sqlName, storedName } from '../model/names.js';
import type { ConsumerPort, RunSql, RunSqlOptions } from '../model/ports.js';
import type { OlderSubscription, OlderSubscriptions, QueryText } from '../model/scenario.js';
import { type RowsFile, RowsFiles } from '../sinks/rows-file.js';
import { ConsumerCount, type Consumption, type SubscribeRun } from './consumption.js';
import { polledThrough, printedRow } from './polling.js';

/** How long one look for new rows takes at most when there are none. */
const lookMs = 500;

/** One statement in one thread. */
interface OlderTask {
  readonly part: OlderSubscription;
  readonly database: string | undefined;
  readonly sql: string;
  readonly group: string;
  /** Path of the file for rows; undefined keeps none. */
  readonly result: string | undefined;
  readonly count: ConsumerCount;
}

/**
 * Subscriptions in the older form: every statement in every thread is a topic with a group of its
 * own, named after the statement, so that a later run finds its progress.
 */
export class OlderRun implements Consumption {
  readonly counts: ConsumerCount[] = [];
  readonly #plan: OlderSubscriptions;
  readonly #run: SubscribeRun;

  constructor(plan: OlderSubscriptions, run: SubscribeRun) {
    this.#plan = plan;
    this.#run = run;
  }

  async go(): Promise<void> {
    const { parts, database: named } = this.#plan;
    const database = named === undefined ? undefined : storedName(named, false);
    const tasks: OlderTask[] = [];
    for (const part of parts) {
      for (const [thread, texts] of (await textsByThread(part, database, this.#run.run)).entries()) {
        for (const [index, { sql, result }] of texts.entries()) {
          const group = `tg${index}_${thread}`;
          tasks.push({ part, database, sql, group, result, count: new ConsumerCount(tasks.length, group) });
        }
      }
    }
    this.counts.push(...tasks.map(({ count }) => count));
    const files = new RowsFiles();
    try {
      await Promise.all(tasks.map((task) => runTask(task, files, this.#run)));
    } finally {
      await files.close();
    }
    await dropTopics(tasks, this.#run);
  }
}

/** The statements of each thread: all of them, or those of its part of the sub-tables. */
async function textsByThread(
  { superTable, threads, queries }: OlderSubscription,
  database: string | undefined,
  run: RunSql,
): Promise<QueryText[][]> {
  const all = Array.from({ length: threads }, (_, thread) => thread);
  if (superTable === undefined) return all.map(() => [...queries]);
  const sql = `SELECT TAGS tbname FROM ${sqlName(storedName(superTable, false), false)}`;
  const tables = await firstColumn(run, sql, inDatabase(database));
  return all.map((thread) => {
    const own = tables.filter((_, at) => at % threads === thread);
    return own.flatMap((table) => queries.map((query) => ({ ...query, sql: textFor(query.sql, database, table) })));
  });
}

function textFor(sql: string, database: string | undefined, table: string): string {
  return database === undefined ? sql.replaceAll('xxxx', sqlName(table, false)) : forChild(sql, database, table);
}

function inDatabase(database: string | undefined): RunSqlOptions {
  return database === undefined ? {} : { database };
}

/** A name for a statement in a database: the same statement gives the same topic in every run. */
function topicOf({ sql, database = '' }: OlderTask): string {
  return `sub_${createHash('md5').update(`${database}\n${sql}`).digest('hex').slice(0, 16)}`;
}

async function runTask(task: OlderTask, files: RowsFiles, run: SubscribeRun): Promise<void> {
  const { part, count, result } = task;
  const file = result === undefined ? undefined : await files.get(result);
  try {
    await run.run(`CREATE TOPIC IF NOT EXISTS ${topicOf(task)} AS ${task.sql}`, inDatabase(task.database));
    if (part.restart) await forget(task, run);
    let poller = await subscribe(task, run);
    try {
      for (let consumes = 0; !run.stop.aborted; ) {
        const hasConsumed = await consume(poller, task, file, run);
        if (hasConsumed) consumes++;
        if (part.endAfterConsume >= 0 && consumes >= part.endAfterConsume) return;
        if (part.resubAfterConsume && hasConsumed) {
          await unsubscribe(poller, task, run);
          poller = await subscribe(task, run);
        }
        await pause(part.intervalMs, run.stop);
      }
    } finally {
      await unsubscribe(poller, task, run);
    }
  } catch (error) {
    count.failed = true;
    run.log.error(`subscription ${task.group} ended: ${faultLine(expectedFault(error))}`);
  }
}

/** Topics without stored progress are of no use after the run, and would prevent their database from being dropped. */
async function dropTopics(tasks: readonly OlderTask[], { run, log }: SubscribeRun): Promise<void> {
  const stored = new Set(tasks.filter(({ part }) => part.keepProgress).map(topicOf));
  const topics = new Set(tasks.map(topicOf).filter((topic) => !stored.has(topic)));
  for (const topic of topics) {
    try {
      await run(`DROP TOPIC IF EXISTS ${topic}`);
    } catch (error) {
      log.debug(`The topic ${topic} stays: ${faultLine(expectedFault(error))}`);
    }
  }
  if (stored.size > 0) log.info(`Topics that keep their progress: ${[...stored].join(', ')}. DROP TOPIC removes them.`);
}

/** Reads all that is there; true when there was something. */
async function consume(
  poller: ConsumerPort,
  { count }: OlderTask,
  file: RowsFile | undefined,
  run: SubscribeRun,
): Promise<boolean> {
  const before = count.rows;
  for await (const { rows } of polledThrough(poller, lookMs, run)) {
    await file?.append(rows.map((row) => `${printedRow(row)}\n`).join(''));
    count.add(rows.length);
  }
  return count.rows > before;
}

function subscribe(task: OlderTask, run: SubscribeRun): Promise<ConsumerPort> {
  return run.subscribe([topicOf(task)], {
    group: task.group,
    clientId: task.group,
    offsetReset: 'earliest',
    autoCommit: false,
    autoCommitIntervalMs: 5000,
    withTableName: false,
  });
}

/** Without `keepProgress` the next subscription begins anew. */
async function unsubscribe(poller: ConsumerPort, task: OlderTask, run: SubscribeRun): Promise<void> {
  if (task.part.keepProgress) await poller.commit();
  await poller.close();
  if (!task.part.keepProgress) await forget(task, run);
}

async function forget(task: OlderTask, { run }: SubscribeRun): Promise<void> {
  await run(`DROP CONSUMER GROUP IF EXISTS FORCE ${task.group} ON ${topicOf(task)}`);
}
