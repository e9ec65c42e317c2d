/** A value of JSON in which no integer is rounded: those that a JavaScript number cannot hold exactly are BigInts. */
export type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson | undefined };

/** So many digits in a row may be an integer that a JavaScript number rounds. */
const longDigits = /\d{16}/;
const number = /-?\d+(?<rest>\.\d+)?(?<power>[eE][+-]?\d+)?/y;
const blank = /[ \t\n\r]*/y;
/** Deeper values are refused: reading them is recursive. */
const maxDepth = 64;

/**
 * Reads JSON with exact integers; undefined for a text that is not JSON, or that is nested more than 64 levels deep.
 */
export function parseExactJson(text: string): ExactJson | undefined {
  try {
    if (!longDigits.test(text)) return JSON.parse(text);
    const reader = new Reader(text);
    const value = reader.value(0);
    return reader.isAtEnd() ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a value. Members that are undefined are left out. */
export function exactJsonText(value: ExactJson | undefined): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(exactJsonText).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${exactJsonText(member)}`).join(',')}}`;
}

class NotJson extends Error {}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skipBlanks();
    return this.#at === this.#text.length;
  }

  value(depth: number): ExactJson {
    if (depth > maxDepth) throw new NotJson();
    this.#skipBlanks();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #skipBlanks(): void {
    blank.lastIndex = this.#at;
    blank.test(this.#text);
    this.#at = blank.lastIndex;
  }

  #object(depth: number): ExactJson {
    const members: [string, ExactJson][] = [];
    this.#items('}', () => {
      if (this.#text[this.#at] !== '"') throw new NotJson();
      const name = this.#string();
      this.#skipBlanks();
      if (this.#text[this.#at++] !== ':') throw new NotJson();
      members.push([name, this.value(depth + 1)]);
    });
    return Object.fromEntries(members);
  }

  #array(depth: number): ExactJson {
    const items: ExactJson[] = [];
    this.#items(']', () => {
      items.push(this.value(depth + 1));
    });
    return items;
  }

  /** Reads what stands between two brackets, separated by commas. */
  #items(end: string, item: () => void): void {
    this.#at++;
    this.#skipBlanks();
    if (this.#text[this.#at] === end) {
      this.#at++;
      return;
    }
    for (;;) {
      this.#skipBlanks();
      item();
      this.#skipBlanks();
      const next = this.#text[this.#at++];
      if (next === end) return;
      if (next !== ',') throw new NotJson();
    }
  }

  #string(): string {
    const start = this.#at;
    for (let at = start + 1; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === '\\') at++;
      else if (character === '"') {
        this.#at = at + 1;
        return JSON.parse(this.#text.slice(start, this.#at));
      }
    }
    throw new NotJson();
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw new NotJson();
    this.#at += word.length;
    return value;
  }

  #number(): number | bigint {
    number.lastIndex = this.#at;
    const match = number.exec(this.#text);
    if (match === null) throw new NotJson();
    this.#at = number.lastIndex;
    const [digits] = match;
    // Also refuses what JSON does not allow, such as leading zeros.
    const rounded: number = JSON.parse(digits);
    const { rest, power } = match.groups ?? {};
    return rest === undefined && power === undefined && !Number.isSafeInteger(rounded) ? BigInt(digits) : rounded;
  }
}
