import { activeParts, type History, type Visible } from '../engine/history.js';
import type { Copies } from './copies.js';
import { lateMs, localPrefix, versionSetting } from './layout.js';
import type { ClusterNode } from './node.js';
import { type ClusterNodes, isNodeFailure } from './nodes.js';
import { routeOf } from './routes.js';

/** Clocks differ by less, seconds: so long after its last part a table may have rows that are not visible yet. */
const clockSeconds = 60;

const unknown: Visible = { upTo: undefined, tables: new Map() };

/**
 * The clock of a node and the oldest of its running inserts, both in µs. The clock is read when the statement begins,
 * so an insert that is not among them begins later than that.
 */
export const runningInserts = `SELECT toString(toUnixTimestamp64Micro(now64(6)) - ${lateMs * 1000} - 1),
  toString(min(intDiv(toUInt64OrZero(Settings['${versionSetting}']), 1000))), count()
  FROM system.processes WHERE is_initial_query AND query_kind = 'Insert' AND toUInt64OrZero(Settings['${versionSetting}']) > 1`;

/**
 * The history of rows in a cluster whose copies have versions. A position is a version in µs. No insert that begins now
 * gives its rows a version that is older than a moment ({@link lateMs}), so everything is visible up to that moment by
 * the slowest of the nodes' clocks, and up to the inserts that run, unless a queue holds rows for a node that is
 * probed. See docs/decisions/032-followed-rows-of-a-cluster.md.
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
      await this.#nodes.probeAll();
      return unknown;
    }
  }

  async #visible(tables: readonly string[]): Promise<Visible> {
    if (routeOf(this.#nodes.all, 0)?.isWhole !== true) return unknown;
    const probed = this.#nodes.usable;
    const begun = await Promise.all(probed.map(({ client }) => client.rows(runningInserts)));
    // Rows move from a running insert to a queue, and from there to a node: the checks follow this order.
    const waiting = await this.#copies.behindNodes(this.#nodes.all, probed, this.#copies.isQueued ? undefined : tables);
    if ([...waiting].some(({ state }) => state === 'up')) return unknown;
    const upTo = Math.min(...begun.map(([row]) => positionOf(row ?? [])));
    const positions = new Map<string, number>();
    for (const [table, seconds] of tables.length === 0 ? [] : await this.#lastParts(probed, tables)) {
      positions.set(table, Math.min(upTo, (seconds + clockSeconds) * 1_000_000));
    }
    return { upTo, tables: positions };
  }

  /** When the newest part of each table was made, Unix seconds. */
  async #lastParts(probed: readonly ClusterNode[], tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const parts = `SELECT concat(database, '.', table) AS name, toUnixTimestamp(max(modification_time)) FROM system.parts
      WHERE ${activeParts(tables.map((table) => localPrefix + table))} GROUP BY name`;
    const rows = await Promise.all(probed.map(({ client }) => client.rows(parts)));
    const last = new Map<string, number>();
    for (const [name, seconds] of rows.flat()) {
      const table = String(name).slice(localPrefix.length);
      last.set(table, Math.max(last.get(table) ?? 0, Number(seconds)));
    }
    return last;
  }
}

function positionOf([clock, oldest, running]: readonly unknown[]): number {
  return Number(running) === 0 ? Number(clock) : Math.min(Number(clock), Number(oldest) - 1);
}
