const names = ['POINT', 'LINESTRING', 'POLYGON', 'MULTIPOINT', 'MULTILINESTRING', 'MULTIPOLYGON', 'GEOMETRYCOLLECTION'];

/** Reads little-endian well-known binary as this program stores it; text that is not such throws a RangeError. */
class WkbReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  geometry(): string {
    const kind = this.#header();
    return `${names[kind - 1]} ${this.#body(kind)}`;
  }

  #header(): number {
    this.#at += 5;
    return this.#view.getUint32(this.#at - 4, true);
  }

  #body(kind: number): string {
    if (kind === 1) return `(${this.#position()})`;
    const count = this.#count();
    if (count === 0) return 'EMPTY';
    return `(${Array.from({ length: count }, () => this.#member(kind)).join(', ')})`;
  }

  #member(kind: number): string {
    if (kind === 2) return this.#position();
    if (kind === 3) return this.#positions();
    if (kind === 7) return this.geometry();
    return this.#body(this.#header());
  }

  #positions(): string {
    return `(${Array.from({ length: this.#count() }, () => this.#position()).join(', ')})`;
  }

  #position(): string {
    return `${this.#coordinate()} ${this.#coordinate()}`;
  }

  #count(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  #coordinate(): string {
    this.#at += 8;
    const value = this.#view.getFloat64(this.#at - 8, true);
    return Object.is(value, -0) ? '-0' : String(value);
  }
}

/** The inverse of `parseWellKnownText`: stored well-known binary as the text that gives the same bytes again. */
export function printWellKnownText(binary: Uint8Array): string {
  return new WkbReader(binary).geometry();
}
