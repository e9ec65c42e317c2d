import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { mistakesIn, type Resolution, resolveSettings } from '../../src/config/resolve.js';
import { type OptionTable, optionTable, type SettingReader } from '../../src/model/option.js';

const general = optionTable('', 'General', [
  { flag: 'port', short: 'P', type: 'int', default: '6041', env: 'ADAPTER_PORT', help: '', min: 0, max: 65_535 },
  { flag: 'debug', type: 'bool', default: 'true', env: 'ADAPTER_DEBUG', help: '' },
  { flag: 'dbConfigDir', type: 'string', default: '/nonexistent', env: 'ADAPTER_DB_CONFIG_FILE', help: '' },
]);
const input = optionTable('input', 'Input', [
  { flag: 'input.names', type: 'string-list', env: 'ADAPTER_DOOR_NAMES', help: '' },
  { flag: 'input.ports', type: 'int-list', default: '[1, 2]', env: 'ADAPTER_DOOR_PORTS', help: '', max: 9 },
  { flag: 'input.every', type: 'duration', default: '3s', env: 'ADAPTER_DOOR_EVERY', envAlso: ['EVERY'], help: '' },
  { flag: 'input.password', type: 'secret', default: 'built-in', env: 'ADAPTER_DOOR_PASSWORD', help: '' },
]);
const tables: readonly OptionTable[] = [general, input];

function read(reader: SettingReader) {
  const { names, ports, everyMs, password } = reader.settings(input);
  if (names.length > ports.length) reader.refuse('input.names', `at most ${ports.length} names`);
  if (password === '') reader.refuse('input.password', 'a password');
  const { port, debug } = reader.settings(general);
  return { port, debug, names, ports, everyMs, password };
}

type Values = ReturnType<typeof read>;

function resolve(argv: readonly string[], env: Record<string, string> = {}): Resolution<Values> {
  return resolveSettings({ program: 'sluice', version: '3.4.0', argv, env, tables, read });
}

function settingsOf(argv: readonly string[], env: Record<string, string> = {}): Values {
  const resolution = resolve(argv, env);
  if (resolution.outcome !== 'settings') throw new Error(JSON.stringify(resolution));
  return resolution.settings;
}

function errorsOf(argv: readonly string[], env: Record<string, string> = {}): readonly string[] {
  const resolution = resolve(argv, env);
  return resolution.outcome === 'refused' ? resolution.errors : [];
}

const directory = mkdtempSync(join(tmpdir(), 'settings-'));
test.after.always(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, text: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

test('prefers the command line to the environment, the file and the default', (t) => {
  const path = file('port.toml', 'port = 7003');
  t.is(settingsOf(['-P', '7001', '-c', path], { ADAPTER_PORT: '7002' }).port, 7001);
  t.is(settingsOf(['-c', path], { ADAPTER_PORT: '7002' }).port, 7002);
  t.is(settingsOf(['-c', path]).port, 7003);
  t.is(settingsOf([]).port, 6041);
});

test('takes only the documented environment names, the documented one first', (t) => {
  t.deepEqual(settingsOf([], { PORT: '1', DEBUG: 'false', port: '2' }), settingsOf([]));
  t.is(settingsOf([], { EVERY: '7s' }).everyMs, 7000);
  t.is(settingsOf([], { EVERY: '7s', ADAPTER_DOOR_EVERY: '8s' }).everyMs, 8000);
});

test('takes an empty variable as not set', (t) => {
  t.is(settingsOf([], { ADAPTER_PORT: '', ADAPTER_DOOR_EVERY: '', EVERY: '9s' }).everyMs, 9000);
});

test('takes the last value of a repeated flag and all values of a repeated list', (t) => {
  t.is(settingsOf(['--port=1', '--port=2']).port, 2);
  t.deepEqual(settingsOf(['--input.ports=3', '--input.ports', '4,5', 'input.names=a']).ports, [3, 4, 5]);
  t.deepEqual(settingsOf([], { ADAPTER_DOOR_NAMES: 'a b' }).names, ['a', 'b']);
});

test('reads the file in the configuration directory when none is named', (t) => {
  const home = join(directory, 'etc');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'adapter.toml'), 'port = 7004');
  t.is(settingsOf([`--dbConfigDir=${home}`]).port, 7004);
  t.is(settingsOf([], { ADAPTER_DB_CONFIG_FILE: home }).port, 7004);
  const resolution = resolve([], { ADAPTER_DB_CONFIG_FILE: home });
  t.is(resolution.outcome === 'settings' ? resolution.file : '', join(home, 'adapter.toml'));
});

