import { Codes, FaultError, fault } from '../../model/fault.js';
import { notSupported } from '../../model/refusals.js';
import { hasInOrder } from '../../text/in-order.js';
import type { Query, Span } from '../syntax/ast.js';
import { Lexer, TokenKind } from '../syntax/lexer.js';

/** How deep brackets, unary operators, calls and subqueries may be nested; far from what the call stack can bear. */
export const maxNesting = 200;

/**
 * Most of what one query may have of each, so that neither planning nor the engine's analysis, which grows faster than
 * the text, holds others up for seconds.
 */
const queryLimits = {
  conditions: 10_000,
  'list items': 100_000,
  'CASE branches': 2000,
  values: 200_000,
} as const;
/** A syntax error comes before the error of a too long list. */
const farBeyond = 2;
type Counted = keyof typeof queryLimits;
const countedNames = ['conditions', 'list items', 'CASE branches', 'values'] as const;

/** How much of the statement an error message quotes. */
const maxQuotedChars = 512;

/** Text with a password: a statement about users may stand behind another one. */
const secret = [/\buser\b/i, /\bpass\b/i, /['"]/] as const;

/** The lexer with the moves of a recursive-descent parser. Every complaint is a {@link FaultError}. */
export class Cursor extends Lexer {
  /** End of the token that was consumed last. */
  lastEnd = 0;
  /**
   * Set by statements that carry a password: errors then quote nothing, for a password may stand anywhere, even bare.
   */
  carriesSecret = false;
  /** Reads a query; set while one is read, so that expressions in it may hold queries. */
  parseQuery: ((cursor: Cursor) => Query) | undefined;
  private depth = 0;
  private readonly counts: Record<Counted, number> = { conditions: 0, 'list items': 0, 'CASE branches': 0, values: 0 };

  constructor(text: string) {
    super(text);
    this.next();
  }

  /** Consumes the current token. */
  advance(): void {
    this.lastEnd = this.end;
    this.next();
  }

  /** Whether the current token is this keyword (upper case) or operator. */
  at(word: string): boolean {
    return this.word === word;
  }

  /** Consumes the keyword or operator if it is the current token. */
  accept(word: string): boolean {
    if (this.word !== word) return false;
    this.advance();
    return true;
  }

  /** Consumes the keyword or operator, or fails. */
  expect(word: string): void {
    if (!this.accept(word)) this.fail();
  }

  /** Reads one item and, each behind a comma, the others. */
  list<T>(read: (cursor: this) => T): T[] {
    const items = [read(this)];
    while (this.accept(',')) items.push(read(this));
    return items;
  }

  /** A {@link Cursor.list} in brackets. */
  bracketed<T>(read: (cursor: this) => T): T[] {
    this.expect('(');
    const items = this.list(read);
    this.expect(')');
    return items;
  }

  /** Consumes all the keywords, separated by blanks in `words`, if they are the next tokens; otherwise none of them. */
  acceptPhrase(words: string): boolean {
    const { start, lastEnd } = this;
    for (const word of words.split(' ')) {
      if (this.accept(word)) continue;
      if (this.start !== start) this.seek(start);
      this.lastEnd = lastEnd;
      return false;
    }
    return true;
  }

  /** Keyword or operator after the current token; empty when something else follows. */
  peek(): string {
    return this.ahead().word;
  }

  /** Kind and word of the token after the current one. */
  ahead(): { readonly kind: TokenKind; readonly word: string } {
    const { kind, start, end, word } = this;
    this.next();
    const token = { kind: this.kind, word: this.word };
    this.kind = kind;
    this.start = start;
    this.end = end;
    this.word = word;
    return token;
  }

  /** Whether a name may follow the current token, which then is a word of the statement and no name itself. */
  isNameAhead(): boolean {
    const { kind, word } = this.ahead();
    return (kind === TokenKind.word && word !== 'ON') || kind === TokenKind.quoted;
  }

  /** Opens one level of nesting; closed by {@link leave}. Fails beyond {@link maxNesting}. */
  enter(): void {
    this.depth += 1;
    if (this.depth > maxNesting) this.fail(`nested deeper than ${maxNesting} levels`);
  }

  /** Closes a level of nesting. */
  leave(): void {
    this.depth -= 1;
  }

  /** Counts what {@link queryLimits} bounds; a text with far too much is not read on. */
  count(what: Counted, more: number): void {
    this.counts[what] += more;
    if (this.counts[what] > farBeyond * queryLimits[what]) this.checkCounts();
  }

  /** Refuses a query that has too much of something. */
  checkCounts(): void {
    const { counts } = this;
    for (const what of countedNames) {
      if (counts[what] > queryLimits[what]) this.refuse(`a query with more than ${queryLimits[what]} ${what}`);
    }
  }

  /** Range from `start` to the end of the last consumed token. */
  spanFrom(start: number): Span {
    return { start, end: this.lastEnd };
  }

  /** Source text from `start` to the end of the last consumed token. */
  sourceFrom(start: number): string {
    return this.text.slice(start, this.lastEnd);
  }

  /** Accepts one trailing `;` and demands the end of the text. */
  finish(): void {
    this.accept(';');
    if (this.kind !== TokenKind.end) this.failAt(this.start);
  }

  /** Refuses the current token: 0x2601 at the end of the statement, otherwise 0x2600 with the text from there on. */
  fail(reason?: string): never {
    if (this.atEnd()) throw new FaultError(fault('syntax', Codes.incompleteStatement, 'Incomplete SQL statement'));
    return this.failAt(this.start, reason);
  }

  /** Refuses the text from `offset` on with 0x2600. */
  failAt(offset: number, reason?: string): never {
    const quoted = this.text.slice(offset, offset + maxQuotedChars).trimEnd();
    const isSecret = this.carriesSecret || hasInOrder(quoted, ...secret);
    const near = isSecret ? '' : quoted;
    const cause = isSecret ? "a statement with a password is not repeated; write PASS '…'" : reason;
    const why = cause === undefined ? '' : ` (${cause})`;
    const error = fault('syntax', Codes.syntaxError, `syntax error near "${near}"${why}`);
    throw new FaultError({ ...error, place: { start: offset, word: '' } });
  }

  /** Refuses something that is valid but not available; `what` names it. */
  refuse(what: string): never {
    throw new FaultError(notSupported(what));
  }

  private atEnd(): boolean {
    return this.kind === TokenKind.end || (this.at(';') && this.ahead().kind === TokenKind.end);
  }
}
