import { type OptionRow, type OptionTable, option } from '../model/option.js';
import { type CommandOption, gnuMistake, type Mistake, readCommandLine } from '../text/command-line.js';
import { suggestion } from '../text/nearest.js';
import { parseValue } from './values.js';

/** A command line that was read; `errors` are lines for people. Values are still text, in the order they were given. */
export interface Arguments {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The word after `--help`, empty when there is none; undefined when no help is requested. */
  readonly help: string | undefined;
  readonly version: boolean;
  /** `-c`, `--config`. */
  readonly configPath: string | undefined;
  readonly errors: readonly string[];
}

/** Flags that only a command line has. */
export const commandRows: readonly OptionRow[] = [
  option.text('config', 'path of the configuration file; not set is adapter.toml in dbConfigDir', {
    short: 'c',
    env: '',
  }),
  option.bool('help', 'print this text and exit; --help GROUP prints a group of settings, --help all every setting', {
    short: 'h',
    env: '',
  }),
  option.bool('version', 'print the version and exit', { short: 'V', env: '' }),
];

/** Words that may stand in the place of the first argument, with arguments of their own, and what they do. */
export const commands: Readonly<Record<string, string>> = {
  backup: 'copy the data while the service runs',
  restore: 'make a data directory of a backup',
  move: 'copy the databases of one machine to a cluster',
  rebalance: 'spread the rows of a cluster over a new shard',
  'import-rules': 'print alerts of Prometheus as rules of events',
};
const commandNames: readonly string[] = Object.keys(commands);

/** A row as the reader of command lines takes it. */
interface RowOption extends CommandOption {
  readonly row: OptionRow;
}

/**
 * Reads a command line: `--name=value`, `--name value`, `name=value`, `-P 7000`, `-P7000`, `-P=7000`. A boolean without
 * `=value` is true and never takes the next argument. A flag given again replaces its value, or adds to it when it is a
 * list. Error lines never show an argument's value: it may be a secret under a mistyped name.
 */
export function readArguments(tables: readonly OptionTable[], argv: readonly string[]): Arguments {
  const options = [...commandRows, ...tables.flatMap((table) => table.rows)].map(optionOf);
  const texts = new Map<string, string[]>();
  const errors: string[] = [];
  let topic = '';
  for (const met of readCommandLine(options, argv, 'settings')) {
    if (met.kind === 'stray' && isHelpFlag(argv[met.at - 1])) {
      topic = argv[met.at] ?? '';
      continue;
    }
    if (met.kind !== 'option') {
      errors.push(lineOf(met, argv));
      // What follows are arguments of the command.
      if (met.kind === 'stray' && isCommand(argv[met.at])) break;
      continue;
    }
    const { flag } = met.option.row;
    const values = texts.get(flag) ?? [];
    values.push(met.text ?? 'true');
    texts.set(flag, values);
  }
  const help = isOn(texts, 'help', errors) ? topic : undefined;
  const version = isOn(texts, 'version', errors);
  return { values: texts, help, version, configPath: texts.get('config')?.at(-1), errors };
}

function isCommand(word: string | undefined): boolean {
  return word !== undefined && commandNames.includes(word);
}

function isHelpFlag(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}

function optionOf(row: OptionRow): RowOption {
  return {
    row,
    long: row.flag,
    ...(row.short === undefined ? {} : { short: row.short }),
    ...(row.type === 'bool' ? {} : { value: row.type }),
  };
}

function lineOf(mistake: Mistake<RowOption>, argv: readonly string[]): string {
  switch (mistake.kind) {
    case 'unknown':
      return `Unknown flag ${mistake.shown}${mistake.suggestion}.`;
    case 'stray': {
      const word = argv[mistake.at] ?? '';
      const list = `commands are ${commandNames.join(', ')}, settings --name=value`;
      if (mistake.at === 0)
        return `Argument 1 is neither a command${suggestion(word, commandNames)} nor a setting; ${list}.`;
      if (isCommand(word)) return `The command ${word} must be the first argument, as in: sluice ${word} …; ${list}.`;
      return `Argument ${mistake.at + 1}, after ${nameOf(argv[mistake.at - 1] ?? '')}, is not a setting; write --name=value, and a command before all settings.`;
    }
    case 'no-value':
      return `--${mistake.option.long} needs a value; write --${mistake.option.long}=value.`;
    default:
      return gnuMistake(mistake);
  }
}

function isOn(values: ReadonlyMap<string, readonly string[]>, flag: string, errors: string[]): boolean {
  const text = values.get(flag)?.at(-1);
  if (text === undefined) return false;
  const parsed = parseValue({ type: 'bool' }, text);
  if (!parsed.ok) errors.push(`--${flag} takes ${parsed.allowed}.`);
  return parsed.ok && parsed.value === true;
}

/** An argument without its value: only what is surely a flag's name. */
function nameOf(argument: string): string {
  return /^(--[^=]+|-[^-=])/.exec(argument)?.[0] ?? 'a value';
}
