import type { EngineClient } from '../engine/client.js';
import type { EngineNode } from '../engine/engine.js';
import { EngineHttp, EngineRefusal } from '../engine/engine-http.js';
import { wholeBody } from '../engine/http-connections.js';

/** Where a node stands in its cluster, both counted from 1. */
export interface NodePlace {
  readonly shard: number;
  readonly replica: number;
}

/** ABORTED: the engine is about to end. */
const endingCode = 236;

/** As whom nodes are asked, and which authorities vouch for them. */
export interface NodeAccess {
  readonly user: string;
  readonly password: string;
  readonly ca: string | undefined;
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
  readonly #access: NodeAccess;

  constructor(url: string, client: EngineClient, access: NodeAccess) {
    const { ca } = access;
    this.#access = access;
    this.url = url;
    this.client = client;
    this.#probe = new EngineHttp({ url, ca, maxSockets: 1, maxFreeSockets: 1, requestTimeoutMs: probeTimeoutMs });
  }

  /** True when it answers a statement, and soon; one that is about to end answers none. */
  async probe(): Promise<boolean> {
    try {
      const { user, password } = this.#access;
      await wholeBody(await this.#probe.send({ user, password, parameters: {}, body: 'SELECT 1', mayRepeat: true }));
      return true;
    } catch (error) {
      // Whoever comes with a wrong password is told so by the first statement.
      return error instanceof EngineRefusal && error.code !== endingCode;
    }
  }

  async close(): Promise<void> {
    this.#probe.close();
    await this.client.close();
  }
}
