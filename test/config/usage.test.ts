import test from 'ava';
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
    group: 'door',
    title: 'Door',
    rows: [
      { flag: 'door.way', type: 'string', default: 'in', env: 'X_WAY', help: 'direction', allowed: ['in', 'out'] },
      { flag: 'door.password', type: 'secret', default: 'hunter2', env: 'X_PASSWORD', help: 'password' },
      { flag: 'door.ttl', type: 'int', env: 'X_TTL', help: 'days' },
    ],
  },
];

test('prints one line a flag in alphabetical order, with environment and default', (t) => {
  const lines = usageText('sluice', '3.4.0', tables).split('\n');
  t.is(lines[0], 'Usage of sluice v3.4.0:');
  t.deepEqual(
    lines.slice(1).map((line) => line.replace(/ {2,}/g, ' ').trim()),
    [
      '-c, --config string Path of the configuration file; not set is adapter.toml in dbConfigDir',
      '--debug Debug mode. Env "X_DEBUG" or "Y_DEBUG" (default true)',
      '--door.password string Password. Env "X_PASSWORD" (default the built-in password)',
      '--door.ttl int Days. Env "X_TTL"',
      '--door.way string Direction: in, out. Env "X_WAY" (default "in")',
      '-h, --help Print this text and exit',
      '-P, --port int HTTP port. Env "X_PORT" (default 6041)',
      '-V, --version Print the version and exit',
      '',
    ],
  );
});

test('aligns flags with and without a short form', (t) => {
  const text = usageText('sluice', '3.4.0', tables);
  t.regex(text, /\n {2}-P, --port int {15}HTTP port/);
  t.regex(text, /\n {6}--door\.ttl int {11}Days/);
});

test('prints the version on one line', (t) => {
  t.is(versionText('sluice', '3.4.0'), 'sluice v3.4.0\n');
});
