/** Operation on a consumer group of one topic. Entries are folded in the order in which the engine numbered them. */
export type GroupEntry =
  | { readonly op: 'join' | 'leave'; readonly consumer: string }
  /** Said by another consumer, of one that did not come back. */
  | { readonly op: 'expel'; readonly consumer: string }
  /** The owner of a share has stopped reading it and committed what it had read. */
  | { readonly op: 'release'; readonly consumer: string; readonly share: number };

/**
 * Who reads which share of a topic, as a pure fold over the group's log: all consumers that have read the same entries
 * agree. A share belongs to one consumer at a time. When it is meant for another one, its owner releases it first, or
 * is expelled; so no two consumers that follow the log read one share.
 */
export class GroupState {
  readonly #shares: number;
  readonly #members: string[] = [];
  /** By share: who reads it, and who is to read it. */
  readonly #owners: (string | undefined)[];
  readonly #targets: (string | undefined)[];

  constructor(shares: number) {
    this.#shares = shares;
    this.#owners = Array.from({ length: shares }, () => undefined);
    this.#targets = Array.from({ length: shares }, () => undefined);
  }

  /** In the order of joining. */
  get members(): readonly string[] {
    return this.#members;
  }

  owner(share: number): string | undefined {
    return this.#owners[share];
  }

  /** Shares that a consumer reads now. */
  owned(consumer: string): readonly number[] {
    return this.#where((share) => this.#owners[share] === consumer);
  }

  /** Shares that a consumer reads and has to release. */
  toRelease(consumer: string): readonly number[] {
    return this.#where((share) => this.#owners[share] === consumer && this.#targets[share] !== consumer);
  }

  /** True while shares are meant for a consumer that others have not released yet. */
  awaits(consumer: string): boolean {
    return this.#targets.some((target, share) => target === consumer && this.#owners[share] !== consumer);
  }

  apply(entry: GroupEntry): void {
    const { consumer } = entry;
    const at = this.#members.indexOf(consumer);
    if (entry.op === 'release') {
      const { share } = entry;
      if (this.#owners[share] === consumer && this.#targets[share] !== consumer) {
        this.#owners[share] = this.#targets[share];
      }
      return;
    }
    if (entry.op === 'join') {
      if (at >= 0) return;
      this.#members.push(consumer);
    } else {
      if (at < 0) return;
      this.#members.splice(at, 1);
      for (const share of this.owned(consumer)) this.#owners[share] = undefined;
    }
    this.#deal();
  }

  /** Everybody gets the same number of shares, the first to join one more; shares move only where they must. */
  #deal(): void {
    const count = this.#members.length;
    if (count === 0) {
      this.#targets.fill(undefined);
      return;
    }
    const left = new Map(
      this.#members.map((member, at) => [member, Math.floor(this.#shares / count) + Number(at < this.#shares % count)]),
    );
    const kept = (member: string | undefined): member is string => (left.get(member ?? '') ?? 0) > 0;
    const open: number[] = [];
    for (let share = 0; share < this.#shares; share++) {
      const member = this.#targets[share];
      if (kept(member)) left.set(member, (left.get(member) ?? 0) - 1);
      else open.push(share);
    }
    const free = this.#members.flatMap((member) => Array.from({ length: left.get(member) ?? 0 }, () => member));
    for (const [at, share] of open.entries()) this.#targets[share] = free[at];
    for (let share = 0; share < this.#shares; share++) this.#owners[share] ??= this.#targets[share];
  }

  #where(holds: (share: number) => boolean): number[] {
    return Array.from({ length: this.#shares }, (_, share) => share).filter(holds);
  }
}
