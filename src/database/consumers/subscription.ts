import { Codes, FaultError, fault } from '../../model/fault.js';
import type { TopicMessage } from '../../model/topic-message.js';
import type { TopicDef } from '../catalogue/topics.js';
import type { Changes } from '../changes.js';
import type { ConsumerContext, ConsumerOptions } from './consumer.js';
import { GroupState } from './group-state.js';
import type { CommittedPlace, ConsumerGroups } from './groups.js';
import { type Share, TopicReader } from './topic-reader.js';
import { TopicTables } from './topic-tables.js';

/** The place under this name says that a group has begun to read a vgroup: engine tables made later are read from the start. */
const begun = '';

/** A share in hand: how far it was given out, and what of that waits for a commit. */
interface HeldShare extends Share {
  readonly number: number;
  readonly places: Map<string, number>;
  /** By engine table: the place to commit, and rows since the last commit. */
  readonly uncommitted: Map<string, { readonly place: number; readonly rows: number }>;
}

/** What one consumer reads of one topic. */
export class Subscription {
  readonly topic: TopicDef;
  readonly state: GroupState;
  readonly #options: ConsumerOptions;
  readonly #groups: ConsumerGroups;
  readonly #reader: TopicReader;
  readonly #first: number;
  readonly #count: number;
  #held: HeldShare[] = [];
  #turn = 0;
  /** Messages of the piece that is being given out, and what to note with the last of them. */
  #queue: TopicMessage[] = [];
  #noteQueued: () => void = () => undefined;

  constructor(
    topic: TopicDef,
    options: ConsumerOptions,
    groups: ConsumerGroups,
    context: ConsumerContext & { readonly changes: Changes },
  ) {
    const { first, count } = context.catalogue.vgroups(topic.database);
    this.topic = topic;
    this.state = new GroupState(count);
    this.#options = options;
    this.#groups = groups;
    this.#first = first;
    this.#count = count;
    this.#reader = new TopicReader(new TopicTables(topic, context), options.withTableName, context);
  }

  /** Takes shares in hand that this consumer owns now, where its group has left off. */
  async acquire(shares: readonly number[]): Promise<void> {
    for (const number of shares) {
      if (this.#held.some((share) => share.number === number)) continue;
      const vgroup = this.#first + number;
      const slice = { number, of: this.#count };
      const places = await this.#beginning(vgroup);
      this.#held.push({ number, vgroup, slice, places, uncommitted: new Map() });
    }
  }

  /** Lets go of all shares but some; what was not committed of the others is not committed any more. */
  keepOnly(shares: readonly number[]): void {
    const gone = this.#held.filter(({ number }) => !shares.includes(number));
    if (gone.length === 0) return;
    for (const share of gone) this.#reader.forget(share);
    this.#held = this.#held.filter((share) => !gone.includes(share));
    const vgroups = new Set(gone.map(({ vgroup }) => vgroup));
    this.#queue = this.#queue.filter(({ vgroup }) => !vgroups.has(vgroup));
  }

  /** True while some but not all messages of a piece were given out: its place is not reached yet. */
  get isAmidPiece(): boolean {
    return this.#queue.length > 0;
  }

  /** The next message of any share in hand; undefined when there is none now. */
  async next(): Promise<TopicMessage | undefined> {
    const queued = this.#fromQueue();
    if (queued !== undefined) return queued;
    for (let at = 0; at < this.#held.length; at++) {
      const share = this.#held[(this.#turn + at) % this.#held.length];
      if (share === undefined) continue;
      const message = await this.#nextOf(share);
      if (message === undefined) continue;
      this.#turn = (this.#turn + at + 1) % this.#held.length;
      return message;
    }
    return undefined;
  }

  /** What is to be committed: everything that was given out since the last call. */
  takeUncommitted(): CommittedPlace[] {
    return this.#held.flatMap(({ vgroup, uncommitted }) => {
      const places = [...uncommitted].map(([storage, { place, rows }]) => {
        return { topic: this.topic.id, vgroup, storage, place, rows };
      });
      uncommitted.clear();
      return places;
    });
  }

  /** Undoes {@link takeUncommitted}. */
  giveBack(places: readonly CommittedPlace[]): void {
    for (const { topic, vgroup, storage, place, rows } of places) {
      const share = topic === this.topic.id ? this.#held.find((held) => held.vgroup === vgroup) : undefined;
      if (share === undefined) continue;
      const since = share.uncommitted.get(storage);
      share.uncommitted.set(storage, { place: since?.place ?? place, rows: rows + (since?.rows ?? 0) });
    }
  }

  async #nextOf(share: HeldShare): Promise<TopicMessage | undefined> {
    for (;;) {
      const piece = await this.#reader.next(share, share.places);
      if (piece === undefined) return undefined;
      const { storage, upTo, rows, messages } = piece;
      share.places.set(storage, upTo);
      const note = (): void => {
        const before = share.uncommitted.get(storage)?.rows ?? 0;
        share.uncommitted.set(storage, { place: upTo, rows: before + rows });
      };
      if (messages.length === 0) {
        note();
        continue;
      }
      this.#queue = [...messages];
      this.#noteQueued = note;
      return this.#fromQueue();
    }
  }

  /** A place is reached when the last message of its piece was given out. */
  #fromQueue(): TopicMessage | undefined {
    const message = this.#queue.shift();
    if (message !== undefined && this.#queue.length === 0) this.#noteQueued();
    return message;
  }

  async #beginning(vgroup: number): Promise<Map<string, number>> {
    const { group, offsetReset } = this.#options;
    const committed = await this.#groups.places(this.topic.id, group, vgroup);
    if (committed.size > 0 || offsetReset === 'earliest') return new Map(committed);
    if (offsetReset === 'none') {
      const text = `No committed offset of group ${group} in topic ${this.topic.name}, vgroup ${vgroup}`;
      throw new FaultError(fault('database', Codes.offsetNotExist, text));
    }
    const latest = new Map(await this.#reader.latest()).set(begun, 1);
    const places = [...latest].map(([storage, place]) => ({ topic: this.topic.id, vgroup, storage, place, rows: 0 }));
    await this.#groups.commit(group, places);
    return latest;
  }
}
