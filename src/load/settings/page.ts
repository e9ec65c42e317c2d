import { loadFileTables } from './keys.js';
import { type LoadOption, type LoadOptionGroup, loadOptionGroups } from './options.js';
import type { KeyRow, KeyTable } from './section.js';

const introduction = `# Arguments and files of the load tool

This page is generated from the tables in \`src/load/settings\`; \`npm run settings-page\` writes it anew.

What is to be done is said either by arguments or by a JSON file that \`-f\` names. Arguments ask for insertions only; a file
also for queries and subscriptions. Beside \`-f\` only \`-y\`, \`-g\`, \`--json\` and \`--html\` count.

## Arguments

All of these are equal: \`-n 5\`, \`-n5\`, \`--records=5\`, \`--records 5\`. Switches can be bundled and the last letter may have a
value: \`-yn5\`. Long names can be cut where they stay unique. Of a repeated argument the last counts. \`--\` ends the
arguments. \`-h\` is the host; help is \`-?\`.

A number that cannot be read, or is out of range, is complained of and replaced; it never ends the run. The tool ends with code 0
after success, with 64 when the command line is wrong, with 1 when what is asked for cannot be, and with 255 when a run failed.

[load-tool.md](load-tool.md) shows what to do with it.
`;

const fileIntroduction = `
## Keys of a file

Keys are found whatever their case; of a repeated one the first counts. An unknown key is ignored with a warning that names
the nearest known one. A number in a text, or true in the place of \`"yes"\`, is taken with a warning; any other value of a
wrong type ends the run before anything is touched. Paths are relative to the working directory. A file has one JSON object
without comments.
`;

/** The page `docs/load-tool-arguments.md`: every argument and every key. */
export function renderLoadPage(): string {
  const options = loadOptionGroups.map(renderOptions).join('\n');
  return `${introduction}\n${options}${fileIntroduction}\n${loadFileTables.map(renderKeys).join('\n')}`;
}

function renderOptions({ title, options }: LoadOptionGroup): string {
  return `### ${title}\n\n| Argument | Value | Default | What it does |\n|---|---|---|---|\n${options.map(optionRow).join('\n')}\n`;
}

function optionRow({ short, long, also = [], value, default: shown, help }: LoadOption): string {
  const names = [...(short === undefined ? [] : [`-${short}`]), ...[long, ...also].map((name) => `--${name}`)];
  return row([names.map(code).join(', '), value ?? '', shown ?? '', help]);
}

function renderKeys({ title, rows, withoutEffect = [], open }: KeyTable): string {
  const others = open === true ? 'Any other key is an option of CREATE DATABASE.\n\n' : '';
  const useless =
    withoutEffect.length === 0 ? '' : `\nUnderstood and without effect: ${withoutEffect.map(code).join(', ')}.\n`;
  return `### ${title}\n\n${others}| Key | Type | Default | What it means |\n|---|---|---|---|\n${rows.map(keyRow).join('\n')}\n${useless}`;
}

function keyRow({ key, also = [], type, default: shown, allowed, help }: KeyRow): string {
  const words = allowed === undefined ? '' : `: ${allowed.map(code).join(', ')}`;
  return row([[key, ...also].map(code).join(', '), `${typeWord(type)}${words}`, shown ?? '', help]);
}

function typeWord(type: KeyRow['type']): string {
  switch (type) {
    case 'int':
      return 'whole number';
    case 'exact':
      return 'number';
    case 'word':
      return 'text or number';
    case 'list':
      return 'array';
    case 'any':
      return 'see right';
    case 'yes-no':
      return 'yes or no';
    case 'true-false':
      return 'true or false';
    default:
      return type;
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
