import type { JsonText } from '../../wire/json-text.js';

/** Members of a whole object. */
const allMembers = 4;

/**
 * How the last object was written: which member stood where, and the text between the values, from the opening brace to
 * the closing one. Where the next object has the same text, finding its members once more would end the same way, so
 * comparing bytes is enough. It has no say in what is valid: whatever differs is read as if it were the first one.
 */
export class MemberOrder {
  /** Members in the order they are written. */
  readonly members = new Uint8Array(allMembers);
  /** Where the text before each value, and behind the last one, begins, and its bytes. */
  readonly #starts = new Int32Array(allMembers + 1);
  readonly #lengths = new Int32Array(allMembers + 1);
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #size = 0;
  #isClosed = false;

  /** `view` is over the bytes of `text`. */
  constructor(text: JsonText, view: DataView) {
    this.#bytes = text.bytes;
    this.#view = view;
  }

  /** True when the last object had all members. */
  get isKnown(): boolean {
    return this.#isClosed;
  }

  /** Begins an object anew. */
  clear(): void {
    this.#size = 0;
    this.#isClosed = false;
  }

  /** Notes that `bytes[start, end)` leads to the value of a member, of which there are at most {@link allMembers}. */
  add(member: number, start: number, end: number): void {
    this.members[this.#size] = member;
    this.#record(start, end);
    this.#size++;
  }

  /** Notes that `bytes[start, end)` is what follows the last value. An object that lacks members is forgotten. */
  close(start: number, end: number): void {
    this.#record(start, end);
    this.#isClosed = this.#size === allMembers;
  }

  /**
   * Position after the text that led to the value at `place`, or, behind the last place, to the end of the object; -1
   * when another text stands at `start`.
   */
  after(place: number, start: number): number {
    const length = this.#lengths[place]!;
    const bytes = this.#bytes;
    const view = this.#view;
    if (start + length > bytes.length) return -1;
    let from = this.#starts[place]!;
    let at = start;
    const end = start + length;
    for (; at + 4 <= end; at += 4, from += 4) if (view.getInt32(at, true) !== view.getInt32(from, true)) return -1;
    for (; at < end; at++, from++) if (bytes[at] !== bytes[from]) return -1;
    return end;
  }

  #record(start: number, end: number): void {
    this.#starts[this.#size] = start;
    this.#lengths[this.#size] = end - start;
  }
}
