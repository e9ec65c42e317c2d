import { parse, TomlDate, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import type { OptionRecord, OptionRow, OptionTable, OptionValue } from '../model/option.js';
import { suggestion } from '../text/nearest.js';
import { quotedText, refusal } from './refusal.js';
import { checkValue, describeAllowed, describeRange, parseValue } from './values.js';

/** One setting as a file gives it; `origin` names the file and the key. */
interface FileValue {
  readonly value: OptionValue;
  readonly origin: string;
}

/** Settings of a file, and what is wrong with it, a sentence each. */
export interface FileSettings {
  /** By flag. */
  readonly values: ReadonlyMap<string, FileValue>;
  readonly errors: readonly string[];
}

interface Reading {
  readonly path: string;
  readonly tables: readonly OptionTable[];
  readonly values: Map<string, FileValue>;
  readonly errors: string[];
}

/**
 * Reads the text of a settings file: top-level keys for the table without a group, one section for each other table.
 * Sections and keys are found whatever their case. Unknown names and
 * wrong types are errors, because a setting that is silently not applied is found too late.
 */
export function readTomlFile(tables: readonly OptionTable[], path: string, text: string): FileSettings {
  const reading: Reading = { path, tables, values: new Map(), errors: [] };
  const document = parseDocument(reading, text);
  if (document !== undefined) readTopLevel(reading, document);
  return reading;
}

/**
 * The parser's own message ends in an excerpt of the file, which may show a secret: only its first line is passed on.
 */
function parseDocument(reading: Reading, text: string): TomlTable | undefined {
  try {
    return parse(text, { integersAsBigInt: true, maxDepth: 50 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0] ?? '';
    reading.errors.push(`${reading.path}: line ${error.line}, column ${error.column}: ${reason}.`);
    return undefined;
  }
}

function readTopLevel(reading: Reading, document: TomlTable): void {
  const general = reading.tables.find((table) => table.group === '')?.rows ?? [];
  const groups = reading.tables.map((table) => table.group).filter((group) => group !== '');
  const known = [...general.map((row) => row.flag), ...groups.map((group) => `[${group}]`)];
  const seen = new Set<string>();
  for (const [key, raw] of Object.entries(document)) {
    if (isRepeated(reading, seen, key, '')) continue;
    const row = general.find((candidate) => isSameName(candidate.flag, key));
    const table = reading.tables.find((candidate) => candidate.group !== '' && isSameName(candidate.group, key));
    if (row !== undefined) readKey(reading, row, key, raw);
    else if (table === undefined) refuseUnknown(reading, isTable(raw) ? `[${key}]` : key, known);
    else if (isTable(raw)) readSection(reading, table, raw);
    else reading.errors.push(`${reading.path}: ${key} is a section; write [${table.group}] and its keys below.`);
  }
}

function readSection(reading: Reading, table: OptionTable, section: TomlTable): void {
  const seen = new Set<string>();
  for (const [key, raw] of Object.entries(section)) {
    if (isRepeated(reading, seen, key, `[${table.group}] `)) continue;
    const row = rowOfKey(reading, table, key);
    if (row !== undefined) {
      readKey(reading, row, `[${table.group}] ${key}`, raw);
      continue;
    }
    const known = table.rows.map((candidate) => `[${table.group}] ${fileKey(candidate)}`);
    refuseUnknown(reading, `[${table.group}] ${key}`, known);
  }
}

/** `[log] level` is a second name of the top-level `logLevel` and outranks it, as the dialect has it. */
function rowOfKey(reading: Reading, table: OptionTable, key: string): OptionRow | undefined {
  const row = table.rows.find((candidate) => isSameName(fileKey(candidate), key));
  if (row !== undefined || table.group !== 'log' || !isSameName('level', key)) return row;
  return reading.tables.flatMap((candidate) => candidate.rows).find((candidate) => candidate.flag === 'logLevel');
}

/** The name of a setting below its section. */
export function fileKey(row: OptionRow): string {
  return row.flag.slice(row.flag.indexOf('.') + 1);
}

function readKey(reading: Reading, row: OptionRow, key: string, raw: TomlValue): void {
  const origin = `${reading.path}, ${key}`;
  const value = fittingValue(row, raw);
  if (value === undefined) {
    reading.errors.push(refusal(row.flag, foundText(row, raw), origin, allowedInFile(row)));
    return;
  }
  if (row.flag === 'logLevel' && !key.startsWith('[') && reading.values.has(row.flag)) return;
  reading.values.set(row.flag, { value, origin });
}

/** A phrase for people: what a key takes, with lists as TOML has them. */
function allowedInFile(row: OptionRow): string {
  if (row.type === 'string-list')
    return 'a text, or a list of texts such as ["a", "b"]; a text with a comma must be in a list';
  if (row.type === 'int-list') return `a whole number, or a list such as [6046, 6047]${describeRange(row)}`;
  return describeAllowed(row);
}

/** The value of a key whose TOML type fits the setting; undefined when type or bounds do not. */
function fittingValue(row: OptionRow, raw: TomlValue): OptionValue {
  const parsed = typeof raw === 'object' ? listOf(row, raw) : scalarOf(row, raw);
  const checked = parsed === undefined ? undefined : checkValue(row, parsed);
  return checked?.ok === true ? checked.value : undefined;
}

function scalarOf(row: OptionRow, raw: string | number | bigint | boolean): OptionValue {
  switch (row.type) {
    case 'string':
    case 'secret':
      return typeof raw === 'string' ? raw : undefined;
    case 'bool':
      return typeof raw === 'boolean' ? raw : undefined;
    case 'int':
    case 'uint':
      return typeof raw === 'bigint' ? parsedText(row, String(raw)) : undefined;
    case 'float':
      return typeof raw === 'bigint' || typeof raw === 'number' ? parsedText(row, String(raw)) : undefined;
    case 'duration':
    case 'size':
      return typeof raw === 'string' || typeof raw === 'bigint' ? parsedText(row, String(raw)) : undefined;
    case 'string-list':
      // A comma separates texts elsewhere: such a text would be one here and two there.
      return typeof raw === 'string' && raw !== '' && !raw.includes(',') ? [raw] : undefined;
    case 'int-list':
      return typeof raw === 'bigint' ? listOf(row, [raw]) : undefined;
    case 'tables':
      return undefined;
  }
}

function parsedText(row: OptionRow, text: string): OptionValue {
  const parsed = parseValue(row, text);
  return parsed.ok ? parsed.value : undefined;
}

function listOf(row: OptionRow, raw: object): OptionValue {
  if (!Array.isArray(raw)) return undefined;
  const elements: readonly unknown[] = raw;
  if (row.type === 'string-list') {
    const texts = elements.filter((element) => typeof element === 'string');
    return texts.length === elements.length ? texts : undefined;
  }
  if (row.type === 'tables') return tablesOf(raw);
  if (row.type !== 'int-list') return undefined;
  const numbers = elements.filter((element) => typeof element === 'bigint').map(Number);
  return numbers.length === elements.length && numbers.every(Number.isSafeInteger) ? numbers : undefined;
}

/** A list of tables in plain values; undefined when something else stands in it. */
function tablesOf(raw: readonly TomlValue[]): OptionValue {
  const tables = raw.filter(isTable);
  return tables.length === raw.length ? tables.map(plainTable) : undefined;
}

function plainTable(table: TomlTable): OptionRecord {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, plain(value)]));
}

