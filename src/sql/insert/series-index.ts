import { hashKey, KeyTable } from '../../bytes/key-table.js';
import { setBigInt } from '../../bytes/words.js';

const noBytes = new Uint8Array(0);

/** Finds series ids by the bytes of a sub-table name without making a string. */
export class SeriesIndex {
  /** The id that was found or added last: low word, high word. */
  readonly id = new Uint32Array(2);
  readonly #keys = new KeyTable(2);
  #bytes: Uint8Array = noBytes;
  #view: DataView = new DataView(noBytes.buffer);
  #hash = 0;

  /** Sets `id` to that of the name `bytes[start, end)`; false when the name is not there. */
  find(bytes: Uint8Array, start: number, end: number): boolean {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.#hash = hashKey(bytes, this.#view, start, end, this.#keys.seed);
    const entry = this.#keys.find(bytes, this.#view, start, end, this.#hash);
    if (entry < 0) return false;
    this.id[0] = this.#keys.word(entry, 0);
    this.id[1] = this.#keys.word(entry, 1);
    return true;
  }

  /** Adds the name that was looked for last, whose bytes are `name`, and sets `id`. */
  add(name: Uint8Array, id: bigint): void {
    setBigInt(this.id, id);
    const entry = this.#keys.add(name, 0, name.length, this.#hash);
    // A name that collides with too many others is looked up again in each of its rows.
    if (entry < 0) return;
    this.#keys.setWord(entry, 0, this.id[0]!);
    this.#keys.setWord(entry, 1, this.id[1]!);
  }
}
