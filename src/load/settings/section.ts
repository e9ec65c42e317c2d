import type { JsonMember, JsonNode, JsonObject } from '../../text/json-tree.js';
import { nearestName } from '../../text/nearest.js';
import type { LoadNote } from './input.js';
import { isOpen, mayStandIn, rowsAt, withoutEffect } from './keys/rows.js';
import { kindOf, type Level, type Rows, type Setting, type Values, type ValuesOf, valuesOf } from './keys/setting.js';

/** Notes and errors of reading one file, so far. */
export interface FileReport {
  readonly path: string;
  /** Where a file is that this file names. */
  readonly locate: (name: string) => string;
  readonly notes: LoadNote[];
  readonly errors: string[];
  /** Kinds of members that a warning has named already. */
  readonly warned: Set<string>;
}

/** Where an object of a file stands. */
interface SectionPlace {
  readonly level: Level;
  readonly node: JsonObject;
  readonly path: string;
  readonly report: FileReport;
  /** The object around it whose settings count for it too. */
  readonly outer?: Section;
}

/** What a message is about: a key that has a row, a member, or the whole object. */
type Subject = Setting<unknown> | JsonMember | undefined;

/**
 * Typed access to the keys of one JSON object. Keys are matched whatever their case; of a repeated one the first
 * counts. A value of another type is accepted with a warning where its meaning is plain, otherwise it is an error in
 * the report and reads as if the key were absent. Unknown keys cause a warning with the nearest known one.
 */
export class Section implements Values {
  /** Members without a row, of an open object alone. */
  readonly others: readonly JsonMember[];
  readonly #place: SectionPlace;
  readonly #members = new Map<Setting<unknown>, JsonMember>();
  /** Unknown members by the known key that they are most like. */
  readonly #misspelt = new Map<string, JsonMember>();

  constructor(place: SectionPlace) {
    this.#place = place;
    this.others = this.#matchMembers();
  }

  /** True when the key has a value; null counts as absent. */
  has(setting: Setting<unknown>): boolean {
    const node = this.#members.get(setting)?.value;
    return node !== undefined && node.kind !== 'null';
  }

  get<V>(setting: Setting<V>): V {
    return this.#own(setting) ?? this.#around(setting)?.get(setting) ?? setting.default;
  }

  all<R extends Rows, K extends keyof R = keyof R>(rows: R, ...names: readonly K[]): Pick<ValuesOf<R>, K> {
    return valuesOf(rows, names, (setting) => this.get(setting));
  }

  /** The text or number of a key as it stands in this object, with all its digits. */
  textOf(setting: Setting<unknown>): string | undefined {
    const node = this.#valueOf(setting);
    if (node === undefined || node.kind === 'string' || node.kind === 'number') return node?.text;
    return this.refuse(setting, `expected a number, found ${kindOf(node)}`);
  }

  /** Refuses a list that is not there or empty. */
  requireItems(setting: Setting<unknown>, what: string): void {
    if (!this.has(setting)) this.missing(setting, what);
    else if (this.lengthOf(setting) === 0) this.refuse(setting, 'is empty');
  }

  /** An unknown member that is most like a key. */
  misspelt({ keys: [key = ''] }: Setting<unknown>): JsonMember | undefined {
    return this.#misspelt.get(key);
  }

  /** Items of an array, without a word about what is none. */
  lengthOf(setting: Setting<unknown>): number | undefined {
    const node = this.#members.get(setting)?.value;
    return node?.kind === 'array' ? node.items.length : undefined;
  }

  /** Objects of an array, or a single object in its place; items that are no objects are errors and left out. */
  sections(setting: Setting<readonly JsonNode[] | undefined>, level: Level, mayStandAlone = false): readonly Section[] {
    const { report } = this.#place;
    const member = this.#members.get(setting);
    const path = this.#pathOf(member?.key ?? setting.keys[0]);
    if (mayStandAlone && member?.value.kind === 'object') {
      return [new Section({ level, node: member.value, path, report, outer: this })];
    }
    const sections: Section[] = [];
    for (const [at, node] of (this.get(setting) ?? []).entries()) {
      const place = `${path}[${at}]`;
      if (node.kind === 'object') sections.push(new Section({ level, node, path: place, report, outer: this }));
      else report.errors.push(line(report, node.line, place, `expected an object, found ${kindOf(node)}`));
    }
    return sections;
  }

