/**
 * A queue that never changes: each step gives a new one. Queues that grow share their memory, so that an item costs the
 * same however many wait.
 */
export class Fifo<T> {
  /** Items of this queue, and behind them those of queues that were made of it. */
  readonly #items: T[];
  readonly length: number;

  private constructor(items: T[], length = items.length) {
    this.#items = items;
    this.length = length;
  }

  /** A queue of these items, the first one in front. */
  static of<T>(items: readonly T[]): Fifo<T> {
    return new Fifo([...items]);
  }

  /** The item at a place from 0 on; undefined behind the end. */
  at(place: number): T | undefined {
    return place < this.length ? this.#items[place] : undefined;
  }

  get last(): T | undefined {
    return this.at(this.length - 1);
  }

  /** The queue with one more item at its end. */
  with(item: T): Fifo<T> {
    const items = this.#items.length === this.length ? this.#items : this.toArray();
    items.push(item);
    return new Fifo(items);
  }

  /** The items in front, and the queue without them. */
  taken(count: number): readonly [readonly T[], Fifo<T>] {
    return [this.#items.slice(0, Math.min(count, this.length)), new Fifo(this.#items.slice(count, this.length))];
  }

  /** The queue behind these items. */
  behind(items: readonly T[]): Fifo<T> {
    return items.length === 0 ? this : new Fifo([...items, ...this.toArray()]);
  }

  /** The queue with other items in the places of these. */
  map(to: (item: T) => T): Fifo<T> {
    return new Fifo(this.toArray().map(to));
  }

  /** A copy of the items. */
  toArray(): T[] {
    return this.#items.slice(0, this.length);
  }
}
