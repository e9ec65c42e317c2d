import { detached } from '../../async/detached.js';
import type { ComponentLog } from '../../model/component.js';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';
import { quoteString } from '../../sql/engine/quote.js';
import { copyDefinitions } from './catch-up.js';
import { type Copies, copiesOf } from './copies.js';
import { lacksRows } from './empty-nodes.js';
import type { ClusterLayout } from './layout.js';
import type { ClusterNode, NodePlace } from './node.js';

/** How often a node that answers is looked at, and one that is behind. */
const lookMs = 1_000;
const behindMs = 200;
/** How often one that is away is: twice as seldom every time. */
const firstBackOffMs = 200;
const lastBackOffMs = 1_000;

/** By when every adapter that works has seen a table that holds it up: its looks, and the longest time that one takes. */
export const holdNoticeMs = lookMs + 3_000;

const awayText = 'the node does not answer';

/**
 * The nodes of a cluster: which answer, and which have all rows. One that comes back is given the tables that it lacks and the
 * rows that others have for it, before it counts as whole. Where nodes keep rows for each other it also stays behind while any is away,
 * because that one may keep some.
 */
export class ClusterNodes {
  readonly all: readonly ClusterNode[];
  /** How rows come to all replicas. */
  readonly copies: Copies;
  readonly #layout: ClusterLayout;
  readonly #log: ComponentLog;
  readonly #timers = new Map<ClusterNode, NodeJS.Timeout>();
  readonly #backOffMs = new Map<ClusterNode, number>();
  /** Nodes that have the definitions of the others since they came back. */
  readonly #defined = new Set<ClusterNode>();
  /** Nodes that turned out to lack some while they were given them. */
  readonly #lacking = new Set<ClusterNode>();
  readonly #changes = new Set<Promise<unknown>>();
  readonly #listeners = new Set<() => void>();
  #shards: ReadonlySet<number> = new Set();
  #weight = 1;
  #looking: Promise<void> | undefined;
  #settling: Promise<void> | undefined;
  /** Why nodes could not catch up the last time. */
  #hindrance = '';
  #isStopped = false;

