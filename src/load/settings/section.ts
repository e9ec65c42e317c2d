import { suggestion } from '../../model/nearest.js';
import type { JsonMember, JsonNode, JsonObject } from './json-text.js';
import { information, type LoadNote, warning } from './request.js';

/** How the value of a key is read. */
export type KeyType =
  | 'text'
  /** A text or a number. */
  | 'word'
  | 'int'
  | 'number'
  /** A number of which integers are exact. */
  | 'exact'
  | 'yes-no'
  | 'true-false'
  | 'list'
  | 'object'
  | 'any';

/** One key of a JSON object: reading, checking and the page of documentation come from it. */
export interface KeyRow {
  readonly key: string;
  /** Other names, lower in rank. */
  readonly also?: readonly string[];
  readonly type: KeyType;
  /** As the page of documentation shows it. */
  readonly default?: string;
  readonly allowed?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Its value is never shown. */
  readonly secret?: true;
  readonly help: string;
}

/** The keys that an object of the scenario file may have. */
export interface KeyTable {
  readonly title: string;
  readonly rows: readonly KeyRow[];
  /** Keys of other programs of this kind that are understood to be without effect here. */
  readonly withoutEffect?: readonly string[];
  /** Every other key has a meaning too. */
  readonly open?: true;
}

/** What reading one file has found out so far. */
export interface FileReport {
  readonly path: string;
  readonly notes: LoadNote[];
  readonly errors: string[];
}

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['no', false],
  ['true', true],
  ['false', false],
  ['on', true],
  ['off', false],
  ['1', true],
  ['0', false],
]);

/**
 * Typed access to the keys of one JSON object. Keys are found whatever their case; of a repeated one the first counts. A
 * value of another type is taken with a warning where its meaning is plain, otherwise it is an error in the report and
 * reads as if the key were absent. Unknown keys are warned of with the nearest known one.
 */
export class Section {
  readonly node: JsonObject;
  readonly path: string;
  /** Members without a row in the table, of an open table alone. */
  readonly others: readonly JsonMember[];
  readonly #table: KeyTable;
  readonly #report: FileReport;
  readonly #found = new Map<string, JsonMember>();

  constructor(table: KeyTable, node: JsonObject, path: string, report: FileReport) {
    this.#table = table;
    this.node = node;
    this.path = path;
    this.#report = report;
    this.others = this.#matchMembers();
  }

  /** True when the key has a value; null counts as absent. */
  has(key: string): boolean {
    const node = this.#found.get(key)?.value;
    return node !== undefined && node.kind !== 'null';
  }

  /** Items of an array, without a word about what is none. */
  lengthOf(key: string): number | undefined {
    const node = this.#found.get(key)?.value;
    return node?.kind === 'array' ? node.items.length : undefined;
  }

  /** The value of a key as it stands. */
  any(key: string): JsonNode | undefined {
    this.#rowOf(key, 'any');
    return this.#found.get(key)?.value;
  }

  text(key: string): string | undefined {
    const row = this.#rowOf(key, 'text', 'word');
    const node = this.#valueOf(key);
    if (node === undefined) return undefined;
    const { secret, allowed } = row;
    if (node.kind !== 'string' && node.kind !== 'number') return this.#refuseType(key, node, 'a text');
    if (node.kind === 'number' && row.type === 'text') this.warn(key, 'is a number; it is taken as a text');
    const known = allowed?.find((word) => word === node.text.trim().toLowerCase());
    if (allowed === undefined || known !== undefined) return known ?? node.text;
    const shown = secret === true ? 'the value' : JSON.stringify(node.text);
    return this.refuse(key, `${shown} is not supported; allowed: ${allowed.join(', ')}`);
  }