test('goes on without the default file, with a note', (t) => {
  const resolution = resolve([]);
  t.deepEqual(resolution.outcome === 'settings' ? resolution.notes : [], [
    'No configuration file at /nonexistent/adapter.toml.',
  ]);
});

test('refuses a named file that is missing, a directory, not UTF-8 or not TOML', (t) => {
  t.deepEqual(errorsOf(['-c', '/missing.toml']), [
    '/missing.toml: the configuration file cannot be read: there is no such file.',
  ]);
  t.regex(errorsOf(['-c', directory]).join(), /it is a directory/);
  t.regex(errorsOf(['-c', file('latin.toml', Buffer.from([0x23, 0xff]))]).join(), /not UTF-8/);
  t.regex(errorsOf(['-c', file('broken.toml', 'port = \n')]).join(), /broken\.toml: line 1, column \d+: /);
});

test('refuses a file it may not read', (t) => {
  const path = file('locked.toml', 'port = 1');
  chmodSync(path, 0);
  if (process.getuid?.() === 0) t.is(settingsOf(['-c', path]).port, 1);
  else t.regex(errorsOf(['-c', path]).join(), /permission is denied/);
});

test('reads a file that begins with a byte order mark', (t) => {
  t.is(settingsOf(['-c', file('mark.toml', '\ufeffport = 7005')]).port, 7005);
});

test('names flag, value, origin and what is allowed, each mistake on one line', (t) => {
  const path = file('wrong.toml', 'debug = "x"');
  const resolution = resolve(['--port=70000', '-c', path], { EVERY: '5\n5', ADAPTER_DOOR_PORTS: '1,12' });
  t.deepEqual(resolution, {
    outcome: 'refused',
    exitCode: 2,
    errors: [
      'port: "70000" from the command line is refused; allowed: a whole number from 0 to 65535.',
      `debug: the text "x" from ${path}, debug is refused; allowed: true or false (outside the file also 1, t, 0, f).`,
      'input.ports: "1,12" from the environment (ADAPTER_DOOR_PORTS) is refused; ' +
        'allowed: a list of whole numbers, such as 6046,6047, each at most 9.',
      'input.every: "5\\n5" from the environment (EVERY) is refused; ' +
        'allowed: a duration with units, such as 500ms, 5s or 1h30m.',
    ],
  });
});

test('exits with 1 when the command line is not at fault', (t) => {
  const resolution = resolve([], { ADAPTER_PORT: 'x' });
  t.is(resolution.outcome === 'refused' ? resolution.exitCode : 0, 1);
});

test('reports what the reader refuses, with the origin of the value', (t) => {
  t.deepEqual(errorsOf(['--input.names=a,b,c', '--input.password=']), [
    'input.names: "[a, b, c]" from the command line is refused; allowed: at most 2 names.',
    'input.password: the value from the command line is refused; allowed: a password.',
  ]);
});

test('lists every setting with its source and never a secret', (t) => {
  const path = file('dump.toml', '[input]\npassword = "hunter2"\nnames = ["http://me:hunter2@host/x"]');
  const resolution = resolve(['--port=1', '-c', path], { EVERY: '90s' });
  t.deepEqual(resolution.outcome === 'settings' ? resolution.listing : [], [
    { flag: 'port', value: '1', source: 'command line' },
    { flag: 'debug', value: 'true', source: 'default' },
    { flag: 'dbConfigDir', value: '/nonexistent', source: 'default' },
    { flag: 'input.names', value: '[http://******@host/x]', source: 'file' },
    { flag: 'input.ports', value: '[1, 2]', source: 'default' },
    { flag: 'input.every', value: '1m30s', source: 'environment' },
    { flag: 'input.password', value: '******', source: 'file' },
  ]);
  t.is(settingsOf(['-c', path]).password, 'hunter2');
});

