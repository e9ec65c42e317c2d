import { randomUUID } from 'node:crypto';
import { quoteString } from '../../sql/engine/quote.js';
import type { Engine, TableAccess } from '../engine/engine.js';
import { insertNumbers, OwnTables } from '../engine/own-tables.js';
import { alters } from '../engine/request.js';

/** How far a stream is, kept in the engine after the results it stands for. */
export interface StreamState {
  /** Everything that was written to the source up to this place has been worked into the target. */
  readonly place: number;
  /** The greatest timestamp seen, ticks as digits; undefined before the first row. */
  readonly newest: string | undefined;
  /** Least timestamp seen before any window was closed. */
  readonly opened: string | undefined;
  /** Windows that end here or before are closed, ticks as digits. */
  readonly closed: string | undefined;
  /** Why it does not get on; undefined while it does. */
  readonly fault: string | undefined;
}

/** How long one process runs the streams without saying so again. */
export const leaseMs = 10_000;
/** How far back claims are read. The winner of a lease claims it again long before. */
const claimsMs = 60_000;

const create = [
  {
    table: 'sluice.stream_states',
    definition: '(stream String, state String) ENGINE = ReplacingMergeTree ORDER BY stream',
  },
  {
    table: 'sluice.stream_claims',
    definition: `(owner String, released UInt8, at DateTime64(3) DEFAULT now64(3))
   ENGINE = MergeTree ORDER BY tuple() TTL toDateTime(at) + toIntervalHour(1) ${insertNumbers}`,
  },
];

/** The engine's record of streams that run: how far they are, and which process runs them. */
export class StreamStates {
  readonly #engine: TableAccess;
  readonly #owner = randomUUID();
  readonly #tables: OwnTables;

  constructor(engine: Engine) {
    this.#engine = engine.ordered;
    this.#tables = new OwnTables(engine, create, engine.ordered);
  }

  /** How far streams are, by their ids; those that have not begun are absent. */
  async read(ids: readonly string[]): Promise<ReadonlyMap<string, StreamState>> {
    if (ids.length === 0) return new Map();
    await this.#tables.prepare();
    const rows = await this.#engine.rows(
      `SELECT stream, state FROM sluice.stream_states FINAL WHERE stream IN (${ids.map(quoteString).join(', ')})`,
    );
    return new Map(
      rows.map(([id, text]): [string, StreamState] => {
        const state: StreamState = JSON.parse(String(text));
        return [String(id), state];
      }),
    );
  }

  async write(id: string, state: StreamState): Promise<void> {
    await this.#tables.insert('stream_states', [{ stream: id, state: JSON.stringify(state) }]);
  }

  /** Removes what is kept about a stream that was dropped. */
  async forget(id: string): Promise<void> {
    await this.#tables.prepare();
    const table = 'sluice.stream_states';
    await this.#engine.exec(`DELETE FROM ${table} WHERE stream = ${quoteString(id)}`, alters(table));
  }

  /**
   * Claims the running of streams for this process, or renews its claim. Claims are ordered by the engine, which
   * also stamps them, so all processes agree on whose counts; the holder loses it by being silent for some seconds.
   * @returns whether this process runs them now.
   */
  async claim(): Promise<boolean> {
    await this.#tables.prepare();
    const before = await this.#holder();
    if (before !== undefined && before !== this.#owner) return false;
    await this.#say(false);
    return (await this.#holder()) === this.#owner;
  }

  /** Lets another process take over at once. */
  async release(): Promise<void> {
    await this.#say(true);
  }

  async #say(released: boolean): Promise<void> {
    await this.#tables.insert('stream_claims', [{ owner: this.#owner, released: Number(released) }], 'owner, released');
  }

  async #holder(): Promise<string | undefined> {
    const rows = await this.#engine.rows(
      `SELECT owner, released, toInt64(toUnixTimestamp64Milli(now64(3)) - toUnixTimestamp64Milli(at))
       FROM sluice.stream_claims WHERE at > now64(3) - toIntervalMillisecond(${claimsMs})
       ORDER BY _block_number, _block_offset`,
    );
    return holderOf(rows.map(([owner, released, age]) => [String(owner), Number(released) === 1, Number(age)]));
  }
}

/**
 * Who holds the lease after claims in their order; each with its age in milliseconds. Undefined when there is no
 * holder.
 */
export function holderOf(
  claims: readonly (readonly [owner: string, released: boolean, ageMs: number])[],
): string | undefined {
  let holder: string | undefined;
  let heardMs = 0;
  for (const [owner, released, ageMs] of claims) {
    if (holder !== undefined && owner !== holder && isWithinLease(heardMs - ageMs)) continue;
    holder = released ? undefined : owner;
    heardMs = ageMs;
  }
  return isWithinLease(heardMs) ? holder : undefined;
}

/** After the clock of the machine was set back, earlier claims are of the future; they say nothing of now. */
function isWithinLease(ms: number): boolean {
  return Math.abs(ms) <= leaseMs;
}
