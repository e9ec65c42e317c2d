import {
  BehaviorSubject,
  combineLatest,
  identity,
  map,
  merge,
  type Observable,
  of,
  Subject,
  type Subscription,
} from 'rxjs';
import { nowMicros } from '../async/clock.js';
import { detached } from '../async/detached.js';
import { OpenList } from '../async/open-list.js';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { ensureWritable, isWritable } from '../database/catalogue/ensure-database.js';
import type { SubTables } from '../database/store/sub-tables.js';
import type { Acknowledgement, Batch, BlockGroup, ByteBlock } from '../model/batch.js';
import type { Component, ComponentLog, CreditGate, Sink, Source, WriteMeter } from '../model/component.js';
import { type Delivery, failuresOf } from '../model/delivery.js';
import type { Exchange, WriteRequest } from '../model/exchange.js';
import { Codes, type Fault, fault, faultOf } from '../model/fault.js';
import type { WaitingTables } from '../model/waiting-tables.js';
import type { HttpBodySource } from '../sources/http-body/source.js';
import type { RowWriter, StatementRows } from '../statements/row-writer.js';
import type { WriteAheadLog } from '../wal/log.js';
import type { RejectedRowsFile } from '../wal/rejected-rows.js';
import { type CommitLimits, GroupCommit } from './commit/group-commit.js';
import { storageOf } from './commit/storage-of.js';
import type { ConfiguredUser } from './configured-user.js';
import type { ByteCreditGate } from './credit-gate.js';
import { deliver } from './deliver.js';
import { Dictionaries } from './dictionaries.js';
import { Retries } from './retries.js';
import { acknowledge } from './write/acknowledge.js';
import { admit } from './write/admit.js';
import { coalesce } from './write/coalesce.js';
import { countEnded, countReceived, type OpenBatches } from './write/count.js';
import { type Definer, define } from './write/define.js';
import { pausedWhile, withCredit } from './write/intake.js';
import { LoggedQueue } from './write/logged-queue.js';
import { MetadataCache } from './write/metadata-cache.js';
import { parse } from './write/parse.js';
import { PayloadReader, type ReadStatement } from './write/payload-reader.js';
import { PointReader } from './write/point-reader.js';
import { split } from './write/split.js';
import { stamp } from './write/stamp.js';
import { StatementRowsSource } from './write/statement-rows.js';

/** An input of data. */
export interface WriteInput {
  readonly source: Source<ByteBlock>;
  /** The credit that its batches take. */
  readonly gate: Pick<CreditGate, 'take' | 'give'>;
  /**
   * Who tries again when a write fails for a transient reason. A `sender` that waits for an answer gets it; for senders
   * that get none it is done `here`, while the batch keeps its credit.
   */
  readonly retry: 'sender' | 'here';
  /** Who writes, for inputs whose senders bring no credentials; left out, the source lets in no unknown user. */
  readonly user?: ConfiguredUser;
}

/** Where writes are logged before they are answered. */
export interface WriteLog {
  readonly wal: WriteAheadLog;
  readonly rejected: RejectedRowsFile;
  /** When a write is answered that does not say it itself. */
  readonly ack: Acknowledgement;
}

/** Context of the write pipeline. */
export interface WriteContext {
  /** The source of HTTP bodies. */
  readonly bodies: HttpBodySource;
  /** Sources that listen or ask by themselves. */
  readonly inputs: readonly WriteInput[];
  /** True while their batches must wait; left out, they never do. */
  readonly paused$?: Observable<boolean>;
  /** Names of the values of agents' lists by type, where a types database is given. */
  readonly dataSourceNames?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Whether names of OpenTelemetry's metrics get their unit and type behind them. */
  readonly otlpSuffixes?: boolean;
  readonly sink: Sink<BlockGroup>;
  readonly gate: ByteCreditGate;
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  readonly definer: Definer;
  readonly log: ComponentLog;
  readonly meter: WriteMeter;
  readonly limits: WriteLimits;
  /** Left out, every write is answered once it is stored. */
  readonly writeLog?: WriteLog | undefined;
  /** Makes rows that wait in other processes of the service visible; left out where there are none. */
  readonly others?: ((tables: WaitingTables) => Promise<unknown> | undefined) | undefined;
  /** Called once when the pipeline breaks: nothing is written any more. */
  readonly broke?: ((error: unknown) => void) | undefined;
}

