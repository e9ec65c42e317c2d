import type { EngineClient } from '../client.js';
import type { EngineNode } from '../engine.js';
import { EngineHttp } from '../engine-http.js';

/** Where a node stands in its cluster, both counted from 1. */
export interface NodePlace {
  readonly shard: number;
  readonly replica: number;
}

/** A node that hangs counts as away after so long. */
const probeTimeoutMs = 2_000;

/** One node of a cluster as this process knows it. */
export class ClusterNode implements EngineNode {
  readonly url: string;
  readonly client: EngineClient;
  /** Undefined until the node has answered once. */
  place: NodePlace | undefined;
  state: EngineNode['state'] = 'away';
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
