import { setMaxListeners } from 'node:events';
import { isStaleSchema } from '../../database/store/stale-schema.js';
import type { Delivery } from '../../model/delivery.js';
import { Codes, type Fault, FaultError } from '../../model/fault.js';
import { pause } from '../../pipelines/pause.js';
import { retried } from '../execution/attempts.js';
import { faultLine, type StatementContext } from '../execution/statements.js';
import type { LateEnding } from '../model/ports.js';
import { halvesOf, type RowRequest } from '../model/row-request.js';
import type { TableRange } from '../rows/plan.js';
import { createMissing } from './child-tables.js';
import { InsertFigures } from './figures.js';
import { InFlight } from './in-flight.js';
import type { FilledTable, RequestPart, RowPath } from './modes.js';

/** How long one request may take, at least. */
const requestTimeoutMs = 120_000;
/** So many requests that begin within that time share a deadline: a timer costs more than a short request. */
const sharedDeadlineMs = 10_000;
const sharedDeadlineUses = 16;

/** The run must end because of what happened to one request. */
export class RunFailure extends Error {}

/** A thread of an insertion: makes requests of its range of tables, and sends them; see {@link InFlight}. */
export class InsertWorker {
  readonly figures = new InsertFigures();
  readonly #table: FilledTable;
  readonly #path: RowPath;
  readonly #context: StatementContext;
  #deadline = newDeadline();
  #deadlineMadeMs = performance.now();
  #deadlineUses = 0;

  constructor(table: FilledTable, path: RowPath, context: StatementContext) {
    this.#table = table;
    this.#path = path;
    this.#context = context;
  }

  /**
   * Inserts the rows of a range until they are done or the run is stopped. Throws a {@link RunFailure} when a request
   * failed and the scenario does not say to go on.
   */
  async run(range: TableRange): Promise<void> {
    const { source, plan } = this.#table;
    const { stop } = this.#context;
    const requests = source.requests(range)[Symbol.iterator]();
    // Over HTTP a thread has one connection, on which a request waits for the one before.
    const inFlight = new InFlight(this.#path.isRemote ? 0 : plan.rowsPerRequest);
    try {
      while (!stop.aborted) {
        const begun = performance.now();
        const next = requests.next();
        this.figures.generateMs += performance.now() - begun;
        if (next.done === true) break;
        const request = next.value;
        await inFlight.start(request.block.rows, () => this.#insert(request));
        if (request.endsRound && plan.insertIntervalMs > 0) {
          await inFlight.idle();
          await pause(plan.insertIntervalMs, stop);
        }
      }
      await inFlight.idle();
      this.#settleLate(await this.#path.end?.(newDeadline()));
    } finally {
      await inFlight.ended();
      await this.#path.stop?.();
    }
  }

  /** Sends a request in as many parts as it needs. */
  async #insert(request: RowRequest): Promise<void> {
    const parts = this.#path.parts(request)[Symbol.iterator]();
    let left = request.block.rows;
    while (left > 0 && !this.#context.stop.aborted) {
      const begun = performance.now();
      const next = nextPart(parts);
      this.figures.encodeMs += performance.now() - begun;
      if (next === undefined) return;
      if ('fault' in next) {
        this.#settle({ outcome: 'rejected', fault: next.fault }, left);
        return;
      }
      await this.#deliver(request, next, request.block.rows - left);
      left -= next.rows;
    }
  }

  /** Sends a part, whose first row is `from`. A missing table costs its own rows alone where the run continues. */
  async #deliver(request: RowRequest, part: RequestPart, from: number): Promise<void> {
    const { plan } = this.#table;
    const { log, stop } = this.#context;
    let delivery = await retried<Delivery>({
      attempts: plan.attempts,
      log,
      stop,
      verb: 're-insert',
      run: () => this.#send(part),
      reasonToRetry: (ending) => (mayRetry(ending) ? describe(ending) : undefined),
      onRetry: () => this.figures.retries++,
    });
    if (plan.failure === 'smart' && isMissingTable(delivery)) {
      log.warn(`${describe(delivery)}; the missing tables are created`);
      await createMissing(this.#table, request.tables, this.#context);
      this.figures.retries++;
      delivery = await this.#send(part);
    }
    const halves = plan.failure !== 'no' && isMissingTable(delivery) ? halvesOf(request, from, from + part.rows) : [];
    for (const half of halves) await this.#insert(half);
    if (halves.length === 0) this.#settle(delivery, part.rows);
  }

  async #send(part: RequestPart): Promise<Delivery> {
    const begun = performance.now();
    const delivery = await part.send(this.#deadlineOf(begun));
    const tookMs = performance.now() - begun;
    this.figures.waitMs += tookMs;
    this.figures.requests++;
    if (delivery.outcome === 'delivered') this.figures.delays.record(tookMs);
    return delivery;
  }

  #deadlineOf(begunMs: number): AbortSignal {
    if (++this.#deadlineUses > sharedDeadlineUses || begunMs - this.#deadlineMadeMs > sharedDeadlineMs) {
      this.#deadline = newDeadline();
      this.#deadlineMadeMs = begunMs;
      this.#deadlineUses = 1;
    }
    return this.#deadline;
  }

