import { Codes, FaultError, fault } from '../../model/fault.js';
import type { TopicDef } from '../../model/topic.js';
import type { CountedMessage, VgroupOffsets } from '../../model/topic-message.js';
import type { Changes } from '../store/changes.js';
import type { DatabaseParts } from '../store/parts.js';
import type { ConsumerOptions } from './consumer-options.js';
import { GroupState } from './group-state.js';
import type { CommittedPlace, ConsumerGroups } from './groups.js';
import type { MessageForm } from './message-form.js';
import { beginning, begun, offsetOf, type ReadPosition } from './read-position.js';
import { type Share, type Step, TopicReader } from './topic-reader.js';
import { TopicTables } from './topic-tables.js';

/** Positions of a vgroup that are remembered, where a number alone does not say what they are. */
const maxRemembered = 256;

/** A share in hand: how far it was given out, and what of that waits for a commit. */
interface HeldShare extends Omit<Share, 'offset'> {
  readonly number: number;
  readonly places: Map<string, ReadPosition>;
  /** Rows that were given out since the last place was reached. */
  readonly pending: { rows: number };
  /** By engine table: the place to commit, and rows since the last commit. */
  readonly uncommitted: Map<string, { readonly place: ReadPosition; readonly rows: number }>;
  /** Places of several engine tables by their offset. */
  readonly remembered: Map<bigint, ReadonlyMap<string, ReadPosition>>;
}

function reach({ places, pending, uncommitted }: HeldShare, storage: string, place: ReadPosition): void {
  const rows = pending.rows + (uncommitted.get(storage)?.rows ?? 0);
  pending.rows = 0;
  places.set(storage, place);
  uncommitted.set(storage, { place, rows });
}

/** Reading of one topic by one consumer. */
export class Subscription<M extends CountedMessage> {
  readonly topic: TopicDef;
  readonly state: GroupState;
  readonly #options: ConsumerOptions;
  readonly #groups: ConsumerGroups;
  readonly #reader: TopicReader<M>;
  readonly #first: number;
  readonly #count: number;
  #held: HeldShare[] = [];
  #turn = 0;
  /** The share that is being read, and its reading. */
  #open: { readonly share: HeldShare; readonly steps: AsyncGenerator<Step<M>, void, void> } | undefined;

  constructor(
    topic: TopicDef,
    options: ConsumerOptions,
    groups: ConsumerGroups,
    form: MessageForm<M>,
    context: DatabaseParts & { readonly changes: Changes },
  ) {
    const { first, count } = context.catalogue.vgroups(topic.database);
    this.topic = topic;
    this.state = new GroupState(count);
    this.#options = options;
    this.#groups = groups;
    this.#first = first;
    this.#count = count;
    this.#reader = new TopicReader(new TopicTables(topic, context), options.withTableName, form, context);
  }

  /** Takes shares in hand that this consumer owns now, where its group has left off. */
  async acquire(shares: readonly number[]): Promise<void> {
    for (const number of shares) {
      if (this.#held.some((share) => share.number === number)) continue;
      const vgroup = this.#first + number;
      const slice = { number, of: this.#count };
      const places = await this.#beginning(vgroup);
      this.#held.push({
        number,
        vgroup,
        slice,
        places,
        pending: { rows: 0 },
        uncommitted: new Map(),
        remembered: new Map(),
      });
    }
  }

  /** Lets go of all shares but some; what was not committed of the others is not committed any more. */
  keepOnly(shares: readonly number[]): void {
    const gone = this.#held.filter(({ number }) => !shares.includes(number));
    if (gone.length === 0) return;
    for (const share of gone) this.#reader.forget(share);
    this.#held = this.#held.filter((share) => !gone.includes(share));
    if (this.#open !== undefined && gone.includes(this.#open.share)) this.#open = undefined;
  }

  /** True while some messages were given out and no place is reached yet that could be committed. */
  get isAmidPiece(): boolean {
    return this.#held.some(({ pending }) => pending.rows > 0);
  }

  /** The next message of any share in hand; undefined when there is none now. */
  async next(): Promise<M | undefined> {
    const more = await this.#fromOpen();
    if (more !== undefined) return more;
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

  /** Takes the places to be committed: everything that was given out since the last call. */
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

  async #nextOf(share: HeldShare): Promise<M | undefined> {
    for (;;) {
      const offset = offsetOf(share.places);
      this.#remember(share, offset, share.places);
      const steps = await this.#reader.next({ ...share, offset }, share.places);
      if (steps === undefined) return undefined;
      this.#open = { share, steps };
      const message = await this.#fromOpen();
      if (message !== undefined) return message;
    }
  }

  /** Goes on with what is being read. A place that is reached with a message counts from when that was given out. */
  async #fromOpen(): Promise<M | undefined> {
    const open = this.#open;
    if (open === undefined) return undefined;
    const { share, steps } = open;
    try {
      for (;;) {
        const { done, value } = await steps.next();
        if (done === true) break;
        const { message, storage, place } = value;
        share.pending.rows += message?.count ?? 0;
        if (place !== undefined) reach(share, storage, place);
        if (message !== undefined) return message;
      }
    } catch (error) {
      share.pending.rows = 0;
      this.#open = undefined;
      throw error;
    }
    this.#open = undefined;
    return undefined;
  }

