/** Deepest nesting of geometry collections that is read. */
const maxDepth = 16;

const kinds: Readonly<Record<string, number>> = {
  POINT: 1,
  LINESTRING: 2,
  POLYGON: 3,
  MULTIPOINT: 4,
  MULTILINESTRING: 5,
  MULTIPOLYGON: 6,
  GEOMETRYCOLLECTION: 7,
};

const numberText = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Little-endian output that grows. */
class WkbWriter {
  #bytes = new Uint8Array(64);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  header(kind: number): void {
    this.#reserve(5);
    this.#bytes[this.#length++] = 1;
    this.#view.setUint32(this.#length, kind, true);
    this.#length += 4;
  }

  /** Leaves room for a count and returns where it goes. */
  openCount(): number {
    this.#reserve(4);
    this.#length += 4;
    return this.#length - 4;
  }

  closeCount(at: number, count: number): void {
    this.#view.setUint32(at, count, true);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const next = new Uint8Array(this.#bytes.length * 2);
    next.set(this.#bytes);
    this.#bytes = next;
    this.#view = new DataView(next.buffer);
  }
}

/** Reads one geometry; methods return false at the first thing that does not fit. */
class WktReader {
  readonly #tokens: readonly string[];
  #at = 0;
  readonly #out = new WkbWriter();
  /** The last position that was read. */
  #x = 0;
  #y = 0;

  constructor(text: string) {
    this.#tokens = text.match(/[(),]|[^\s(),]+/g) ?? [];
  }

  read(): Uint8Array | undefined {
    return this.#geometry(0) && this.#at === this.#tokens.length ? this.#out.finish() : undefined;
  }

  #geometry(depth: number): boolean {
    const kind = kinds[(this.#tokens[this.#at] ?? '').toUpperCase()];
    if (kind === undefined || depth > maxDepth) return false;
    this.#at++;
    this.#out.header(kind);
    if (kind === 1) return this.#take('(') && this.#position() && this.#take(')');
    if (this.#tokens[this.#at]?.toUpperCase() === 'EMPTY') {
      this.#at++;
      this.#out.closeCount(this.#out.openCount(), 0);
      return true;
    }
    return kind === 2 ? this.#line() : this.#list(() => this.#member(kind, depth));
  }

  /** One member of the list that a geometry of this kind is. */
  #member(kind: number, depth: number): boolean {
    if (kind === 3) return this.#ring();
    if (kind === 7) return this.#geometry(depth + 1);
    this.#out.header(kind - 3);
    if (kind === 5) return this.#line();
    if (kind === 6) return this.#list(() => this.#ring());
    // Members of a MULTIPOINT are written with or without brackets.
    return this.#take('(') ? this.#position() && this.#take(')') : this.#position();
  }

  /** Two positions or more. */
  #line(): boolean {
    let positions = 0;
    return this.#list(() => this.#position() && ++positions > 0) && positions > 1;
  }

  /** Three positions or more, of which the last is the first again. */
  #ring(): boolean {
    const xs: number[] = [];
    const ys: number[] = [];
    const isRead = this.#list(() => this.#position() && xs.push(this.#x) + ys.push(this.#y) > 0);
    return isRead && xs.length > 2 && xs[0] === this.#x && ys[0] === this.#y;
  }

  #list(member: () => boolean): boolean {
    if (!this.#take('(')) return false;
    const count = this.#out.openCount();
    let members = 0;
    do {
      if (!member()) return false;
      members++;
    } while (this.#take(','));
    this.#out.closeCount(count, members);
    return this.#take(')');
  }

  #position(): boolean {
    this.#x = this.#coordinate();
    this.#y = this.#coordinate();
    return !Number.isNaN(this.#x) && !Number.isNaN(this.#y);
  }

  /** NaN, and nothing passed, when there is none. */
  #coordinate(): number {
    const text = this.#tokens[this.#at] ?? '';
    const value = Number(text);
    if (!numberText.test(text) || !Number.isFinite(value)) return Number.NaN;
    this.#at++;
    this.#out.double(value);
    return value;
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
}

/**
 * Turns well-known text of a two-dimensional geometry into little-endian well-known binary, the form in which GEOMETRY
 * values are stored (OGC 06-103r4, sections 7 and 8). Returns undefined when the text is not a geometry; the rings of a
 * polygon are closed.
 */
export function parseWellKnownText(text: string): Uint8Array | undefined {
  return new WktReader(text).read();
}
