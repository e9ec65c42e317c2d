import { helpLines, helpWidth, wrapped } from '../../text/wrapped.js';
import { flagOf, flags, type LoadFlag } from './keys/rows.js';
import { flagGroups, type Setting } from './keys/setting.js';

/** Width of the left part of the help text. */
const leftWidth = 34;

const closing = `With no arguments the tool drops the database test if there is one, makes it anew with the super table meters
and 10000 sub-tables, and writes 10000 rows to each. It never waits for a key press without a terminal.

Paths of the rows (-I): taosc sends SQL and stmt sends columns, both straight to the database; rest sends SQL
over HTTP; sml and sml-rest send lines without a schema, sml-rest over HTTP.

Exit codes: 0 success, 1 a file asks for what cannot be, 64 a mistake in the arguments, 255 a run that failed.
After 1 and 64 nothing was touched.

Examples:
  -t 100 -n 1000 -y             100 sub-tables of 1000 rows each
  -I rest -h db.example -u eva  the same demo over HTTP to another machine, as another user
  -f insert.json --html r.html  what a file says, with a report to look at
`;

/** The text of `--help`. */
export function loadHelp(program: string, version: string): string {
  const groups = Object.entries(flagGroups).map(([group, title]) => {
    const options = flags.filter((flag) => flag.group === group);
    return `${title}:\n${options.map(helpOf).join('\n')}\n`;
  });
  return `${program} v${version} generates insert, query and subscription load.\n\nUsage: ${program} [OPTION...]\n\n${groups.join('\n')}\n${closing}`;
}

/** The text of `--usage`: names only. */
export function loadUsage(program: string): string {
  const switches = flags.filter(({ value }) => value === undefined).map(({ short }) => short ?? '');
  const words = [`[-${switches.join('')}]`];
  for (const { short, value } of flags) if (short && value) words.push(`[-${short} ${value}]`);
  for (const { long, value } of flags) words.push(value === undefined ? `[--${long}]` : `[--${long}=${value}]`);
  const start = `Usage: ${program} `;
  return `${start}${wrapped(words, helpWidth - start.length).join(`\n${' '.repeat(start.length)}`)}\n`;
}

/** The default of an argument or a key as people see it; a switch, and what has none, show nothing. */
export function shownDefault(setting: Setting<unknown>, ofFlag: boolean): string | undefined {
  const { default: value, shown, type } = setting;
  if (ofFlag && flagOf(setting)?.value === undefined) return undefined;
  const used = (ofFlag ? setting.ofFlag?.default : undefined) ?? value;
  if (shown !== undefined) return shown;
  if (typeof used === 'boolean') return type.word === 'yes or no' ? (used ? 'yes' : 'no') : String(used);
  return used === undefined || used === '' ? undefined : String(used);
}

function helpOf({ short, long, value, setting }: LoadFlag): string {
  const names = `  ${short === undefined ? '    ' : `-${short}, `}--${long}${value === undefined ? '' : `=${value}`}`;
  const used = shownDefault(setting, true);
  const plain = (setting.ofFlag?.help ?? setting.help).replaceAll('`', '');
  const text = `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${used === undefined ? '' : ` (default ${used})`}`;
  return helpLines(names, text, leftWidth);
}
