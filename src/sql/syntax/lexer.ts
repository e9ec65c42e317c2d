import { behindBlanks, literalEnd } from '../../text/sql-blanks.js';

/** Kinds of tokens; `word` is a bare identifier or keyword, `quoted` a back-quoted identifier. */
export const TokenKind = {
  end: 0,
  bad: 1,
  word: 2,
  quoted: 3,
  string: 4,
  integer: 5,
  number: 6,
  duration: 7,
  symbol: 8,
} as const;
export type TokenKind = (typeof TokenKind)[keyof typeof TokenKind];

const letterClass = 2;
const digitClass = 4;
const hexLetterClass = 8;
const unitClass = 16;

const classes = buildClasses();

const doubleQuote = 34;
const quote = 39;
const star = 42;
const plus = 43;
const minus = 45;
const dot = 46;
const slash = 47;
const zero = 48;
const one = 49;
const backslash = 92;
const backQuote = 96;

const singleSymbols = buildSymbols('(),.;*+-/%&|=<>');
/** Two-character operators by their text; `!=` is given as `<>`. */
const doubleSymbols = new Map([
  ['<=', '<='],
  ['>=', '>='],
  ['<>', '<>'],
  ['!=', '<>'],
  ['->', '->'],
]);

/**
 * Reads one statement token by token, on demand and in linear time: a token is found again from its offset alone, so
 * looking ahead is a matter of remembering four fields. It never throws: text that is no token (an open string, an open
 * comment, a letter outside ASCII, `10x`) is a `bad` token, and the parser refuses it where it stands.
 *
 * Comments and hints count as blanks. `kind`, `start`, `end` and `word` describe the current token; `word` is the
 * upper-case text of a bare identifier or the text of an operator, and empty for everything else.
 */
export class Lexer {
  readonly text: string;
  kind: TokenKind = TokenKind.end;
  start = 0;
  end = 0;
  word = '';

  constructor(text: string) {
    this.text = text;
  }

  /** Moves to the next token. At the end of the text it stays there. */
  next(): void {
    this.start = behindBlanks(this.text, this.end);
    this.word = '';
    this.kind = this.scan(this.start);
  }

  /** Makes `offset` the place where the next token is looked for, and reads it. */
  seek(offset: number): void {
    this.end = offset;
    this.next();
  }

  /** Finds the token at `start`: gives its kind, and sets `end` and `word`. */
  private scan(start: number): TokenKind {
    const text = this.text;
    if (start >= text.length) return this.ends(TokenKind.end, text.length);
    const code = text.charCodeAt(start);
    const kind = classOf(code);
    if ((kind & letterClass) !== 0) return this.scanWord(start);
    if ((kind & digitClass) !== 0) return this.scanNumber(start);
    if (code === quote || code === doubleQuote) return this.scanString(start);
    if (code === backQuote) return this.scanQuoted(start);
    if (code === dot && isDigit(text.charCodeAt(start + 1))) return this.scanNumber(start);
    return this.scanSymbol(start, code);
  }

  private ends(kind: TokenKind, end: number): TokenKind {
    this.end = end;
    return kind;
  }

  private scanWord(start: number): TokenKind {
    const end = wordEnd(this.text, start);
    this.word = this.text.slice(start, end).toUpperCase();
    return this.ends(TokenKind.word, end);
  }

  private scanQuoted(start: number): TokenKind {
    const { text } = this;
    let close = text.indexOf('`', start + 1);
    while (close >= 0 && text.charCodeAt(close + 1) === backQuote) close = text.indexOf('`', close + 2);
    return close < 0 ? this.ends(TokenKind.bad, text.length) : this.ends(TokenKind.quoted, close + 1);
  }

  private scanString(start: number): TokenKind {
    const end = literalEnd(this.text, start);
    return end < 0 ? this.ends(TokenKind.bad, this.text.length) : this.ends(TokenKind.string, end);
  }

  private scanNumber(start: number): TokenKind {
    const text = this.text;
    if (text.charCodeAt(start) === zero) {
      const end = prefixedEnd(text, start);
      if (end > start) return this.endsUnlessGlued(TokenKind.integer, end);
    }
    const whole = digitsEnd(text, start);
    if (whole > start && (classOf(text.charCodeAt(whole)) & unitClass) !== 0 && !isWordPart(text, whole + 1)) {
      return this.ends(TokenKind.duration, whole + 1);
    }
    const end = exponentEnd(text, fractionEnd(text, whole));
    return this.endsUnlessGlued(end === whole ? TokenKind.integer : TokenKind.number, end);
  }