  /** The vgroups in hand. */
  async assignment(): Promise<readonly VgroupOffsets[]> {
    const latest = await this.#reader.latest();
    const places = new Map([...latest].map(([storage, number]) => [storage, { number }]));
    const end = offsetOf(places);
    return this.#held.map((share) => {
      this.#remember(share, end, places);
      return { vgroup: share.vgroup, offset: offsetOf(share.places), begin: 0n, end };
    });
  }

  /** The position in a vgroup in hand. */
  position(vgroup: number): bigint {
    return offsetOf(this.#share(vgroup).places);
  }

  /** The position that the group has committed; undefined where there is none. */
  async committed(vgroup: number): Promise<bigint | undefined> {
    if (vgroup < this.#first || vgroup >= this.#first + this.#count) throw notAssigned(this.topic, vgroup);
    const places = await this.#groups.places(this.topic.id, this.#options.group, vgroup);
    const share = this.#held.find((held) => held.vgroup === vgroup);
    if (places.size === 0) return undefined;
    const offset = offsetOf(places);
    if (share !== undefined) this.#remember(share, offset, places);
    return offset;
  }

  /** Goes to a position of a vgroup in hand. */
  seek(vgroup: number, offset: bigint): void {
    const share = this.#share(vgroup);
    const places = this.#placesAt(share, offset);
    this.#reader.forget(share);
    if (this.#open?.share === share) this.#open = undefined;
    share.pending.rows = 0;
    share.uncommitted.clear();
    share.places.clear();
    for (const [storage, place] of places) share.places.set(storage, place);
  }

  /** Commits a position of a vgroup in hand. */
  async commitOffset(vgroup: number, offset: bigint): Promise<void> {
    const share = this.#share(vgroup);
    const places = new Map([[begun, beginning], ...this.#placesAt(share, offset)]);
    const topic = this.topic.id;
    const committed = [...places].map(([storage, place]) => ({ topic, vgroup, storage, place, rows: 0 }));
    await this.#groups.setPlaces(this.#options.group, committed);
    share.uncommitted.clear();
  }

  #share(vgroup: number): HeldShare {
    const share = this.#held.find((held) => held.vgroup === vgroup);
    if (share === undefined) throw notAssigned(this.topic, vgroup);
    return share;
  }

  /** What an offset means: of one engine table it is the number of an insert, of several the sum of such numbers. */
  #placesAt({ vgroup, remembered }: HeldShare, offset: bigint): ReadonlyMap<string, ReadPosition> {
    if (offset === 0n) return new Map();
    const known = remembered.get(offset);
    if (known !== undefined) return known;
    const [part, ...others] = this.#reader.tables.parts();
    if (offset > 0n && offset <= Number.MAX_SAFE_INTEGER && part !== undefined && others.length === 0) {
      return new Map([[part.storage, { number: Number(offset) }]]);
    }
    const text = `Offset ${offset} of topic ${this.topic.name}, vgroup ${vgroup} is not known`;
    throw new FaultError(fault('database', Codes.offsetOutOfRange, text));
  }

  #remember({ remembered }: HeldShare, offset: bigint, places: ReadonlyMap<string, ReadPosition>): void {
    if (remembered.has(offset) || this.#reader.tables.parts().length <= 1) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= maxRemembered) remembered.delete(oldest);
    remembered.set(offset, new Map(places));
  }

  async #beginning(vgroup: number): Promise<Map<string, ReadPosition>> {
    const { group, offsetReset } = this.#options;
    const committed = await this.#groups.places(this.topic.id, group, vgroup);
    if (committed.size > 0 || offsetReset === 'earliest') return new Map(committed);
    if (offsetReset === 'none') {
      const text = `No committed offset of group ${group} in topic ${this.topic.name}, vgroup ${vgroup}`;
      throw new FaultError(fault('database', Codes.offsetNotExist, text));
    }
    const latest = new Map<string, ReadPosition>([[begun, beginning]]);
    for (const [storage, number] of await this.#reader.latest()) latest.set(storage, { number });
    const places = [...latest].map(([storage, place]) => ({ topic: this.topic.id, vgroup, storage, place, rows: 0 }));
    await this.#groups.commit(group, places);
    return latest;
  }
}

function notAssigned({ name }: TopicDef, vgroup: number): FaultError {
  const text = `Vgroup ${vgroup} of topic ${name} is not assigned to this consumer`;
  return new FaultError(fault('database', Codes.vgroupNotAssigned, text));
}
