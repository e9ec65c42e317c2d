import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Codes, expectedFault, FaultError, fault } from '../../model/fault.js';
import type { TopicDef } from '../../model/topic.js';
import type { CountedMessage, TopicMessage, TopicPoller, VgroupOffsets } from '../../model/topic-message.js';
import type { WaitingTables } from '../../model/waiting-tables.js';
import { Access } from '../catalogue/rights.js';
import { Changes } from '../store/changes.js';
import type { DatabaseParts } from '../store/parts.js';
import { isStaleSchema } from '../store/stale-schema.js';
import type { ConsumerOptions } from './consumer-options.js';
import type { GroupEntry } from './group-state.js';
import { ConsumerGroups, type ConsumerRow } from './groups.js';
import type { MessageForm } from './message-form.js';
import { Subscription } from './subscription.js';

/** However short the interval of commits: a consumer that is only busy must not lose its share. */
const leastLeaseMs = 6_000;
/** How often a consumer shows itself and looks at the others, as a part of its lease, and at most. */
const renewalsPerLease = 4;
const mostRenewalMs = 1_000;
/** Pause between two looks for new rows. */
const idleMs = { least: 50, most: 400 };

/** How long a consumer is waited for. */
function leaseOf({ autoCommitIntervalMs, releaseMultiplier, sessionTimeoutMs }: ConsumerOptions): number {
  return sessionTimeoutMs ?? Math.max(leastLeaseMs, autoCommitIntervalMs * releaseMultiplier);
}

/** What a consumer works with. */
export interface ConsumerContext extends DatabaseParts {
  /**
   * Makes the acknowledged rows of tables that wait visible; undefined when none do. Rejects with a FaultError when the
   * database cannot take them.
   */
  readonly visible: (tables: WaitingTables) => Promise<void> | undefined;
}

/**
 * One consumer of a group. Every row that is written to the topics after the group's committed place is given out at
 * least once, the rows of a sub-table in the order of writing; what two consumers of a group have read never overlaps
 * except for what one of them had not committed when it ended. A consumer that does not poll for its lease loses its
 * share; when it comes back it takes part again.
 */
export class TopicConsumer<M extends CountedMessage = TopicMessage> implements TopicPoller<M> {
  readonly id = `0x${randomBytes(8).toString('hex')}`;
  readonly #options: ConsumerOptions;
  readonly #context: ConsumerContext;
  readonly #groups: ConsumerGroups;
  readonly #subscriptions = new Map<string, Subscription<M>>();
  readonly #row: ConsumerRow;
  #logPlace = 0;
  #renewed = Number.NEGATIVE_INFINITY;
  #committed = performance.now();
  /** Where the search for rows continues: shares are read in round robin. */
  #turn = 0;
  /** The last look found nothing: rows that wait are made visible before the next one. */
  #isDry = false;

  private constructor(
    topics: readonly TopicDef[],
    options: ConsumerOptions,
    form: MessageForm<M>,
    context: ConsumerContext,
  ) {
    this.#options = options;
    this.#context = context;
    this.#groups = new ConsumerGroups(context.engine);
    const changes = new Changes(context.engine, context.storage);
    for (const topic of topics) {
      const subscription = new Subscription(topic, options, this.#groups, form, { ...context, changes });
      this.#subscriptions.set(topic.id, subscription);
    }
    const { group, clientId, user, offsetReset, autoCommit, autoCommitIntervalMs, withTableName } = options;
    const commit = `commit:${Number(autoCommit)},interval:${autoCommitIntervalMs}ms`;
    this.#row = {
      group,
      consumer: this.id,
      client: clientId,
      user,
      host: hostname(),
      topics: topics.map(({ id }) => id),
      leaseMs: leaseOf(options),
      parameters: `tbname:${Number(withTableName)},${commit},reset:${offsetReset},lease:${leaseOf(options)}ms`,
      joined: Date.now(),
    };
  }

  /** Joins the group for some topics. Throws FaultErrors: a topic does not exist, or may not be consumed. */
  static async subscribe<M extends CountedMessage>(
    topics: readonly string[],
    options: ConsumerOptions,
    form: MessageForm<M>,
    context: ConsumerContext,
  ): Promise<TopicConsumer<M>> {
    const { catalogue } = context;
    await catalogue.sync();
    const access = new Access(catalogue, options.user);
    const defs = topics.map((name) => {
      const topic = catalogue.topics.topic(name);
      if (topic === undefined) throw missingTopic(name);
      access.requireSubscription(topic);
      return topic;
    });
    const consumer = new TopicConsumer(defs, options, form, context);
    try {
      await consumer.#join();
    } catch (error) {
      await consumer.#leave().catch(() => undefined);
      throw error;
    }
    return consumer;
  }

