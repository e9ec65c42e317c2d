import test from 'ava';
import { readArguments } from '../../src/config/arguments.js';
import type { OptionTable } from '../../src/model/option.js';

const tables: readonly OptionTable[] = [
  {
    group: '',
    title: 'General',
    rows: [
      { flag: 'port', short: 'P', type: 'int', env: 'X_PORT', help: '' },
      { flag: 'debug', type: 'bool', env: 'X_DEBUG', help: '' },
      { flag: 'restfulRowLimit', type: 'int', env: 'X_LIMIT', help: '' },
    ],
  },
  {
    group: 'input',
    title: 'Input',
    rows: [
      { flag: 'input.names', type: 'string-list', env: 'X_NAMES', help: '' },
      { flag: 'input.password', type: 'secret', env: 'X_PASSWORD', help: '' },
    ],
  },
];

function valuesOf(...argv: string[]): Record<string, readonly string[]> {
  const args = readArguments(tables, argv);
  if (args.errors.length > 0) throw new Error(args.errors.join(' '));
  return Object.fromEntries(args.values);
}

test('reads a value after an equals sign and as the next argument', (t) => {
  t.deepEqual(valuesOf('--port=7000'), { port: ['7000'] });
  t.deepEqual(valuesOf('--port', '7000'), { port: ['7000'] });
  t.deepEqual(valuesOf('port=7000'), { port: ['7000'] });
  t.deepEqual(valuesOf('--input.password=a=b'), { 'input.password': ['a=b'] });
  t.deepEqual(valuesOf('--input.password='), { 'input.password': [''] });
});

test('-P, -c and the bare word config are read as the long flags', (t) => {
  for (const argv of [['-P', '7000'], ['-P7000'], ['-P=7000']]) t.deepEqual(valuesOf(...argv), { port: ['7000'] });
  for (const argv of [
    ['-c', 'a.toml'],
    ['-c=a.toml'],
    ['--config', 'a.toml'],
    ['--config=a.toml'],
    ['config=a.toml'],
  ]) {
    t.is(readArguments(tables, argv).configPath, 'a.toml');
  }
});

test('takes a negative number as a value', (t) => {
  t.deepEqual(valuesOf('--restfulRowLimit', '-1'), { restfulRowLimit: ['-1'] });
});

test('turns a bare boolean on and leaves the next argument alone', (t) => {
  t.deepEqual(valuesOf('--debug', '--port=1'), { debug: ['true'], port: ['1'] });
  t.deepEqual(valuesOf('--debug=false'), { debug: ['false'] });
  t.is(readArguments(tables, ['--debug', 'false']).errors.length, 1);
});

test('keeps every value of a repeated flag in order', (t) => {
  t.deepEqual(valuesOf('--input.names=a', '--input.names', 'b,c'), { 'input.names': ['a', 'b,c'] });
});

test('sees help and version wherever they stand', (t) => {
  for (const flag of ['--help', '-h']) t.true(readArguments(tables, ['--port=1', flag]).help === '', flag);
  for (const flag of ['--version', '-V']) t.true(readArguments(tables, [flag]).version, flag);
  const none = readArguments(tables, ['--help=false']);
  t.is(none.help, undefined);
  t.is(readArguments(tables, ['--help=maybe']).errors.length, 1);
});

test('takes the word after --help as the group to explain, and no other word', (t) => {
  t.like(readArguments(tables, ['--help', 'input']), { help: 'input', errors: [] });
  t.like(readArguments(tables, ['-h', 'input', '--port=1']), { help: 'input', errors: [] });
  t.is(readArguments(tables, ['--help', '--port=1']).help, '');
  t.is(readArguments(tables, ['--help', 'input', 'more']).errors.length, 1);
});

test('says that a command comes first, in one line, and takes what follows as its own', (t) => {
  const line =
    'The command backup must be the first argument, as in: sluice backup …; commands are backup, restore, move, rebalance, import-rules, settings --name=value.';
  t.deepEqual(readArguments(tables, ['--port=7041', 'backup', '/var/backups', '--from=x']).errors, [line]);
  t.deepEqual(readArguments(tables, ['-P', '7041', 'backup']).errors, [line]);
});

test('names an unknown flag and the one that was meant, but never the value', (t) => {
  const { errors } = readArguments(tables, ['--input.pasword=hunter2', '-x', 'prot=1', '-p1']);
  t.deepEqual(errors, [
    'Unknown flag --input.pasword (did you mean input.password?).',
    'Unknown flag -x.',
    'Unknown flag --prot (did you mean port?).',
    'Unknown flag -p.',
  ]);
});

test('refuses a flag without its value', (t) => {
  t.deepEqual(readArguments(tables, ['--port', '--debug']).errors, ['--port needs a value; write --port=value.']);
  t.deepEqual(readArguments(tables, ['-P']).errors, ['--port needs a value; write --port=value.']);
});

test('refuses an argument that is no setting without showing it', (t) => {
  t.deepEqual(readArguments(tables, ['--input.password', 'two', 'words']).errors, [
    'Argument 3, after a value, is not a setting; write --name=value, and a command before all settings.',
  ]);
  t.deepEqual(readArguments(tables, ['--debug', 'false']).errors, [
    'Argument 2, after --debug, is not a setting; write --name=value, and a command before all settings.',
  ]);
  t.deepEqual(readArguments(tables, ['bakcup', '--debug']).errors, [
    'Argument 1 is neither a command (did you mean backup?) nor a setting; commands are backup, restore, move, rebalance, import-rules, settings --name=value.',
  ]);
  t.notRegex(readArguments(tables, ['hunter2']).errors.join(), /hunter2/);
  t.notRegex(readArguments(tables, ['-phunter2', 'port']).errors.join(), /hunter2/);
  t.is(readArguments(tables, ['-', '']).errors.length, 2);
});
