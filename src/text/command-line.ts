import { suggestion } from './nearest.js';

/** Facts about an option that the reader needs: with a value word it takes a value, without it is a switch. */
export interface CommandOption {
  readonly long: string;
  readonly short?: string;
  /** Other long names. */
  readonly also?: readonly string[];
  readonly value?: string;
}

/**
 * How a program's command line is written.
 * - `gnu`: switches can be bundled, the last of them with a value (`-yn5`); long names can be cut where they stay
 *   unique; `--` ends the options; an option that needs a value takes the next word whatever it looks like.
 * - `settings`: `name=value` needs no dashes, `-P=7000` is `-P7000`, a switch may have a value (`--debug=false`), and
 *   a word that begins with two dashes is never a value.
 */
export type CommandForm = 'gnu' | 'settings';

/** Fault of an argument. Words of mistakes never show a value: it may be a secret under a mistyped name. */
export type Mistake<O> =
  | { readonly kind: 'unknown'; readonly shown: string; readonly suggestion: string }
  | { readonly kind: 'ambiguous'; readonly shown: string; readonly candidates: readonly string[] }
  | { readonly kind: 'no-value'; readonly option: O; readonly shown: string }
  | { readonly kind: 'value-of-switch'; readonly option: O }
  /** `at` is the place of the word, from 0 on. */
  | { readonly kind: 'stray'; readonly at: number };

/** One argument that was met: an option with its value, undefined for a switch without one, or a mistake. */
type MetArgument<O> = { readonly kind: 'option'; readonly option: O; readonly text: string | undefined } | Mistake<O>;

/** Reads a command line argument by argument, so that the caller may act on one before the next is read. */
export function* readCommandLine<O extends CommandOption>(
  options: readonly O[],
  argv: readonly string[],
  form: CommandForm,
): Generator<MetArgument<O>> {
  const reader = new CommandLine(options, argv, form);
  while (!reader.isOver) yield* reader.next();
}

class CommandLine<O extends CommandOption> {
  readonly #options: readonly O[];
  readonly #argv: readonly string[];
  readonly #isGnu: boolean;
  #at = 0;

  constructor(options: readonly O[], argv: readonly string[], form: CommandForm) {
    this.#options = options;
    this.#argv = argv;
    this.#isGnu = form === 'gnu';
  }

  get isOver(): boolean {
    return this.#at >= this.#argv.length;
  }

  *next(): Generator<MetArgument<O>> {
    const at = this.#at++;
    const word = this.#argv[at] ?? '';
    if (this.#isGnu && word === '--') {
      if (!this.isOver) yield { kind: 'stray', at: this.#at };
      this.#at = this.#argv.length;
    } else if (word.startsWith('--')) yield this.#long(word.slice(2));
    else if (word.startsWith('-') && word !== '-') yield* this.#shorts(word);
    else if (!this.#isGnu && word.includes('=')) yield this.#long(word);
    else yield { kind: 'stray', at };
  }

  #long(text: string): MetArgument<O> {
    const equals = text.indexOf('=');
    const name = equals < 0 ? text : text.slice(0, equals);
    const option = this.#find(name);
    if ('kind' in option) return option;
    if (equals < 0) return this.#withNext(option.option, `--${option.option.long}`);
    if (this.#isGnu && option.option.value === undefined) return { kind: 'value-of-switch', option: option.option };
    return { kind: 'option', option: option.option, text: text.slice(equals + 1) };
  }

  /** A word of short options; the last may carry its value or take the next word. */
  *#shorts(word: string): Generator<MetArgument<O>> {
    for (let at = 1; at < word.length; at++) {
      const letter = word[at] ?? '';
      const option = this.#options.find(({ short }) => short === letter);
      if (option === undefined) {
        const near = this.#isGnu ? '' : this.#suggestionFor(word.slice(1).split('=')[0] ?? '');
        yield { kind: 'unknown', shown: `-${letter}`, suggestion: near };
        return;
      }
      const rest = word.slice(at + 1);
      if (rest === '') yield this.#withNext(option, `-${letter}`);
      else if (this.#isGnu && option.value === undefined) {
        yield { kind: 'option', option, text: undefined };
        continue;
      } else yield { kind: 'option', option, text: this.#isGnu ? rest : rest.replace(/^=/, '') };
      return;
    }
  }

  /** An option without a value in its own word. */
  #withNext(option: O, shown: string): MetArgument<O> {
    if (option.value === undefined) return { kind: 'option', option, text: undefined };
    const next = this.#argv[this.#at];
    if (next === undefined || (!this.#isGnu && next.startsWith('--'))) return { kind: 'no-value', option, shown };
    this.#at++;
    return { kind: 'option', option, text: next };
  }

  /** The option of a long name, or of the beginning of one that no other shares. */
  #find(name: string): { readonly option: O } | Mistake<O> {
    const exact = this.#options.find((option) => namesOf(option).includes(name));
    if (exact !== undefined) return { option: exact };
    const cut =
      this.#isGnu && name !== '' ? this.#options.filter((option) => beginning(option, name) !== undefined) : [];
    const [only] = cut;
    if (only === undefined) return { kind: 'unknown', shown: `--${name}`, suggestion: this.#suggestionFor(name) };
    if (cut.length === 1) return { option: only };
    return {
      kind: 'ambiguous',
      shown: `--${name}`,
      candidates: cut.flatMap((option) => beginning(option, name) ?? []),
    };
  }

  #suggestionFor(name: string): string {
    const dashes = this.#isGnu ? '--' : '';
    if (name === '') return '';
    return suggestion(
      dashes + name,
      this.#options.flatMap(namesOf).map((long) => dashes + long),
    );
  }
}

function namesOf({ long, also = [] }: CommandOption): readonly string[] {
  return [long, ...also];
}

function beginning(option: CommandOption, name: string): string | undefined {
  return namesOf(option).find((long) => long.startsWith(name));
}

/** A mistake in the words of GNU programs. */
export function gnuMistake(mistake: Mistake<CommandOption>): string {
  switch (mistake.kind) {
    case 'unknown': {
      const isLong = mistake.shown.startsWith('--');
      const what = isLong ? `unrecognized option '${mistake.shown}'` : `invalid option -- '${mistake.shown.slice(1)}'`;
      return what + mistake.suggestion;
    }
    case 'ambiguous': {
      const list = mistake.candidates.map((long) => `'--${long}'`).join(' ');
      return `option '${mistake.shown}' is ambiguous; possibilities: ${list}`;
    }
    case 'no-value':
      return mistake.shown.startsWith('--')
        ? `option '${mistake.shown}' requires an argument`
        : `option requires an argument -- '${mistake.shown.slice(1)}'`;
    case 'value-of-switch':
      return `option '--${mistake.option.long}' doesn't allow an argument`;
    case 'stray':
      return 'Too many arguments';
  }
}
