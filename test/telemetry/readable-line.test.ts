import test from 'ava';
import { readableLine } from '../../src/telemetry/readable-line.js';

test('prints time, level, component, sentence and fields on one line', (t) => {
  const line = readableLine(
    JSON.stringify({ level: 'warn', time: 0, component: 'guard', percent: 71.5, text: 'a b', list: [1], msg: 'Held.' }),
  );
  t.regex(line, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} WARN {2}guard: Held\. percent=71\.5 text="a b" list=\[1\]\n$/);
});

test('prints the stack of an error on indented lines', (t) => {
  const line = readableLine(
    JSON.stringify({ level: 'error', time: 0, msg: 'Lost.', err: { stack: 'Error: x\n    at y' } }),
  );
  t.true(line.endsWith('ERROR Lost.\n    Error: x\n        at y\n'));
});

test('escapes control characters, so that text cannot fake a line', (t) => {
  const line = readableLine(JSON.stringify({ level: 'info', time: 0, msg: 'a\nb\u001b[2J', name: 'c\u009bd' }));
  t.true(line.endsWith('a\\u000ab\\u001b[2J name=c\\u009bd\n'));
  t.is(line.split('\n').length, 2);
});

test('passes on what is not a log entry', (t) => {
  t.is(readableLine('plain text\n'), 'plain text\n');
  t.is(readableLine('5\n'), '5\n');
});
