import { versionText } from '../../config/usage.js';
import { gnuMistake, readCommandLine } from '../../text/command-line.js';
import { loadHelp, loadUsage } from './help.js';
import type { LoadNote } from './input.js';
import { flagOf, flags, nameOfFlag } from './keys/rows.js';
import { type Rows, rangeText, type Setting, type Values, type ValuesOf, valuesOf } from './keys/setting.js';
import { general } from './keys/table.js';

/** The tool ends before anything is touched: lines for stderr, and exit code 64 for the command line, 1 for a file. */
export interface LoadRefusal {
  readonly outcome: 'refused';
  readonly lines: readonly string[];
  readonly exitCode: 1 | 64;
}

/** Result of a command line: arguments, or the end of the program. */
type ArgumentsRead =
  | { readonly outcome: 'arguments'; readonly args: LoadArguments }
  | { readonly outcome: 'print'; readonly text: string }
  | LoadRefusal;

/**
 * Reads the load tool's command line. `-V`, `--help` and `--usage` act when they are met, and so does a mistake in the
 * form of an argument: what stands to the right of them is not read.
 */
export function readLoadArguments(program: string, version: string, argv: readonly string[]): ArgumentsRead {
  const texts = new Map<Setting<unknown>, string>();
  for (const met of readCommandLine(flags, argv, 'gnu')) {
    if (met.kind === 'stray') {
      const word = argv[met.at] ?? '';
      const hint = word.endsWith('.json') ? ` (did you mean -f ${word}?)` : '';
      return usageMistake(program, [`${gnuMistake(met)}${hint}`]);
    }
    if (met.kind !== 'option') return usageMistake(program, [gnuMistake(met)]);
    const { setting } = met.option;
    if (setting === general.host && met.text === 'elp') {
      return usageMistake(program, ["-help is the host 'elp' (did you mean --help?)"]);
    }
    if (setting === general.version) return { outcome: 'print', text: versionText(program, version) };
    if (setting === general.help) return { outcome: 'print', text: loadHelp(program, version) };
    if (setting === general.usage) return { outcome: 'print', text: loadUsage(program) };
    texts.set(setting, met.text ?? '');
  }
  return { outcome: 'arguments', args: new LoadArguments(texts) };
}

/** A refusal of what is wrong with a command line, with a hint. */
export function usageMistake(program: string, mistakes: readonly string[]): LoadRefusal {
  const hint = `Try '${program} --help' or '${program} --usage' for more information.`;
  return { outcome: 'refused', lines: [...mistakes.map((text) => `${program}: ${text}`), hint], exitCode: 64 };
}

/** The arguments of one run; of a repeated one the last counts. */
export class LoadArguments implements Values {
  readonly notes: LoadNote[] = [];
  readonly mistakes: string[] = [];
  readonly #texts: ReadonlyMap<Setting<unknown>, string>;

  constructor(texts: ReadonlyMap<Setting<unknown>, string>) {
    this.#texts = texts;
  }

  /** Settings that have arguments, in their order. */
  get settings(): readonly Setting<unknown>[] {
    return [...this.#texts.keys()];
  }

  has(setting: Setting<unknown>): boolean {
    return this.#texts.has(setting);
  }

  get<V>(setting: Setting<V>): V {
    return this.#read(setting) ?? setting.ofFlag?.default ?? setting.default;
  }

  all<R extends Rows, K extends keyof R = keyof R>(rows: R, ...names: readonly K[]): Pick<ValuesOf<R>, K> {
    return valuesOf(rows, names, (setting) => this.get(setting));
  }

  /**
   * Checks every value. One that cannot be read is a mistake; with `--lenient` it is replaced, with a complaint, by the
   * digits it begins with or by the default. A port is never replaced: another server would have its database dropped.
   * `besideFile` leaves out values that have no effect beside a file.
   */
  check(besideFile: boolean): void {
    const lenient = this.has(general.lenient);
    for (const [setting, text] of this.#texts) {
      if (besideFile && setting.withFile !== true) continue;
      if (argumentOf(setting, text) !== undefined || !setting.type.isNumber) continue;
      const quoted = JSON.stringify(text);
      const complaint = /^-?\d+$/.test(text)
        ? `${nameOfFlag(setting)}: ${quoted} is out of range; allowed: ${rangeText(setting.ofFlag?.range ?? setting.range)}`
        : `${nameOfFlag(setting)} requires a number argument, not ${quoted}`;
      if (!lenient || setting === general.port) this.mistakes.push(`${complaint}.`);
      else this.#complain(`${complaint}; ${this.get(setting) ?? setting.shown ?? 'none'} is used.`);
    }
  }

  inform(setting: Setting<unknown>, text: string): void {
    this.notes.push({ level: 'info', text: `${nameOfFlag(setting)} ${text}.` });
  }

  warn(setting: Setting<unknown>, text: string): void {
    this.notes.push({ level: 'warn', text: `${nameOfFlag(setting)} ${text}.` });
  }

  /** A mistake in an argument, which `--lenient` replaces by the default, or in what all of them say together. */
  refuse(setting: Setting<unknown> | undefined, text: string): undefined {
    if (setting === undefined) this.mistakes.push(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
    else if (!this.has(general.lenient)) this.fail(setting, text);
    else this.#complain(`${nameOfFlag(setting)}: ${text}; ${setting.default} is used.`);
  }

  missing(setting: Setting<unknown>, what: string): undefined {
    this.fail(setting, `is missing; needed: ${what}`);
  }

  /** A mistake that even `--lenient` does not replace. */
  fail(setting: Setting<unknown>, text: string): void {
    this.mistakes.push(`${nameOfFlag(setting)}: ${text}.`);
  }

  #complain(text: string): void {
    this.notes.push({ level: 'error', text });
  }

  #read<V>(setting: Setting<V>): V | undefined {
    const text = this.#texts.get(setting);
    if (text === undefined) return undefined;
    const value = argumentOf(setting, text);
    if (value !== undefined || !this.has(general.lenient)) return value;
    const digits = /^\s*([+-]?\d+)/.exec(text)?.[1];
    return digits === undefined ? undefined : argumentOf(setting, digits);
  }
}

/** The value of an argument; undefined where it cannot be read as it stands, or is out of range. */
function argumentOf<V>(setting: Setting<V>, text: string): V | undefined {
  const { type, ofFlag, range } = setting;
  const isSwitch = flagOf(setting)?.value === undefined;
  const kind = type.isNumber && /^-?\d+$/.test(text) ? 'number' : 'string';
  let isPlain = true;
  const warn = (): void => {
    isPlain = false;
  };
  const node = { kind, line: 0, text: isSwitch ? 'yes' : text } as const;
  const value = type.read(
    node,
    { range: ofFlag?.range ?? range },
    {
      warn,
      refuse: () => undefined,
      locate: (path) => path,
    },
  );
  return isPlain ? value : undefined;
}