  /** A whole number in the row's range; a fraction is cut off. */
  integer(key: string): number | undefined {
    this.#rowOf(key, 'int');
    const value = this.#number(key);
    if (value === undefined) return undefined;
    const whole = Math.trunc(value);
    if (whole !== value) this.warn(key, `takes whole numbers; ${value} is read as ${whole}`);
    if (Number.isSafeInteger(whole)) return this.#withinRange(key, whole === 0 ? 0 : whole);
    return this.refuse(key, 'the number is too large');
  }

  number(key: string): number | undefined {
    this.#rowOf(key, 'number');
    const value = this.#number(key);
    return value === undefined ? undefined : this.#withinRange(key, value);
  }

  /** A number; an integer beyond 2^53 is a bigint. */
  exact(key: string): number | bigint | undefined {
    this.#rowOf(key, 'exact');
    const node = this.#numeric(key);
    if (node === undefined) return undefined;
    const text = node.text.trim();
    const value = Number(text);
    if (!Number.isFinite(value)) return this.refuse(key, 'the number is too large');
    return !/^[+-]?\d+$/.test(text) || Number.isSafeInteger(value) ? value : BigInt(text);
  }

  yesNo(key: string): boolean | undefined {
    const { type } = this.#rowOf(key, 'yes-no', 'true-false');
    const node = this.#valueOf(key);
    if (node === undefined) return undefined;
    if (node.kind !== 'string' && node.kind !== 'number' && node.kind !== 'boolean') {
      return this.#refuseType(key, node, '"yes" or "no"');
    }
    const word = node.kind === 'boolean' ? String(node.value) : node.text.trim().toLowerCase();
    const value = booleanWords.get(word);
    if (value === undefined) return this.refuse(key, `${JSON.stringify(word)} is neither "yes" nor "no"`);
    if (type === 'yes-no' && word !== 'yes' && word !== 'no') {
      this.warn(key, `takes "yes" or "no"; it is read as "${value ? 'yes' : 'no'}"`);
    }
    return value;
  }

  /** Items of an array; undefined when the key is absent or no array. */
  list(key: string): readonly JsonNode[] | undefined {
    this.#rowOf(key, 'list', 'any');
    const node = this.#valueOf(key);
    if (node === undefined) return undefined;
    return node.kind === 'array' ? node.items : this.#refuseType(key, node, 'an array');
  }

