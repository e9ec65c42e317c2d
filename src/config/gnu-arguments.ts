import { suggestion } from '../model/nearest.js';

/** What the reader must know of an argument: a value word makes it take a value. */
export interface GnuOption {
  readonly long: string;
  readonly short?: string;
  readonly also?: readonly string[];
  readonly value?: string;
}

/** One argument that was met: an option with its value, empty for a switch, or what is wrong. */
export type MetArgument<O extends GnuOption> =
  | { readonly kind: 'option'; readonly option: O; readonly text: string }
  | { readonly kind: 'mistake'; readonly message: string };

/**
 * Reads a command line as GNU programs do, argument by argument, so that the caller may act on one before the next is
 * read: `-n 5`, `-n5`, `--records=5`, `--records 5`, bundled switches (`-yn5`), unique prefixes of long names, and `--` as
 * the end of options. An option that needs a value takes the next word whatever it looks like. Mistakes never show a
 * value.
 */
export function* readGnuArguments<O extends GnuOption>(
  options: readonly O[],
  argv: readonly string[],
): Generator<MetArgument<O>> {
  let index = 0;
  while (index < argv.length) {
    const word = argv[index++] ?? '';
    if (word === '--') {
      if (index < argv.length) yield mistake('Too many arguments');
      return;
    }
    const next = argv[index];
    const met = word.startsWith('--') ? readLong(options, word.slice(2), next) : readWord(options, word, next);
    for (const { argument } of met) yield argument;
    if (met.some(({ usedNext }) => usedNext)) index++;
  }
}

interface Met<O extends GnuOption> {
  readonly argument: MetArgument<O>;
  /** The word after this one was its value. */
  readonly usedNext: boolean;
}

function readLong<O extends GnuOption>(options: readonly O[], text: string, next: string | undefined): Met<O>[] {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const found = findLong(options, name);
  if (typeof found === 'string') return [met(mistake(found))];
  if (found.value === undefined) {
    return [met(equals < 0 ? option(found, '') : mistake(`option '--${found.long}' doesn't allow an argument`))];
  }
  if (equals >= 0) return [met(option(found, text.slice(equals + 1)))];
  if (next === undefined) return [met(mistake(`option '--${found.long}' requires an argument`))];
  return [met(option(found, next), true)];
}

/** A word of short options; the last may carry its value or take the next word. */
function readWord<O extends GnuOption>(options: readonly O[], word: string, next: string | undefined): Met<O>[] {
  if (!word.startsWith('-') || word === '-') return [met(mistake('Too many arguments'))];
  const all: Met<O>[] = [];
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? '';
    const found = options.find((candidate) => candidate.short === letter);
    if (found === undefined) return [...all, met(mistake(`invalid option -- '${letter}'`))];
    if (found.value === undefined) {
      all.push(met(option(found, '')));
      continue;
    }
    if (at + 1 < word.length) return [...all, met(option(found, word.slice(at + 1)))];
    if (next === undefined) return [...all, met(mistake(`option requires an argument -- '${letter}'`))];
    return [...all, met(option(found, next), true)];
  }
  return all;
}

/** The option of a long name or of a prefix that no other option shares; otherwise what is wrong with it. */
function findLong<O extends GnuOption>(options: readonly O[], name: string): O | string {
  const exact = options.find((candidate) => namesOf(candidate).includes(name));
  if (exact !== undefined) return exact;
  const matching = options.filter((candidate) => namesOf(candidate).some((long) => long.startsWith(name)));
  const [only] = matching;
  if (only === undefined || name === '') {
    const known = options.flatMap(namesOf).map((long) => `--${long}`);
    return `unrecognized option '--${name}'${name === '' ? '' : suggestion(`--${name}`, known)}`;
  }
  if (matching.length === 1) return only;
  const candidates = matching.map((candidate) => namesOf(candidate).find((long) => long.startsWith(name)));
  return `option '--${name}' is ambiguous; possibilities: ${candidates.map((long) => `'--${long}'`).join(' ')}`;
}

function namesOf(candidate: GnuOption): readonly string[] {
  return [candidate.long, ...(candidate.also ?? [])];
}

function met<O extends GnuOption>(argument: MetArgument<O>, usedNext = false): Met<O> {
  return { argument, usedNext };
}

function option<O extends GnuOption>(found: O, text: string): MetArgument<O> {
  return { kind: 'option', option: found, text };
}

function mistake(message: string): { readonly kind: 'mistake'; readonly message: string } {
  return { kind: 'mistake', message };
}
