import { isUtf8 } from 'node:buffer';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { parseStatement } from '../../sql/parser/statement.js';
import type { Statement } from '../../sql/syntax/ast-statement.js';
import { Lexer, TokenKind } from '../../sql/syntax/lexer.js';

/** The head of an INSERT of rows. Rows are read by a scanner of their own, so their text need not be decoded to be parsed. */
const insertHeadBytes = 4096;
/** Bytes that are parsed of an INSERT that is longer than other statements may be: the names of all columns a table can have fit in. */
const longHeadBytes = 512 * 1024;

/**
 * Characters of all queries whose trees are kept, and of one at most. Dashboards ask about each of a thousand devices in turn; a tree takes about 25
 * bytes per character, and its plan half as much.
 */
const keptInAll = 256 * 1024;
const keptCharacters = 2048;

/** Reads statements of at most `maxBytes`. What programs ask again and again is parsed once: a tree is never changed. */
export class StatementReader {
  readonly #maxBytes: number;
  /** By text; the one used last stands last. */
  readonly #queries = new Map<string, Statement>();
  #characters = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** See {@link readStatement}. */
  read(bytes: Buffer): Statement {
    if (bytes.length > keptCharacters) return readStatement(bytes, this.#maxBytes);
    const text = bytes.toString('utf8');
    const known = this.#queries.get(text);
    if (known !== undefined) this.#forget(text);
    const statement = known ?? readStatement(bytes, this.#maxBytes);
    if (statement.kind === 'query') this.#keep(text, statement);
    return statement;
  }

  #keep(text: string, statement: Statement): void {
    this.#queries.set(text, statement);
    this.#characters += text.length;
    for (const oldest of this.#queries.keys()) {
      if (this.#characters <= keptInAll) return;
      this.#forget(oldest);
    }
  }

  #forget(text: string): void {
    this.#queries.delete(text);
    this.#characters -= text.length;
  }
}

/** True for `INSERT INTO name [(names)] VALUES` or `USING`, where the table may stand behind its database. */
function isInsertOfRows(head: string): boolean {
  const lexer = new Lexer(head);
  const passes = (test: boolean): boolean => {
    if (test) lexer.next();
    return test;
  };
  const passesName = (): boolean => passes(lexer.kind === TokenKind.word || lexer.kind === TokenKind.quoted);
  lexer.next();
  if (!passes(lexer.word === 'INSERT') || !passes(lexer.word === 'INTO') || !passesName()) return false;
  if (passes(lexer.word === '.') && !passesName()) return false;
  if (passes(lexer.word === '(')) {
    while (passes(lexer.word === ',') || passesName());
    if (!passes(lexer.word === ')')) return false;
  }
  return lexer.word === 'VALUES' || lexer.word === 'USING';
}

/**
 * Parses a statement; of a long INSERT of rows only its kind is told, because those are read by a scanner of their own.
 * Everything else is refused with 0x0219 when it is longer than `maxBytes`. Throws FaultErrors.
 */
function readStatement(text: Buffer, maxBytes: number): Statement {
  if (text.length > insertHeadBytes && isInsertOfRows(text.toString('latin1', 0, insertHeadBytes))) {
    return { kind: 'insert', offset: 0 };
  }
  const isTooLong = text.length > maxBytes;
  if (isTooLong && !/^\s*(?:insert|import)\s/i.test(text.toString('latin1', 0, 64)))
    throw new FaultError(refusals.statementTooLong);
  const statement = parseStatement(
    text.toString('utf8', 0, isTooLong ? Math.min(maxBytes, longHeadBytes) : text.length),
  );
  if (isTooLong && statement.kind !== 'insert') throw new FaultError(refusals.statementTooLong);
  if (statement.kind !== 'insert' && !isUtf8(text)) throw notUtf8(text);
  return statement;
}

/** Bytes that are no character would become others, and so would names and texts. */
function notUtf8(text: Buffer): FaultError {
  const [before = ''] = text.toString('utf8').split('\ufffd', 1);
  const message = `syntax error: the statement is not UTF-8 from byte ${Buffer.byteLength(before) + 1} on`;
  return new FaultError(fault('syntax', Codes.syntaxError, message));
}
