import { versionText } from '../../../config/usage.js';
import { gnuMistake, readCommandLine } from '../../../text/command-line.js';
import { information, type LoadNote, type LoadRefusal, warning } from '../file/request.js';
import { general } from '../keys/general.js';
import { flags, type LoadFlag } from '../keys/rows.js';
import { type Bounds, nearestOf, rangeText, type Setting, type Values } from '../keys/setting.js';
import { loadHelp, loadUsage } from './usage.js';

/** Result of a command line: arguments, or the end of the program. */
type ArgumentsRead =
  | { readonly outcome: 'arguments'; readonly args: LoadArguments }
  | { readonly outcome: 'print'; readonly text: string }
  | LoadRefusal;

/**
 * Reads the load tool's command line. `-V`, `--help` and `--usage` act when they are met, and so does a mistake in the form of
 * an argument: what stands to the right of them is not read.
 */
export function readLoadArguments(program: string, version: string, argv: readonly string[]): ArgumentsRead {
  const texts = new Map<Setting<unknown>, string>();
  for (const met of readCommandLine(flags, argv, 'gnu')) {
    if (met.kind === 'stray') return usageMistake(program, [`${gnuMistake(met)}${fileHint(argv[met.at])}`]);
    if (met.kind !== 'option') return usageMistake(program, [gnuMistake(met)]);
    if (met.option.setting === general.host && met.text === 'elp') {
      return usageMistake(program, ["-help is the host 'elp' (did you mean --help?)"]);
    }
    const text = printedBy(met.option, program, version);
    if (text !== undefined) return { outcome: 'print', text };
    texts.set(met.option.setting, met.text ?? '');
  }
  return { outcome: 'arguments', args: new LoadArguments(texts) };
}

/** A hint for a command line that names a file without its flag. */
function fileHint(word = ''): string {
  return word.endsWith('.json') ? ` (did you mean -f ${word}?)` : '';
}

/** A refusal of what is wrong with a command line, with a hint. */
export function usageMistake(program: string, mistakes: readonly string[]): LoadRefusal {
  const hint = `Try '${program} --help' or '${program} --usage' for more information.`;
  return { outcome: 'refused', lines: [...mistakes.map((text) => `${program}: ${text}`), hint], exitCode: 64 };
}

/** Text that `-V`, `-?` and `--usage` print. */
function printedBy({ setting }: LoadFlag, program: string, version: string): string | undefined {
  if (setting === general.version) return versionText(program, version);
  if (setting === general.help) return loadHelp(program, version);
  return setting === general.usage ? loadUsage(program) : undefined;
}

/** The arguments of one run; of a repeated one the last counts. */
export class LoadArguments implements Values {
  readonly notes: LoadNote[] = [];
  readonly mistakes: string[] = [];
  readonly #texts: ReadonlyMap<Setting<unknown>, string>;

  constructor(texts: ReadonlyMap<Setting<unknown>, string>) {
    this.#texts = texts;
  }

  /** Settings that are given, in their order. */
  get settings(): readonly Setting<unknown>[] {
    return [...this.#texts.keys()];
  }

  has(setting: Setting<unknown>): boolean {
    return this.#texts.has(setting);
  }

  get<V>(setting: Setting<V>): V {
    return this.#read(setting) ?? setting.flag?.default ?? setting.default;
  }

  /**
   * Looks at every value. One that cannot be read is a mistake; with `--lenient` it is complained of and replaced, by the digits
   * it begins with or by the default. A port is never replaced: another server would have its database dropped.
   */
  check(): void {
    const lenient = this.has(general.lenient);
    for (const [setting, text] of this.#texts) {
      if (setting.type.fromText(text, boundsOf(setting)) !== undefined) continue;
      const quoted = JSON.stringify(text);
      const allowed = rangeText(boundsOf(setting));
      const isDigits = /^-?\d+$/.test(text);
      const complaint = isDigits
        ? `${nameOf(setting)}: ${quoted} is out of range; allowed: ${allowed}`
        : `${nameOf(setting)} requires a number argument, not ${quoted}`;
      if (!lenient || setting === general.port) this.mistakes.push(`${complaint}.`);
      else this.#complain(`${complaint}; ${this.get(setting) ?? setting.shown ?? 'none'} is used.`);
    }
  }

  inform(setting: Setting<unknown>, text: string): void {
    this.notes.push(information(`${nameOf(setting)} ${text}.`));
  }

  warn(setting: Setting<unknown>, text: string): void {
    this.notes.push(warning(`${nameOf(setting)} ${text}.`));
  }

  refuse(setting: Setting<unknown>, text: string): undefined {
    const line = `${nameOf(setting)}: ${text}`;
    if (this.has(general.lenient)) this.#complain(`${line}; ${setting.default} is used.`);
    else this.mistakes.push(`${line}.`);
    return undefined;
  }

  #complain(text: string): void {
    this.notes.push({ level: 'error', text });
  }

  #read<V>(setting: Setting<V>): V | undefined {
    const text = this.#texts.get(setting);
    if (text === undefined) return undefined;
    const bounds = boundsOf(setting);
    const value = setting.type.fromText(text, bounds);
    if (value !== undefined || !this.has(general.lenient)) return value;
    const digits = /^\s*([+-]?\d+)/.exec(text)?.[1];
    if (digits === undefined) return undefined;
    const nearest = bounds.outOfRange === 'nearest' ? String(nearestOf(Number(digits), bounds)) : digits;
    return setting.type.fromText(nearest, bounds);
  }
}

function boundsOf(setting: Setting<unknown>): Bounds {
  return { ...setting, ...(setting.flag?.min === undefined ? {} : { min: setting.flag.min }) };
}

/** `-n, --records`. */
function nameOf({ flag, key }: Setting<unknown>): string {
  if (flag === undefined) return key ?? '';
  return `${flag.short === undefined ? '' : `-${flag.short}, `}--${flag.long}`;
}
