import { expectedFault } from '../../model/fault.js';
import { faultLine } from '../execution/statements.js';
import { sqlName, storedName } from '../model/names.js';
import type { ConsumerPort } from '../model/ports.js';
import type { TopicConsumers } from '../model/scenario.js';
import { RowsFile } from '../sinks/rows-file.js';
import { ConsumerCount, type Consumption, type SubscribeRun } from './consumption.js';
import { messageLines, polledThrough } from './polling.js';

/** Consumers of topics. */
export class TopicRun implements Consumption {
  readonly counts: readonly ConsumerCount[];
  readonly #plan: TopicConsumers;
  readonly #run: SubscribeRun;

  constructor(plan: TopicConsumers, run: SubscribeRun) {
    this.#plan = plan;
    this.#run = run;
    this.counts = plan.groups.map((group, number) => new ConsumerCount(number, group));
  }

  async go(): Promise<void> {
    const { topics, setUp } = this.#plan;
    for (const { name, sql } of topics) {
      await this.#run.run(`CREATE TOPIC IF NOT EXISTS ${sqlName(storedName(name, false), false)} AS ${sql}`);
    }
    const consumers = this.counts.map((count) => new Consumer(this.#plan, count, this.#run));
    try {
      if (setUp === 'sequential') for (const consumer of consumers) await consumer.begin();
      await Promise.all(consumers.map((consumer) => consumer.run()));
    } finally {
      for (const consumer of consumers) await consumer.end();
    }
  }
}

/** One consumer with its file. */
class Consumer {
  readonly #plan: TopicConsumers;
  readonly #count: ConsumerCount;
  readonly #run: SubscribeRun;
  #file: RowsFile | undefined;
  #poller: ConsumerPort | undefined;

  constructor(plan: TopicConsumers, count: ConsumerCount, run: SubscribeRun) {
    this.#plan = plan;
    this.#count = count;
    this.#run = run;
  }

  /** Joins the group; done only once. */
  async begin(): Promise<ConsumerPort> {
    const { topics, clientId, rowsFile, offsetReset, autoCommit, autoCommitIntervalMs, withTableName } = this.#plan;
    const { number, group } = this.#count;
    if (this.#poller !== undefined) return this.#poller;
    if (rowsFile !== undefined) this.#file ??= await RowsFile.open(`${rowsFile}_${number}`);
    const names = new Set(topics.map(({ name }) => storedName(name, false)));
    const options = { offsetReset, autoCommit, autoCommitIntervalMs, withTableName };
    const settings = { ...options, group, clientId: `${clientId}_${number}` };
    this.#poller = await this.#run.subscribe([...names], settings);
    return this.#poller;
  }

  /** Polls to the end; a failure of this consumer is logged and counted, and does not end the others. */
  async run(): Promise<void> {
    try {
      await this.#consume(await this.begin());
    } catch (error) {
      this.#count.failed = true;
      this.#run.log.error(`consumerId: ${this.#count.number} ended: ${faultLine(expectedFault(error))}`);
    } finally {
      // Its share goes to the others, who may still be reading.
      await this.end();
    }
  }

  /** Leaves the group and closes the file; may be called again. */
  async end(): Promise<void> {
    const [poller, file] = [this.#poller, this.#file];
    this.#poller = undefined;
    this.#file = undefined;
    try {
      await poller?.close();
    } catch (error) {
      const { number } = this.#count;
      this.#run.log.warn(`consumerId: ${number} could not leave its group: ${faultLine(expectedFault(error))}`);
    } finally {
      await file?.close();
    }
  }

  async #consume(poller: ConsumerPort): Promise<void> {
    const { pollDelayMs, manualCommit, expectRows } = this.#plan;
    const count = this.#count;
    for await (const message of polledThrough(poller, pollDelayMs, this.#run)) {
      await this.#file?.append(messageLines(message, count.number, count.messages));
      count.add(message.rows.length);
      if (manualCommit) await poller.commit();
      if (expectRows >= 0 && count.rows >= expectRows) return;
    }
  }
}
