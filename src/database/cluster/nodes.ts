import { detached } from '../../async/detached.js';
import type { ComponentLog } from '../../model/component.js';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';
import { quoteString } from '../../sql/engine/quote.js';
import { type Copies, copiesOf } from './copies.js';
import { copyDefinitions } from './definition-sync.js';
import { lacksRows } from './empty-nodes.js';
import type { ClusterLayout } from './layout.js';
import type { ClusterNode, NodePosition } from './node.js';

/** How often a node that answers is probed, and one that is behind resynced. */
const probeIntervalMs = 1_000;
const resyncIntervalMs = 200;
/** Exponential backoff between probes of a node that is away. */
const minBackoffMs = 200;
const maxBackoffMs = 1_000;

/** Time until every running adapter has seen the hold: the probe interval, and the longest duration of a probe. */
export const holdPropagationMs = probeIntervalMs + 3_000;

const noResponse = 'the node does not answer';

/**
 * The nodes of a cluster: which answer, and which have all rows. A node that comes back is resynced before it counts as
 * whole: it gets the tables that it lacks and the hints that others hold for it. With hinted handoff it stays behind
 * while any node is away, because that one may hold hints.
 */
export class ClusterNodes {
  readonly all: readonly ClusterNode[];
  /** How rows reach all replicas. */
  readonly copies: Copies;
  readonly #layout: ClusterLayout;
  readonly #log: ComponentLog;
  readonly #timers = new Map<ClusterNode, NodeJS.Timeout>();
  readonly #backoffMs = new Map<ClusterNode, number>();
  /** Nodes that have the definitions of the others since they came back. */
  readonly #defined = new Set<ClusterNode>();
  /** Nodes that turned out to lack definitions while they got them. */
  readonly #lackingDefinitions = new Set<ClusterNode>();
  readonly #changes = new Set<Promise<unknown>>();
  readonly #listeners = new Set<() => void>();
  #shards: ReadonlySet<number> = new Set();
  #weight = 1;
  #probing: Promise<void> | undefined;
  #resyncing: Promise<void> | undefined;
  /** Why the last resync failed. */
  #lastFailure = '';
  #isStopped = false;

