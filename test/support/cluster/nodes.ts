import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Replication } from '../../../src/database/cluster/layout.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { freeFixedPorts } from '../service/free-ports.js';
import { directoryFor, type Scope } from '../service/processes.js';
import { until } from '../until.js';
import { findInterserver } from './interserver.js';
import { missingKeeper, TestKeeper } from './keeper.js';
import { type ClusterPlan, type NodePlace, nodeConfig, usersConfig } from './node-config.js';
import { serveParts } from './parts-server.js';
import { type SoftLine, softLine } from './soft-line.js';

const program = fileURLToPath(new URL('node-program.js', import.meta.url));

/** Who makes copies in the clusters of this process. */
export const replication: Replication = process.env.CLUSTER_REPLICATION === 'replicated' ? 'replicated' : 'distributed';

/** See {@link findInterserver}. */
const interserver = replication === 'replicated' ? findInterserver() : undefined;

/** Why no cluster can be started on this machine; undefined where one can. */
export function missingCluster(needsKeeper: boolean): string | undefined {
  if (platform() !== 'linux' || arch() !== 'x64') return 'nodes of a cluster are started on Linux, x64';
  try {
    createRequire(import.meta.url).resolve('ffi-rs');
  } catch {
    return 'the package ffi-rs is not installed';
  }
  if (replication === 'replicated' && interserver === undefined)
    return 'of this engine the place of its address is unknown';
  return needsKeeper || replication === 'replicated' ? missingKeeper() : undefined;
}

/** How many nodes to start. */
export interface ClusterSize {
  readonly shards: number;
  readonly replicas: number;
  readonly keeper: boolean;
  /** Shards that are there at first; the others come with {@link TestCluster.grow}. */
  readonly begun?: number;
  /** Directory of the last node, such as a small disk, instead of one of its own. */
  readonly lastDirectory?: string;
  /** A configuration of nodes that the documents show, and the name of the cluster in it. */
  readonly shown?: { readonly text: string; readonly name: string };
}

/** One node of a cluster on this machine. */
export class TestNode {
  readonly place: NodePlace;
  readonly url: string;
  readonly #directory: string;
  #child: ChildProcess | undefined;
  #errors = '';

