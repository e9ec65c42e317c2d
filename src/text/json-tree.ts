import { parseJson } from './json.js';

/** A JSON value with the line it begins in. Numbers keep their text, so that 64-bit integers stay exact. */
export type JsonNode =
  | JsonObject
  | { readonly kind: 'array'; readonly line: number; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly line: number; readonly text: string }
  | { readonly kind: 'number'; readonly line: number; readonly text: string }
  | { readonly kind: 'boolean'; readonly line: number; readonly value: boolean }
  | { readonly kind: 'null'; readonly line: number };

/** An object with the line on which it begins. */
export interface JsonObject {
  readonly kind: 'object';
  readonly line: number;
  /** In the order of the text, repeated keys included. */
  readonly members: readonly JsonMember[];
}

/** A key of an object with its value, and the line of the key. */
export interface JsonMember {
  readonly key: string;
  readonly line: number;
  readonly value: JsonNode;
}

/** The tree of a JSON text, or where and why it is none. */
type JsonRead =
  | { readonly ok: true; readonly node: JsonNode }
  | { readonly ok: false; readonly line: number; readonly message: string };

const maxDepth = 64;
const blanks = /[\t\n\r ]*/y;
const comments = /\/[/*]/y;
const numbers = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const strings = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const words = /true|false|null/y;

/** Reads a whole JSON text (RFC 8259: no comments, no trailing commas); a mistake has its line. */
export function readJsonText(text: string): JsonRead {
  const reader = new JsonReader(text);
  try {
    return { ok: true, node: reader.readDocument() };
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
    return { ok: false, line: reader.line, message: error.message };
  }
}

class JsonMistake extends Error {}

class JsonReader {
  line = 1;
  readonly #text: string;
  #at = 0;
  /** Up to where line breaks are counted in {@link line}. */
  #counted = 0;

  constructor(text: string) {
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  readDocument(): JsonNode {
    const node = this.#readValue(0);
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail('something follows the end of the JSON text');
    return node;
  }

  #readValue(depth: number): JsonNode {
    this.#skipBlanks();
    if (depth > maxDepth) this.#fail(`values are nested more than ${maxDepth} deep`);
    const { line } = this;
    const first = this.#text[this.#at];
    if (first === '{') return this.#readObject(depth);
    if (first === '[') return this.#readArray(depth);
    if (first === '"') return { kind: 'string', line, text: this.#readString() };
    const number = this.#take(numbers);
    if (number !== undefined) return { kind: 'number', line, text: number };
    const word = this.#take(words);
    if (word === undefined) return this.#fail('a value is expected');
    return word === 'null' ? { kind: 'null', line } : { kind: 'boolean', line, value: word === 'true' };
  }

  #readObject(depth: number): JsonObject {
    const { line } = this;
    const members: JsonMember[] = [];
    this.#at++;
    this.#readList('}', () => {
      const keyLine = this.line;
      if (this.#text[this.#at] !== '"') this.#fail('a key in double quotes is expected');
      const key = this.#readString();
      this.#skipBlanks();
      if (this.#text[this.#at++] !== ':') this.#fail(`a colon is expected after the key ${JSON.stringify(key)}`);
      members.push({ key, line: keyLine, value: this.#readValue(depth + 1) });
    });
    return { kind: 'object', line, members };
  }

  #readArray(depth: number): JsonNode {
    const { line } = this;
    const items: JsonNode[] = [];
    this.#at++;
    this.#readList(']', () => items.push(this.#readValue(depth + 1)));
    return { kind: 'array', line, items };
  }

  /** Members up to the closing bracket, parted by commas. */
  #readList(end: '}' | ']', readMember: () => void): void {
    this.#skipBlanks();
    if (this.#text[this.#at] === end) {
      this.#at++;
      return;
    }
    for (;;) {
      this.#skipBlanks();
      readMember();
      this.#skipBlanks();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== end) this.#fail(`a comma or ${end} is expected`);
      this.#at++;
      if (next === end) return;
    }
  }

  #readString(): string {
    const quoted = this.#take(strings);
    if (quoted === undefined) return this.#fail('a text has no closing quote');
    const value = parseJson(quoted);
    if (typeof value === 'string') return value;
    return this.#fail('a text holds a line break, a control character or an escape that JSON does not have');
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    if (token !== undefined) this.#at += token.length;
    return token;
  }

  #skipBlanks(): void {
    this.#take(blanks);
    for (; this.#counted < this.#at; this.#counted++) if (this.#text.charCodeAt(this.#counted) === 10) this.line++;
  }

  #fail(message: string): never {
    throw new JsonMistake(this.#take(comments) === undefined ? message : 'JSON has no comments');
  }
}