  /** A number that runs straight into letters is no number. */
  private endsUnlessGlued(kind: TokenKind, end: number): TokenKind {
    return isWordPart(this.text, end) ? this.ends(TokenKind.bad, wordEnd(this.text, end)) : this.ends(kind, end);
  }

  private scanSymbol(start: number, code: number): TokenKind {
    const text = this.text;
    const double = doubleSymbols.get(text.slice(start, start + 2));
    if (double !== undefined) {
      this.word = double;
      return this.ends(TokenKind.symbol, start + 2);
    }
    if (code === slash && text.charCodeAt(start + 1) === star) return this.ends(TokenKind.bad, text.length);
    const single = singleSymbols[code];
    if (single === undefined) return this.ends(TokenKind.bad, start + 1);
    this.word = single;
    return this.ends(TokenKind.symbol, start + 1);
  }
}

/**
 * Value of the string literal at `[start, end)`, quotes included. A doubled delimiter is one; `\n \r \t \\ \' \"` mean
 * the usual characters; `\%`, `\_` (patterns) and `\x` (binary literals) keep their backslash; any other `\c` is `c`.
 */
export function stringValue(text: string, start: number, end: number): string {
  const delimiter = text.charCodeAt(start);
  let value = '';
  let from = start + 1;
  for (let at = from; at < end - 1; at += 1) {
    const code = text.charCodeAt(at);
    if (code === delimiter) {
      value += text.slice(from, at);
      at += 1;
      from = at;
    } else if (code === backslash) {
      value += text.slice(from, at) + escaped(text.charAt(at + 1));
      at += 1;
      from = at + 1;
    }
  }
  return value + text.slice(from, end - 1);
}

/** Name in back quotes at `[start, end)`, quotes included: a doubled back quote is one, all else stands for itself. */
export function quotedNameText(text: string, start: number, end: number): string {
  return text.slice(start + 1, end - 1).replaceAll('``', '`');
}

function escaped(letter: string): string {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '%':
    case '_':
    case 'x':
      return `\\${letter}`;
    default:
      return letter;
  }
}

function wordEnd(text: string, from: number): number {
  let at = from;
  while (isWordPart(text, at)) at += 1;
  return at;
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** End of `0x1F` or `0b101` at `start`, or `start` when it is neither (`0b` alone is a duration). */
function prefixedEnd(text: string, start: number): number {
  const prefix = text.charCodeAt(start + 1) | 32;
  let at = start + 2;
  if (prefix === 120) while ((classOf(text.charCodeAt(at)) & (digitClass | hexLetterClass)) !== 0) at += 1;
  else if (prefix === 98) while (text.charCodeAt(at) === zero || text.charCodeAt(at) === one) at += 1;
  return at > start + 2 ? at : start;
}

function fractionEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== dot || !isDigit(text.charCodeAt(from + 1))) return from;
  return digitsEnd(text, from + 1);
}

function exponentEnd(text: string, from: number): number {
  if ((text.charCodeAt(from) | 32) !== 101) return from;
  const sign = text.charCodeAt(from + 1);
  const digits = sign === plus || sign === minus ? from + 2 : from + 1;
  return isDigit(text.charCodeAt(digits)) ? digitsEnd(text, digits) : from;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= 57;
}

function isWordPart(text: string, at: number): boolean {
  return (classOf(text.charCodeAt(at)) & (letterClass | digitClass)) !== 0;
}

/** Class bits of a UTF-16 unit; 0 beyond ASCII and for the NaN behind the end of the text. */
function classOf(code: number): number {
  return code < 128 ? classes[code]! : 0;
}

function buildClasses(): Uint8Array {
  const table = new Uint8Array(128);
  const mark = (letters: string, bit: number) => {
    for (const letter of letters) {
      table[letter.toLowerCase().charCodeAt(0)]! |= bit;
      table[letter.toUpperCase().charCodeAt(0)]! |= bit;
    }
  };
  mark('abcdefghijklmnopqrstuvwxyz_', letterClass);
  mark('0123456789', digitClass);
  mark('abcdef', hexLetterClass);
  mark('buasmhdwnqy', unitClass);
  return table;
}

function buildSymbols(symbols: string): readonly (string | undefined)[] {
  const table: (string | undefined)[] = new Array(128).fill(undefined);
  for (const symbol of symbols) table[symbol.charCodeAt(0)] = symbol;
  return table;
}