  #settle(delivery: Delivery, rows: number): void {
    const { figures } = this;
    if (delivery.outcome === 'delivered') {
      figures.rows += delivery.rows;
      figures.failedRows += delivery.rejectedRows;
      if (delivery.rejectedRows === 0) return;
    } else figures.failedRows += rows;
    figures.failedRequests++;
    this.#failed(describe(delivery), 'going on with the next request');
  }

  /** Rows that counted as stored, and turned out not to be. */
  #settleLate(ending: LateEnding | undefined): void {
    if (ending === undefined) return;
    const { figures } = this;
    figures.rows -= ending.rows;
    figures.failedRows += ending.rows;
    figures.failedRequests++;
    const what = `${ending.rows} rows that were sent were refused or lost: ${faultLine(ending.fault)}`;
    this.#failed(what, 'they count as failed');
  }

  /** The end of the run, or a warning where it goes on. */
  #failed(what: string, goesOn: string): void {
    if (this.#table.plan.failure !== 'yes') throw new RunFailure(what);
    this.#context.log.warn(`${what}; ${goesOn}`);
  }
}

/** A deadline that many requests may wait for. */
function newDeadline(): AbortSignal {
  const deadline = AbortSignal.timeout(requestTimeoutMs + sharedDeadlineMs);
  setMaxListeners(0, deadline);
  return deadline;
}

/** The next part, or why there is none that could be sent. */
function nextPart(parts: Iterator<RequestPart>): RequestPart | { readonly fault: Fault } | undefined {
  try {
    const next = parts.next();
    return next.done === true ? undefined : next.value;
  } catch (error) {
    if (error instanceof FaultError) return { fault: error.fault };
    throw error;
  }
}

function mayRetry({ outcome }: Delivery): boolean {
  return outcome === 'failed' || outcome === 'shed';
}

/** True for a request with rows of a table that is not there, or that was dropped while they were in flight. */
function isMissingTable(delivery: Delivery): boolean {
  if (delivery.outcome !== 'rejected' && delivery.outcome !== 'failed') return false;
  const { fault } = delivery;
  return fault.code === Codes.tableNotExist || fault.code === Codes.tableInfo || isStaleSchema(fault);
}

function describe(delivery: Delivery): string {
  switch (delivery.outcome) {
    case 'delivered': {
      const [first] = delivery.rejects;
      const why = first === undefined ? '' : `: row ${first.row + 1}: ${faultLine(first.fault)}`;
      return `${delivery.rejectedRows} rows of a request were rejected${why}`;
    }
    case 'shed':
      return `A request was not taken: ${delivery.reason}`;
    default:
      return `A request failed: ${faultLine(delivery.fault)}`;
  }
}
