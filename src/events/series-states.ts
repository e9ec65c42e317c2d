/** State of a series under a rule. */
const stateFree = 0;
/** It breaks the rule, but not long enough yet. */
export const statePending = 1;
/** It breaks the rule, and there is an event. */
export const stateFiring = 2;
/** The rule is not about it, although it breaks it: its tags do not pass. */
export const stateExcluded = 3;

const initialCapacity = 16;

/**
 * The series that break one rule or did a moment ago, by the words of their id: an open-addressing table over typed
 * arrays, so that the look-up of a row allocates nothing. What does not break the rule is not in it.
 */
export class SeriesStates {
  /** Indexed by what {@link find} and {@link add} give, as long as nothing is removed. */
  states = new Uint8Array(initialCapacity);
  /** Times in Unix ms of the first and the last row that breaks the rule. */
  since = new Float64Array(initialCapacity);
  last = new Float64Array(initialCapacity);
  value = new Float64Array(initialCapacity);
  /** Rows that are not reported yet. */
  count = new Uint32Array(initialCapacity);
  ids = new Uint32Array(initialCapacity * 2);
  #mask = initialCapacity - 1;
  #size = 0;
  readonly #limit: number;

  /** `limit` is the largest number of series. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** Index of a series, or -1. */
  find(low: number, high: number): number {
    const { ids, states } = this;
    for (let at = place(low, high) & this.#mask; states[at] !== stateFree; at = (at + 1) & this.#mask) {
      if (ids[2 * at] === low && ids[2 * at + 1] === high) return at;
    }
    return -1;
  }

  /** Index of a series that is not in it yet, with the given state; -1 when it is full. */
  add(low: number, high: number, state: number): number {
    if (this.#size >= this.#limit) return -1;
    if (this.#size * 2 >= this.states.length) this.#grow();
    this.#size++;
    return this.#put(low, high, state);
  }

  /** Forgets what is at an index; indexes are then void. */
  remove(index: number): void {
    this.#size--;
    let hole = index;
    this.states[hole] = stateFree;
    // Entries behind it move up, unless that would take them before their own place.
    for (let at = (hole + 1) & this.#mask; this.states[at] !== stateFree; at = (at + 1) & this.#mask) {
      const home = place(this.ids[2 * at]!, this.ids[2 * at + 1]!) & this.#mask;
      if (((at - home) & this.#mask) < ((at - hole) & this.#mask)) continue;
      this.#copy(this, at, hole);
      this.states[at] = stateFree;
      hole = at;
    }
  }

  /** Forgets all that are in a state. */
  removeAll(state: number): void {
    for (let at = 0; at < this.states.length; at++) {
      // Another one may have moved up to this index.
      while (this.states[at] === state) this.remove(at);
    }
  }

  #put(low: number, high: number, state: number): number {
    let at = place(low, high) & this.#mask;
    while (this.states[at] !== stateFree) at = (at + 1) & this.#mask;
    this.states[at] = state;
    this.ids[2 * at] = low;
    this.ids[2 * at + 1] = high;
    this.count[at] = 0;
    return at;
  }

  #grow(): void {
    const { states, since, last, value, count, ids } = this;
    const old = { states, since, last, value, count, ids };
    const capacity = states.length * 2;
    this.#mask = capacity - 1;
    this.states = new Uint8Array(capacity);
    this.since = new Float64Array(capacity);
    this.last = new Float64Array(capacity);
    this.value = new Float64Array(capacity);
    this.count = new Uint32Array(capacity);
    this.ids = new Uint32Array(capacity * 2);
    for (let at = 0; at < states.length; at++) {
      if (states[at] === stateFree) continue;
      this.#copy(old, at, this.#put(ids[2 * at]!, ids[2 * at + 1]!, states[at]!));
    }
  }

  #copy(
    from: Pick<SeriesStates, 'states' | 'since' | 'last' | 'value' | 'count' | 'ids'>,
    at: number,
    to: number,
  ): void {
    this.states[to] = from.states[at]!;
    this.since[to] = from.since[at]!;
    this.last[to] = from.last[at]!;
    this.value[to] = from.value[at]!;
    this.count[to] = from.count[at]!;
    this.ids[2 * to] = from.ids[2 * at]!;
    this.ids[2 * to + 1] = from.ids[2 * at + 1]!;
  }
}

/** Ids are hashes already; ids of tables of few series may not be. */
function place(low: number, high: number): number {
  return Math.imul(low ^ (high >>> 7), 0x9e3779b1) >>> 3;
}