function plain(value: TomlValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof TomlDate) return value.toISOString();
  return isTable(value) ? plainTable(value) : value;
}

function foundText(row: OptionRow, raw: TomlValue): string {
  const kind = kindOf(raw);
  if (row.type === 'secret') return kind;
  if (Array.isArray(raw)) return `${kind} ${quotedText(row, `[${raw.map(elementText).join(', ')}]`)}`;
  if (typeof raw === 'object') return kind;
  return `${kind} ${typeof raw === 'string' ? quotedText(row, raw) : String(raw)}`;
}

function elementText(raw: TomlValue): string {
  return typeof raw === 'object' ? kindOf(raw) : String(raw);
}

function kindOf(raw: TomlValue): string {
  if (Array.isArray(raw)) return 'the list';
  if (raw instanceof TomlDate) return 'a date';
  if (typeof raw === 'bigint') return 'the whole number';
  if (typeof raw === 'string') return 'the text';
  if (typeof raw === 'number') return 'the decimal number';
  return typeof raw === 'boolean' ? 'the boolean' : 'a section';
}

function isTable(raw: TomlValue): raw is TomlTable {
  return typeof raw === 'object' && !Array.isArray(raw) && !(raw instanceof TomlDate);
}

function isRepeated(reading: Reading, seen: Set<string>, key: string, place: string): boolean {
  const name = key.toLowerCase();
  if (seen.has(name)) reading.errors.push(`${reading.path}: ${place}${key} is given twice.`);
  if (seen.has(name)) return true;
  seen.add(name);
  return false;
}

function refuseUnknown(reading: Reading, name: string, known: readonly string[]): void {
  const what = name.startsWith('[') && name.endsWith(']') ? 'section' : 'key';
  reading.errors.push(`${reading.path}: unknown ${what} ${name}${suggestion(name, known)}.`);
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