  constructor(all: readonly ClusterNode[], layout: ClusterLayout, log: ComponentLog) {
    this.all = all;
    this.#layout = layout;
    this.copies = copiesOf(layout.replication);
    this.#log = log;
    for (const node of all)
      node.lifeline.watch(() => {
        if (this.#timers.size > 0) detached(this.#look(node), (error) => this.#lookFailed(node, error));
      });
  }

  /** Finds the nodes; rejects with one line when none answers or the cluster is another one than its addresses say. */
  async start(): Promise<void> {
    await Promise.all(this.all.map((node) => this.#look(node)));
    const [first, ...others] = this.usable;
    if (first === undefined) {
      const urls = this.all.map(({ url, silence }) => (silence === '' ? url : `${url} (${silence})`)).join(', ');
      throw new FaultError(fault('network', Codes.networkUnavailable, `No node of the cluster answers at ${urls}`));
    }
    // Round twice: what any of them has, all have then.
    const round = [first, ...others, first, ...others];
    for (const [at, from] of round.entries()) {
      const to = round[at + 1];
      if (to !== undefined && to !== from) await this.#copyDefinitions(from, to);
    }
    for (const node of this.usable) this.#defined.add(node);
    await this.#settle();
    for (const node of this.all) this.#plan(node);
  }

  /** Nodes that answer. */
  get usable(): readonly ClusterNode[] {
    return this.all.filter(({ state }) => state !== 'away');
  }

  /** True while every node answers and has everything. */
  get isWhole(): boolean {
    return this.all.every(({ state }) => state === 'up');
  }

  /** The weights of all shards together: their number, unless the cluster says otherwise. */
  get weight(): number {
    return this.#weight;
  }

  /** True while rows are moved between shards. */
  get isHeld(): boolean {
    return this.all.some(({ isHeld }) => isHeld);
  }

  /** The nodes of each shard. */
  shards(): readonly (readonly ClusterNode[])[] {
    return [...this.#shards].map((shard) => this.all.filter(({ place }) => place?.shard === shard));
  }

  /** Shards of which no node answers; a node that has never answered may belong to any. */
  get missingShards(): readonly number[] {
    const present = new Set(this.usable.map(({ place }) => place?.shard));
    return [...this.#shards].filter((shard) => !present.has(shard));
  }

  /** Calls the listener whenever a node comes or goes, until the result is called. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keeps in mind that definitions are under way: a node that comes back meanwhile waits for them. */
  async changing<T>(work: Promise<T>): Promise<T> {
    const settled = work.catch(() => undefined);
    this.#changes.add(settled);
    try {
      return await work;
    } finally {
      this.#changes.delete(settled);
    }
  }

  /** A node that has come back does not have some definition yet, and gets it before it is asked. */
  lacksDefinitions(node: ClusterNode): void {
    this.#defined.delete(node);
    this.#lacking.add(node);
  }

  /** Looks at all nodes that should answer now, because a statement failed. */
  async look(): Promise<void> {
    this.#looking ??= Promise.all(this.usable.map((node) => this.#look(node))).then(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.all.map((node) => node.close()));
  }

  #plan(node: ClusterNode): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timers.get(node));
    const next = async (): Promise<void> => {
      await this.#look(node);
      if (node.state !== 'away') node.lifeline.open();
      if (node.state === 'behind') await this.#settle();
      this.#plan(node);
    };
    const timer = setTimeout(() => {
      detached(next(), (error) => {
        this.#lookFailed(node, error);
        this.#plan(node);
      });
    }, this.#waitMs(node));
    this.#timers.set(node, timer.unref());
  }

  #lookFailed({ url }: ClusterNode, error: unknown): void {
    this.#log.warn(
      { url, error: reasonOf(error) },
      'A node of the cluster could not be looked at; Sluice looks again.',
    );
  }

  #waitMs(node: ClusterNode): number {
    if (node.state === 'up') return lookMs;
    if (node.state === 'behind') return behindMs;
    const wait = this.#backOffMs.get(node) ?? firstBackOffMs;
    this.#backOffMs.set(node, Math.min(lastBackOffMs, wait * 2));
    return wait;
  }

  async #look(node: ClusterNode): Promise<void> {
    const agreed = node.clockTrouble === '';
    const answer = await node.probe();
    if (this.#isStopped) return;
    if (agreed && node.clockTrouble !== '') this.#tellOfClock(node);
    // One that has begun anew was away, whether that was seen or not.
    if (answer !== 'there' && node.state !== 'away') this.#enter(node, 'away');
    if (node.hasGap && node.state === 'up') this.#enter(node, 'behind');
    if (answer === 'away' || node.state !== 'away') return;
    node.client.refuseAll(undefined);
    try {
      node.place = await this.#locate(node);
    } catch (error) {
      node.client.refuseAll(awayText);
      // At the start the caller is told; later the node stays away until it is one of the cluster.
      if (this.#timers.size === 0 && !isNodeFailure(error)) throw error;
      this.#log.warn({ url: node.url, error: reasonOf(error) }, 'A node of the cluster answers, but cannot be used.');
      return;
    }
    this.#backOffMs.delete(node);
    node.lifeline.open();
    this.#enter(node, 'behind');
  }

  #tellOfClock({ url, clockTrouble }: ClusterNode): void {
    const what =
      'The clock of a node differs from that of this service. Of two writes of one row, the earlier one may stay.';
    this.#log.warn({ url, clock: clockTrouble }, what);
  }

  #enter(node: ClusterNode, state: ClusterNode['state']): void {
    const { url, place } = node;
    node.state = state;
    if (state !== 'up') this.#defined.delete(node);
    if (state === 'away') {
      node.client.refuseAll(awayText);
      this.#log.warn({ url, ...place, reason: node.silence }, 'A node of the cluster is away.');
    } else if (this.#timers.size > 0) {
      const back = node.hasGap ? 'A node of the cluster lacks rows.' : 'A node is back.';
      this.#log.info({ url, ...place }, state === 'up' ? 'A node of the cluster has everything.' : back);
    }
    if (this.#timers.size > 0) this.#plan(node);
    for (const listener of this.#listeners) listener();
  }

  async #copyDefinitions(from: ClusterNode, to: ClusterNode): Promise<void> {
    await copyDefinitions(from.client, to.client, this.copies.isQueued);
    to.isEmpty = await lacksRows(to.client);
  }

  /** Brings nodes that are behind up, as far as that is possible now. */
  async #settle(): Promise<void> {
    this.#settling ??= this.#settleNow()
      .catch((error: unknown) => {
        const reason = reasonOf(error);
        // One that goes away again is told of as such, and what goes on being wrong once.
        const level = isNodeFailure(error) || reason === this.#hindrance ? 'debug' : 'warn';
        this.#hindrance = reason;
        this.#log[level]({ error: reason }, 'Nodes of the cluster could not catch up yet.');
      })
      .finally(() => {
        this.#settling = undefined;
      });
    await this.#settling;
  }

  async #settleNow(): Promise<void> {
    const behind = this.all.filter(({ state }) => state === 'behind');
    for (const node of behind) if (!this.#defined.has(node)) await this.#define(node);
    const { usable } = this;
    if (this.copies.isQueued && usable.length < this.all.length) {
      await this.copies.send(usable);
      return;
    }
    const defined = behind.filter((node) => this.#defined.has(node));
    const pieces = await this.copies.mend(usable);
    if (pieces > 0) this.#log.warn({ pieces }, 'Rows that nodes lacked were copied from other replicas.');
    // While rows come all the time, some are always on their way: those of before must be there, and the others wait for the node.
    for (const node of defined) node.isAwaited = true;
    try {
      await this.#admitWhole(defined);
    } finally {
      for (const node of defined) node.isAwaited = false;
    }
  }

  /** Gives a node the definitions that it lacks. */
  async #define(node: ClusterNode): Promise<void> {
    // Changes that were begun before this node came back did not go to it.
    await Promise.all(this.#changes);
    this.#lacking.delete(node);
    const from = this.all.find(({ state }) => state === 'up') ?? this.usable.find((other) => this.#defined.has(other));
    if (from !== undefined) await this.#copyDefinitions(from, node);
    if (!this.#lacking.has(node)) this.#defined.add(node);
  }

  /** Sends rows on that wait for nodes; nodes with definitions that lack no rows then are up. */
  async #admitWhole(defined: readonly ClusterNode[]): Promise<void> {
    const { usable } = this;
    const isSent = await this.copies.send(usable);
    const { isQueued } = this.copies;
    const lacking = await this.copies.lacking(this.all, isQueued ? usable : defined);
    for (const node of defined) {
      // One that went and came back meanwhile lacks definitions again.
      const isSame = node.state === 'behind' && this.#defined.has(node);
      const isLacking = isQueued ? node.hasGap || node.isEmpty : lacking.has(node);
      if (isSent && !isLacking && isSame) this.#enter(node, 'up');
    }
    if (this.isWhole) this.copies.noteWhole();
  }

  async #locate({ client, url }: ClusterNode): Promise<NodePlace> {
    const { cluster } = this.#layout;
    const rows = await client.rows(
      `SELECT shard_num, replica_num, is_local, shard_weight FROM system.clusters WHERE cluster = ${quoteString(cluster)}`,
    );
    const problem = (text: string): FaultError => new FaultError(fault('parameter', Codes.invalidParameters, text));
    if (rows.length === 0) throw problem(`The node at ${url} knows no cluster ${cluster}; see database.cluster`);
    if (rows.length !== this.all.length) {
      const counts = `the cluster ${cluster} has ${rows.length} nodes and database.urls names ${this.all.length}`;
      throw problem(`database.urls must name every node of the cluster: ${counts}`);
    }
    const local = rows.find(([, , isLocal]) => isLocal === 1);
    const macros = await macrosOf(client);
    const own = local ?? [macros.get('shard'), macros.get('replica')].map(Number);
    if (own.some(Number.isNaN)) {
      const ways = 'neither is_local of system.clusters nor the macros shard and replica, as numbers, tell its place';
      throw problem(`The node at ${url} does not find itself in the cluster ${cluster}: ${ways}`);
    }
    const weights = new Map(rows.map(([number, , , weight]) => [Number(number), Number(weight)]));
    const [shard, replica] = [Number(own[0]), Number(own[1])];
    this.#shards = new Set([...weights.keys()].toSorted((a, b) => a - b));
    this.#weight = sumOf(weights.values());
    const from = sumOf([...weights].flatMap(([number, weight]) => (number < shard ? [weight] : [])));
    const slots = { from, to: from + (weights.get(shard) ?? 0) };
    return { shard, replica, name: macros.get('replica') ?? '', slots, isLocal: local !== undefined };
  }
}

/** True when a node failed and not the statement: another node, or this one later, may do what it asks for. */
export function isNodeFailure(error: unknown): boolean {
  return error instanceof FaultError && error.fault.kind === 'network';
}

function sumOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, number) => sum + number, 0);
}

/** The macros that name the place of a node; by numbers, a node knows it that others reach by another address than its own. */
async function macrosOf(client: ClusterNode['client']): Promise<ReadonlyMap<string, string>> {
  const rows = await client.rows("SELECT macro, substitution FROM system.macros WHERE macro IN ('replica', 'shard')");
  return new Map(rows.map(([macro, value]) => [String(macro), String(value)]));
}