/** Bounds of what is read at once, and of a write. */
interface WriteLimits extends CommitLimits {
  readonly maxLineBytes: number;
  readonly maxMessageBytes: number;
  readonly writeTimeoutMs: number;
  /** Bytes of texts whose rows wait in memory once they are answered. */
  readonly creditBytes: number;
}

/** Everything that is written, as one chain: {@link WritePipeline.#chain} lists its stages. */
export class WritePipeline implements Component, RowWriter {
  readonly name = 'writes';
  readonly #context: WriteContext;
  readonly #statements: StatementRowsSource;
  /** Payloads that enter the chain once more. */
  readonly #again$ = new Subject<Batch<ByteBlock>>();
  /** False from the end of the inputs on, also in a pause. */
  readonly #mayPause$ = new BehaviorSubject(true);
  readonly #retries: Retries;
  readonly #metadata = new MetadataCache();
  readonly #definer: Definer;
  readonly #reader: PointReader;
  readonly #queue: LoggedQueue | undefined;
  readonly #commit: GroupCommit;
  readonly #open: OpenBatches = new OpenList();
  #readStatement: ReadStatement | undefined;
  #subscription: Subscription | undefined;
  #ended: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(context: WriteContext) {
    this.#context = context;
    const { catalogue, limits, writeLog, gate } = context;
    const dictionaries = new Dictionaries(catalogue);
    this.#definer = dictionaries.expiredBy(context.definer);
    this.#reader = new PointReader({ ...context, dictionaries, metadata: this.#metadata });
    this.#retries = new Retries((batch) => this.#again$.next(batch));
    this.#statements = new StatementRowsSource(catalogue, gate, brokenFault);
    this.#queue = writeLog && this.#newQueue(writeLog);
    const flushBytes = limits.creditBytes / 4;
    this.#commit = new GroupCommit({ ...limits, flushBytes }, (block) => storageOf(catalogue, block), this.#queue);
  }

  /** Set before the start: reads a logged statement again. */
  set readStatement(read: ReadStatement) {
    this.#readStatement = read;
  }

  /** Why nothing is written any more; undefined as long as something is. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Why no write can be logged now; undefined while one can. */
  get refusal(): Fault | undefined {
    return this.#context.writeLog?.wal.refusal;
  }

  /** Figures of what waits. */
  get waiting() {
    const { oldestMicros, ...counts } = this.#commit.waiting;
    const { isBehind = false, replayed = 0, waitingBytes = 0 } = this.#queue ?? {};
    const oldestSeconds = oldestMicros === undefined ? 0 : Math.max(0, Number(nowMicros() - oldestMicros)) / 1e6;
    return { ...counts, oldestSeconds, isBehind, replayed, waitingBytes };
  }

  /** Answered texts that are still to be read back from the log, by database; the name of those of several is empty. */
  get replay(): ReadonlyMap<string, number> {
    return this.#queue?.left ?? new Map();
  }

  async start(): Promise<void> {
    const { inputs } = this.#context;
    this.#ended = new Promise((resolve) => {
      this.#subscription = this.#chain().subscribe({
        next: (delivery) => {
          for (const failure of failuresOf(delivery)) this.#context.log.warn({ fault: failure }, 'A write failed.');
        },
        error: (error: unknown) => {
          this.#break(error);
          resolve();
        },
        complete: resolve,
      });
    });
    for (const { source, user } of inputs) {
      await user?.verify();
      await source.start?.();
    }
  }

  async drain(): Promise<void> {
    const { bodies, inputs } = this.#context;
    this.#mayPause$.next(false);
    await Promise.all([bodies.drain(), ...inputs.map(({ source }) => source.drain())]);
    this.#retries.stop();
    await Promise.all([bodies.stop(), ...inputs.map(({ source }) => source.stop())]);
    this.#again$.complete();
    this.#statements.complete();
    await this.#ended;
  }

  async stop(): Promise<void> {
    const { bodies, inputs, writeLog } = this.#context;
    this.#retries.stop();
    for (const { user } of inputs) user?.stop();
    await Promise.all([bodies.stop(), ...inputs.map(({ source }) => source.stop())]);
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
    await writeLog?.rejected.close();
    await writeLog?.wal.close();
  }

  /** Takes a write request of a user who has been let in, once its database exists. */
  write(exchange: Exchange<WriteRequest, Delivery>, user: string): void {
    if (this.#failure !== undefined) exchange.refuse(brokenFault);
    else if (isWritable(this.#context.catalogue, { name: exchange.request.target.database, user })) {
      this.#context.bodies.accept(exchange, user);
    } else detached(this.#writeOnceThere(exchange, user), (error) => exchange.refuse(faultOf(error)));
  }

  async #writeOnceThere(exchange: Exchange<WriteRequest, Delivery>, user: string): Promise<void> {
    const { database, createDatabase: create, keepDays } = exchange.request.target;
    try {
      await ensureWritable(this.#context.catalogue, { name: database, create, keepDays, user });
    } catch (error) {
      exchange.refuse(faultOf(error));
      return;
    }
    this.#context.bodies.accept(exchange, user);
  }

  /** Writes the rows of one statement; resolves when they are acknowledged: logged, or else stored. */
  insert(rows: StatementRows): Promise<Delivery> {
    return this.#statements.write(rows);
  }

  /**
   * Makes the answered rows of tables that wait visible, with `series` those of these at least; undefined when none do.
   * Rejects with a FaultError when the database cannot take them.
   */
  visible(tables: WaitingTables, series?: readonly bigint[]): Promise<void> | undefined {
    const others = this.#context.others?.(tables);
    const own = this.visibleHere(tables, series);
    return others === undefined ? own : Promise.all([own, others]).then(() => undefined);
  }

  /** The same for the rows that wait in this process. */
  visibleHere(tables: WaitingTables, series?: readonly bigint[]): Promise<void> | undefined {
    const flush = () => this.#commit.visible(tables, series);
    return this.#queue?.caughtUp(tables)?.then(flush) ?? flush();
  }

  /** The stages of a write, in their order. */
  #chain(): Observable<Delivery> {
    const { bodies, gate, inputs, sink, limits, catalogue, meter, writeLog } = this.#context;
    const bodies$ = this.#arriving({ source: bodies, gate, retry: 'sender' });
    const inputs$ = inputs.map((input) => this.#arriving(input));
    const payloads$ = merge(bodies$, ...inputs$, this.#again$).pipe(
      admit(catalogue),
      parse(this.#reader, this.#definer),
    );
    const statements$ = this.#statements.batches$.pipe(
      withCredit(gate),
      countReceived(meter),
      countEnded(meter, this.#open),
    );
    return merge(payloads$, statements$).pipe(
      acknowledge(writeLog?.ack ?? 'stored'),
      define(this.#definer, this.#again$),
      this.#queue?.operator() ?? split(),
      this.#commit.operator(),
      deliver(this.#metadata.caching(sink), limits.writeTimeoutMs),
    );
  }

  /** The stages of what one input brings, up to the merge of all of them. */
  #arriving({ source, gate, retry, user }: WriteInput): Observable<Batch<ByteBlock>> {
    const { meter, writeLog, paused$ = of(false) } = this.#context;
    const isPaused$ = combineLatest([paused$, this.#mayPause$], (isPaused, mayPause) => isPaused && mayPause);
    return source.batches$.pipe(
      withCredit(gate),
      source === this.#context.bodies ? identity : pausedWhile(isPaused$),
      countReceived(meter),
      // The payloads of a turn are logged before the next one begins, so that their senders' next ones come in one
      // turn, too.
      coalesce(() => writeLog?.wal.expect()),
      stamp(),
      countEnded(meter, this.#open),
      retry === 'here' ? map((batch) => this.#retries.wrap(batch)) : identity,
      user?.admit() ?? identity,
    );
  }

  #newQueue({ wal, rejected }: WriteLog): LoggedQueue {
    const { catalogue, limits } = this.#context;
    const texts = new PayloadReader({
      catalogue,
      readStatement: async (text) => (await this.#readStatement?.(text)) ?? { blocks: [], refused: [] },
      parse: (text, target, arrived) => this.#reader.read(text, target, arrived),
    });
    return new LoggedQueue({
      wal,
      rejected,
      maxWaitingBytes: limits.creditBytes / 2,
      read: (text) => texts.read(text),
      readTogether: (all) => texts.readTogether(all),
      isDefined: (block) => this.#definer.isDefined(block),
    });
  }

  /** A defect in the chain: what is open fails, nothing is taken any more, and the service is told to end. */
  #break(error: unknown): void {
    const { log, broke } = this.#context;
    this.#failure = error;
    log.error({ error: String(error) }, 'The write pipeline broke.');
    for (const { settle } of this.#open.all()) settle({ outcome: 'failed', fault: brokenFault });
    broke?.(error);
  }
}

const brokenFault = fault('resource', Codes.free, 'The service cannot write any more and is about to end');
