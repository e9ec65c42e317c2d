import test from 'ava';
import fc from 'fast-check';
import { Lexer, quotedNameText, stringValue, TokenKind } from '../../../src/sql/syntax/lexer.js';
import { processorMs } from '../../support/processor-time.js';

const kindNames = new Map(Object.entries(TokenKind).map(([name, kind]) => [kind, name]));

function tokens(text: string): string[] {
  const lexer = new Lexer(text);
  const tokens: string[] = [];
  for (lexer.next(); lexer.kind !== TokenKind.end; lexer.next()) {
    tokens.push(`${kindNames.get(lexer.kind)} ${lexer.text.slice(lexer.start, lexer.end)}`);
  }
  return tokens;
}

test('reads names, numbers, durations, strings and operators', (t) => {
  t.deepEqual(tokens('SELECT a_1.`B c`, 0x1F 0b101 007 1.5 .5 1e3 1.2E-3'), [
    'word SELECT',
    'word a_1',
    'symbol .',
    'quoted `B c`',
    'symbol ,',
    'integer 0x1F',
    'integer 0b101',
    'integer 007',
    'number 1.5',
    'number .5',
    'number 1e3',
    'number 1.2E-3',
  ]);
  t.deepEqual(tokens('10s 1N 0b 500a/1y'), [
    'duration 10s',
    'duration 1N',
    'duration 0b',
    'duration 500a',
    'symbol /',
    'duration 1y',
  ]);
  t.deepEqual(tokens(`'a''b' "c'd" 'e\\'f'`), [`string 'a''b'`, `string "c'd"`, `string 'e\\'f'`]);
  t.deepEqual(tokens('a->b<=c>=d<>e!=f<g>h=i|j&k%l'), [
    ...['word a', 'symbol ->', 'word b', 'symbol <=', 'word c', 'symbol >=', 'word d', 'symbol <>', 'word e'],
    ...['symbol !=', 'word f', 'symbol <', 'word g', 'symbol >', 'word h', 'symbol =', 'word i', 'symbol |'],
    ...['word j', 'symbol &', 'word k', 'symbol %', 'word l'],
  ]);
});

test('a doubled back quote stands for one in a name, which may hold any character', (t) => {
  t.deepEqual(tokens('`a``b` ```x` `y``` ```` `` `\n\u0001`'), [
    ...['quoted `a``b`', 'quoted ```x`', 'quoted `y```', 'quoted ````', 'quoted ``', 'quoted `\n\u0001`'],
  ]);
  t.deepEqual(tokens('`a``'), ['bad `a``']);
  t.is(quotedNameText('x`a``b```', 1, 9), 'a`b`');
});

test('gives keywords in upper case and one spelling of unequal', (t) => {
  const lexer = new Lexer('seLect !=');
  lexer.next();
  t.is(lexer.word, 'SELECT');
  lexer.next();
  t.is(lexer.word, '<>');
});

test('takes comments and hints for blanks', (t) => {
  t.deepEqual(tokens('a/*x*/b -- c\n d /*+ HINT() */ e--'), ['word a', 'word b', 'word d', 'word e']);
  t.deepEqual(tokens('5--3'), ['integer 5']);
});

test('marks text that is no token as bad', (t) => {
  for (const text of [
    "'open",
    '"open',
    "'open\\'",
    '`open',
    '/* open',
    '10x',
    '1.5s',
    '0x',
    '1s2',
    'é',
    '?',
    '!',
    '#',
  ]) {
    t.true(tokens(text)[0]?.startsWith('bad '), text);
  }
});

test('finds a token again from its offset', (t) => {
  const lexer = new Lexer('one two three');
  lexer.seek(4);
  t.is(lexer.word, 'TWO');
  lexer.seek(0);
  t.is(lexer.word, 'ONE');
});

test('gives string values by the escape rules', (t) => {
  const value = (text: string) => stringValue(text, 0, text.length);
  t.is(value(`'a''b'`), "a'b");
  t.is(value(`"a""b'c"`), `a"b'c`);
  t.is(value(`'\\n\\r\\t\\\\\\'\\"'`), '\n\r\t\\\'"');
  t.is(value(`'\\%\\_\\x98'`), '\\%\\_\\x98');
  t.is(value(`'\\q\\0'`), 'q0');
  t.is(value("''"), '');
  t.is(value("'😀\n'"), '😀\n');
});

test('reads any text to its end without overlap and without throwing', (t) => {
  const piece = fc.constantFrom(
    'a',
    '1',
    '.',
    "'",
    '"',
    '`',
    '\\',
    '-',
    '/',
    '*',
    ' ',
    '\n',
    'e',
    '0x',
    '10s',
    'é',
    '<',
    '=',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(text, (source) => {
        const lexer = new Lexer(source);
        let last = 0;
        for (lexer.next(); lexer.kind !== TokenKind.end; lexer.next()) {
          if (lexer.start < last || lexer.end <= lexer.start || lexer.end > source.length) return false;
          last = lexer.end;
        }
        return lexer.end === source.length;
      }),
      { numRuns: 700 },
    ),
  );
});

test('reads a statement of one mebibyte in well under a second, whatever it holds', (t) => {
  const size = 1 << 20;
  for (const piece of ['a b, ', '/*', '/* ', "'", '`', '1e', '.', '-', '((', '0', "'\\", '/**/']) {
    const text = piece.repeat(Math.ceil(size / piece.length));
    const started = processorMs();
    tokens(text);
    t.true(processorMs() - started < 1000, piece);
  }
});
