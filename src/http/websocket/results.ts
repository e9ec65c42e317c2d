import { typeNumber } from '../../model/bound-rows.js';
import type { ColumnMeta, SqlAnswer } from '../../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import { type Precision, typeLength } from '../../model/schema.js';
import { type RawBlock, rawBlocks } from '../../transforms/encode/raw-block.js';
import { parameterFault } from '../request/parameters.js';
import type { SocketAnswer } from './protocol.js';

/** Bytes in front of each block for the longest header of an answer. */
export const blockHeadroom = 55;
/** Results of one connection that are open at once. */
const maxOpen = 1_000;
const tooMany = fault('resource', Codes.free, `a connection has at most ${maxOpen} open results: fetch or free them`);

/** The error of a result that nothing was fetched of for `idleMs`. */
function expired(idleMs: number): Fault {
  const text = `the result was ended because nothing of it was fetched for ${idleMs} ms (limits.resultIdle)`;
  return fault('database', Codes.queryTerminated, text);
}

type Rows = Extract<SqlAnswer, { kind: 'rows' }>;

/** What an open result is made of. */
interface ResultSource {
  readonly rows: Rows;
  /** Cancels its statement. */
  readonly abort: () => void;
  /** Gives back the room that it holds. */
  readonly release: () => void;
}

const precisionNumbers: Readonly<Record<Precision, number>> = { ms: 0, us: 1, ns: 2 };

/** The number of a precision as clients know it. */
export function precisionNumber(precision: Precision): number {
  return precisionNumbers[precision];
}

/** A result whose rows are fetched block by block; no row is read that is not fetched. */
class OpenResult {
  readonly id: bigint;
  readonly meta: readonly ColumnMeta[];
  readonly precision: Precision;
  /** The block that was fetched last and not passed on yet. */
  block: RawBlock | undefined;
  readonly #source: ResultSource;
  readonly #blocks: AsyncGenerator<RawBlock, void, void>;
  #turn: Promise<unknown> = Promise.resolve();
  #isBegun = false;
  #fetching = 0;
  #lastUsedMs = performance.now();

  constructor(id: bigint, source: ResultSource) {
    const { meta, lines, precision = 'ms' } = source.rows;
    this.id = id;
    this.meta = meta;
    this.precision = precision;
    this.#source = source;
    this.#blocks = rawBlocks(lines, meta, blockHeadroom);
  }

  /** True when nothing was fetched for so long, and nothing is fetched now. */
  isIdle(nowMs: number, idleMs: number): boolean {
    return this.#fetching === 0 && nowMs - this.#lastUsedMs > idleMs;
  }

  /** The next block, undefined behind the last one. Fetches of one result run one after the other. */
  next(): Promise<RawBlock | undefined> {
    this.#isBegun = true;
    this.#fetching++;
    const next = this.#turn.then(async () => {
      try {
        const { done, value } = await this.#blocks.next();
        return done === true || value === undefined ? undefined : value;
      } finally {
        this.#fetching--;
        this.#lastUsedMs = performance.now();
      }
    });
    this.#turn = next.catch(() => undefined);
    return next;
  }

  /** Cancels what has not been read. Resolves when its statement has ended. */
  async free(): Promise<void> {
    this.#source.abort();
    this.#source.release();
    this.block = undefined;
    // A generator that was never begun does not close what it reads.
    if (!this.#isBegun) await this.next().catch(() => undefined);
    await this.#turn;
    await this.#blocks.return();
  }
}

/** The answer that describes an open result. */
export type OpenedResult = Exclude<SocketAnswer, Uint8Array | undefined> & { readonly id: bigint };

/** The open results of a connection, by id. */
export class OpenResults {
  readonly #results = new Map<bigint, OpenResult>();
  /** Ids of the last results that ended because they were idle. */
  readonly #expired = new Set<bigint>();
  readonly #idleMs: number;
  #count = 0n;

  /** Results end that nothing is fetched of for `idleMs`. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Throws a FaultError when too many are open. */
  requireRoom(): void {
    if (this.#results.size >= maxOpen) throw new FaultError(tooMany);
  }

  open(source: ResultSource): OpenResult {
    this.#count++;
    const result = new OpenResult(this.#count, source);
    this.#results.set(result.id, result);
    return result;
  }

  /** Throws a FaultError where there is none of this id. */
  get(id: bigint): OpenResult {
    const result = this.#results.get(id);
    if (result !== undefined) return result;
    throw new FaultError(this.#expired.has(id) ? expired(this.#idleMs) : parameterFault('result is nil'));
  }

  /** Frees a result, if there is one of this id. */
  async free(id: bigint): Promise<void> {
    const result = this.#results.get(id);
    this.#results.delete(id);
    this.#expired.delete(id);
    await result?.free();
  }

  /** Ends all that are idle, so that they hold no slot. */
  async endIdle(nowMs: number): Promise<void> {
    const idle = [...this.#results.values()].filter((result) => result.isIdle(nowMs, this.#idleMs));
    const ends = idle.map(({ id }) => this.free(id));
    for (const { id } of idle) this.#expired.add(id);
    for (const id of this.#expired) if (this.#expired.size > maxOpen) this.#expired.delete(id);
    await Promise.all(ends);
  }

  /** Frees all. */
  async freeAll(): Promise<void> {
    await Promise.all([...this.#results.keys()].map((id) => this.free(id)));
  }
}

/** The members of an answer that describe the columns of a result. */
export function describedColumns(
  meta: readonly ColumnMeta[],
  precision: Precision,
): Exclude<SocketAnswer, Uint8Array | undefined> {
  const decimals = meta.map(({ type }) => (type.name === 'DECIMAL' ? type : undefined));
  return {
    fields_count: meta.length,
    fields_names: meta.map(({ name }) => name),
    fields_types: meta.map(({ type }) => typeNumber(type)),
    fields_lengths: meta.map(({ type }) => typeLength(type)),
    precision: precisionNumber(precision),
    fields_precisions: decimals.map((type) => type?.length ?? 0),
    fields_scales: decimals.map((type) => type?.scale ?? 0),
  };
}
