import { filter, map, merge, Subject, type Subscription } from 'rxjs';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { ensureWritable } from '../database/catalogue/ensure-database.js';
import { isOvertaken } from '../database/catalogue/overtaken.js';
import { storageWhenMade } from '../database/catalogue/shapes.js';
import type { SubTables } from '../database/catalogue/sub-tables.js';
import { Access, isDenied } from '../database/rights.js';
import {
  type Batch,
  type BlockGroup,
  type ByteBlock,
  type Payload,
  type Reading,
  splitBatch,
  type Target,
} from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Component, ComponentLog, Sink, Source, WriteMeter } from '../model/component.js';
import { type Delivery, delivered, failuresOf } from '../model/delivery.js';
import type { Exchange, WriteRequest } from '../model/exchange.js';
import { Codes, FaultError, fault, missingDatabase } from '../model/fault.js';
import { type DatabaseDef, daysInTicks, lastTick, ticksPerSecond } from '../model/schema.js';
import type { HttpBodySource } from '../sources/http-body/source.js';
import type { TimeRange } from '../sql/plan/insert-select.js';
import { type Parsed, parseWith } from '../transforms/parse-with.js';
import { type CoalesceLimits, coalesce } from './coalesce.js';
import type { ByteCreditGate } from './credit-gate.js';
import { deliver } from './deliver.js';
import { Dictionaries } from './dictionaries.js';
import { pointParsers } from './formats.js';
import { Retries } from './retries.js';
import type { StandingUser } from './standing-user.js';

/** A door that data comes in by. */
export interface WriteInput {
  readonly source: Source<ByteBlock>;
  /**
   * Who tries again when a write fails for a passing reason. A `sender` that waits for an answer is told; for senders
   * that are never told it is done here, while the batch keeps its credit.
   */
  readonly retry: 'sender' | 'here';
  /** Who writes, for doors whose senders bring no credentials; left out, the source lets in nobody unknown. */
  readonly user?: StandingUser;
}

/** What the write pipeline is made of. */
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
  readonly log: ComponentLog;
  readonly meter: WriteMeter;
  readonly limits: WriteLimits;
}

/** Bounds of what is read at once, and of a write. */
export interface WriteLimits extends CoalesceLimits {
  readonly maxLineBytes: number;
  readonly maxMessageBytes: number;
  readonly writeTimeoutMs: number;
}

/** How often a text is read because drops by other processes overtake it. */
const maxReadings = 3;

/**
 * Everything that is written: text of HTTP bodies is parsed, the VALUES of INSERT statements join as column blocks, and
 * both are group-committed by storage into the database sink.
 */
export class WritePipeline implements Component {
  readonly name = 'writes';
  readonly #context: WriteContext;
  readonly #blocks$ = new Subject<Batch<ColumnBlock>>();
  /** Texts that are read once more. */
  readonly #again$ = new Subject<Batch<ByteBlock>>();
  readonly #retries: Retries;
  readonly #dictionaries: Dictionaries;
  #subscription: Subscription | undefined;
  #open = 0;
  #idle: (() => void) | undefined;

  constructor(context: WriteContext) {
    this.#context = context;
    this.#dictionaries = new Dictionaries(context.catalogue);
    this.#retries = new Retries((batch) => this.#admit(batch, 1));
  }

