import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type OptionRow,
  type OptionTable,
  type OptionType,
  type OptionValue,
  type SettingReader,
  type SettingsOf,
  settingName,
  variablesOf,
} from '../model/option.js';
import { suggestion } from '../text/nearest.js';
import { type Arguments, readArguments } from './arguments.js';
import { maskedText, missing, quotedText, refusal } from './refusal.js';
import { type FileSettings, readTomlFile } from './toml-file.js';
import { groupNames, groupsText, usageText, versionText } from './usage.js';
import { describeAllowed, type Parsed, parseValue, printValue } from './values.js';

/** Everything a program's settings are made from. `read` turns them into the program's own type and may refuse some. */
interface SettingsInput<S> {
  readonly program: string;
  readonly version: string;
  /** Without the interpreter and the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tables: readonly OptionTable[];
  readonly read: (reader: SettingReader) => S;
}

/** One line of the start-up dump; secrets are masked, a setting that is not set has an empty value. */
export interface SettingLine {
  readonly flag: string;
  readonly value: string;
  readonly source: SettingSource;
}

/**
 * - `settings`: `file` is the settings file that was read; `notes` are lines worth a log entry, `warnings` likely
 *   mistakes.
 * - `print`: `--help` or `--version` was given; the text belongs on stdout, the exit code is 0.
 * - `refused`: one line for each mistake; `exitCode` is 2 when the command line is at fault, otherwise 1.
 */
export type Resolution<S> =
  | {
      readonly outcome: 'settings';
      readonly settings: S;
      readonly listing: readonly SettingLine[];
      readonly file: string | undefined;
      readonly notes: readonly string[];
      readonly warnings: readonly string[];
    }
  | { readonly outcome: 'print'; readonly text: string }
  | { readonly outcome: 'refused'; readonly errors: readonly string[]; readonly exitCode: 1 | 2 };

/** Faults of settings, one line for each mistake. */
export function mistakesIn(resolution: Resolution<unknown>): readonly string[] {
  return resolution.outcome === 'refused' ? resolution.errors : [];
}

const envPrefix = 'ADAPTER_';
const fileName = 'adapter.toml';

interface FileReading extends FileSettings {
  /** Undefined when there was no file to read. */
  readonly path: string | undefined;
  readonly notes: readonly string[];
}

/**
 * Finds the value of every setting: the command line outranks the environment, the environment the file, the file the
 * default. Reads one file and nothing else; never throws for what a
 * person can get wrong.
 */
export function resolveSettings<S>(input: SettingsInput<S>): Resolution<S> {
  const args = readArguments(input.tables, input.argv);
  if (args.help !== undefined) return helpAbout(args.help, input);
  if (args.version) return { outcome: 'print', text: versionText(input.program, input.version) };
  const file = readSettingsFile(input, args);
  const errors = [...file.errors];
  const settings: ResolvedSetting[] = [];
  const argumentErrors = [...args.errors];
  for (const row of input.tables.flatMap((table) => table.rows)) {
    const resolved = resolveRow(row, input, args, file);
    if (resolved.ok) settings.push(resolved.setting);
    else (resolved.source === 'command line' ? argumentErrors : errors).push(resolved.error);
  }
  const all = [...argumentErrors, ...errors];
  if (all.length > 0) return { outcome: 'refused', errors: all, exitCode: argumentErrors.length > 0 ? 2 : 1 };
  return readInto(input, settings, file);
}

/** The help that a word after `--help` requests; a word that is no group is a mistake on the command line. */
function helpAbout<S>(topic: string, { program, version, tables }: SettingsInput<S>): Resolution<S> {
  if (topic === '') return { outcome: 'print', text: usageText(program, version, tables) };
  const text = groupsText(program, version, tables, topic);
  if (text !== undefined) return { outcome: 'print', text };
  const names = groupNames(tables);
  const error = `There is no group ${topic} of settings${suggestion(topic, names)}; groups are all, ${names.join(', ')}.`;
  return { outcome: 'refused', errors: [error], exitCode: 2 };
}

function readInto<S>(input: SettingsInput<S>, settings: readonly ResolvedSetting[], file: FileReading): Resolution<S> {
  const values = new SettingValues(settings);
  const result = input.read(values);
  if (values.errors.length > 0) {
    return { outcome: 'refused', errors: values.errors, exitCode: values.blamesCommandLine ? 2 : 1 };
  }
  return {
    outcome: 'settings',
    settings: result,
    listing: settings.map(settingLine),
    file: file.path,
    notes: file.notes,
    warnings: unknownEnvironment(input),
  };
}

function settingLine({ row, value, source }: ResolvedSetting): SettingLine {
  return { flag: row.flag, value: maskedText(row, printValue(row.type, value)), source };
}

type RowResult =
  | { readonly ok: true; readonly setting: ResolvedSetting }
  | { readonly ok: false; readonly source: SettingSource; readonly error: string };

function resolveRow<S>(row: OptionRow, input: SettingsInput<S>, args: Arguments, file: FileReading): RowResult {
  const texts = args.values.get(row.flag);
  if (texts !== undefined) {
    return fromText(
      row,
      isList(row) ? texts.join(',') : (texts.at(-1) ?? ''),
      parseGiven(row, texts),
      'command line',
      'the command line',
    );
  }
  const variable = setVariable(row, input.env);
  if (variable !== undefined) {
    return fromText(
      row,
      variable.text,
      parseValue(row, variable.text),
      'environment',
      `the environment (${variable.name})`,
    );
  }
  const inFile = file.values.get(row.flag);
  if (inFile !== undefined)
    return { ok: true, setting: { row, value: inFile.value, source: 'file', origin: inFile.origin } };
  return { ok: true, setting: { row, value: defaultOf(row), source: 'default', origin: 'the default' } };
}

function fromText(row: OptionRow, text: string, parsed: Parsed, source: SettingSource, origin: string): RowResult {
  if (parsed.ok) return { ok: true, setting: { row, value: parsed.value, source, origin } };
  return { ok: false, source, error: refusal(row.flag, quotedText(row, text), origin, parsed.allowed) };
}

/** Of a repeated flag the last value counts; the values of a list add up. */
function parseGiven(row: OptionRow, texts: readonly string[]): Parsed {
  if (!isList(row)) return parseValue(row, texts.at(-1) ?? '');
  const elements: (string | number)[] = [];
  for (const text of texts) {
    const parsed = parseValue(row, text);
    if (!parsed.ok) return parsed;
    if (typeof parsed.value !== 'object') continue;
    for (const element of parsed.value) if (typeof element !== 'object') elements.push(element);
  }
  const value =
    row.type === 'int-list'
      ? elements.filter((element) => typeof element === 'number')
      : elements.filter((element) => typeof element === 'string');
  return { ok: true, value };
}

function isList(row: OptionRow): boolean {
  return row.type === 'string-list' || row.type === 'int-list';
}

/** An empty variable counts as not set: that is how container files leave one out. */
function setVariable(row: OptionRow, env: SettingsInput<unknown>['env']): { name: string; text: string } | undefined {
  for (const name of variablesOf(row)) {
    const text = env[name];
    if (text !== undefined && text !== '') return { name, text };
  }
  return undefined;
}

function defaultOf(row: OptionRow): OptionValue {
  if (row.default === undefined) return undefined;
  const parsed = parseValue(row, row.default);
  if (!parsed.ok) throw new Error(`The default of ${row.flag} is not ${describeAllowed(row)}.`);
  return parsed.value;
}

/** The named file must be there; the one in `dbConfigDir` may be missing. */
function readSettingsFile<S>(input: SettingsInput<S>, args: Arguments): FileReading {
  const nothing = { values: new Map(), errors: [], notes: [], path: undefined } as const;
  const path = args.configPath ?? join(configDirectory(input, args), fileName);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const code = codeOf(error);
    if (args.configPath === undefined && code === 'ENOENT') {
      return { ...nothing, notes: [`No configuration file at ${path}.`] };
    }
    return { ...nothing, errors: [`${path}: the configuration file cannot be read: ${reasons[code] ?? code}.`] };
  }
  return { ...readTomlFile(input.tables, path, text), notes: [], path };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'permission is denied',
  EISDIR: 'it is a directory',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** The directory as far as it is known before the file is read. */
function configDirectory<S>(input: SettingsInput<S>, args: Arguments): string {
  const row = input.tables.flatMap((table) => table.rows).find((candidate) => candidate.flag === 'dbConfigDir');
  if (row === undefined) return '.';
  return args.values.get(row.flag)?.at(-1) ?? setVariable(row, input.env)?.text ?? row.default ?? '.';
}

/** Variables with the service's prefix that no setting has; most likely mistyped, but they may be meant for others. */
function unknownEnvironment<S>(input: SettingsInput<S>): readonly string[] {
  const known = input.tables.flatMap((table) => table.rows).flatMap(variablesOf);
  return Object.keys(input.env)
    .filter((name) => name.startsWith(envPrefix) && !known.includes(name))
    .map((name) => `Environment variable ${name} is not a setting and was ignored${suggestion(name, known)}.`);
}

/** Where a value came from. */
type SettingSource = 'command line' | 'environment' | 'file' | 'default';

/** A setting with the value that won; `origin` names the exact place for people. */
interface ResolvedSetting {
  readonly row: OptionRow;
  readonly value: OptionValue;
  readonly source: SettingSource;
  readonly origin: string;
}

/** Typed access to resolved settings; {@link SettingValues.errors} collects what readers refused. */
class SettingValues implements SettingReader {
  readonly errors: string[] = [];
  /** True when a value of the command line is among those refused. */
  blamesCommandLine = false;
  readonly #settings: ReadonlyMap<string, ResolvedSetting>;

