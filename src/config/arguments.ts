import { suggestion } from '../model/nearest.js';
import type { OptionRow, OptionTable } from '../model/option.js';
import { parseValue } from './values.js';

/** What a command line asks for; `errors` are lines for people. Values are still text, in the order they were given. */
export interface Arguments {
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly help: boolean;
  readonly version: boolean;
  /** `-c`, `--config`. */
  readonly configPath: string | undefined;
  readonly errors: readonly string[];
}

/** Flags that only a command line has. */
export const commandRows: readonly OptionRow[] = [
  {
    flag: 'config',
    short: 'c',
    type: 'string',
    env: '',
    help: 'path of the configuration file; not set is adapter.toml in dbConfigDir',
  },
  { flag: 'help', short: 'h', type: 'bool', env: '', help: 'print this text and exit' },
  { flag: 'version', short: 'V', type: 'bool', env: '', help: 'print the version and exit' },
];

interface Reading {
  readonly argv: readonly string[];
  readonly rows: readonly OptionRow[];
  readonly given: Map<string, string[]>;
  readonly errors: string[];
}

/**
 * Reads a command line: `--name=value`, `--name value`, `name=value`, `-P 7000`, `-P7000`, `-P=7000`. A boolean without
 * `=value` is true and never takes the next argument. A flag given again replaces its value, or adds to it when it is a
 * list. Error lines never show an argument's value: it may be a secret under a mistyped name.
 */
export function readArguments(tables: readonly OptionTable[], argv: readonly string[]): Arguments {
  const rows = [...commandRows, ...tables.flatMap((table) => table.rows)];
  const reading: Reading = { argv, rows, given: new Map(), errors: [] };
  let index = 0;
  while (index < argv.length) index = readArgument(reading, index);
  return {
    given: reading.given,
    help: isOn(reading, 'help'),
    version: isOn(reading, 'version'),
    configPath: reading.given.get('config')?.at(-1),
    errors: reading.errors,
  };
}

/** Reads the argument at `index` with its value; returns the index after both. */
function readArgument(reading: Reading, index: number): number {
  const text = reading.argv[index] ?? '';
  if (text.startsWith('--')) return readLong(reading, index, text.slice(2));
  if (text.startsWith('-') && text.length > 1) return readShort(reading, index, text.slice(1));
  if (text.includes('=')) return readLong(reading, index, text);
  const after = index > 0 ? `, after ${nameOf(reading.argv[index - 1] ?? '')},` : '';
  reading.errors.push(`Argument ${index + 1}${after} is not a setting; write --name=value.`);
  return index + 1;
}

function readLong(reading: Reading, index: number, text: string): number {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const row = reading.rows.find((candidate) => candidate.flag === name);
  if (row === undefined) return refuseUnknown(reading, index, `--${name}`, name);
  return equals < 0 ? takeFollowing(reading, index, row) : take(reading, index, row, text.slice(equals + 1));
}

function readShort(reading: Reading, index: number, text: string): number {
  const row = reading.rows.find((candidate) => candidate.short === text[0]);
  if (row === undefined) return refuseUnknown(reading, index, `-${text[0]}`, text.split('=')[0] ?? '');
  const rest = text.slice(1);
  if (rest === '') return takeFollowing(reading, index, row);
  return take(reading, index, row, rest.startsWith('=') ? rest.slice(1) : rest);
}

function takeFollowing(reading: Reading, index: number, row: OptionRow): number {
  if (row.type === 'bool') return take(reading, index, row, 'true');
  const value = reading.argv[index + 1];
  if (value === undefined || value.startsWith('--')) {
    reading.errors.push(`--${row.flag} needs a value; write --${row.flag}=value.`);
    return index + 1;
  }
  return take(reading, index + 1, row, value);
}

function take(reading: Reading, index: number, row: OptionRow, value: string): number {
  const values = reading.given.get(row.flag);
  if (values === undefined) reading.given.set(row.flag, [value]);
  else values.push(value);
  return index + 1;
}

function refuseUnknown(reading: Reading, index: number, shown: string, name: string): number {
  const known = reading.rows.map((row) => row.flag);
  reading.errors.push(`Unknown flag ${shown}${suggestion(name, known)}.`);
  return index + 1;
}

function isOn(reading: Reading, flag: string): boolean {
  const text = reading.given.get(flag)?.at(-1);
  if (text === undefined) return false;
  const parsed = parseValue({ type: 'bool' }, text);
  if (!parsed.ok) reading.errors.push(`--${flag} takes ${parsed.allowed}.`);
  return parsed.ok && parsed.value === true;
}

/** An argument without its value: only what is surely a flag's name. */
function nameOf(argument: string): string {
  return /^(--[^=]+|-[^-=])/.exec(argument)?.[0] ?? 'a value';
}
