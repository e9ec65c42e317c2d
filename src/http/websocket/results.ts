import { typeNumber } from '../../model/bound-rows.js';
import type { ColumnMeta, SqlAnswer } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { type Precision, typeLength } from '../../model/schema.js';
import { type RawBlock, rawBlocks } from '../../transforms/encode/raw-block.js';
import { parameterFault } from '../request/parameters.js';
import type { SocketAnswer } from './protocol.js';

/** Bytes in front of each block for the longest header of an answer. */
export const blockHeadroom = 55;
/** Results of one connection that are open at once. */
const maxOpen = 1_000;
/** How long a result waits for its next fetch, in ms. */
const idleMs = 300_000;

const tooMany = fault('resource', Codes.free, `a connection has at most ${maxOpen} open results: fetch or free them`);

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
  lastUsedMs = performance.now();
  readonly #source: ResultSource;
  readonly #blocks: AsyncGenerator<RawBlock, void, void>;
  #turn: Promise<unknown> = Promise.resolve();
  #isBegun = false;

  constructor(id: bigint, source: ResultSource) {
    const { meta, lines, precision = 'ms' } = source.rows;
    this.id = id;
    this.meta = meta;
    this.precision = precision;
    this.#source = source;
    this.#blocks = rawBlocks(lines, meta, blockHeadroom);
  }

  /** The next block, undefined behind the last one. Fetches of one result run one after the other. */
  next(): Promise<RawBlock | undefined> {
    this.#isBegun = true;
    const next = this.#turn.then(async () => {
      this.lastUsedMs = performance.now();
      const { done, value } = await this.#blocks.next();
      this.lastUsedMs = performance.now();
      return done === true || value === undefined ? undefined : value;
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

/** The open results of a connection, by id. */
export class OpenResults {
  readonly #results = new Map<bigint, OpenResult>();
  #count = 0n;

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
    if (result === undefined) throw new FaultError(parameterFault('result is nil'));
    return result;
  }

  /** Frees a result, if there is one of this id. */
  async free(id: bigint): Promise<void> {
    const result = this.#results.get(id);
    this.#results.delete(id);
    await result?.free();
  }

  /** Frees all that have been idle for long, or all. */
  async freeIdle(nowMs = Number.POSITIVE_INFINITY): Promise<void> {
    const idle = [...this.#results.values()].filter(({ lastUsedMs }) => nowMs - lastUsedMs > idleMs);
    await Promise.all(idle.map(({ id }) => this.free(id)));
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