  constructor(all: readonly ClusterNode[], layout: ClusterLayout, log: ComponentLog) {
    this.all = all;
    this.#layout = layout;
    this.copies = copiesOf(layout.replication);
    this.#log = log;
    for (const node of all)
      node.livenessPipe.watch(() => {
        if (this.#timers.size > 0) detached(this.#probe(node), (error) => this.#probeFailed(node, error));
      });
  }

  /** Probes the nodes; rejects with one line when none answers or the addresses do not match the cluster. */
  async start(): Promise<void> {
    await Promise.all(this.all.map((node) => this.#probe(node)));
    const [first, ...others] = this.usable;
    if (first === undefined) {
      const urls = this.all.map(({ url, silence }) => (silence === '' ? url : `${url} (${silence})`)).join(', ');
      throw new FaultError(fault('network', Codes.networkUnavailable, `No node of the cluster answers at ${urls}`));
    }
    // Two rounds: then all nodes have the definitions of all.
    const round = [first, ...others, first, ...others];
    for (const [at, from] of round.entries()) {
      const to = round[at + 1];
      if (to !== undefined && to !== from) await this.#copyDefinitions(from, to);
    }
    for (const node of this.usable) this.#defined.add(node);
    await this.#resync();
    for (const node of this.all) this.#schedule(node);
  }

  /** Nodes that are not away. */
  get usable(): readonly ClusterNode[] {
    return this.all.filter(({ state }) => state !== 'away');
  }

  /** True while every node answers and has everything. */
  get isWhole(): boolean {
    return this.all.every(({ state }) => state === 'up');
  }

  /** Sum of the weights of all shards: their number, unless the cluster configures weights. */
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

  /** Shards without a node that answers; a node that has never answered may belong to any. */
  get missingShards(): readonly number[] {
    const present = new Set(this.usable.map(({ place }) => place?.shard));
    return [...this.#shards].filter((shard) => !present.has(shard));
  }

  /** Calls the listener whenever the state of a node changes, until the result is called. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tracks changes of definitions in flight: a node that comes back meanwhile waits for them. */
  async changing<T>(work: Promise<T>): Promise<T> {
    const settled = work.catch(() => undefined);
    this.#changes.add(settled);
    try {
      return await work;
    } finally {
      this.#changes.delete(settled);
    }
  }

  /** Records that a node that is behind lacks some definition, so that it gets it before it serves queries. */
  lacksDefinitions(node: ClusterNode): void {
    this.#defined.delete(node);
    this.#lackingDefinitions.add(node);
  }

  /** Probes all usable nodes at once, because a statement failed. */
  async probeAll(): Promise<void> {
    this.#probing ??= Promise.all(this.usable.map((node) => this.#probe(node))).then(() => {
      this.#probing = undefined;
    });
    await this.#probing;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.all.map((node) => node.close()));
  }

  #schedule(node: ClusterNode): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timers.get(node));
    const next = async (): Promise<void> => {
      await this.#probe(node);
      if (node.state !== 'away') node.livenessPipe.open();
      if (node.state === 'behind') await this.#resync();
      this.#schedule(node);
    };
    const timer = setTimeout(() => {
      detached(next(), (error) => {
        this.#probeFailed(node, error);
        this.#schedule(node);
      });
    }, this.#delayMs(node));
    this.#timers.set(node, timer.unref());
  }

  #probeFailed({ url }: ClusterNode, error: unknown): void {
    this.#log.warn({ url, error: reasonOf(error) }, 'A probe of a cluster node failed; Sluice retries.');
  }

  #delayMs(node: ClusterNode): number {
    if (node.state === 'up') return probeIntervalMs;
    if (node.state === 'behind') return resyncIntervalMs;
    const wait = this.#backoffMs.get(node) ?? minBackoffMs;
    this.#backoffMs.set(node, Math.min(maxBackoffMs, wait * 2));
    return wait;
  }

  async #probe(node: ClusterNode): Promise<void> {
    const agreed = node.clockSkew === '';
    const answer = await node.probe();
    if (this.#isStopped) return;
    if (agreed && node.clockSkew !== '') this.#warnOfClock(node);
    // A restarted node was away, even if no probe has seen that.
    if (answer !== 'there' && node.state !== 'away') this.#enter(node, 'away');
    if (node.hasLostHints && node.state === 'up') this.#enter(node, 'behind');
    if (answer === 'away' || node.state !== 'away') return;
    node.client.refuseAll(undefined);
    try {
      node.place = await this.#locate(node);
    } catch (error) {
      node.client.refuseAll(noResponse);
      // At the start the caller gets the error; later the node stays away until it belongs to the cluster.
      if (this.#timers.size === 0 && !isNodeFailure(error)) throw error;
      this.#log.warn({ url: node.url, error: reasonOf(error) }, 'A node of the cluster answers, but cannot be used.');
      return;
    }
    this.#backoffMs.delete(node);
    node.livenessPipe.open();
    this.#enter(node, 'behind');
  }

  #warnOfClock({ url, clockSkew }: ClusterNode): void {
    const what =
      'The clock of a node differs from that of this service. Of two writes of one row, the earlier one may stay.';
    this.#log.warn({ url, clock: clockSkew }, what);
  }

  #enter(node: ClusterNode, state: ClusterNode['state']): void {
    const { url, place } = node;
    node.state = state;
    if (state !== 'up') this.#defined.delete(node);
    if (state === 'away') {
      node.client.refuseAll(noResponse);
      this.#log.warn({ url, ...place, reason: node.silence }, 'A node of the cluster is away.');
    } else if (this.#timers.size > 0) {
      const back = node.hasLostHints ? 'A node of the cluster lacks rows.' : 'A node is back.';
      this.#log.info({ url, ...place }, state === 'up' ? 'A node of the cluster has everything.' : back);
    }
    if (this.#timers.size > 0) this.#schedule(node);
    for (const listener of this.#listeners) listener();
  }

  async #copyDefinitions(from: ClusterNode, to: ClusterNode): Promise<void> {
    await copyDefinitions(from.client, to.client, this.copies.isQueued);
    to.isEmpty = await lacksRows(to.client);
  }

