import { wrapped } from '../../text/wrapped.js';
import { shownDefault } from './help.js';
import { flags, isOpen, type LoadFlag, rowsAt, withoutEffect } from './keys/rows.js';
import { flagGroups, type Level, levels } from './keys/setting.js';

const otherOptions = `Any other key is an option of CREATE DATABASE, such as \`keep\`, \`vgroups\`, \`replica\`, \`minRows\`, \`maxRows\`
or \`comp\`. \`days\` is its DURATION, \`walLevel\` WAL_LEVEL, \`fsync\` WAL_FSYNC_PERIOD, \`cacheLast\` CACHEMODEL.
\`cache\`, \`blocks\`, \`quorum\` and \`update\` have no effect. A value that CREATE DATABASE would refuse ends the
run before anything is touched.`;

/** Of a line of prose, in characters. */
const lineLength = 120;

const introduction = `# Arguments and files of the load tool

This page is generated from the table in \`src/load/settings/keys/table.ts\`; \`npm run settings-page\` writes it anew.

Arguments describe insertions. A JSON file, which \`-f\` names, also describes queries and subscriptions. With \`-f\`
only the arguments of the server (\`-h\`, \`-P\`, \`-u\`, \`-p\`, \`-c\`, \`--tls\`, \`--ca-file\`) and \`-y\`, \`-g\`, \`--json\` and \`--html\`
count, before the keys of the file.

## Arguments

These mean the same: \`-n 5\`, \`-n5\`, \`--records=5\`, \`--records 5\`. Switches can be bundled, and the last
letter may have a value: \`-yn5\`. Long names can be cut as long as they are unique. If an argument is repeated, the
last one counts. \`--\` ends the arguments. \`-h\` is the host; help is \`-?\`.

A mistake in the command line ends the tool with code 64 before anything is touched. With \`--lenient\` a number
that cannot be read, or is out of range, is replaced with a message, but never a port. The exit code is 0 after
success, 1 when a file asks for something impossible, and 255 when a run failed.

[load-tool.md](load-tool.md) shows what to do with it.
`;

const fileIntroduction = `
## Keys of a file

Upper and lower case of keys are the same. If a key is repeated, the first one counts. An unknown key is ignored
with a warning that names the nearest known one. A number as text, or true instead of \`"yes"\`, is accepted with a
warning. Any other value of a wrong type ends the run before anything is touched. Paths are relative to the working
directory. A file has one JSON object without comments.
`;

/** The page `docs/load-tool-arguments.md`: every argument and every key. */
export function renderLoadPage(): string {
  const groups = Object.entries(flagGroups).map(([group, title]) => {
    const rows = flags.filter((flag) => flag.group === group).map(flagCells);
    return `### ${title}\n\n${tableOf(['Argument', 'Value', 'Default', 'What it does'], rows)}`;
  });
  const keys = (Object.keys(levels) as Level[]).map(renderKeys);
  return `${introduction}\n${groups.join('\n')}${fileIntroduction}\n${keys.join('\n')}`;
}

function renderKeys(level: Level): string {
  const others = isOpen(level) ? `${otherOptions}\n\n` : '';
  const useless = withoutEffect[level]?.map(code).join(', ');
  const end =
    useless === undefined
      ? ''
      : `\n${wrapped(`Accepted and without effect: ${useless}.`.split(' '), lineLength).join('\n')}\n`;
  const rows = rowsAt(level).map((setting) => {
    const { keys, type, help } = setting;
    return [keys.map(code).join(', '), type.word, shownDefault(setting, false) ?? '', help];
  });
  return `### ${levels[level]}\n\n${others}${tableOf(['Key', 'Type', 'Default', 'What it means'], rows)}${end}`;
}

function flagCells({ short, long, also, value = '', setting }: LoadFlag): readonly string[] {
  const names = [...(short === undefined ? [] : [`-${short}`]), ...[long, ...also].map((name) => `--${name}`)];
  const help = setting.ofFlag?.help ?? setting.help;
  return [names.map(code).join(', '), value, shownDefault(setting, true) ?? '', help];
}

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`);
  return `| ${heads.join(' | ')} |\n${'|---'.repeat(heads.length)}|\n${lines.join('')}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
