import type { BodyLease } from '../../async/body-budget.js';
import { detached } from '../../async/detached.js';
import type { Credentials } from '../../model/exchange.js';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';
import type { TopicBlock, TopicBlocks, TopicPoller } from '../../model/topic-message.js';
import { version } from '../../model/version.js';
import { isFault } from '../request/auth.js';
import type { HandlerContext } from '../request/call.js';
import { parameterFault } from '../request/parameters.js';
import { Arguments, isObject } from './arguments.js';
import type { SocketAnswer, SocketLink, SocketSession } from './protocol.js';
import { readCredentials } from './read-credentials.js';
import { readSubscribe, type Subscribe } from './topic-options.js';

/** Types of messages; there are only those of rows. */
const dataMessage = 1;

const noMessage = {
  have_message: false,
  topic: '',
  database: '',
  vgroup_id: 0,
  message_type: 0,
  message_id: 0,
  offset: 0,
} as const;

/** What clients know as the lack of an offset. */
const noOffset = -2_147_467_247n;

const notSubscribed = parameterFault('tmq not init');
const subscribedTwice = parameterFault('tmq should have unsubscribed first');
const noSuchMessage = parameterFault('message has been freed');
const otherMessage = parameterFault('message ID is not equal');
const memoryShort = fault('resource', Codes.free, 'memory is short, please try again later');

/** The message that a client polled last. */
interface HeldMessage {
  readonly id: bigint;
  readonly message: TopicBlocks;
  readonly lease: BodyLease;
  /** How many of its blocks were fetched. */
  fetched: number;
}

/** What a client has subscribed to. */
interface OpenSubscription extends Subscribe {
  readonly user: string;
  /** Undefined while the consumer is not in its group: it joins when the client polls. */
  poller: TopicPoller<TopicBlocks> | undefined;
}

