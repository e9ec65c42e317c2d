import { setTimeout as sleep } from 'node:timers/promises';
import { BufferPool } from '../../bytes/buffer-pool.js';
import type { Chunks } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { quoteString } from '../../sql/engine/quote.js';
import type { EngineClient } from '../engine/client.js';
import type {
  Cell,
  Engine,
  EngineNode,
  InsertData,
  InsertOptions,
  ResultOptions,
  Store,
  TableAccess,
} from '../engine/engine.js';
import { engineCodeOf } from '../engine/engine-faults.js';
import { countEntries, grownText, logTable } from '../engine/log-table.js';
import { type Effect, type EngineQuery, type Insert, makes } from '../engine/request.js';
import type { TableChange } from '../engine/table-change.js';
import { definingParameters } from './definition-sync.js';
import { VersionHistory } from './history.js';
import { KeeperWatch } from './keeper.js';
import {
  type ClusterLayout,
  localPrefix,
  type NodeStatement,
  nodeStatements,
  receiptColumn,
  versionSetting,
} from './layout.js';
import type { ClusterNode } from './node.js';
import { type ClusterNodes, isNodeFailure } from './nodes.js';
import { routeOf, turnOf } from './routes.js';

/** Limit of attempts of a statement when nodes fail, each on another node and after a probe of all. */
const maxAttempts = 4;
/** The same for the catalogue's log: a keeper that does not answer one node does not answer the others. */
const maxLogAttempts = 2;

/** What a statement reads, which decides about its nodes; see {@link Engine}. */
type Reads = 'rows' | 'complete' | 'log' | 'system';

/** Runs a statement on a node, with the settings of its route. */
type Run<T> = (client: EngineClient, parameters: Readonly<Record<string, string>>) => Promise<T>;

/** Rows of an INSERT … SELECT use the distributed table: otherwise only one replica of each shard would get them. */
const spreadInsert = { parallel_distributed_insert_select: '0' } as const;

/** Below that of any INSERT of now; see {@link versionSetting}. */
const earlierVersion = '1';

/** Smallest difference between two versions of one process, in ns: one position in the order of writes. */
const versionStepNanos = 1_000n;

/** BAD_ARGUMENTS: the engine has no keeper configured. */
const noKeeperCode = 36;
/** CANNOT_ASSIGN_ALTER: the replica has not taken an earlier change yet. */
const alterConflictCode = 517;
/** UNKNOWN_TABLE, UNKNOWN_DATABASE: a node that has just come back has not got what was defined while it was away. */
const unknownCodes: ReadonlySet<number | undefined> = new Set([60, 81]);
/** Interval and limit of waiting for queues of hints. */
const queuePollMs = 25;
const maxQueueMs = 1_000;
const alterRetryMs = 50;
/** Timeout of a replica that has not applied an earlier change yet. */
const maxAlterMs = 20_000;
/** UNFINISHED: replicas that are away apply the change later. */
const unfinishedCode = 341;

/** A cluster of engines as one {@link Engine}: every node that answers takes every statement. See docs/cluster.md. */
export class ClusterEngine implements Engine {
  readonly countsLog = true;
  readonly ordersByReceipt = true;
  readonly cluster: string;
  readonly history: VersionHistory;
  readonly #nodes: ClusterNodes;
  readonly #buffers = new BufferPool();
  readonly #layout: ClusterLayout;
  #keeper: KeeperWatch | undefined;
  #turn = 0;
  #version = 0n;

  constructor(nodes: ClusterNodes, layout: ClusterLayout) {
    this.#nodes = nodes;
    this.#layout = layout;
    this.cluster = layout.cluster;
    this.history = new VersionHistory(nodes, nodes.copies);
  }