  async start(): Promise<void> {
    const { bodies, inputs, sink, limits, log, meter } = this.#context;
    const arriving = ({ source, retry, user }: WriteInput) => {
      const counted$ = source.batches$.pipe(map((batch) => metered(stamped(batch), meter)));
      const batches$ = retry === 'here' ? counted$.pipe(map((batch) => this.#retries.wrap(batch))) : counted$;
      return user === undefined ? batches$ : batches$.pipe(user.admit());
    };
    const batches$ = merge(...[{ source: bodies, retry: 'sender' } as const, ...inputs].map(arriving));
    const first$ = batches$.pipe(
      filter((batch) => this.#isAdmitted(batch)),
      map((batch) => this.#reading(batch, 1)),
    );
    const parsed$ = merge(first$, this.#again$).pipe(parseWith((batch) => this.#parse(batch)));
    this.#subscription = merge(parsed$, this.#blocks$)
      .pipe(
        coalesce(limits, (block) => this.#placeOf(block)),
        deliver(sink, limits.writeTimeoutMs),
      )
      .subscribe({
        next: (delivery) => {
          for (const fault of failuresOf(delivery)) log.warn({ fault }, 'A write failed.');
        },
        error: (error: unknown) => log.error({ error: String(error) }, 'The write pipeline broke.'),
      });
    for (const { source, user } of inputs) {
      await user?.verify();
      await source.start();
    }
  }

  async drain(deadline: AbortSignal): Promise<void> {
    const { bodies, inputs } = this.#context;
    await Promise.all([bodies.drain(deadline), ...inputs.map(({ source }) => source.drain(deadline))]);
    if (this.#open === 0 || deadline.aborted) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      deadline.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async stop(): Promise<void> {
    const { bodies, inputs } = this.#context;
    this.#retries.stop();
    for (const { user } of inputs) user?.stop();
    await Promise.all([bodies.stop(), ...inputs.map(({ source }) => source.stop())]);
    this.#subscription?.unsubscribe();
  }

  /** Takes a write request of a user who has been let in, once its database exists. */
  async write(exchange: Exchange<WriteRequest, Delivery>, user: string): Promise<void> {
    const { database, createDatabase } = exchange.request.target;
    try {
      await ensureWritable(this.#context.catalogue, { name: database, create: createDatabase, user });
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      exchange.refuse(error.fault);
      return;
    }
    this.#context.bodies.accept(exchange, user);
  }

  /** Writes blocks made of one statement of `bytes` bytes; resolves when all of them are settled. */
  async insert(blocks: readonly ColumnBlock[], user: string, bytes: number): Promise<Delivery> {
    const { gate, catalogue } = this.#context;
    const now = nowMicros();
    // As it was when the statement was scanned, which is just before.
    const readings = new Map(
      blocks.map(({ database }) => [database, { epoch: catalogue.epoch(database), nowMicros: now }]),
    );
    await gate.opened();
    gate.take(bytes);
    this.#open++;
    return new Promise((resolve) => {
      const target: Target = { database: '', user, createDatabase: false, ttl: 0, precision: 'ns' };
      const settle = (delivery: Delivery): void => {
        gate.give(bytes);
        this.#open--;
        if (this.#open === 0) this.#idle?.();
        resolve(delivery);
      };
      const payload = { kind: 'bytes', format: 'sql-insert', bytes: new Uint8Array(0) } as const;
      const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
      const parent = metered({ origin: 'sql', target, payload, rows, bytes, settle }, this.#context.meter);
      const parts = blocks.map((block) => ({
        payload: block,
        rows: block.rows,
        bytes: Math.ceil((bytes * block.rows) / rows),
      }));
      const targets = new Map([...readings].map(([name, reading]) => [name, { ...target, database: name, reading }]));
      for (const part of splitBatch(parent, parts, delivered(0))) {
        this.#blocks$.next({ ...part, target: targets.get(part.payload.database)! });
      }
    });
  }

  /** False for a batch that must not or cannot be written yet: it goes on once its database is found or made. */
  #isAdmitted(batch: Batch<ByteBlock>): boolean {
    const { database, user } = batch.target;
    const { catalogue } = this.#context;
    if (catalogue.database(database) !== undefined && new Access(catalogue, user).may('WRITE', database)) return true;
    void this.#admit(batch, 1);
    return false;
  }

  /** Lets a batch be read, for the time numbered `count`, as soon as its database exists; or settles it. */
  async #admit(batch: Batch<ByteBlock>, count: number): Promise<void> {
    const { database, createDatabase, user } = batch.target;
    try {
      await ensureWritable(this.#context.catalogue, { name: database, create: createDatabase, user });
    } catch (error) {
      const isMissing =
        error instanceof FaultError && (error.fault.code === Codes.databaseNotExist || isDenied(error.fault));
      const found = error instanceof FaultError ? error.fault : fault('database', Codes.free, 'Internal error', error);
      batch.settle({ outcome: isMissing ? 'rejected' : 'failed', fault: found });
      return;
    }
    this.#again$.next(this.#reading(batch, count));
  }

  /** Notes what the catalogue is like as a text is read; a text that a drop overtakes is read again, not lost. */
  #reading(batch: Batch<ByteBlock>, count: number): Batch<ByteBlock> {
    const { database, reading } = batch.target;
    const epoch = this.#context.catalogue.epoch(database);
    const settle = (delivery: Delivery): void => {
      const isLost = delivery.outcome === 'failed' && isOvertaken(delivery.fault);
      if (isLost && count < maxReadings) void this.#admit(batch, count + 1);
      else batch.settle(delivery);
    };
    return { ...batch, target: { ...batch.target, reading: { ...(reading ?? unread()), epoch } }, settle };
  }

  /** The engine table that rows will be in, or the name of their table where that is not known yet. */
  #placeOf({ database: name, table, columns, style }: ColumnBlock): string {
    const { catalogue } = this.#context;
    const known = catalogue.table(name, table);
    if (known !== undefined) return known.storage;
    const database = catalogue.database(name);
    const place = database && style && storageWhenMade(database, columns, style.tagType);
    return place ?? `${name.length}:${name}${table}`;
  }

  #parse({ payload, target }: Batch<ByteBlock>): Parsed {
    const { catalogue, subTables, limits, dataSourceNames, otlpSuffixes = false } = this.#context;
    const database = catalogue.database(target.database);
    if (database === undefined) throw new FaultError(missingDatabase(target.database));
    const { format } = payload;
    if (format === 'sql-insert' || format === 'statsd') return { blocks: [], rejectedRows: 0, rejects: [] };
    const now = nowTicks(database, target.reading?.nowMicros);
    const storable = storableTimes(database, now);
    return pointParsers[format](payload.bytes, {
      database,
      precision: target.precision,
      nowTicks: now,
      minTicks: storable.min,
      maxTicks: storable.max,
      ttl: target.ttl,
      schema: catalogue,
      dictionary: this.#dictionaries.of(database, format),
      ...(dataSourceNames === undefined ? {} : { dataSourceNames }),
      otlpSuffixes,
      ...(target.tally === undefined ? {} : { tally: target.tally }),
      makeSubTable: (superTable, name, tags, ttl) => subTables.make(database, superTable, name, tags, ttl),
      maxLineBytes: limits.maxLineBytes,
      part: payload.part,
      maxMessageBytes: limits.maxMessageBytes,
    });
  }
}

/** A text that nobody has looked at, as of now. */
function unread(): Reading {
  return { epoch: 0, nowMicros: nowMicros() };
}

/** Rows without a time have the time of their arrival, however often the text is read, so that none is stored twice. */
function stamped(batch: Batch<ByteBlock>): Batch<ByteBlock> {
  return { ...batch, target: { ...batch.target, reading: unread() } };
}

/** The batch, counted as it comes and as it ends. Of text that ends badly as a whole the lines are not always known. */
function metered<P extends Payload>(batch: Batch<P>, meter: WriteMeter): Batch<P> {
  const { origin } = batch;
  meter.received(origin, batch.bytes);
  const settle = (delivery: Delivery): void => {
    if (delivery.outcome === 'delivered') {
      meter.settled(origin, 'stored', delivery.rows);
      meter.settled(origin, 'rejected', delivery.rejectedRows);
    } else meter.settled(origin, delivery.outcome, Math.max(1, batch.rows));
    batch.settle(delivery);
  };
  return { ...batch, settle };
}

/** How far the monotonic clock may be from the system's before it is set anew. */
const maxClockErrorMs = 2;
let clockOriginMs = performance.timeOrigin;

/** Unix microseconds: the fine steps of the monotonic clock, which alone would not follow when the system's is set. */
export function nowMicros(): bigint {
  const elapsedMs = performance.now();
  const systemMs = Date.now();
  if (Math.abs(clockOriginMs + elapsedMs - systemMs) > maxClockErrorMs) clockOriginMs = systemMs - elapsedMs;
  return BigInt(Math.round((clockOriginMs + elapsedMs) * 1000));
}

/** Now, or another time in Unix microseconds, in ticks of a database. */
export function nowTicks({ precision }: DatabaseDef, micros = nowMicros()): bigint {
  return (micros * BigInt(ticksPerSecond(precision) / 1000)) / 1000n;
}

/** First and last tick that a row of a database may have now, or at another time. */
export function storableTimes(database: DatabaseDef, now = nowTicks(database)): TimeRange {
  return { min: now - daysInTicks(database.keepDays, database.precision), max: lastTick(database.precision) };
}