  constructor(t: Scope, plan: ClusterPlan, place: NodePlace, directory = directoryFor(t)) {
    this.place = place;
    this.url = `http://127.0.0.1:${place.httpPort}`;
    this.#directory = directory;
    t.teardown(() => this.kill());
    this.configure(plan);
    writeFileSync(join(this.#directory, 'users.xml'), usersConfig(plan));
  }

  /** Says what the cluster is like from the next start on. */
  configure(plan: ClusterPlan): void {
    writeFileSync(join(this.#directory, 'config.xml'), nodeConfig(plan, this.place));
  }

  /** Starts it, also again after a kill with its data, and waits until it answers. */
  async start(): Promise<void> {
    // Its standard input ends with this process, and the node with it.
    const parts = interserver === undefined ? [] : [interserver, this.place.partsPort].map(String);
    const child = spawn(process.execPath, [program, this.#directory, ...parts], { stdio: ['pipe', 'ignore', 'pipe'] });
    this.#child = child;
    this.#errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await until(async () => hasEnded() || (await this.#answers()));
    if (hasEnded() || !(await this.#answers())) throw new Error(`The node does not answer: ${this.#errors}`);
  }

  /** Gives other nodes the parts of its replicated tables while it runs. */
  serveParts(t: Scope): Promise<void> {
    const data = join(this.#directory, 'data/data');
    return serveParts(t, this.place.partsPort, data, () => this.#child !== undefined);
  }

  /** Id of its process; 0 while it does not run. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Why it has ended by itself, as it says; undefined while it runs. */
  get end(): string | undefined {
    const { exitCode, signalCode } = this.#child ?? {};
    return exitCode == null && signalCode == null ? undefined : `${exitCode ?? signalCode}: ${this.#errors}`;
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Takes all that it has stored from it, while it does not run. */
  erase(): void {
    rmSync(join(this.#directory, 'data'), { recursive: true });
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/ping`, { signal: AbortSignal.timeout(1_000) })).ok;
    } catch {
      return false;
    }
  }
}

/** A cluster of nodes on this machine, each in a directory of its own, gone with the test. */
export class TestCluster {
  readonly name: string;
  readonly user = 'service';
  readonly password = 'secret-of-the-nodes';
  readonly keeper: TestKeeper | undefined;
  /** By port of the native protocol, what stands between it and the other nodes. */
  readonly lines = new Map<number, SoftLine>();
  readonly #all: readonly TestNode[];
  #begun: number;
  readonly #scope: Scope;
  readonly #clients = new Map<TestNode, EngineClient>();

  constructor(
    t: Scope,
    places: readonly NodePlace[],
    keeperPort: number | undefined,
    { begun, shown, lastDirectory }: Pick<ClusterSize, 'shown' | 'lastDirectory'> & { readonly begun: number },
  ) {
    this.name = shown?.name ?? 'cluster';
    this.#scope = t;
    this.#begun = begun;
    const { name, user, password } = this;
    const listed = places.filter(({ shard }) => shard <= begun);
    this.keeper = keeperPort === undefined ? undefined : new TestKeeper(t, keeperPort);
    const plan = { name, places: listed, user, password, keeperPort, replication, shown: shown?.text };
    this.#all = places.map(
      (place) => new TestNode(t, plan, place, place === places.at(-1) ? lastDirectory : undefined),
    );
  }

  /** The nodes that are part of the cluster. */
  get nodes(): readonly TestNode[] {
    return this.#all.filter(({ place }) => place.shard <= this.#begun);
  }

  /** Adds all further shards: starts their nodes, and the others anew. */
  async grow(): Promise<void> {
    const { name, user, password } = this;
    const places = this.#all.map(({ place }) => place);
    const plan = { name, places, user, password, keeperPort: this.keeper?.port, replication };
    for (const node of this.#all) {
      await node.kill();
      node.configure(plan);
    }
    await Promise.all(this.#all.map((node) => node.start()));
    this.#begun = Math.max(...places.map(({ shard }) => shard));
  }

  /** Lets all nodes, also those that come later, fetch parts of each other's replicated tables. */
  async serveParts(): Promise<void> {
    await Promise.all(this.#all.map((node) => node.serveParts(this.#scope)));
  }

  /** Connections to one node alone, the same for every caller. */
  client(node: TestNode): EngineClient {
    const known = this.#clients.get(node);
    if (known !== undefined) return known;
    const { user, password } = this;
    const client = new EngineClient({ url: node.url, user, password });
    this.#scope.teardown(() => client.close());
    this.#clients.set(node, client);
    return client;
  }

  /** What an adapter is started with to work on it. */
  get settings(): readonly string[] {
    const urls = this.nodes.map(({ url }) => url).join(',');
    const access = [`--database.user=${this.user}`, `--database.password=${this.password}`];
    const layout = [`--database.cluster=${this.name}`, `--database.replication=${replication}`];
    return ['--database.mode=cluster', `--database.urls=${urls}`, ...layout, ...access];
  }
}

/** Starts a cluster and waits until all of it answers. See {@link missingCluster}. */
export async function startCluster(
  t: Scope,
  { shards, replicas, keeper, begun = shards, ...more }: ClusterSize,
): Promise<TestCluster> {
  const ports = await freeFixedPorts(shards * replicas * 5 + 1);
  const places: NodePlace[] = [];
  for (let shard = 1; shard <= shards; shard++) {
    for (let replica = 1; replica <= replicas; replica++) {
      const [httpPort = 0, ownHttpPort = 0, tcpPort = 0, ownTcpPort = 0, partsPort = 0] = ports.splice(0, 5);
      places.push({ shard, replica, httpPort, ownHttpPort, tcpPort, ownTcpPort, partsPort });
    }
  }
  const cluster = new TestCluster(t, places, keeper ? ports.pop() : undefined, { begun, ...more });
  await cluster.keeper?.start();
  for (const { httpPort, ownHttpPort, tcpPort, ownTcpPort } of places) {
    await softLine(t, httpPort, ownHttpPort);
    cluster.lines.set(tcpPort, await softLine(t, tcpPort, ownTcpPort));
  }
  if (replication === 'replicated') await cluster.serveParts();
  await Promise.all(cluster.nodes.map((node) => node.start()));
  return cluster;
}