  async poll(waitMs: number, signal: AbortSignal): Promise<M | undefined> {
    const until = waitMs < 0 ? Number.POSITIVE_INFINITY : performance.now() + waitMs;
    if (this.#options.autoCommit && performance.now() - this.#committed >= this.#options.autoCommitIntervalMs) {
      await this.commit();
    }
    for (let pauseMs = idleMs.least; ; pauseMs = Math.min(idleMs.most, pauseMs * 2)) {
      await this.#renewWhenDue();
      const message = (this.#isDry ? undefined : await this.#nextIfAny()) ?? (await this.#nextAcknowledged());
      this.#isDry = message === undefined;
      if (message !== undefined) return message;
      const left = until - performance.now();
      const awaits = await this.#followAwaited();
      if (signal.aborted || (left <= 0 && !awaits)) return undefined;
      await sleep(awaits ? idleMs.least : Math.min(pauseMs, left), undefined, { signal }).catch(() => undefined);
    }
  }

  async commit(): Promise<void> {
    const places = [...this.#subscriptions.values()].flatMap((subscription) => subscription.takeUncommitted());
    try {
      await this.#groups.commit(this.#options.group, places);
    } catch (error) {
      for (const subscription of this.#subscriptions.values()) subscription.giveBack(places);
      throw error;
    }
    this.#committed = performance.now();
  }

  async assignment(topic: string): Promise<readonly VgroupOffsets[]> {
    const subscription = this.#subscription(topic);
    // Shares that are meant for others are released at the next poll, when the message in hand was dealt with.
    await this.#follow();
    return subscription.assignment();
  }

  async position(topic: string, vgroup: number): Promise<bigint> {
    return this.#subscription(topic).position(vgroup);
  }

  async committed(topic: string, vgroup: number): Promise<bigint | undefined> {
    return this.#subscription(topic).committed(vgroup);
  }

  async seek(topic: string, vgroup: number, offset: bigint): Promise<void> {
    this.#subscription(topic).seek(vgroup, offset);
  }

  async commitOffset(topic: string, vgroup: number, offset: bigint): Promise<void> {
    await this.#subscription(topic).commitOffset(vgroup, offset);
  }

  #subscription(name: string): Subscription<M> {
    const subscription = [...this.#subscriptions.values()].find(({ topic }) => topic.name === name);
    if (subscription !== undefined) return subscription;
    throw new FaultError(fault('database', Codes.topicNotSubscribed, `Topic ${name} is not subscribed`));
  }

  async close(): Promise<void> {
    if (this.#options.autoCommit) await this.commit();
    await this.#leave();
  }

  async abandon(): Promise<void> {
    await this.#leave();
  }

  async #leave(): Promise<void> {
    await this.#append(this.#everywhere({ op: 'leave', consumer: this.id }));
    await this.#groups.renew(this.#row, true);
  }

  async #join(): Promise<void> {
    await this.#groups.renew(this.#row);
    await this.#append(this.#everywhere({ op: 'join', consumer: this.id }));
    await this.#renew();
  }

  #nextIfAny(): Promise<M | undefined> {
    return this.#next().catch((error: unknown) => this.#skipDropped(error));
  }

  /** The next message of all rows that are acknowledged by now, also those that are not stored yet. */
  async #nextAcknowledged(): Promise<M | undefined> {
    const tables = [...this.#subscriptions.values()].map(({ topic: { source, database } }) =>
      source.kind === 'database' ? { database } : { database, table: source.parent },
    );
    await this.#context.visible(tables);
    return this.#nextIfAny();
  }