  /** See {@link ClusterNodes.start}; also detects whether the nodes have a keeper for the catalogue. */
  async start(): Promise<void> {
    await this.#nodes.start();
    await this.define({ change: 'make-database', database: 'sluice' });
    await this.#addReceiptColumns();
    const { cluster } = this.#layout;
    const create = `CREATE TABLE IF NOT EXISTS ${logTable} (position UInt64, entry String)
      ENGINE = KeeperMap('/sluice/${cluster}/catalogue') PRIMARY KEY position`;
    try {
      await this.#nodes.changing(this.#onNodes([{ statement: create, effect: makes(logTable) }], this.#nodes.usable));
      if (await this.#isLogInKeeper()) this.#keeper = new KeeperWatch();
    } catch (error) {
      if (engineCodeOf(error) !== noKeeperCode) throw error;
    }
  }

  /**
   * False where the log is a table of the first node's own, which was made without a keeper: the node says nothing of a
   * missing keeper then.
   */
  async #isLogInKeeper(): Promise<boolean> {
    const [database = '', name = ''] = logTable.split('.');
    const query = `SELECT engine FROM system.tables WHERE database = ${quoteString(database)} AND name = ${quoteString(name)}`;
    const engines = await Promise.all(this.#nodes.usable.map(({ client }) => client.rows(query)));
    return engines.every((rows) => rows.every(([engine]) => engine === 'KeeperMap'));
  }

  /** Adds the column for the time of receipt to older tables, where the last stored row has won until now. */
  async #addReceiptColumns(): Promise<void> {
    const lacking = await this.system.rows(
      `SELECT concat(database, '.', table) FROM system.columns WHERE match(database, '^d[0-9]+_[0-9]+$')
       GROUP BY 1 HAVING countIf(name = 'version') = 1 AND countIf(name = 'received') = 0`,
    );
    for (const [table] of lacking)
      await this.define({ change: 'add-columns', table: String(table), columns: [receiptColumn] });
  }

  get keeper(): 'up' | 'away' | undefined {
    return this.#keeper?.state;
  }

  get isMissing(): boolean {
    return this.#nodes.missingShards.length > 0 || this.#nodes.isHeld;
  }

