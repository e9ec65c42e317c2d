import { map, merge, Subject, type Subscription } from 'rxjs';
import { nowMicros } from '../async/clock.js';
import { detached } from '../async/detached.js';
import { OpenList } from '../async/open-list.js';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { ensureWritable, isWritable } from '../database/catalogue/ensure-database.js';
import { storageWhenMade } from '../database/catalogue/shapes.js';
import { nowTicks, storableTimes } from '../database/catalogue/storable-times.js';
import type { SubTables } from '../database/store/sub-tables.js';
import type { Acknowledgement, Batch, BlockGroup, ByteBlock, RowSet, Target, WireFormat } from '../model/batch.js';
import { type ColumnBlock, tableKey } from '../model/column-block.js';
import type { Component, ComponentLog, Sink, Source, WriteMeter } from '../model/component.js';
import { type Delivery, delivered, failuresOf } from '../model/delivery.js';
import type { Exchange, WriteRequest } from '../model/exchange.js';
import { Codes, type Fault, FaultError, fault, faultOf, missingDatabase } from '../model/fault.js';
import type { DatabaseDef } from '../model/schema.js';
import type { WaitingTables } from '../model/waiting-tables.js';
import type { HttpBodySource } from '../sources/http-body/source.js';
import type { RowWriter, StatementRows } from '../statements/row-writer.js';
import type { ParsedPoints, TextTimes } from '../transforms/points/parse-options.js';
import type { WriteAheadLog } from '../wal/log.js';
import type { RejectedRowsFile } from '../wal/rejected-rows.js';
import { type CommitLimits, GroupCommit } from './commit/group-commit.js';
import type { ConfiguredUser } from './configured-user.js';
import type { ByteCreditGate } from './credit-gate.js';
import { deliver } from './deliver.js';
import { Dictionaries } from './dictionaries.js';
import { type PointFormat, pointParsers } from './formats.js';
import { Retries } from './retries.js';
import { admit } from './write/admit.js';
import { coalesce } from './write/coalesce.js';
import { countEnded, counted, countReceived, type OpenBatches } from './write/count.js';
import { type Definer, define } from './write/define.js';

import { LoggedQueue, type LoggedQueueContext } from './write/logged-queue.js';
import { type ArrivedText, LoggedTexts, type ReadStatement } from './write/logged-texts.js';
import { MetadataCache } from './write/metadata-cache.js';
import { parse } from './write/parse.js';
import { split } from './write/split.js';
import { stamp } from './write/stamp.js';

/** A door that data comes in by. */
export interface WriteInput {
  readonly source: Source<ByteBlock>;
  /**
   * Who tries again when a write fails for a passing reason. A `sender` that waits for an answer is told; for senders
   * that are never told it is done here, while the batch keeps its credit.
   */
  readonly retry: 'sender' | 'here';
  /** Who writes, for doors whose senders bring no credentials; left out, the source lets in nobody unknown. */
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

/**
 * Everything that is written, as one chain: the doors are merged, short texts gathered; texts are stamped with their time, counted, admitted and
 * parsed, the rows of statements join them, definitions are made, texts are logged and answered, rows are gathered into
 * batches by the table they are stored in, and delivered to the database.
 */
export class WritePipeline implements Component, RowWriter {
  readonly name = 'writes';
  readonly #context: WriteContext;
  readonly #statements$ = new Subject<Batch<RowSet>>();
  /** Texts that are tried again. */
  readonly #again$ = new Subject<Batch<ByteBlock>>();
  readonly #retries: Retries;
  readonly #dictionaries: Dictionaries;
  readonly #loggedQueue: LoggedQueue | undefined;
  readonly #commit: GroupCommit;
  readonly #open: OpenBatches = new OpenList();
  readonly #told = new MetadataCache();
  #readStatement: ReadStatement | undefined;
  #subscription: Subscription | undefined;
  #ended: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(context: WriteContext) {
    this.#context = context;
    const { catalogue, limits, writeLog } = context;
    this.#dictionaries = new Dictionaries(catalogue);
    this.#retries = new Retries((batch) => this.#again$.next(batch));
    this.#loggedQueue = writeLog && this.#newLoggedQueue(writeLog);
    const flushBytes = limits.creditBytes / 4;
    this.#commit = new GroupCommit({ ...limits, flushBytes }, (block) => this.#placeOf(block), this.#loggedQueue);
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
    const { isBehind = false, replayed = 0, waitingBytes = 0 } = this.#loggedQueue ?? {};
    const oldestSeconds = oldestMicros === undefined ? 0 : Math.max(0, Number(nowMicros() - oldestMicros)) / 1e6;
    return { ...counts, oldestSeconds, isBehind, replayed, waitingBytes };
  }