/** A client that consumes topics: one consumer of one group. Its requests run one after the other. */
export class TopicSession implements SocketSession {
  credentials: Credentials | undefined;
  readonly #link: SocketLink;
  readonly #context: HandlerContext;
  #subscription: OpenSubscription | undefined;
  #held: HeldMessage | undefined;
  #messages = 0n;
  #usedMs = performance.now();
  #unlist: (() => void) | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(link: SocketLink, context: HandlerContext) {
    this.#link = link;
    this.#context = context;
  }

  /** Logs in and joins a group. */
  subscribe(args: Arguments): Promise<SocketAnswer> {
    return this.#inTurn(async () => {
      if (this.#subscription !== undefined) throw new FaultError(subscribedTwice);
      const credentials = readCredentials(args, this.#link);
      const identity = await this.#context.intake.authenticate(credentials);
      if (isFault(identity)) throw new FaultError(identity);
      const subscribed = readSubscribe(args);
      const { user } = identity;
      const poller = await this.#context.intake.subscribe(user, subscribed.topics, subscribed.consumer);
      this.#subscription = { ...subscribed, user, poller };
      this.credentials = credentials;
      this.#unlist?.();
      this.#unlist = this.#list(user, args.text('app', ''), args.text('connector', ''));
      return { version };
    });
  }

  /**
   * The next message. The message before stays until then: a client that names another one has not got it, and gets it
   * once more.
   */
  poll(args: Arguments): Promise<SocketAnswer> {
    const waitMs = args.integer('blocking_time', 0);
    const known = args.value('message_id') === undefined ? undefined : args.id('message_id');
    return this.#inTurn(async () => {
      this.#subscribed();
      const state = this.#context.intake.guard();
      if (state !== 'normal') {
        this.#context.observer?.refused(state);
        throw new FaultError(memoryShort);
      }
      if (known !== undefined && this.#held !== undefined && this.#held.id !== known) return pollAnswer(this.#held);
      const message = await (await this.#joined()).poll(waitMs, this.#link.ending);
      if (message === undefined) return noMessage;
      this.#free();
      this.#held = await this.#hold(message);
      return pollAnswer(this.#held);
    });
  }

  /** The next block of the message in hand; undefined behind the last one. */
  nextBlock(id: bigint): TopicBlock | undefined {
    const held = this.held(id);
    const block = held.message.blocks[held.fetched];
    if (block !== undefined) held.fetched++;
    return block;
  }

  /** The block that {@link nextBlock} gave last. */
  lastBlock(id: bigint): TopicBlock {
    const { message, fetched } = this.held(id);
    const block = message.blocks[fetched - 1];
    if (block === undefined) throw new FaultError(parameterFault('no fetch data'));
    return block;
  }

  /** The message in hand. Throws a FaultError where it is another one. */
  held(id: bigint): HeldMessage {
    this.#subscribed();
    if (this.#held === undefined) throw new FaultError(noSuchMessage);
    if (this.#held.id !== id) throw new FaultError(otherMessage);
    return this.#held;
  }

  /** Commits all that was given out. */
  commit(args: Arguments): Promise<SocketAnswer> {
    return this.#inTurn(async () => {
      await this.#subscribed().poller?.commit();
      return { message_id: args.id('message_id') };
    });
  }

  /** The vgroups of a topic that the consumer reads. */
  assignment(args: Arguments): Promise<SocketAnswer> {
    return this.#inTurn(async () => {
      const assigned = await (await this.#joined()).assignment(args.text('topic'));
      return { assignment: assigned.map(({ vgroup, ...offsets }) => ({ vgroup_id: vgroup, ...offsets })) };
    });
  }

  position(args: Arguments): Promise<SocketAnswer> {
    return this.#inTurn(async () => ({
      position: await this.#offsets(args, (poller, topic, vgroup) => poller.position(topic, vgroup)),
    }));
  }

  committed(args: Arguments): Promise<SocketAnswer> {
    return this.#inTurn(async () => ({
      committed: await this.#offsets(args, async (poller, topic, vgroup) => {
        return (await poller.committed(topic, vgroup)) ?? noOffset;
      }),
    }));
  }

  /** Goes to a position; the message in hand is no longer there. */
  seek(args: Arguments): Promise<SocketAnswer> {
    const { topic, vgroup, offset } = readPlace(args);
    return this.#inTurn(async () => {
      await (await this.#joined()).seek(topic, vgroup, offset);
      this.#free();
      return {};
    });
  }

  commitOffset(args: Arguments): Promise<SocketAnswer> {
    const { topic, vgroup, offset } = readPlace(args);
    return this.#inTurn(async () => {
      await (await this.#joined()).commitOffset(topic, vgroup, offset);
      return { topic, vgroup_id: vgroup, offset };
    });
  }

  async #offsets(
    args: Arguments,
    read: (poller: TopicPoller<TopicBlocks>, topic: string, vgroup: number) => Promise<bigint>,
  ): Promise<bigint[]> {
    const places = args.list('topic_vgroup_ids').map((value) => {
      if (!isObject(value)) throw new FaultError(parameterFault('args.topic_vgroup_ids must be a list of objects'));
      return new Arguments(value);
    });
    const poller = await this.#joined();
    const offsets: bigint[] = [];
    for (const each of places) offsets.push(await read(poller, each.text('topic'), each.integer('vgroup_id', 0)));
    return offsets;
  }

  /** The consumer, which joins its group again where it has left it. */
  async #joined(): Promise<TopicPoller<TopicBlocks>> {
    const subscription = this.#subscribed();
    const { user, topics, consumer } = subscription;
    subscription.poller ??= await this.#context.intake.subscribe(user, topics, consumer);
    return subscription.poller;
  }

  listTopics(): SocketAnswer {
    return { topics: this.#subscribed().topics };
  }

  /** Leaves the group; commits before, where that is automatic. */
  unsubscribe(): Promise<SocketAnswer> {
    return this.#inTurn(async () => {
      const { poller } = this.#subscribed();
      await poller?.close();
      this.#subscription = undefined;
      this.#free();
      return {};
    });
  }

  tick(nowMs: number): void {
    const { poller, maxPollIntervalMs } = this.#subscription ?? {};
    if (poller === undefined || maxPollIntervalMs === undefined || this.#waiting > 0) return;
    if (nowMs - this.#usedMs > maxPollIntervalMs) detached(this.#inTurn(() => this.#leave()));
  }

  close(): Promise<void> {
    this.#unlist?.();
    return this.#inTurn(() => this.#leave());
  }

  #list(user: string, application: string, connector: string): () => void {
    return this.#context.intake.listConnection({
      user,
      address: this.#link.from,
      began: Date.now(),
      application: () => application,
      connector: () => connector,
      lastUsed: () => Math.round(Date.now() - performance.now() + this.#usedMs),
      kill: () => this.#link.end('the connection was killed'),
    });
  }

  /** Leaves the group; what was not committed comes again. Never rejects: who cannot say so is silent, and is expelled. */
  async #leave(): Promise<void> {
    const subscription = this.#subscription;
    const poller = subscription?.poller;
    if (subscription !== undefined) subscription.poller = undefined;
    this.#free();
    await poller?.abandon().catch((error: unknown) => {
      this.#context.log.warn({ reason: reasonOf(error) }, 'A consumer of topics could not leave its group.');
    });
  }

  #subscribed(): OpenSubscription {
    if (this.#subscription === undefined) throw new FaultError(notSubscribed);
    return this.#subscription;
  }

  /** Takes room for a message. A consumer without room leaves its group, so that the message comes again. */
  async #hold(message: TopicBlocks): Promise<HeldMessage> {
    const bytes = message.blocks.reduce((sum, block) => sum + block.bytes.length, 0);
    try {
      const lease = await this.#context.bodies.lease(this.#subscribed().user, bytes, this.#link.closed);
      lease.ended();
      return { id: ++this.#messages, message, lease, fetched: 0 };
    } catch (error) {
      await this.#leave();
      throw error;
    }
  }

  #free(): void {
    this.#held?.lease.release();
    this.#held = undefined;
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const result = this.#turn.then(run);
    this.#turn = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      this.#waiting--;
      this.#usedMs = performance.now();
    }
  }
}

function pollAnswer({ id, message: { topic, database, vgroup, offset } }: HeldMessage): SocketAnswer {
  const about = { topic, database, vgroup_id: vgroup, offset };
  return { have_message: true, ...about, message_type: dataMessage, message_id: id };
}

function readPlace(args: Arguments): { readonly topic: string; readonly vgroup: number; readonly offset: bigint } {
  return { topic: args.text('topic'), vgroup: args.integer('vgroup_id', 0), offset: args.signed('offset') };
}
