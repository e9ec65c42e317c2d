import { readGnuArguments } from '../../config/gnu-arguments.js';
import { versionText } from '../../config/usage.js';
import { type LoadOption, loadOptions } from './options.js';
import type { LoadNote, LoadRefusal } from './request.js';
import { loadHelp, loadUsage } from './usage.js';

/** The arguments of one run; of a repeated one the last counts. */
export interface LoadArguments {
  readonly outcome: 'arguments';
  /** By long name; a switch has the empty text. */
  readonly given: ReadonlyMap<string, string>;
  /** Values of numeric arguments, by long name; one without a usable value and without a default is missing. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly notes: readonly LoadNote[];
}

export type ArgumentsRead =
  | LoadArguments
  | { readonly outcome: 'print'; readonly text: string; readonly notes: readonly LoadNote[] }
  | (LoadRefusal & { readonly notes: readonly LoadNote[] });

interface Reading {
  readonly program: string;
  readonly given: Map<string, string>;
  readonly numbers: Map<string, number>;
  readonly notes: LoadNote[];
}

/**
 * Reads the load tool's command line. `-V`, `--help` and `--usage` act when they are met, and so does a mistake: what
 * stands to the right of them is not read. A bad number never ends a run: it is complained of and replaced.
 */
export function readLoadArguments(program: string, version: string, argv: readonly string[]): ArgumentsRead {
  const reading: Reading = { program, given: new Map(), numbers: new Map(), notes: [] };
  const { notes } = reading;
  for (const met of readGnuArguments(loadOptions, argv)) {
    if (met.kind === 'mistake') return { ...usageMistake(program, met.message), notes };
    const text = printedBy(met.option, program, version);
    if (text !== undefined) return { outcome: 'print', text, notes };
    take(reading, met.option, met.text);
  }
  return { outcome: 'arguments', given: reading.given, numbers: reading.numbers, notes };
}

/** What `-V`, `-?` and `--usage` print. */
function printedBy(option: LoadOption, program: string, version: string): string | undefined {
  if (option.long === 'version') return versionText(program, version);
  if (option.long === 'help') return loadHelp(program, version);
  return option.long === 'usage' ? loadUsage(program) : undefined;
}

function usageMistake(program: string, message: string): LoadRefusal {
  const hint = `Try '${program} --help' or '${program} --usage' for more information.`;
  return { outcome: 'refused', lines: [`${program}: ${message}`, hint], exitCode: 64 };
}

function take(reading: Reading, option: LoadOption, text: string): void {
  reading.given.set(option.long, text);
  if (option.number === undefined) return;
  const value = readNumber(reading, option, option.number, text);
  if (value === undefined) reading.numbers.delete(option.long);
  else reading.numbers.set(option.long, value);
}

/** The two checks of a number: made of digits only, and within its range. Each only complains. */
function readNumber(
  { program, notes }: Reading,
  option: LoadOption,
  rule: NonNullable<LoadOption['number']>,
  text: string,
): number | undefined {
  const name = `${option.short === undefined ? '' : `-${option.short}, `}--${option.long}`;
  const quoted = JSON.stringify(text);
  const signed = rule.min < 0 ? /^-?\d+$/ : /^\d+$/;
  if (!signed.test(text)) {
    notes.push({
      level: 'error',
      text: `${name} requires a number argument, not ${quoted}; try '${program} --help'.`,
    });
  }
  const value = Number(/^\s*[+-]?\d+/.exec(text)?.[0]);
  if (value >= rule.min && value <= rule.max) return value === 0 ? 0 : value;
  const replaced = rule.clamp === true && value > rule.max ? rule.max : rule.default;
  const range = rule.clamp === true ? `, allowed is ${rule.min} to ${rule.max}` : '';
  notes.push({
    level: 'error',
    text: `${name}: ${quoted} is invalid${range}; it is auto set to default(${replaced ?? option.default}).`,
  });
  return replaced;
}