  /** Answered texts that are still to be read back from the log, by database; the name of those of several is empty. */
  get replay(): ReadonlyMap<string, number> {
    return this.#loggedQueue?.left ?? new Map();
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
    await Promise.all([bodies.drain(), ...inputs.map(({ source }) => source.drain())]);
    this.#retries.stop();
    await Promise.all([bodies.stop(), ...inputs.map(({ source }) => source.stop())]);
    this.#again$.complete();
    this.#statements$.complete();
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

  /** Writes the rows of one statement; resolves when they are answered: logged, or else stored. */
  async insert({ blocks, user, bytes, statement, ack }: StatementRows): Promise<Delivery> {
    const { gate, catalogue, meter } = this.#context;
    const nowMicrosThen = nowMicros();
    const [first] = blocks;
    if (first === undefined) return delivered(0);
    // As it was when the statement was scanned, which is just before.
    const epochs = blocks.map(({ database }) => catalogue.epoch(database));
    await gate.opened();
    if (this.#failure !== undefined) return { outcome: 'failed', fault: brokenFault };
    gate.take(bytes);
    return new Promise((resolve) => {
      const settle = (delivery: Delivery): void => {
        gate.give(bytes);
        resolve(delivery);
      };
      const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
      const target: Target = {
        database: statement?.database ?? first.database,
        user,
        createDatabase: false,
        ttl: 0,
        precision: 'ns',
        reading: { epoch: Math.max(...epochs), nowMicros: nowMicrosThen },
        ...(ack === undefined ? {} : { ack }),
      };
      const text = statement === undefined ? {} : { text: statement };
      const payload: RowSet = { kind: 'rows', blocks, ...text, rejectedRows: 0, rejects: [] };
      meter.received('sql', bytes);
      this.#statements$.next(counted({ origin: 'sql', target, payload, rows, bytes, settle }, meter, this.#open));
    });
  }

  /**
   * Makes the answered rows of tables that wait visible, with `series` those of these at least; undefined when none do. Rejects with a
   * FaultError when the database cannot take them.
   */
  visible(tables: WaitingTables, series?: readonly bigint[]): Promise<void> | undefined {
    const others = this.#context.others?.(tables);
    const own = this.visibleHere(tables, series);
    return others === undefined ? own : Promise.all([own, others]).then(() => undefined);
  }

  /** The same for the rows that wait in this process. */
  visibleHere(tables: WaitingTables, series?: readonly bigint[]): Promise<void> | undefined {
    const flush = () => this.#commit.visible(tables, series);
    return this.#loggedQueue?.caughtUp(tables)?.then(flush) ?? flush();
  }

  /** The chain of operators from the doors to the database. */
  #chain() {
    const { bodies, inputs, sink, limits, catalogue } = this.#context;
    const definer = this.#dictionaries.expiredBy(this.#context.definer);
    const doors = [{ source: bodies, retry: 'sender' } as const, ...inputs].map((input) => this.#arriving(input));
    const texts$ = merge(...doors, this.#again$).pipe(
      admit(catalogue),
      parse(
        (batch) => this.#parse(batch.payload, batch.target),
        (block) => definer.isDefined(block),
      ),
    );
    const logged$ = merge(texts$, this.#statements$).pipe(
      map((batch) => this.#asAcknowledged(batch)),
      define(definer, ({ payload }) => payload.text !== undefined, this.#again$),
      this.#loggedQueue?.operator() ?? split(),
    );
    return logged$.pipe(this.#commit.operator(), deliver(this.#told.noting(sink), limits.writeTimeoutMs));
  }

  #arriving({ source, retry, user }: WriteInput) {
    const { meter, writeLog } = this.#context;
    // The texts of a turn are answered before the next one begins, so that their senders' next ones come in one turn, too.
    const coalesced$ = source.batches$.pipe(
      countReceived(meter),
      coalesce(() => writeLog?.wal.expect()),
    );
    const arrived$ = coalesced$.pipe(stamp(), countEnded(meter, this.#open));
    const batches$ = retry === 'here' ? arrived$.pipe(map((batch) => this.#retries.wrap(batch))) : arrived$;
    return user === undefined ? batches$ : batches$.pipe(user.admit());
  }

  /** Rows that are answered once they are stored do not need their text. */
  #asAcknowledged(batch: Batch<RowSet>): Batch<RowSet> {
    const { writeLog } = this.#context;
    if (writeLog !== undefined && (batch.target.ack ?? writeLog.ack) === 'logged') return batch;
    const { text, ...payload } = batch.payload;
    return text === undefined ? batch : { ...batch, payload };
  }

  #newLoggedQueue({ wal, rejected }: WriteLog): LoggedQueue {
    const { catalogue, definer, limits } = this.#context;
    const texts = new LoggedTexts({
      catalogue,
      readStatement: async (text) => (await this.#readStatement?.(text)) ?? { blocks: [], refused: [] },
      parse: (text, target, arrived) => this.#parse(text, target, arrived),
    });
    const context: LoggedQueueContext = {
      wal,
      rejected,
      maxWaitingBytes: limits.creditBytes / 2,
      read: (text) => texts.read(text),
      readTogether: (all) => texts.readTogether(all),
      isDefined: (block) => definer.isDefined(block),
    };
    return new LoggedQueue(context);
  }

  /** The engine table that rows will be in, or the name of their table where that is not known yet. */
  #placeOf(block: ColumnBlock): string {
    const { database: name, table, columns, style } = block;
    const { catalogue } = this.#context;
    const known = catalogue.table(name, table);
    if (known !== undefined) return known.storage;
    const database = catalogue.database(name);
    const place = database && style && storageWhenMade(database, columns, style.tagType);
    return place ?? tableKey(block);
  }

  #parse({ format, bytes, part, merged }: ByteBlock, target: Target, arrived?: readonly ArrivedText[]): ParsedPoints {
    const { catalogue, subTables, limits, meter, dataSourceNames, otlpSuffixes = false } = this.#context;
    const database = catalogue.database(target.database);
    if (database === undefined) throw new FaultError(missingDatabase(target.database));
    if (!isPointFormat(format)) throw new Error(`Text of the format ${format} has no points.`);
    const times = timesOf(database, target.reading?.nowMicros);
    const place = `${database.id} ${catalogue.epoch(database.name)} `;
    const parsed = pointParsers[format](bytes, {
      database,
      precision: target.precision,
      ...times,
      ttl: target.ttl,
      schema: catalogue,
      dictionary: this.#dictionaries.of(database, format),
      ...(dataSourceNames === undefined ? {} : { dataSourceNames }),
      otlpSuffixes,
      ...(target.tally === undefined ? {} : { tally: target.tally }),
      isStored: this.#told.reader(place),
      makeSubTable: (superTable, name, tags, ttl, metric) =>
        subTables.make(database, superTable, name, tags, ttl, metric),
      maxLineBytes: limits.maxLineBytes,
      part,
      texts:
        merged?.ends.map((end) => ({ end, times })) ??
        arrived?.map(({ end, nowMicros: then }) => ({ end, times: timesOf(database, then) })),
      maxMessageBytes: limits.maxMessageBytes,
    });
    if (parsed.leftOut > 0) meter.leftOut(format, parsed.leftOut);
    return this.#told.expect(place, parsed);
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

/** The times of rows of a text that came at a time, in Unix microseconds, or comes now. */
function timesOf(database: DatabaseDef, micros?: bigint): TextTimes {
  const now = nowTicks(database, micros);
  const { min, max } = storableTimes(database, now);
  return { nowTicks: now, minTicks: min, maxTicks: max };
}

function isPointFormat(format: WireFormat): format is PointFormat {
  return format in pointParsers;
}