  /** Sections of an array of objects; items that are no objects are errors and left out. */
  sections(key: string, table: KeyTable): readonly Section[] {
    const sections: Section[] = [];
    for (const [at, node] of (this.list(key) ?? []).entries()) {
      const path = `${this.pathOf(key)}[${at}]`;
      if (node.kind === 'object') sections.push(new Section(table, node, path, this.#report));
      else this.#report.errors.push(line(this.#report, node.line, path, `expected an object, found ${kindOf(node)}`));
    }
    return sections;
  }

  section(key: string, table: KeyTable): Section | undefined {
    this.#rowOf(key, 'object');
    const node = this.#valueOf(key);
    if (node === undefined) return undefined;
    if (node.kind !== 'object') return this.#refuseType(key, node, 'an object');
    return new Section(table, node, this.pathOf(key), this.#report);
  }

  /** Adds an error about a key, or about the whole object when it is not there. */
  refuse(key: string | undefined, text: string): undefined {
    this.#report.errors.push(this.#line(key, text));
    return undefined;
  }

  /** Adds an error that the key is missing. */
  missing(key: string, what: string): undefined {
    this.#report.errors.push(line(this.#report, this.node.line, this.pathOf(key), `is missing; needed: ${what}`));
    return undefined;
  }

  warn(key: string | undefined, text: string): void {
    this.#report.notes.push(warning(this.#line(key, text)));
  }

  inform(key: string | undefined, text: string): void {
    this.#report.notes.push(information(this.#line(key, text)));
  }

  /** Like {@link refuse}, for a member that has no row. */
  refuseAt(number: number, path: string, text: string): void {
    this.#report.errors.push(line(this.#report, number, path, text));
  }

  /** Like {@link warn}, for a member that has no row. */
  warnAt(number: number, path: string, text: string): void {
    this.#report.notes.push(warning(line(this.#report, number, path, text)));
  }

  pathOf(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`;
  }

  #line(key: string | undefined, text: string): string {
    const member = key === undefined ? undefined : this.#found.get(key);
    const path = key === undefined ? this.path : this.pathOf(member?.key ?? key);
    return line(this.#report, member?.line ?? this.node.line, path, text);
  }

  #matchMembers(): readonly JsonMember[] {
    const { rows, withoutEffect = [], open } = this.#table;
    const others: JsonMember[] = [];
    for (const member of this.node.members) {
      const name = member.key.toLowerCase();
      const row = rows.find(({ key, also = [] }) => [key, ...also].some((known) => known.toLowerCase() === name));
      if (row !== undefined) this.#keep(row, member);
      else if (withoutEffect.some((known) => known.toLowerCase() === name))
        this.#note(member, 'info', 'has no effect here');
      else if (open === true) others.push(member);
      else
        this.#note(
          member,
          'warn',
          `is unknown and ignored${suggestion(
            member.key,
            rows.map(({ key }) => key),
          )}`,
        );
    }
    return others;
  }

  /** The first of equal keys counts, but the main name counts before the others. */
  #keep(row: KeyRow, member: JsonMember): void {
    const before = this.#found.get(row.key);
    const isMain = row.key.toLowerCase() === member.key.toLowerCase();
    const replaces = before === undefined || (isMain && before.key.toLowerCase() !== row.key.toLowerCase());
    const ignored = replaces ? before : member;
    if (replaces) this.#found.set(row.key, member);
    if (ignored !== undefined) this.#note(ignored, 'warn', `is ignored: ${row.key} is given twice`);
  }

  #note(member: JsonMember, level: LoadNote['level'], text: string): void {
    this.#report.notes.push({ level, text: line(this.#report, member.line, this.pathOf(member.key), text) });
  }

  /** The value of a key; null counts as absent. */
  #valueOf(key: string): JsonNode | undefined {
    const node = this.#found.get(key)?.value;
    if (node?.kind !== 'null') return node;
    this.warn(key, 'is null; it counts as absent');
    return undefined;
  }

  #number(key: string): number | undefined {
    const node = this.#numeric(key);
    return node === undefined ? undefined : Number(node.text);
  }

  /** A number, also one that is written as a text. */
  #numeric(key: string): { readonly text: string } | undefined {
    const node = this.#valueOf(key);
    if (node === undefined || node.kind === 'number') return node;
    if (node.kind !== 'string' || !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(node.text)) {
      return this.#refuseType(key, node, 'a number');
    }
    this.warn(key, 'is a text; it is taken as a number');
    return node;
  }

  #withinRange(key: string, value: number): number | undefined {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = this.#rowOf(key);
    if (value >= min && value <= max) return value;
    const allowed = max === Number.POSITIVE_INFINITY ? `${min} or more` : `${min} to ${max}`;
    return this.refuse(key, `${value} is out of range; allowed: ${allowed}`);
  }

  #refuseType(key: string, node: JsonNode, expected: string): undefined {
    return this.refuse(key, `expected ${expected}, found ${kindOf(node)}`);
  }

  #rowOf(key: string, ...types: readonly KeyType[]): KeyRow {
    const row = this.#table.rows.find((candidate) => candidate.key === key);
    if (row === undefined || (types.length > 0 && !types.includes(row.type))) {
      throw new Error(`The table ${this.#table.title} has no key ${key} of type ${types.join(' or ')}.`);
    }
    return row;
  }
}

/** What a value is, without showing it. */
export function kindOf(node: JsonNode): string {
  switch (node.kind) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
    default:
      return node.kind === 'array' ? 'an array' : 'an object';
  }
}

function line(report: FileReport, number: number, path: string, text: string): string {
  return `${report.path}: line ${number}: ${path === '' ? 'the file' : path}: ${text}.`;
}
