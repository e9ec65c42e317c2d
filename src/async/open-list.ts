/** Something that is open for a while, and where it stands in an {@link OpenList}. */
export interface Openable {
  /** Set by the list; negative when it is in none. */
  place: number;
}

/**
 * A list of what is open now, in any order. In place of a Set where things come and go with every request: a Set that
 * takes one and gives up another makes a new table every few times. The old ones, each of which knows the next, keep
 * what they held until all memory is searched, and that is copied meanwhile as if it were in use.
 */
export class OpenList<T extends Openable> {
  /** Never gets shorter: what is at `#size` and behind it is undefined. */
  readonly #items: (T | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    item.place = this.#size;
    this.#items[this.#size++] = item;
  }

  /** False when it is not there. */
  delete(item: T): boolean {
    const { place } = item;
    if (place < 0 || this.#items[place] !== item) return false;
    const last = this.#items[--this.#size]!;
    this.#items[this.#size] = undefined;
    if (last !== item) {
      this.#items[place] = last;
      last.place = place;
    }
    item.place = -1;
    return true;
  }

  /** The open ones as they are now. */
  all(): readonly T[] {
    return this.#items.slice(0, this.#size).filter((item) => item !== undefined);
  }
}
