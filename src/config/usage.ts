import { type OptionRow, type OptionTable, type OptionType, variablesOf } from '../model/option.js';
import { helpLines } from '../text/wrapped.js';
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

/** Column in which the explanations begin. */
const leftWidth = 40;

/**
 * The text of `--help`: the settings by group, in the order of the settings page, none longer than a line of a
 * terminal.
 */
export function usageText(program: string, version: string, tables: readonly OptionTable[]): string {
  const [first, ...others] = tables;
  const groups = [
    { title: first?.title ?? '', rows: [...commandRows, ...(first?.rows ?? [])] },
    ...others.map(({ title, rows }) => ({ title, rows })),
  ];
  const texts = groups.map(({ title, rows }) => `${title}:\n${rows.map(helpOf).join('\n')}\n`);
  return `Usage of ${program} v${version}: ${program} [--name=value ...]\n\n${texts.join('\n')}\n${closing}`;
}

const closing = `A name in capitals is the environment variable that means the same. A flag outranks the variable, the
variable the configuration file.

Backups: sluice backup --help. From one machine to a cluster: sluice move --help
After a cluster has got a shard more: sluice rebalance --help
Alerts of Prometheus as rules: sluice import-rules --help
`;

function helpOf(row: OptionRow): string {
  return helpLines(leftPart(row), rightPart(row), leftWidth);
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
  const names = variablesOf(row);
  const env = names.length === 0 ? '' : ` ${names.join(', ')}`;
  return `${help}${allowed}${defaultPart(row)}${env}`;
}

function defaultPart(row: OptionRow): string {
  const text = shownDefault(row);
  if (text === undefined) return '';
  return row.type === 'string' ? ` (default "${text}")` : ` (default ${text})`;
}
