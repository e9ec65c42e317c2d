import { engineCodeOf } from '../engine/engine-faults.js';
import type { ClusterNode } from './node.js';

/**
 * A statement that uses the keeper takes some milliseconds. After this timeout the keeper counts as away, unless the
 * node is silent, which is detected earlier.
 */
const timeoutMs = 4_000;

/**
 * Of a node that works without its keeper: no coordination service, a table that cannot be written without it, an error
 * of it.
 */
const keeperCodes: ReadonlySet<number | undefined> = new Set([225, 242, 999]);

/**
 * Detects whether the keeper of a cluster answers, by the statements that use it. Every process reads the catalogue
 * several times per second, so no probes are needed.
 */
export class KeeperWatch {
  /** Statements in flight, the oldest one first. */
  readonly #inFlight = new Set<{ readonly node: ClusterNode; readonly begun: number }>();
  #isAway = false;

  /** Tracks a statement to a node that uses the keeper; returns its result. */
  async track<T>(node: ClusterNode, work: Promise<T>): Promise<T> {
    const statement = { node, begun: performance.now() };
    this.#inFlight.add(statement);
    try {
      const result = await work;
      this.#isAway = false;
      return result;
    } catch (error) {
      // Other errors of a node, and its silence, say nothing about the keeper.
      if (keeperCodes.has(engineCodeOf(error))) this.#isAway = true;
      throw error;
    } finally {
      this.#inFlight.delete(statement);
    }
  }

  get state(): 'up' | 'away' {
    const late = performance.now() - timeoutMs;
    const isSilent = [...this.#inFlight].some(({ node, begun }) => begun < late && !node.isSilent);
    return this.#isAway || isSilent ? 'away' : 'up';
  }
}
