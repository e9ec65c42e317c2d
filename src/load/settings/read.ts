import { type LoadArguments, readLoadArguments } from './arguments.js';
import { readInsertArguments, reportsOf } from './insert-arguments.js';
import { loadOptions } from './options.js';
import { type LoadInput, type LoadNote, type LoadRequest, warning } from './request.js';
import { readScenarioFile } from './scenario.js';

/**
 * What the load tool was asked for, by arguments or by a JSON file (specification 2, "What the service does"). Reads the
 * files that are named and nothing else; never throws for what a person can get wrong.
 */
export function readLoadRequest(input: LoadInput): LoadRequest {
  const args = readLoadArguments(input.program, input.version, input.argv);
  if (args.outcome !== 'arguments') return args;
  const path = args.given.get('file');
  const notes: LoadNote[] = path === undefined ? [...args.notes] : ignoredBesideFile(args);
  const scenario =
    path === undefined
      ? readInsertArguments(args, input, notes)
      : readScenarioFile(path, { ...reportsOf(args), answerYes: args.given.has('answer-yes') }, input, notes);
  return 'outcome' in scenario ? { ...scenario, notes } : { outcome: 'run', scenario, notes };
}

/** One line with the arguments that a file makes useless; complaints about their values are not worth showing. */
function ignoredBesideFile({ given }: LoadArguments): LoadNote[] {
  const counting = loadOptions.filter(({ long, withFile }) => withFile === true || long === 'file');
  const ignored = [...given.keys()].filter((name) => !counting.some(({ long }) => long === name));
  if (ignored.length === 0) return [];
  return [warning(`With --file these arguments have no effect: ${ignored.map((name) => `--${name}`).join(', ')}.`)];
}
