import { nearestName } from '../../../text/nearest.js';
import type { JsonMember, JsonNode, JsonObject } from '../keys/json-text.js';
import { isOpen, mayStandIn, rowsAt, withoutEffect } from '../keys/rows.js';
import { kindOf, type Level, type Setting, type Values } from '../keys/setting.js';
import { information, type LoadNote, warning } from './request.js';

/** Findings so far of reading one file. */
export interface FileReport {
  readonly path: string;
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

/**
 * Typed access to the keys of one JSON object. Keys are found whatever their case; of a repeated one the first counts. A
 * value of another type is taken with a warning where its meaning is plain, otherwise it is an error in the report and
 * reads as if the key were absent. Unknown keys are warned of with the nearest known one.
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
    return this.own(setting) ?? this.#around(setting)?.get(setting) ?? setting.default;
  }

  /** The value that the key has in this object. */
  own<V>(setting: Setting<V>): V | undefined {
    const node = this.#valueOf(setting);
    if (node === undefined) return undefined;
    return setting.type.fromJson(node, setting, {
      warn: (text) => this.warn(setting, text),
      refuse: (text) => this.refuse(setting, text),
    });
  }

  /** The text or number of a key as it stands in this object, with all its digits. */
  textOf(setting: Setting<unknown>): string | undefined {
    const node = this.#valueOf(setting);
    if (node === undefined || node.kind === 'string' || node.kind === 'number') return node?.text;
    return this.refuse(setting, `expected a number, found ${kindOf(node)}`);
  }

  /** A text that must be there and not be empty. */
  required(setting: Setting<string | undefined>, what: string): string | undefined {
    const value = this.get(setting);
    if (value !== undefined && value !== '') return value;
    return value === undefined && this.has(setting) ? undefined : this.missing(setting, what);
  }

  /** An unknown member that is most like a key. */
  misspelt({ key = '' }: Setting<unknown>): JsonMember | undefined {
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
    const path = this.pathOf(member?.key ?? setting.key ?? '');
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
    const path = this.pathOf(setting.key ?? '');
    return node && new Section({ level, node, path, report: this.#place.report, outer: this });
  }

  /** Adds an error about a key, or about the whole object when it is not there. */
  refuse(setting: Setting<unknown> | undefined, text: string): undefined {
    this.#tell(this.#place.report.errors, this.#line(setting, text));
    return undefined;
  }

  /** Adds an error that the key is missing. */
  missing(setting: Setting<unknown>, what: string): undefined {
    const { report, node } = this.#place;
    const text = `is missing; needed: ${what}`;
    this.#tell(report.errors, line(report, node.line, this.pathOf(setting.key ?? ''), text));
    return undefined;
  }

  warn(setting: Setting<unknown> | undefined, text: string): void {
    this.#note(warning(this.#line(setting, text)));
  }

  inform(setting: Setting<unknown> | undefined, text: string): void {
    this.#note(information(this.#line(setting, text)));
  }

  /** Like {@link refuse}, for a member that has no row. */
  refuseMember({ key, line: number }: JsonMember, text: string): void {
    this.#tell(this.#place.report.errors, line(this.#place.report, number, this.pathOf(key), text));
  }

  /** Like {@link warnMember}, for the first member of a kind in the file: tables and columns may have the same one thousands of times. */
  #warnOnce(kind: string, member: JsonMember, text: string): void {
    const { warned } = this.#place.report;
    if (!warned.has(kind)) this.warnMember(member, text);
    warned.add(kind);
  }

  /** Like {@link warn}, for a member that has no row. */
  warnMember({ key, line: number }: JsonMember, text: string): void {
    this.#note(warning(line(this.#place.report, number, this.pathOf(key), text)));
  }

  pathOf(key: string): string {
    return this.#place.path === '' ? key : `${this.#place.path}.${key}`;
  }

  /** The nearest object around this one that may have the key. */
  #around(setting: Setting<unknown>): Section | undefined {
    let { outer } = this.#place;
    while (outer !== undefined && !mayStandIn(setting, outer.#place.level)) outer = outer.#place.outer;
    return outer;
  }

  #line(setting: Setting<unknown> | undefined, text: string): string {
    const { report, node, path } = this.#place;
    const member = setting === undefined ? undefined : this.#members.get(setting);
    const shown = setting === undefined ? path : this.pathOf(member?.key ?? setting.key ?? '');
    return line(report, member?.line ?? node.line, shown, text);
  }

  #matchMembers(): readonly JsonMember[] {
    const { level, node } = this.#place;
    const rows = rowsAt(level);
    const useless = withoutEffect[level] ?? [];
    const others: JsonMember[] = [];
    for (const member of node.members) {
      const name = member.key.toLowerCase();
      const row = rows.find(({ key, also = [] }) => [key, ...also].some((known) => known?.toLowerCase() === name));
      if (row !== undefined) this.#keep(row, member);
      else if (useless.some((known) => known.toLowerCase() === name)) {
        this.#warnOnce(`${level}.${name}`, member, 'has no effect here');
      } else if (isOpen(level)) others.push(member);
      else {
        const known = rows.flatMap(({ key }) => key ?? []);
        const meant = nearestName(member.key, known);
        if (meant !== undefined) this.#misspelt.set(meant, member);
        this.warnMember(member, `is unknown and ignored${meant === undefined ? '' : ` (did you mean ${meant}?)`}`);
      }
    }
    return others;
  }

  /** The first of equal keys counts, but the main name counts before the others. */
  #keep(row: Setting<unknown>, member: JsonMember): void {
    const main = row.key?.toLowerCase();
    const before = this.#members.get(row);
    const replaces = before === undefined || (main === member.key.toLowerCase() && before.key.toLowerCase() !== main);
    const ignored = replaces ? before : member;
    if (replaces) this.#members.set(row, member);
    if (ignored !== undefined) this.warnMember(ignored, `is ignored: ${row.key} is given twice`);
  }

  /** Tells a line once, though several objects have the value from the same object around them. */
  #tell(lines: string[], text: string): void {
    if (!lines.includes(text)) lines.push(text);
  }

  #note(note: LoadNote): void {
    const { notes } = this.#place.report;
    if (!notes.some(({ text }) => text === note.text)) notes.push(note);
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