  async define(change: TableChange): Promise<void> {
    const statements = nodeStatements(change, this.#layout, this.#nodes.weight);
    if (change.change !== 'delete-rows') {
      await this.#nodes.changing(this.#onNodes(statements, this.#nodes.usable));
    } else if (!this.#nodes.copies.isQueued) {
      await this.#deleteFromShards(statements);
    } else if (change.isUnseen) {
      await this.#onNodes(statements, this.#nodes.usable);
    } else {
      await this.#deleteFromCopies(statements, change.table);
    }
  }

  /** The nodes are servers, which have no reserve. */
  async makeRoom(): Promise<void> {}

  exec(statement: string, effect: Effect): Promise<void> {
    const [table] = effect.changes === 'all' ? [] : effect.changes;
    return this.#write(table, (client, parameters) => client.exec(statement, effect, { parameters }));
  }

  rows(statement: string): Promise<readonly (readonly Cell[])[]> {
    return this.#rows('rows', statement);
  }

  bytes(query: EngineQuery): Promise<Buffer> {
    return this.#bytes('rows', query);
  }

  result(query: EngineQuery, options: ResultOptions = {}): Promise<Chunks> {
    return this.#result('rows', query, options);
  }

  readonly system: Engine['system'] = {
    rows: (statement) => this.#rows('system', statement),
    result: (query, options) => this.#result('system', query, options),
  };

  readonly complete: Engine['complete'] = {
    rows: (statement) => this.#rows('complete', statement),
    bytes: (query) => this.#bytes('complete', query),
    result: (query, options) => this.#result('complete', query, options),
  };

  /** All of it is on the first node of the cluster. */
  readonly ordered: TableAccess = {
    exec: async (...all) => this.#home().exec(...all),
    insert: async (...all) => this.#home().insert(...all),
    rows: async (...all) => this.#home().rows(...all),
  };

  /** A keeper gives every node the log, otherwise it is a table of the first one. */
  get log(): TableAccess {
    return this.#keeper === undefined ? this.ordered : this.#keeperLog;
  }

  readonly #keeperLog: TableAccess = {
    exec: (statement, effect) => this.#onLog((client, parameters) => client.exec(statement, effect, { parameters })),
    insert: (insert, data) =>
      this.#buffers.joined(data, (whole) =>
        this.#onLog((client, parameters) => client.insert(insert, whole, { parameters })),
      ),
    rows: (statement) => this.#rows('log', statement),
  };

  #rows(reads: Reads, statement: string): Promise<readonly (readonly Cell[])[]> {
    return this.#read(reads, statement, (client, parameters) => client.rows(statement, undefined, { parameters }));
  }

  #bytes(reads: Reads, query: EngineQuery): Promise<Buffer> {
    return this.#read(reads, query.statement, (client, parameters) => client.bytes(query, { parameters }));
  }

  #result(reads: Reads, query: EngineQuery, options: ResultOptions = {}): Promise<Chunks> {
    const run: Run<Chunks> = (client, parameters) => client.result(query, { ...options, parameters });
    return this.#read(reads, query.statement, run, options.signal);
  }

  async insert(insert: Insert, data: InsertData, { logEntries, isEarlier = false }: InsertOptions = {}): Promise<void> {
    if (logEntries !== undefined) {
      const [row] = await this.log.rows(
        `${countEntries} SETTINGS keeper_max_retries = 2, keeper_retry_max_backoff_ms = 500`,
      );
      if (Number(row?.[0]) !== logEntries) throw new FaultError(fault('database', Codes.free, grownText));
    }
    const version = isEarlier ? earlierVersion : this.#nextVersion();
    await this.#buffers.joined(data, (whole) =>
      this.#write(insert.table, (client, parameters) => client.insert(insert, whole, { parameters }), version),
    );
  }

  stores(): readonly Store[] {
    const nodes = this.#nodes.copies.isQueued ? this.#nodes.usable : this.#oneOfEachShard();
    return nodes.map(({ client }) => ({ engine: client, prefix: localPrefix }));
  }

  nodes(): readonly EngineNode[] {
    return this.#nodes.all;
  }

  /** True when some node answers. */
  async ping(): Promise<boolean> {
    await this.#nodes.probeAll();
    return this.#nodes.usable.length > 0;
  }

  close(): Promise<void> {
    return this.#nodes.stop();
  }

  /** The node that has what lies on one node alone: the first replica of the first shard. */
  #home(): EngineClient {
    const home = this.#nodes.all.find(({ isHome }) => isHome);
    if (home === undefined || home.state === 'away') throw unreachable('The first node of the cluster does not answer');
    return home.client;
  }

  #oneOfEachShard(): readonly ClusterNode[] {
    const byShard = new Map<number | undefined, ClusterNode>();
    for (const node of this.#nodes.usable) {
      const known = byShard.get(node.place?.shard);
      if (known === undefined || (known.state !== 'up' && node.state === 'up')) byShard.set(node.place?.shard, node);
    }
    return [...byShard.values()];
  }

  /**
   * Sends an idempotent statement to one node after the other until one answers. The same query goes to the same
   * replicas while they live: the replicas of a shard get the rows of an insert at different moments, and a later
   * result must not lack rows of an earlier one. The log is the same on every node.
   */
  async #read<T>(reads: Reads, statement: string, run: Run<T>, signal?: AbortSignal): Promise<T> {
    if (reads === 'rows' || reads === 'complete') this.#requireRows();
    const isLog = reads === 'log';
    const turn = isLog ? this.#turn++ : turnOf(statement);
    const attempts = isLog ? maxLogAttempts : maxAttempts;
    for (let attempt = 1; ; attempt++) {
      const route = routeOf(this.#nodes.all, turn + attempt - 1);
      if (route === undefined) throw unreachable('No node of the cluster answers');
      if (!route.isWhole && reads === 'complete') {
        throw unreachable('Of some shard no node of the cluster has everything, so its new rows are not known');
      }
      try {
        const result = run(route.node.client, route.parameters);
        return await (isLog && this.#keeper !== undefined ? this.#keeper.track(route.node, result) : result);
      } catch (error) {
        if (attempt === attempts || signal?.aborted === true || !isNodeFailure(error)) throw error;
        await this.#nodes.probeAll();
      }
    }
  }

  /** Appends to the log. The caller checks by itself whether the entry is there, so that there is no second attempt. */
  async #onLog(send: Run<void>): Promise<void> {
    const [missing] = this.#nodes.missingShards;
    if (missing !== undefined) throw unreachable(`No node of shard ${missing} of the cluster answers`);
    const route = routeOf(this.#nodes.all, this.#turn++);
    if (route === undefined) throw unreachable('No node of the cluster answers');
    await send(route.node.client, route.parameters);
  }

  /**
   * Stores rows in at least one replica of every shard that they belong to, and in all that answer. Rows for a replica
   * that is away wait as hints on the node that took them.
   */
  async #write(table: string | undefined, send: Run<void>, version = this.#nextVersion()): Promise<void> {
    if (table === undefined) throw new Error('A statement of a cluster changes one table.');
    this.#requireRows();
    for (let attempt = 1; ; attempt++) {
      const [missing] = this.#nodes.missingShards;
      if (missing !== undefined) throw unreachable(`No node of shard ${missing} of the cluster answers`);
      const { isQueued } = this.#nodes.copies;
      const queues = isQueued && !this.#nodes.isWhole;
      const route = routeOf(this.#nodes.all, this.#turn++);
      if (route === undefined) throw unreachable('No node of the cluster answers');
      const own = { ...spreadInsert, distributed_foreground_insert: queues ? '0' : '1', [versionSetting]: version };
      try {
        await send(route.node.client, { ...route.parameters, ...own });
        if (queues || !isQueued) await this.#awaitReplicas(route.node, table);
        return;
      } catch (error) {
        if (attempt === maxAttempts || !isNodeFailure(error)) throw error;
        await this.#nodes.probeAll();
      }
    }
  }

  /** While rows are moved between shards some are in two places. */
  #requireRows(): void {
    if (this.#nodes.isHeld) throw unreachable('Rows of the cluster are being moved to other shards');
  }

  /**
   * Waits until every required replica has the rows, and every shard has them on some node; rejects otherwise. Queries
   * read from the required replicas, so results would lack rows that one of them misses.
   */
  async #awaitReplicas(entry: ClusterNode, table: string): Promise<void> {
    const { all, copies } = this.#nodes;
    for (let attempt = 1; ; attempt++) {
      // The engine delivers hints within a moment; with an explicit flush the entry would also wait for a node that
      // hangs.
      if (attempt > 1) await copies.send([entry], [table]);
      const holders = copies.isQueued ? [entry] : all.filter(isRequiredReplica);
      const waiting = await this.#behindNodes(holders, table);
      const late = [...waiting].find(isRequiredReplica);
      if (late === undefined) {
        const stored = new Set(
          this.#nodes.usable.filter((node) => !waiting.has(node)).map(({ place }) => place?.shard),
        );
        const lacking = [...waiting].find(({ place }) => !stored.has(place?.shard))?.place?.shard;
        if (lacking === undefined) return;
        throw unreachable(`No node of shard ${lacking} of the cluster has taken the rows`);
      }
      if (attempt === maxAttempts) throw unreachable(`The node at ${late.url} has not taken the rows`);
      await this.#nodes.probeAll();
    }
  }

  /** The nodes that still lack rows of a table after a short wait. */
  async #behindNodes(holders: readonly ClusterNode[], table: string): Promise<ReadonlySet<ClusterNode>> {
    const { all, copies } = this.#nodes;
    for (const begun = performance.now(); ; await sleep(queuePollMs)) {
      const waiting = await copies.behindNodes(all, holders, [table]);
      const isSent = ![...waiting].some(isRequiredReplica);
      if (isSent || performance.now() - begun > maxQueueMs) return waiting;
    }
  }

  /**
   * Increases with every INSERT of this process and follows the clock, so that the versions of all processes are close.
   */
  #nextVersion(): string {
    const now = BigInt(Date.now()) * 1_000_000n;
    this.#version = now > this.#version ? now : this.#version + versionStepNanos;
    return String(this.#version);
  }

  /** Needs all copies: one that came back later would show the rows again. */
  async #deleteFromCopies(statements: readonly NodeStatement[], table: string): Promise<void> {
    const { all } = this.#nodes;
    if (!this.#nodes.isWhole) {
      const away = all.filter(({ state }) => state !== 'up').map(({ url }) => url);
      throw unreachable(`Rows are deleted when all nodes have everything; not yet: ${away.join(', ')}`);
    }
    const { copies } = this.#nodes;
    await copies.send(all, [table]);
    if ((await copies.behindNodes(all, all, [table])).size > 0)
      throw unreachable('Some node does not have all rows yet');
    await this.#onNodes(statements, all, true);
  }

  /**
   * Sends the change to one replica of each shard; a replica that is away applies it after its return, before it serves
   * queries.
   */
  async #deleteFromShards(statements: readonly NodeStatement[]): Promise<void> {
    try {
      await this.#onNodes(statements, this.#oneOfEachShard(), true);
    } catch (error) {
      if (engineCodeOf(error) !== unfinishedCode) throw error;
    }
  }

  /** Runs statements on nodes concurrently. A node that goes away meanwhile is resynced later, unless `needsAll`. */
  async #onNodes(statements: readonly NodeStatement[], nodes: readonly ClusterNode[], needsAll = false): Promise<void> {
    if (nodes.length === 0) throw unreachable('No node of the cluster answers');
    const failures = await Promise.all(nodes.map((node) => this.#runOn(node, statements)));
    const failed = failures.filter((error) => error !== undefined);
    if (failed.length > 0 && (needsAll || failed.length === nodes.length)) throw failed[0];
  }

  /** The error of a node that is away by now; throws any other one. */
  async #runOn(node: ClusterNode, statements: readonly NodeStatement[]): Promise<unknown> {
    for (const statement of statements) {
      const failed = await this.#defineOn(node, statement);
      if (failed !== undefined) return failed;
    }
    return undefined;
  }

  /** Runs one statement on a node, with retries; as {@link #runOn}. */
  async #defineOn(node: ClusterNode, { statement, effect }: NodeStatement): Promise<unknown> {
    const begun = Date.now();
    for (let attempt = 1; ; attempt++) {
      try {
        await node.client.exec(statement, effect, { parameters: definingParameters });
        return undefined;
      } catch (error) {
        const code = engineCodeOf(error);
        const isAlterConflict = code === alterConflictCode;
        if (node.state === 'behind' && unknownCodes.has(code)) {
          this.#nodes.lacksDefinitions(node);
          return error;
        }
        if (!isAlterConflict && !isNodeFailure(error)) throw error;
        if (!isAlterConflict) await this.#nodes.probeAll();
        if (node.state === 'away') return error;
        if (isAlterConflict ? Date.now() - begun > maxAlterMs : attempt >= maxAttempts) throw error;
        if (isAlterConflict) await sleep(alterRetryMs);
      }
    }
  }
}

/** True for a node that must have rows before they are acknowledged. */
function isRequiredReplica({ state, isRequired: isAwaited }: ClusterNode): boolean {
  return state === 'up' || isAwaited;
}

function unreachable(text: string): FaultError {
  return new FaultError(fault('network', Codes.networkUnavailable, text));
}