  /** Resyncs nodes that are behind, as far as possible now. */
  async #resync(): Promise<void> {
    this.#resyncing ??= this.#resyncNow()
      .catch((error: unknown) => {
        const reason = reasonOf(error);
        // A node that goes away again has its own log line, and a repeated failure is logged once.
        const level = isNodeFailure(error) || reason === this.#lastFailure ? 'debug' : 'warn';
        this.#lastFailure = reason;
        this.#log[level]({ error: reason }, 'Nodes of the cluster could not be resynced yet.');
      })
      .finally(() => {
        this.#resyncing = undefined;
      });
    await this.#resyncing;
  }

  async #resyncNow(): Promise<void> {
    const behind = this.all.filter(({ state }) => state === 'behind');
    for (const node of behind) if (!this.#defined.has(node)) await this.#define(node);
    const { usable } = this;
    if (this.copies.isQueued && usable.length < this.all.length) {
      await this.copies.send(usable);
      return;
    }
    const defined = behind.filter((node) => this.#defined.has(node));
    const pieces = await this.copies.resync(usable);
    if (pieces > 0) this.#log.warn({ pieces }, 'Rows that nodes lacked were copied from other replicas.');
    // Under constant load some rows are always in flight: the node needs the earlier ones, and inserts wait for it from
    // now on.
    for (const node of defined) node.isRequired = true;
    try {
      await this.#admitWhole(defined);
    } finally {
      for (const node of defined) node.isRequired = false;
    }
  }

  /** Gives a node the definitions that it lacks. */
  async #define(node: ClusterNode): Promise<void> {
    // Changes that began before this node came back did not reach it.
    await Promise.all(this.#changes);
    this.#lackingDefinitions.delete(node);
    const from = this.all.find(({ state }) => state === 'up') ?? this.usable.find((other) => this.#defined.has(other));
    if (from !== undefined) await this.#copyDefinitions(from, node);
    if (!this.#lackingDefinitions.has(node)) this.#defined.add(node);
  }

  /** Delivers hints; nodes with all definitions and all rows become `up`. */
  async #admitWhole(defined: readonly ClusterNode[]): Promise<void> {
    const { usable } = this;
    const isSent = await this.copies.send(usable);
    const { isQueued } = this.copies;
    const lacking = await this.copies.behindNodes(this.all, isQueued ? usable : defined);
    for (const node of defined) {
      // A node that was away meanwhile lacks definitions again.
      const isSame = node.state === 'behind' && this.#defined.has(node);
      const isLacking = isQueued ? node.hasLostHints || node.isEmpty : lacking.has(node);
      if (isSent && !isLacking && isSame) this.#enter(node, 'up');
    }
    if (this.isWhole) this.copies.markWhole();
  }

  async #locate({ client, url }: ClusterNode): Promise<NodePosition> {
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
      const ways = 'neither is_local of system.clusters nor the macros shard and replica, as numbers, give its place';
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

/** True when a node failed and not the statement: a retry on another node, or later, may succeed. */
export function isNodeFailure(error: unknown): boolean {
  return error instanceof FaultError && error.fault.kind === 'network';
}

function sumOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, number) => sum + number, 0);
}

/** The macros with the position of a node, for nodes that do not recognize their own address. */
async function macrosOf(client: ClusterNode['client']): Promise<ReadonlyMap<string, string>> {
  const rows = await client.rows("SELECT macro, substitution FROM system.macros WHERE macro IN ('replica', 'shard')");
  return new Map(rows.map(([macro, value]) => [String(macro), String(value)]));
}