test('notes variables with the prefix that are no settings', (t) => {
  const resolution = resolve(['-c', file('empty.toml', '')], { ADAPTER_PROT: '1', OTHER: '1' });
  t.deepEqual(resolution.outcome === 'settings' ? resolution.warnings : [], [
    'Environment variable ADAPTER_PROT is not a setting and was ignored (did you mean ADAPTER_PORT?).',
  ]);
});

test('prints help rather than the version, and either rather than errors', (t) => {
  const help = resolve(['--nonsense', '--version', '--help', '-c', '/missing.toml']);
  t.true(help.outcome === 'print' && help.text.startsWith('Usage of sluice v3.4.0: '));
  t.deepEqual(resolve(['-V', '--port=x']), { outcome: 'print', text: 'sluice v3.4.0\n' });
});

test('refuses help about a group that there is not, and names the groups', (t) => {
  const help = resolve(['--help', 'inptu']);
  t.true(help.outcome === 'refused' && help.exitCode === 2);
  t.regex(
    mistakesIn(help)[0] ?? '',
    /^There is no group inptu of settings \(did you mean input\?\); groups are all, general, /,
  );
});

test('throws when a reader asks for a table that was not resolved', (t) => {
  const other = optionTable('', '', [{ flag: 'other', type: 'int', env: '', help: '' }]);
  const request = (reader: SettingReader) => reader.settings(other);
  t.throws(() => resolveSettings({ program: '', version: '', argv: [], env: {}, tables, read: request }));
});

test('a new row is a typed setting, under its key with the unit of its type', (t) => {
  const parserTable = optionTable('made', 'Made up', [
    { flag: 'made.pause', type: 'duration', default: '2s', env: 'ADAPTER_MADE_PAUSE', help: '' },
    { flag: 'made.body', type: 'size', default: '1KB', env: 'ADAPTER_MADE_BODY', help: '' },
    { flag: 'made.maxBytes', type: 'size', default: '1MB', env: 'ADAPTER_MADE_MAX_BYTES', help: '' },
    { flag: 'made.ttl', type: 'int', named: 'ttlDays', unset: 0, env: 'ADAPTER_MADE_TTL', help: '' },
    { flag: 'made.most', type: 'int', env: 'ADAPTER_MADE_MOST', help: '' },
    { flag: 'made.mode', type: 'string', default: 'a', allowed: ['a', 'b'], env: 'ADAPTER_MADE_MODE', help: '' },
    { flag: 'made.words', type: 'string-list', env: 'ADAPTER_MADE_WORDS', help: '' },
    { flag: 'made.on', type: 'bool', env: 'ADAPTER_MADE_ON', help: '' },
  ]);
  const env = { ADAPTER_MADE_MODE: 'B' };
  const resolution = resolveSettings({
    program: '',
    version: '',
    argv: ['--config=/dev/null'],
    env,
    tables: [parserTable],
    read: (reader) => reader.settings(parserTable),
  });
  if (resolution.outcome !== 'settings') return t.fail();
  const settings: {
    readonly pauseMs: number;
    readonly bodyBytes: number;
    readonly maxBytes: number;
    readonly ttlDays: number;
    readonly most: number | undefined;
    readonly mode: 'a' | 'b';
    readonly words: readonly string[];
    readonly on: boolean;
  } = resolution.settings;
  t.deepEqual(settings, {
    pauseMs: 2000,
    bodyBytes: 1024,
    maxBytes: 1_048_576,
    ttlDays: 0,
    most: undefined,
    mode: 'b',
    words: [],
    on: false,
  });
});
