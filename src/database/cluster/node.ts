import { reasonOf } from '../../model/fault.js';
import type { EngineClient } from '../engine/client.js';
import type { EngineNode } from '../engine/engine.js';
import { EngineError, EngineHttp } from '../engine/engine-http.js';
import { isTimeout, wholeBody } from '../engine/http-connections.js';
import { holdTable } from './layout.js';
import { LivenessPipe } from './liveness-pipe.js';

/** Position of a node in its cluster, both numbers from 1. */
export interface NodePosition {
  readonly shard: number;
  readonly replica: number;
  /** The name of the replica, from the macro `replica`; empty where there is none. */
  readonly name: string;
  /**
   * Of the remainders of ids by the weight of all shards those that its shard has: from one on, up to before another.
   */
  readonly slots: { readonly from: number; readonly to: number };
  /** The node recognizes its own address, so it reads its own rows without another replica. */
  readonly isLocal: boolean;
}

const [holdDatabase, holdName] = holdTable.split('.');
const probeStatement = `SELECT uptime(), (SELECT count() FROM system.tables WHERE database = '${holdDatabase}' AND name = '${holdName}'),
  toUnixTimestamp64Milli(now64(3))`;
/** Clocks that differ by more do not agree. */
const maxClockSkewMs = 2_000;

/** ABORTED: the engine is about to end. */
const endingCode = 236;

/** Credentials of the nodes, and the certificates of their authorities. */
interface NodeAccess {
  readonly user: string;
  readonly password: string;
  readonly ca: string | undefined;
}

/** Timeout of a probe, ms. */
const probeTimeoutMs = 2_000;
/** A node that is silent for so long counts as away, ms. Before that, a frozen node looks like a busy one. */
const silenceMs = 8_000;

/** One node of a cluster as this process knows it. */
export class ClusterNode implements EngineNode {
  readonly url: string;
  readonly client: EngineClient;
  /** Closes with the node's process. */
  readonly livenessPipe: LivenessPipe;
  /** Undefined until the node has answered once. */
  place: NodePosition | undefined;
  state: EngineNode['state'] = 'away';
  readonly #probe: EngineHttp;
  readonly #access: NodeAccess;
  /** Why the last probe failed; empty before. */
  silence = '';
  /** Rows are being moved between shards, as of the last probe. */
  isHeld = false;
  /** Inserts wait for this node, too, although it still lacks earlier rows. */
  isRequired = false;
  /** Another node has quarantined hints for this one: the rows must be copied from a replica. */
  hasLostHints = false;
  /** It joined without any table, and lacks the rows of its shard. */
  isEmpty = false;
  /** Difference between its clock and that of this process, as a text; empty where they agree. */
  clockSkew = '';
  readonly #now: () => number;
  #silentSince: number | undefined;
  /** Uptime of its process at the last probe, in seconds. */
  #uptime = 0;

  /** `now` is the clock of this process. */
  constructor(url: string, client: EngineClient, access: NodeAccess, now = Date.now) {
    const { ca } = access;
    this.#now = now;
    this.#access = access;
    this.url = url;
    this.client = client;
    this.livenessPipe = new LivenessPipe(url);
    this.#probe = new EngineHttp({ url, ca, maxSockets: 1, maxFreeSockets: 1, requestTimeoutMs: probeTimeoutMs });
  }

  /** True while the last probes timed out and the node does not count as away yet. */
  get isSilent(): boolean {
    return this.#silentSince !== undefined;
  }

  get isHome(): boolean {
    return this.place?.shard === 1 && this.place.replica === 1;
  }

  get fault(): string {
    if (this.state === 'away') return this.silence === '' ? 'has not answered yet' : this.silence;
    if (this.isSilent) return 'does not answer';
    return this.state === 'behind' ? 'catches up' : '';
  }

  /**
   * Probes the node. `away`: it does not answer, is about to end, or has been silent for too long; `new`: it has
   * restarted since the last probe.
   */
  async probe(): Promise<'there' | 'away' | 'new'> {
    try {
      const { user, password } = this.#access;
      const statement = { parameters: {}, body: probeStatement, mayRetry: true };
      const sentAt = this.#now();
      const response = String(await wholeBody(await this.#probe.send({ user, password, ...statement })));
      const [uptime = 0, held, clock = 0] = response.split('\t').map(Number);
      this.clockSkew = clockSkewText(clock, sentAt, this.#now());
      this.isHeld = held === 1;
      const isNew = uptime < this.#uptime;
      this.#uptime = uptime;
      this.#silentSince = undefined;
      return isNew ? 'new' : 'there';
    } catch (error) {
      this.silence = reasonOf(error);
      if (isTimeout(error) && this.state !== 'away') {
        this.#silentSince ??= performance.now();
        if (performance.now() - this.#silentSince < silenceMs) return 'there';
      }
      this.#silentSince = undefined;
      this.isHeld = false;
      // The first statement reports a wrong password.
      return error instanceof EngineError && error.code !== endingCode ? 'there' : 'away';
    }
  }

  async close(): Promise<void> {
    this.livenessPipe.close();
    this.#probe.close();
    await this.client.close();
  }
}

/** Skew of a clock that was read between two moments of this process's clock. */
function clockSkewText(clock: number, from: number, to: number): string {
  const ms = clock > to ? clock - to : Math.min(0, clock - from);
  if (Math.abs(ms) <= maxClockSkewMs) return '';
  return `${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'ahead of' : 'behind'} this one`;
}
