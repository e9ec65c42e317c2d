import test from 'ava';
import { readTomlFile } from '../../src/config/toml-file.js';
import type { OptionTable, OptionValue } from '../../src/model/option.js';

const tables: readonly OptionTable[] = [
  {
    group: '',
    title: 'General',
    rows: [
      { flag: 'port', type: 'int', env: '', help: '', min: 0, max: 65_535 },
      { flag: 'debug', type: 'bool', env: '', help: '' },
      { flag: 'logLevel', type: 'string', env: '', help: '', allowed: ['info', 'debug'] },
    ],
  },
  {
    group: 'log',
    title: 'Logging',
    rows: [
      { flag: 'log.path', type: 'string', env: '', help: '' },
      { flag: 'log.rotationSize', type: 'size', env: '', help: '', min: 1 },
      { flag: 'log.rotationTime', type: 'duration', env: '', help: '' },
    ],
  },
  {
    group: 'input',
    title: 'Input',
    rows: [
      { flag: 'input.ports', type: 'int-list', env: '', help: '', min: 0, max: 65_535 },
      { flag: 'input.names', type: 'string-list', env: '', help: '' },
      { flag: 'input.share', type: 'float', env: '', help: '' },
      { flag: 'input.password', type: 'secret', env: '', help: '' },
      { flag: 'input.url', type: 'int', env: '', help: '' },
    ],
  },
];

function valuesIn(text: string): Record<string, OptionValue> {
  const { values, errors } = readTomlFile(tables, 'a.toml', text);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return Object.fromEntries([...values].map(([flag, { value }]) => [flag, value]));
}

function errorsIn(text: string): readonly string[] {
  return readTomlFile(tables, 'a.toml', text).errors;
}

test('reads every type from its own TOML type', (t) => {
  const text = `
    port = 7003
    debug = false
    logLevel = "DEBUG"
    [log]
    path = "/tmp"
    rotationSize = "64KB"
    rotationTime = "1h30m"
    [input]
    ports = [1, 2]
    names = ["a", "b c"]
    share = 70
    password = "pass"
  `;
  t.deepEqual(valuesIn(text), {
    port: 7003,
    debug: false,
    logLevel: 'debug',
    'log.path': '/tmp',
    'log.rotationSize': 65_536,
    'log.rotationTime': 5_400_000,
    'input.ports': [1, 2],
    'input.names': ['a', 'b c'],
    'input.share': 70,
    'input.password': 'pass',
  });
});

test('finds sections and keys whatever their case, dotted or not', (t) => {
  t.deepEqual(valuesIn('PORT = 1\nLog.Path = "x"\n[INPUT]\nSHARE = 0.5'), {
    port: 1,
    'log.path': 'x',
    'input.share': 0.5,
  });
});

test('takes level in section log as the log level, before the top-level key', (t) => {
  t.deepEqual(valuesIn('[log]\nlevel = "debug"'), { logLevel: 'debug' });
  t.deepEqual(valuesIn('logLevel = "info"\n[log]\nlevel = "debug"'), { logLevel: 'debug' });
  t.deepEqual(valuesIn('log.level = "debug"\nlogLevel = "info"'), { logLevel: 'debug' });
});

test('takes a bare number as bytes of a size, and only 0 as a duration', (t) => {
  t.deepEqual(valuesIn('log.rotationSize = 4096'), { 'log.rotationSize': 4096 });
  t.deepEqual(valuesIn('log.rotationTime = 0'), { 'log.rotationTime': 0 });
  t.deepEqual(errorsIn('log.rotationTime = 5'), [
    'log.rotationTime: the whole number 5 from a.toml, [log] rotationTime is refused; ' +
      'allowed: a duration with units, such as 500ms, 5s or 1h30m.',
  ]);
});

test('takes a single text or number where a list is allowed', (t) => {
  t.deepEqual(valuesIn('input.names = "/usr/share/my types.db"'), { 'input.names': ['/usr/share/my types.db'] });
  t.deepEqual(valuesIn('input.ports = 6046'), { 'input.ports': [6046] });
  t.is(errorsIn('input.names = ""').length, 1);
  t.deepEqual(errorsIn('input.ports = 99999'), [
    'input.ports: the whole number 99999 from a.toml, [input] ports is refused; allowed: a whole number, or a list such as [6046, 6047], each from 0 to 65535.',
  ]);
  t.deepEqual(errorsIn('input.names = "a,b"'), [
    'input.names: the text "a,b" from a.toml, [input] names is refused; allowed: a text, or a list of texts such as ["a", "b"]; a text with a comma must be in a list.',
  ]);
});

test('names file, key, what was found and what is allowed when a type is wrong', (t) => {
  t.deepEqual(errorsIn('port = "7000"'), [
    'port: the text "7000" from a.toml, port is refused; allowed: a whole number from 0 to 65535.',
  ]);
  for (const wrong of [
    'port = 7000.0',
    'port = 70000',
    'port = [1]',
    'port = 2026-01-02',
    'port = 99999999999999999',
    'debug = 1',
    'debug = "true"',
    'logLevel = "loud"',
    'log.path = 5',
    'log.rotationSize = "1G"',
    'log.rotationTime = 1.5',
    'input.ports = "1,2"',
    'input.ports = [1, 99999]',
    'input.ports = [1, "2"]',
    'input.names = "a,b"',
    'input.names = ["a", 1]',
    'input.share = "70"',
    'input.share = nan',
    'input.share = true',
    '[port]\nx = 1',
  ]) {
    t.is(errorsIn(wrong).length, 1, wrong);
  }
  t.regex(errorsIn('input.ports = [1, 99999]')[0] ?? '', /the list "\[1, 99999\]"/);
});

test('never shows a secret, nor the credentials in an address', (t) => {
  for (const text of [
    '[input]\npassword = 4711',
    '[input]\npassword = [4711]',
    '[input]\npassword = "4711',
    '[input]\npassword = x4711',
    '[input]\nurl = "http://me:4711@host/"',
  ]) {
    const errors = errorsIn(text);
    t.is(errors.length, 1, text);
    t.notRegex(errors.join(), /4711/);
  }
});

test('names an unknown key or section, the file and the nearest known one', (t) => {
  t.deepEqual(errorsIn('lgoLevel = "info"\n[logs]\npath = "x"\n[log]\nroationTime = "1s"\n[vacuum]\nx = 1'), [
    'a.toml: unknown key lgoLevel (did you mean logLevel?).',
    'a.toml: unknown section [logs] (did you mean [log]?).',
    'a.toml: unknown key [log] roationTime (did you mean [log] rotationTime?).',
    'a.toml: unknown section [vacuum].',
  ]);
  t.is(errorsIn('__proto__ = 1\n[constructor]\nx = 1').length, 2);
});

test('refuses a section written as a value and a key given twice in different case', (t) => {
  t.deepEqual(errorsIn('log = "/var/log"'), ['a.toml: log is a section; write [log] and its keys below.']);
  t.deepEqual(errorsIn('port = 1\nPort = 2'), ['a.toml: Port is given twice.']);
  t.deepEqual(errorsIn('[log]\npath = "a"\nPATH = "b"'), ['a.toml: [log] PATH is given twice.']);
});

test('names line and column of text that is not TOML', (t) => {
  t.deepEqual(errorsIn('port = 1\nport = 2'), [
    'a.toml: line 2, column 1: Invalid TOML document: trying to redefine an already defined table or value.',
  ]);
});

test('reads an empty file as no settings', (t) => {
  t.deepEqual(valuesIn(''), {});
  t.deepEqual(valuesIn('# nothing\n[log]\n'), {});
});