  async #next(): Promise<M | undefined> {
    const readers = [...this.#subscriptions.values()];
    for (let at = 0; at < readers.length; at++) {
      const message = await readers[(this.#turn + at) % readers.length]?.next();
      if (message === undefined) continue;
      this.#turn = (this.#turn + at + 1) % readers.length;
      return message;
    }
    return undefined;
  }

  /**
   * A table of a database may be dropped while it is read: there is nothing more in it, and the catalogue knows by now.
   */
  async #skipDropped(error: unknown): Promise<undefined> {
    if (!isStaleSchema(expectedFault(error))) throw error;
    await this.#context.catalogue.sync();
  }

  async #renewWhenDue(): Promise<void> {
    // Shares change hands between pieces, as long as that can wait: what was given out of one is not committed yet.
    const isAmid = [...this.#subscriptions.values()].some(({ isAmidPiece }) => isAmidPiece);
    const everyMs = Math.min(mostRenewalMs, this.#row.leaseMs / renewalsPerLease);
    if (performance.now() - this.#renewed >= (isAmid ? this.#row.leaseMs / 2 : everyMs)) await this.#renew();
  }

  /**
   * True while a share is on its way to this consumer, which is looked after more often then: that nothing came does
   * not mean that there is nothing. A consumer that does not release it is expelled in the end.
   */
  async #followAwaited(): Promise<boolean> {
    const awaits = (): boolean => [...this.#subscriptions.values()].some(({ state }) => state.awaits(this.id));
    if (!awaits()) return false;
    await this.#follow();
    return true;
  }

  /** Shows that this consumer is there, learns who reads what, and gives up what is meant for others. */
  async #renew(): Promise<void> {
    await this.#checkTopics();
    await this.#groups.renew(this.#row);
    await this.#follow();
    await this.#expelAbsent();
    await this.#release();
    this.#renewed = performance.now();
  }

  async #checkTopics(): Promise<void> {
    const { catalogue } = this.#context;
    const access = new Access(catalogue, this.#options.user);
    for (const { topic } of this.#subscriptions.values()) {
      const current = catalogue.topics.topic(topic.name);
      if (current?.id !== topic.id) throw missingTopic(topic.name);
      access.requireSubscription(current);
    }
  }

  /** Reads the group's log on. An expelled consumer begins anew, from what the group has committed. */
  async #follow(): Promise<void> {
    const topics = [...this.#subscriptions.keys()];
    for (const { number, topic, entry } of await this.#groups.entries(topics, this.#options.group, this.#logPlace)) {
      this.#logPlace = number;
      this.#subscriptions.get(topic)?.state.apply(entry);
    }
    const left = [...this.#subscriptions.values()].filter(({ state }) => !state.members.includes(this.id));
    if (left.length > 0) {
      for (const subscription of left) subscription.keepOnly([]);
      await this.#append(left.map(({ topic }) => ({ topic: topic.id, entry: { op: 'join', consumer: this.id } })));
      await this.#follow();
      return;
    }
    for (const subscription of this.#subscriptions.values()) {
      subscription.keepOnly(subscription.state.owned(this.id));
      await subscription.acquire(subscription.state.owned(this.id));
    }
  }

  async #expelAbsent(): Promise<void> {
    const subscriptions = [...this.#subscriptions.values()];
    if (subscriptions.every(({ state }) => state.members.length <= 1)) return;
    const alive = await this.#groups.alive(this.#options.group);
    const entries = subscriptions.flatMap(({ topic, state }) =>
      state.members
        .filter((consumer) => consumer !== this.id && !alive.has(consumer))
        .map((consumer) => ({ topic: topic.id, entry: { op: 'expel', consumer } as const })),
    );
    if (entries.length === 0) return;
    await this.#append(entries);
    await this.#follow();
  }

  async #release(): Promise<void> {
    const entries: { topic: string; entry: GroupEntry }[] = [];
    for (const { topic, state } of this.#subscriptions.values()) {
      for (const share of state.toRelease(this.id)) {
        entries.push({ topic: topic.id, entry: { op: 'release', consumer: this.id, share } });
      }
    }
    if (entries.length === 0) return;
    if (this.#options.autoCommit) await this.commit();
    for (const subscription of this.#subscriptions.values()) {
      const released = subscription.state.toRelease(this.id);
      subscription.keepOnly(subscription.state.owned(this.id).filter((share) => !released.includes(share)));
    }
    await this.#append(entries);
    await this.#follow();
  }

  #everywhere(entry: GroupEntry): { topic: string; entry: GroupEntry }[] {
    return [...this.#subscriptions.keys()].map((topic) => ({ topic, entry }));
  }

  async #append(entries: readonly { readonly topic: string; readonly entry: GroupEntry }[]): Promise<void> {
    await this.#groups.append(this.#options.group, entries);
  }
}

function missingTopic(name: string): FaultError {
  return new FaultError(fault('database', Codes.topicNotExist, `Topic not exist: ${name}`));
}
