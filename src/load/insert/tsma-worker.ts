import { expectedFault } from '../../model/fault.js';
import { createTsmaText } from '../encode/definitions.js';
import { define, faultLine, type StatementContext } from '../execution/statements.js';
import { storedName } from '../model/names.js';
import { type DatabasePlan, isSchemaless, type SuperTablePlan } from '../model/scenario.js';

const pollMs = 100;

/** Creates the TSMAs of a super table once enough rows are in it, beside the insertion. Failures do not end the run. */
export class TsmaWorker {
  readonly #database: DatabasePlan;
  readonly #plan: SuperTablePlan;
  readonly #context: StatementContext;
  readonly #rows: () => number;
  readonly #timer: NodeJS.Timeout;
  #next = 0;
  #creating: Promise<void> = Promise.resolve();

  /** `rows` is how many were inserted so far. */
  constructor(database: DatabasePlan, plan: SuperTablePlan, rows: () => number, context: StatementContext) {
    this.#database = database;
    this.#plan = plan;
    this.#rows = rows;
    this.#context = context;
    this.#timer = setInterval(() => this.#poll(), pollMs);
    this.#poll();
  }

  /** Ends with the insertion, and logs which TSMAs were never due. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#poll();
    await this.#creating;
    for (const { name, startWhenInserted } of this.#plan.tsmas.slice(this.#next)) {
      this.#context.log.warn(`TSMA ${name} was not created: there were never ${Math.max(1, startWhenInserted)} rows`);
    }
  }

  #poll(): void {
    const { tsmas, mode } = this.#plan;
    const rows = this.#rows();
    // Without a schema the first rows make the table.
    const least = isSchemaless(mode) ? 1 : 0;
    for (
      let due = tsmas[this.#next];
      due !== undefined && rows >= Math.max(least, due.startWhenInserted);
      due = tsmas[this.#next]
    ) {
      this.#next++;
      const sql = createTsmaText(this.#database, this.#plan, due);
      this.#creating = this.#creating.then(() => this.#create(sql));
    }
  }

  async #create(sql: string): Promise<void> {
    const { log } = this.#context;
    log.info(sql);
    const database = storedName(this.#database.name, this.#database.escapeNames);
    try {
      await define(sql, this.#plan.attempts, this.#context, { database });
    } catch (error) {
      log.error(`A TSMA cannot be created: ${faultLine(expectedFault(error))}`);
    }
  }
}
