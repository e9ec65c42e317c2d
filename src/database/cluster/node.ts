import { reasonOf } from '../../model/fault.js';
import type { EngineClient } from '../engine/client.js';
import type { EngineNode } from '../engine/engine.js';
import { EngineError, EngineHttp } from '../engine/engine-http.js';
import { isTimeout, wholeBody } from '../engine/http-connections.js';
import { holdTable } from './layout.js';
import { Lifeline } from './lifeline.js';

/** Where a node stands in its cluster, both counted from 1. */
export interface NodePlace {
  readonly shard: number;
  readonly replica: number;
  /** The name of the replica among its neighbours, as the macro `replica` says; empty where there is none. */
  readonly name: string;
  /** Of the remainders of ids by the weight of all shards those that its shard has: from one on, up to before another. */
  readonly slots: { readonly from: number; readonly to: number };
  /** The node knows that this is itself, so it reads its own rows without asking any replica. */
  readonly isLocal: boolean;
}

const [holdDatabase, holdName] = holdTable.split('.');
const lookStatement = `SELECT uptime(), (SELECT count() FROM system.tables WHERE database = '${holdDatabase}' AND name = '${holdName}'),
  toUnixTimestamp64Milli(now64(3))`;
/** Clocks that differ by more do not agree. */
const mostClockMs = 2_000;

/** ABORTED: the engine is about to end. */
const endingCode = 236;

/** As whom nodes are asked, and which authorities vouch for them. */
interface NodeAccess {
  readonly user: string;
  readonly password: string;
  readonly ca: string | undefined;
}

/** How long a look at a node waits for its answer. */
const probeTimeoutMs = 2_000;
/** A node that is silent for so long is away: a busy one is not, and a frozen one cannot be told from it before. */
const silenceMs = 8_000;

/** One node of a cluster as this process knows it. */
export class ClusterNode implements EngineNode {
  readonly url: string;
  readonly client: EngineClient;
  /** Ends with the node's process. */
  readonly lifeline: Lifeline;
  /** Undefined until the node has answered once. */
  place: NodePlace | undefined;
  state: EngineNode['state'] = 'away';
  readonly #probe: EngineHttp;
  readonly #access: NodeAccess;
  /** Why there was no answer last, in words; empty before. */
  silence = '';
  /** Rows are being moved between shards, as of the last answer. */
  isHeld = false;
  /** Rows that are stored from now on wait for this node, too, although it has not got all earlier ones yet. */
  isAwaited = false;
  /** Another node has put aside rows that it kept for this one: they do not come by themselves. */
  hasGap = false;
  /** It came without any table, and has not got the rows that others have. */
  isEmpty = false;
  /** By how much its clock differs from that of this process, in words; empty where they agree. */
  clockTrouble = '';
  readonly #now: () => number;
  #silentSince: number | undefined;
  /** How long its process had run when it answered last, in seconds. */
  #uptime = 0;

  /** `now` is the clock of this process. */
  constructor(url: string, client: EngineClient, access: NodeAccess, now = Date.now) {
    const { ca } = access;
    this.#now = now;
    this.#access = access;
    this.url = url;
    this.client = client;
    this.lifeline = new Lifeline(url);
    this.#probe = new EngineHttp({ url, ca, maxSockets: 1, maxFreeSockets: 1, requestTimeoutMs: probeTimeoutMs });
  }

  /** True while a node that counts as one that answers has not done so lately. */
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
   * Asks for a short answer. `away`: there is none, the node is about to end, or has been silent for long; `new`: its process is another
   * one than that of the last answer.
   */
  async probe(): Promise<'there' | 'away' | 'new'> {
    try {
      const { user, password } = this.#access;
      const statement = { parameters: {}, body: lookStatement, mayRetry: true };
      const asked = this.#now();
      const answer = String(await wholeBody(await this.#probe.send({ user, password, ...statement })));
      const [uptime = 0, held, clock = 0] = answer.split('\t').map(Number);
      this.clockTrouble = clockTrouble(clock, asked, this.#now());
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
      // A wrong password is told by the first statement.
      return error instanceof EngineError && error.code !== endingCode ? 'there' : 'away';
    }
  }

  async close(): Promise<void> {
    this.lifeline.close();
    this.#probe.close();
    await this.client.close();
  }
}

/** What is wrong with a clock that was read at some moment between two. */
function clockTrouble(clock: number, from: number, to: number): string {
  const ms = clock > to ? clock - to : Math.min(0, clock - from);
  if (Math.abs(ms) <= mostClockMs) return '';
  return `${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'ahead of' : 'behind'} this one`;
}
