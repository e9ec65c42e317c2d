import { type LoadOption, loadOptionGroups, loadOptions } from './options.js';

/** Width of the left part of the help text. */
const leftWidth = 34;
/** Width of a line of the help text. */
const lineWidth = 110;

const closing = `With no arguments the tool drops the database test if there is one, makes it anew with the super table meters
and 10000 sub-tables, and writes 10000 rows to each. It never waits for a key press without a terminal.
A number that cannot be read is complained of and replaced by its default.
`;

/** The text of `--help`. */
export function loadHelp(program: string, version: string): string {
  const groups = loadOptionGroups.map(({ title, options }) => `${title}:\n${options.map(helpOf).join('\n')}\n`);
  return `${program} v${version} generates insert, query and subscription load.\n\nUsage: ${program} [OPTION...]\n\n${groups.join('\n')}\n${closing}`;
}

/** The text of `--usage`: names only. */
export function loadUsage(program: string): string {
  const switches = loadOptions.filter(({ value }) => value === undefined).map(({ short }) => short ?? '');
  const words = [`[-${switches.join('')}]`];
  for (const { short, value } of loadOptions)
    if (short !== undefined && value !== undefined) words.push(`[-${short} ${value}]`);
  for (const { long, value } of loadOptions) words.push(value === undefined ? `[--${long}]` : `[--${long}=${value}]`);
  const start = `Usage: ${program}`;
  return `${wrap(words, start, ' '.repeat(start.length), lineWidth)}\n`;
}

function helpOf(option: LoadOption): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  const long = option.value === undefined ? `--${option.long}` : `--${option.long}=${option.value}`;
  const left = `  ${short}${long}`.padEnd(leftWidth);
  const shownDefault = option.default === undefined ? '' : ` (default ${option.default})`;
  const first = left.length > leftWidth ? `${left}\n${' '.repeat(leftWidth)}` : left;
  const help = `${option.help.charAt(0).toUpperCase()}${option.help.slice(1)}${shownDefault}`;
  return first + wrap(help.split(' '), '', ' '.repeat(leftWidth), lineWidth - leftWidth).trimStart();
}

/** Words parted by blanks, in lines of at most `width` characters after the indentation. */
function wrap(words: readonly string[], start: string, indentation: string, width: number): string {
  const lines: string[] = [];
  let line = start;
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width || line === '' || line === start) {
      line = longer;
    } else {
      lines.push(line);
      line = lines.length > 0 && start !== '' ? `${indentation} ${word}` : word;
    }
  }
  lines.push(line);
  return lines.join(start === '' ? `\n${indentation}` : '\n');
}
