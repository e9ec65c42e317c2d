import test from 'ava';
import { splitCommands } from '../../../src/sources/tsdbwire-telnet/commands.js';

function split(text: string): (string | [text: string, lines: number])[] {
  return splitCommands(Buffer.from(text)).map((piece) =>
    'command' in piece ? piece.command : [Buffer.from(piece.bytes).toString(), piece.lines],
  );
}

test('data without commands is one piece', (t) => {
  t.deepEqual(split('put a\nput b\r\n\nput c'), [['put a\nput b\r\n\nput c', 4]]);
  t.deepEqual(split(''), []);
});

test('commands stand alone in their line, with blanks and a carriage return behind them at most', (t) => {
  t.deepEqual(split('version\nput a\nput b\nhelp \r\nput c\nexit\r\nstats'), [
    'version',
    ['put a\nput b\n', 2],
    'help',
    ['put c\n', 1],
    'exit',
    'stats',
  ]);
  for (const data of [
    'VERSION\n',
    ' version\n',
    'version x\n',
    'versions\n',
    'statsy 1 1 a=b\n',
    'v\n',
    'help.me 1 1 a=b',
  ]) {
    t.deepEqual(split(data), [[data, 1]]);
  }
});
