import type { EngineClient } from '../client.js';
import { EngineHttp } from '../engine-http.js';

/**
 * `up`: it answers and has everything; `behind`: it answers, and may lack what was written while it was away; `away`: it does not
 * answer.
 */
export type NodeState = 'up' | 'behind' | 'away';

/** Where a node stands in its cluster, both counted from 1. */
export interface NodePlace {
  readonly shard: number;
  readonly replica: number;
}

/** A node that hangs counts as away after so long. */
const probeTimeoutMs = 2_000;

/** One node of a cluster as this process knows it. */
export class ClusterNode {
  readonly url: string;
  readonly client: EngineClient;
  /** Undefined until the node has answered once. */
  place: NodePlace | undefined;
  state: NodeState = 'away';
  readonly #probe: EngineHttp;

  constructor(url: string, client: EngineClient, { ca }: { readonly ca?: string | undefined } = {}) {
    this.url = url;
    this.client = client;
    this.#probe = new EngineHttp({ url, ca, maxSockets: 1, maxFreeSockets: 1, requestTimeoutMs: probeTimeoutMs });
  }

  /** True when it answers at all, and soon. */
  probe(): Promise<boolean> {
    return this.#probe.ping();
  }

  async close(): Promise<void> {
    this.#probe.close();
    await this.client.close();
  }
}
