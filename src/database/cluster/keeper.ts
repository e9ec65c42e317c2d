import { engineCodeOf } from '../engine/engine-faults.js';
import type { ClusterNode } from './node.js';

/**
 * A statement that asks the keeper takes some milliseconds. One that has no answer for so long shows that it does not answer, unless the
 * node is silent, which is known earlier.
 */
const silenceMs = 4_000;

/** Of a node that works without its keeper: no coordination service, a table that cannot be written without it, an error of it. */
const keeperCodes: ReadonlySet<number | undefined> = new Set([225, 242, 999]);

/**
 * Whether the keeper of a cluster answers, as the statements show that ask it. Every process reads the catalogue several times per second, so
 * this is known without questions of its own.
 */
export class KeeperWatch {
  /** Statements that have no answer yet, the oldest one first. */
  readonly #open = new Set<{ readonly node: ClusterNode; readonly begun: number }>();
  #isAway = false;

  /** Notes how a statement to a node ends that asks the keeper; gives what it gives. */
  async asked<T>(node: ClusterNode, work: Promise<T>): Promise<T> {
    const statement = { node, begun: performance.now() };
    this.#open.add(statement);
    try {
      const result = await work;
      this.#isAway = false;
      return result;
    } catch (error) {
      // Other refusals of a node, and its silence, say nothing of the keeper.
      if (keeperCodes.has(engineCodeOf(error))) this.#isAway = true;
      throw error;
    } finally {
      this.#open.delete(statement);
    }
  }

  get state(): 'up' | 'away' {
    const late = performance.now() - silenceMs;
    const isSilent = [...this.#open].some(({ node, begun }) => begun < late && !node.isSilent);
    return this.#isAway || isSilent ? 'away' : 'up';
  }
}
