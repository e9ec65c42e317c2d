import test from 'ava';
import { adapterOptions } from '../../src/config/adapter-settings.js';
import { usageText, versionText } from '../../src/config/usage.js';
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

test('prints the settings by group, with environment and default', (t) => {
  const lines = usageText('sluice', '3.4.0', tables).split('\n');
  t.is(lines[0], 'Usage of sluice v3.4.0: sluice [--name=value ...]');
  t.deepEqual(
    lines.slice(2, 15).map((line) => line.replace(/ {2,}/g, ' ').trim()),
    [
      'General:',
      '-c, --config string Path of the configuration file; not set is adapter.toml in dbConfigDir',
      '-h, --help Print this text and exit',
      '-V, --version Print the version and exit',
      '-P, --port int HTTP port (default 6041) X_PORT',
      '--debug Debug mode (default true) X_DEBUG, Y_DEBUG',
      '',
      'Input:',
      '--input.way string Direction: in, out (default "in") X_WAY',
      '--input.password string Password (default the built-in password) X_PASSWORD',
      '--input.ttl int Days X_TTL',
      '',
      'A name in capitals is the environment variable that means the same. A flag outranks the variable, the',
    ],
  );
});

test('explanations stand in one column, and no line of the real settings is wider than a terminal', (t) => {
  t.regex(usageText('sluice', '3.4.0', tables), /\n {2}-P, --port int {24}HTTP port/);
  const lines = usageText('sluice', '3.4.0', adapterOptions).split('\n');
  t.deepEqual(
    lines.filter((line) => line.length > 110 || /--\S+ [a-z]+[A-Z]/.test(line)),
    [],
  );
});

test('prints the version on one line', (t) => {
  t.is(versionText('sluice', '3.4.0'), 'sluice v3.4.0\n');
});
