import { activeParts, type History, type Visible } from '../engine/history.js';
import type { Copies } from './copies.js';
import { lateMs, localPrefix, versionSetting } from './layout.js';
import type { ClusterNode } from './node.js';
import { type ClusterNodes, isNodeFailure } from './nodes.js';
import { routeOf } from './routes.js';

/** For how long after its last part a table may have rows that are not visible yet: clocks differ by less, seconds. */
const clockSeconds = 60;

const nothing: Visible = { upTo: undefined, tables: new Map() };

/**
 * The clock of a node before it says which inserts it runs, both in µs. The clock is read when the statement begins, so an insert
 * that is not among them begins later than that.
 */
export const runningInserts = `SELECT toString(toUnixTimestamp64Micro(now64(6)) - ${lateMs * 1000} - 1),
  toString(min(intDiv(toUInt64OrZero(Settings['${versionSetting}']), 1000))), count()
  FROM system.processes WHERE is_initial_query AND query_kind = 'Insert' AND toUInt64OrZero(Settings['${versionSetting}']) > 1`;

/**
 * The history of rows in a cluster whose copies have versions. A place is a version in µs. No insert that begins now gives its rows a
 * version that is older than a moment ({@link lateMs}), so everything is visible up to that moment by the slowest of the nodes'
 * clocks, and up to the inserts that run, unless a queue holds rows for a node that is asked. See
 * docs/decisions/032-followed-rows-of-a-cluster.md.
 */
export class VersionHistory implements History {
  readonly order = 'versions';
  readonly #nodes: ClusterNodes;
  readonly #copies: Copies;

  constructor(nodes: ClusterNodes, copies: Copies) {
    this.#nodes = nodes;
    this.#copies = copies;
  }

  async visible(tables: readonly string[]): Promise<Visible> {
    try {
      return await this.#visible(tables);
    } catch (error) {
      if (!isNodeFailure(error)) throw error;
      await this.#nodes.look();
      return nothing;
    }
  }

  async #visible(tables: readonly string[]): Promise<Visible> {
    if (routeOf(this.#nodes.all, 0)?.isWhole !== true) return nothing;
    const asked = this.#nodes.usable;
    const begun = await Promise.all(asked.map(({ client }) => client.rows(runningInserts)));
    // Rows leave an insert that runs for a queue, and a queue for a node: they are looked for in this order.
    const waiting = await this.#copies.lacking(this.#nodes.all, asked, this.#copies.isQueued ? undefined : tables);
    if ([...waiting].some(({ state }) => state === 'up')) return nothing;
    const upTo = Math.min(...begun.map(([row]) => placeOf(row ?? [])));
    const places = new Map<string, number>();
    for (const [table, seconds] of tables.length === 0 ? [] : await this.#lastParts(asked, tables)) {
      places.set(table, Math.min(upTo, (seconds + clockSeconds) * 1_000_000));
    }
    return { upTo, tables: places };
  }

  /** When the newest part of each table was made, Unix seconds. */
  async #lastParts(asked: readonly ClusterNode[], tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const parts = `SELECT concat(database, '.', table) AS place, toUnixTimestamp(max(modification_time)) FROM system.parts
      WHERE ${activeParts(tables.map((table) => localPrefix + table))} GROUP BY place`;
    const rows = await Promise.all(asked.map(({ client }) => client.rows(parts)));
    const last = new Map<string, number>();
    for (const [place, seconds] of rows.flat()) {
      const table = String(place).slice(localPrefix.length);
      last.set(table, Math.max(last.get(table) ?? 0, Number(seconds)));
    }
    return last;
  }
}

function placeOf([clock, oldest, running]: readonly unknown[]): number {
  return Number(running) === 0 ? Number(clock) : Math.min(Number(clock), Number(oldest) - 1);
}