  constructor(settings: readonly ResolvedSetting[]) {
    this.#settings = new Map(settings.map((setting) => [setting.row.flag, setting]));
  }

  settings<T extends OptionTable>(table: T): SettingsOf<T>;
  settings(table: OptionTable): Readonly<Record<string, OptionValue>> {
    return Object.fromEntries(table.rows.map((row) => [settingName(row, table), this.#valueOf(row)]));
  }

  #valueOf({ flag, type, unset }: OptionRow): OptionValue {
    return this.#of(flag).value ?? whenNotSet[type] ?? unset;
  }

  refusePart(flag: string, part: string, value: unknown, needed: string): void {
    const { row, origin, source } = this.#of(flag);
    if (source === 'command line') this.blamesCommandLine = true;
    const name = `${flag}${part}`;
    if (value === undefined) {
      this.errors.push(missing(name, needed));
      return;
    }
    const text = quotedText(row, typeof value === 'string' ? value : JSON.stringify(value));
    this.errors.push(refusal(name, text, origin, needed));
  }

  refuse(flag: string, needed: string): void {
    const { row, value, origin, source } = this.#of(flag);
    if (source === 'command line') this.blamesCommandLine = true;
    const shown = row.type === 'secret' ? 'the value' : quotedText(row, printValue(row.type, value));
    this.errors.push(value === undefined ? missing(flag, needed) : refusal(flag, shown, origin, needed));
  }

  #of(flag: string): ResolvedSetting {
    const setting = this.#settings.get(flag);
    if (setting === undefined) throw new Error(`No option table has the flag ${flag}.`);
    return setting;
  }
}

/** Meaning of a setting without a value; a number that is not set is undefined. */
const whenNotSet: Readonly<Partial<Record<OptionType, OptionValue>>> = {
  bool: false,
  string: '',
  secret: '',
  'string-list': [],
  'int-list': [],
  tables: [],
};
