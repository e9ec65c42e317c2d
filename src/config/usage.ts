import { type OptionRow, type OptionTable, type OptionType, variablesOf } from '../model/option.js';
import { helpLines } from '../text/wrapped.js';
import { commandRows, commands } from './arguments.js';

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
/** The same beside commands and groups. */
const groupWidth = 20;

/** Settings that most people change, which the short help explains. */
const mostUsed: readonly string[] = [
  'port',
  'database.path',
  'log.path',
  'logLevel',
  'workers',
  'ssl.enable',
  'ssl.certFile',
  'ssl.keyFile',
  'smlAutoCreateDB',
  'httpCodeServerError',
];

/** The text of `--help`: the commands, the settings that most people change, and the groups of all the others. */
export function usageText(program: string, version: string, tables: readonly OptionTable[]): string {
  const rows = tables.flatMap((table) => table.rows);
  const common = mostUsed.flatMap((flag) => rows.find((row) => row.flag === flag) ?? []);
  return `${usageLine(program, version)}, or ${program} <command> [...]

Commands, of which each explains itself (${program} backup --help):
${Object.entries(commands)
  .map(([name, what]) => helpLines(`  ${name}`, sentence(what), groupWidth))
  .join('\n')}

Settings that most people change:
${[...commandRows, ...common].map(helpOf).join('\n')}

Groups of settings, for --help GROUP; --help all prints all of them:
${tables.map((table) => helpLines(`  ${nameOf(table)}`, table.title, groupWidth)).join('\n')}

${closing}`;
}

/** Names of the groups for `--help GROUP`. */
export function groupNames(tables: readonly OptionTable[]): readonly string[] {
  return tables.map(nameOf);
}

/**
 * The text of `--help GROUP`, or of `--help all`: the settings of a group or of all, in the order of the settings page,
 * in lines of a terminal. Undefined when there is no such group.
 */
export function groupsText(
  program: string,
  version: string,
  tables: readonly OptionTable[],
  name: string,
): string | undefined {
  const chosen = name === 'all' ? tables : tables.filter((table) => nameOf(table).toLowerCase() === name.toLowerCase());
  if (chosen.length === 0) return undefined;
  const texts = chosen.map(({ title, rows }) => `${title}:\n${rows.map(helpOf).join('\n')}\n`);
  return `${usageLine(program, version)}\n\n${texts.join('\n')}\n${closing}`;
}

function usageLine(program: string, version: string): string {
  return `Usage of ${program} v${version}: ${program} [--name=value ...]`;
}

/** The section of a group in the settings file; settings at its top are the group `general`. */
function nameOf({ group }: OptionTable): string {
  return group === '' ? 'general' : group;
}

const closing = `A name in capitals is the environment variable that means the same. A flag outranks the variable, the
variable the configuration file.
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
  const help = sentence(row.help);
  const allowed = row.allowed === undefined ? '' : `: ${row.allowed.join(', ')}`;
  const names = variablesOf(row);
  const env = names.length === 0 ? '' : ` ${names.join(', ')}`;
  return `${help}${allowed}${defaultPart(row)}${env}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function defaultPart(row: OptionRow): string {
  const text = shownDefault(row);
  if (text === undefined) return '';
  return row.type === 'string' ? ` (default "${text}")` : ` (default ${text})`;
}