  section(setting: Setting<JsonObject | undefined>, level: Level): Section | undefined {
    const node = this.get(setting);
    const path = this.#pathOf(setting.keys[0]);
    return node && new Section({ level, node, path, report: this.#place.report, outer: this });
  }

  refuse(subject: Subject, text: string): undefined {
    this.#refuse(this.#line(subject, text));
  }

  missing(setting: Setting<unknown>, what: string): undefined {
    const { report, node } = this.#place;
    this.#refuse(line(report, node.line, this.#pathOf(setting.keys[0]), `is missing; needed: ${what}`));
  }

  warn(subject: Subject, text: string): void {
    this.#note('warn', this.#line(subject, text));
  }

  inform(subject: Subject, text: string): void {
    this.#note('info', this.#line(subject, text));
  }

  #pathOf(key = ''): string {
    return this.#place.path === '' ? key : `${this.#place.path}.${key}`;
  }

  /** The value that the key has in this object. */
  #own<V>(setting: Setting<V>): V | undefined {
    const node = this.#valueOf(setting);
    if (node === undefined) return undefined;
    return setting.type.read(node, setting, {
      warn: (text) => this.warn(setting, text),
      refuse: (text) => this.refuse(setting, text),
      locate: this.#place.report.locate,
    });
  }

  /** The nearest object around this one that may have the key. */
  #around(setting: Setting<unknown>): Section | undefined {
    let { outer } = this.#place;
    while (outer !== undefined && !mayStandIn(setting, outer.#place.level)) outer = outer.#place.outer;
    return outer;
  }

  #line(subject: Subject, text: string): string {
    const { report, node, path } = this.#place;
    const member = subject === undefined || 'key' in subject ? subject : this.#members.get(subject);
    const key = subject === undefined || 'key' in subject ? subject?.key : (member?.key ?? subject.keys[0]);
    return line(report, member?.line ?? node.line, key === undefined ? path : this.#pathOf(key), text);
  }

  #matchMembers(): readonly JsonMember[] {
    const { level, node } = this.#place;
    const rows = rowsAt(level);
    const others: JsonMember[] = [];
    for (const member of node.members) {
      const isName = (known: string): boolean => known.toLowerCase() === member.key.toLowerCase();
      const row = rows.find(({ keys }) => keys.some(isName));
      const useless = withoutEffect[level]?.find(isName);
      if (row !== undefined) this.#keep(row, member);
      else if (useless !== undefined) this.#warnOnce(`${level}.${useless}`, member);
      else if (isOpen(level)) others.push(member);
      else this.#warnOfUnknown(member, rows);
    }
    return others;
  }

  #warnOfUnknown(member: JsonMember, rows: readonly Setting<unknown>[]): void {
    const meant = nearestName(
      member.key,
      rows.map(({ keys: [key = ''] }) => key),
    );
    if (meant !== undefined) this.#misspelt.set(meant, member);
    this.warn(member, `is unknown and ignored${meant === undefined ? '' : ` (did you mean ${meant}?)`}`);
  }

  /** Warns of the first member of a kind in the file: tables and columns may have the same one thousands of times. */
  #warnOnce(kind: string, member: JsonMember): void {
    const { warned } = this.#place.report;
    if (!warned.has(kind)) this.warn(member, 'has no effect here');
    warned.add(kind);
  }

  /** The first of equal keys counts, but the main name counts before the others. */
  #keep(row: Setting<unknown>, member: JsonMember): void {
    const main = row.keys[0]?.toLowerCase();
    const before = this.#members.get(row);
    const replaces = before === undefined || (main === member.key.toLowerCase() && before.key.toLowerCase() !== main);
    const ignored = replaces ? before : member;
    if (replaces) this.#members.set(row, member);
    if (ignored !== undefined) this.warn(ignored, `is ignored: ${row.keys[0]} is given twice`);
  }

  /** Adds a line once, though several objects have the value from the same object around them. */
  #refuse(text: string): void {
    const { errors } = this.#place.report;
    if (!errors.includes(text)) errors.push(text);
  }

  #note(level: LoadNote['level'], text: string): void {
    const { notes } = this.#place.report;
    if (!notes.some((note) => note.text === text)) notes.push({ level, text });
  }

  /** The value of a key; null counts as absent. */
  #valueOf(setting: Setting<unknown>): JsonNode | undefined {
    const node = this.#members.get(setting)?.value;
    if (node?.kind !== 'null') return node;
    this.warn(setting, 'is null; it counts as absent');
    return undefined;
  }
}

function line(report: FileReport, number: number, path: string, text: string): string {
  return `${report.path}: line ${number}: ${path === '' ? 'the file' : path}: ${text}.`;
}
