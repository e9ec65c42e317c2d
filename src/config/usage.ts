import type { OptionRow, OptionTable, OptionType } from '../model/option.js';
import { commandRows } from './arguments.js';

/** Type words of the usage text; a boolean has none because it needs no value. */
const typeWords: Readonly<Record<OptionType, string>> = {
  int: 'int',
  uint: 'uint',
  float: 'float',
  bool: '',
  string: 'string',
  secret: 'string',
  duration: 'duration',
  size: 'size',
  'string-list': 'strings',
  'int-list': 'ints',
  tables: 'json',
};

/** The text of `--help`: one line a flag, in alphabetical order. */
export function usageText(program: string, version: string, tables: readonly OptionTable[]): string {
  const rows = [...commandRows, ...tables.flatMap((table) => table.rows)];
  const sorted = rows.toSorted((a, b) => compareNames(a.flag.toLowerCase(), b.flag.toLowerCase()));
  const width = Math.max(...sorted.map((row) => leftPart(row).length));
  const lines = sorted.map((row) => `${leftPart(row).padEnd(width)}   ${rightPart(row)}`);
  return `Usage of ${program} v${version}:\n${lines.join('\n')}\n`;
}

/** The text of `--version`. */
export function versionText(program: string, version: string): string {
  return `${program} v${version}\n`;
}

/** The default of a setting as people may see it; undefined when there is none. */
export function shownDefault(row: OptionRow): string | undefined {
  return row.type === 'secret' && row.default !== undefined ? 'the built-in password' : row.default;
}

function leftPart(row: OptionRow): string {
  const short = row.short === undefined ? '      ' : `  -${row.short}, `;
  return `${short}--${row.flag} ${typeWords[row.type]}`.trimEnd();
}

function rightPart(row: OptionRow): string {
  const help = row.help.charAt(0).toUpperCase() + row.help.slice(1);
  const allowed = row.allowed === undefined ? '' : `: ${row.allowed.join(', ')}`;
  const names = [row.env, ...(row.envAlso ?? [])].filter((name) => name !== '').map((name) => `"${name}"`);
  const env = names.length === 0 ? '' : `. Env ${names.join(' or ')}`;
  return `${help}${allowed}${env}${defaultPart(row)}`;
}

function defaultPart(row: OptionRow): string {
  const text = shownDefault(row);
  if (text === undefined) return '';
  return row.type === 'string' ? ` (default "${text}")` : ` (default ${text})`;
}

function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
