import test from 'ava';
import fc from 'fast-check';
import { type CommandForm, gnuMistake, readCommandLine } from '../../src/text/command-line.js';

const options = [
  { long: 'rows', short: 'n', value: 'N' },
  { long: 'rounds', value: 'N' },
  { long: 'quiet', short: 'q', also: ['silent'] },
  { long: 'all', short: 'a' },
] as const;

function read(form: CommandForm, ...argv: readonly string[]): string[] {
  return [...readCommandLine(options, argv, form)].map((met) =>
    met.kind === 'option' ? `${met.option.long}=${met.text ?? ''}` : gnuMistake(met),
  );
}

test('programs of the GNU form bundle switches, cut long names, and take any word as a value', (t) => {
  t.deepEqual(read('gnu', '-qan5', '--row=7', '--silent', '-n', '--all'), [
    'quiet=',
    'all=',
    'rows=5',
    'rows=7',
    'quiet=',
    'rows=--all',
  ]);
  t.deepEqual(read('gnu', '--ro', '--quiet=1', '--', 'word'), [
    "option '--ro' is ambiguous; possibilities: '--rows' '--rounds'",
    "option '--quiet' doesn't allow an argument",
    'Too many arguments',
  ]);
});

test('settings need no dashes, switches may have a value, and two dashes are never one', (t) => {
  t.deepEqual(read('settings', 'rows=7', '-n=5', '-n5', '--quiet=false', '--all', '--rows', '--quiet'), [
    'rows=7',
    'rows=5',
    'rows=5',
    'quiet=false',
    'all=',
    "option '--rows' requires an argument",
    'quiet=',
  ]);
  t.deepEqual(read('settings', '--row=7'), ["unrecognized option '--row' (did you mean rows?)"]);
});

test('any words are options or mistakes, and no mistake shows a value', (t) => {
  const word = fc.oneof(fc.constantFrom('-n', '--rows', '-q', '--', '-', '--rows=hunter2', '-nhunter2'), fc.string());
  fc.assert(
    fc.property(fc.constantFrom<CommandForm>('gnu', 'settings'), fc.array(word, { maxLength: 8 }), (form, argv) => {
      for (const met of readCommandLine(options, [...argv, '--nosuch=hunter2'], form)) {
        if (met.kind !== 'option') t.notRegex(gnuMistake(met), /hunter2/);
      }
    }),
  );
});
