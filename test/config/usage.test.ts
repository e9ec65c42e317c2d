import test from 'ava';
import { adapterOptions } from '../../src/config/adapter-settings.js';
import { groupNames, groupsText, usageText, versionText } from '../../src/config/usage.js';
import type { OptionTable } from '../../src/model/option.js';

const tables: readonly OptionTable[] = [
  {
    group: '',
    title: 'General',
    rows: [
      { flag: 'port', short: 'P', type: 'int', default: '6041', env: 'X_PORT', help: 'HTTP port' },
      { flag: 'debug', type: 'bool', default: 'true', env: 'X_DEBUG', envAlso: ['Y_DEBUG'], help: 'debug mode' },
    ],
  },
  {
    group: 'input',
    title: 'Input',
    rows: [
      { flag: 'input.way', type: 'string', default: 'in', env: 'X_WAY', help: 'direction', allowed: ['in', 'out'] },
      { flag: 'input.password', type: 'secret', default: 'hunter2', env: 'X_PASSWORD', help: 'password' },
      { flag: 'input.ttl', type: 'int', env: 'X_TTL', help: 'days' },
    ],
  },
];

/** The help of all groups, of some tables. */
const allOf = (some: readonly OptionTable[]): string => groupsText('sluice', '3.4.0', some, 'all') ?? '';
const plain = (line: string): string => line.replace(/ {2,}/g, ' ').trim();

test('prints the settings by group, with environment and default', (t) => {
  const lines = allOf(tables).split('\n');
  t.is(lines[0], 'Usage of sluice v3.4.0: sluice [--name=value ...]');
  t.deepEqual(lines.slice(2, 12).map(plain), [
    'General:',
    '-P, --port int HTTP port (default 6041) X_PORT',
    '--debug Debug mode (default true) X_DEBUG, Y_DEBUG',
    '',
    'Input:',
    '--input.way string Direction: in, out (default "in") X_WAY',
    '--input.password string Password (default the built-in password) X_PASSWORD',
    '--input.ttl int Days X_TTL',
    '',
    'A name in capitals is the environment variable that means the same. A flag outranks the variable, the',
  ]);
});

test('prints one group by its name in the settings file, whatever its case', (t) => {
  for (const name of ['input', 'Input']) {
    const lines = (groupsText('sluice', '3.4.0', tables, name) ?? '').split('\n').map(plain);
    t.is(lines[2], 'Input:');
    t.false(lines.some((line) => line.includes('--port')));
  }
  t.is(groupsText('sluice', '3.4.0', tables, 'other'), undefined);
  t.deepEqual(groupNames(tables), ['general', 'input']);
});

test('the plain help has the commands, ten settings and all groups, on one screen of a large terminal', (t) => {
  const lines = usageText('sluice', '3.4.0', adapterOptions).split('\n').map(plain);
  t.is(lines[0], 'Usage of sluice v3.4.0: sluice [--name=value ...], or sluice <command> [...]');
  for (const name of ['backup', 'restore', 'move', 'rebalance', 'import-rules'])
    t.true(lines.some((line) => line.startsWith(`${name} `)));
  for (const name of groupNames(adapterOptions))
    t.true(
      lines.some((line) => line.startsWith(`${name} `)),
      name,
    );
  const settings = usageText('sluice', '3.4.0', adapterOptions).match(/^ {2,6}(?:-\w, )?--/gm) ?? [];
  t.is(settings.length, 13, 'ten, and --config, --help and --version');
  t.true(lines.length <= 70, String(lines.length));
});

test('explanations stand in one column, and no line of the real settings is wider than a terminal', (t) => {
  t.regex(allOf(tables), /\n {2}-P, --port int {24}HTTP port/);
  const lines = `${usageText('sluice', '3.4.0', adapterOptions)}${allOf(adapterOptions)}`.split('\n');
  t.deepEqual(
    lines.filter((line) => line.length > 110 || /--\S+ [a-z]+[A-Z]/.test(line)),
    [],
  );
});

test('prints the version on one line', (t) => {
  t.is(versionText('sluice', '3.4.0'), 'sluice v3.4.0\n');
});
