import { isUtf8 } from 'node:buffer';
import { Codes, FaultError, fault } from '../model/fault.js';
import { refusals } from '../model/refusals.js';
import type { ViewDef } from '../model/schema.js';
import { parseCondition } from '../sql/parser/condition.js';
import { parseStatement } from '../sql/parser/statement.js';
import type { Expression, Query } from '../sql/syntax/ast.js';
import type { Statement } from '../sql/syntax/ast-statement.js';
import { Lexer, TokenKind } from '../sql/syntax/lexer.js';

/**
 * The head of an INSERT of rows. Rows are read by a scanner of their own, so their text need not be decoded to be
 * parsed.
 */
const insertHeadBytes = 4096;
/**
 * Bytes that are parsed of an INSERT that is longer than other statements may be: the names of all columns a table can
 * have fit in.
 */
const longHeadBytes = 512 * 1024;

/**
 * Characters of all queries in the parse cache. A dashboard may query a thousand devices one after the other. A tree
 * takes about 25 bytes per character, and its plan half as much.
 */
const maxCachedChars = 256 * 1024;
/** Longest statement that the parse cache looks up, in bytes. */
const maxCachedStatementBytes = 2048;

/** Reads statements of at most `maxBytes`, with a parse cache of queries (LRU). Cached trees are immutable. */
export class StatementReader {
  readonly #maxBytes: number;
  /** By text, in the order of last use. */
  readonly #parseCache = new Map<string, Statement>();
  #cachedChars = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** See {@link readStatement}. */
  read(bytes: Buffer): Statement {
    if (bytes.length > maxCachedStatementBytes) return readStatement(bytes, this.#maxBytes);
    return this.#cached(bytes.toString('utf8'), () => readStatement(bytes, this.#maxBytes));
  }

  /** The query that a view stands for. */
  view({ name, text }: ViewDef): Query {
    const parse = () => parseStatement(text);
    const statement = text.length > maxCachedStatementBytes ? parse() : this.#cached(text, parse);
    if (statement.kind !== 'query') throw new Error(`View ${name} is not a query.`);
    return statement.query;
  }

  /** The condition of a right on the rows of a table. */
  condition(text: string): Expression {
    return parseCondition(text);
  }

  #cached(text: string, parse: () => Statement): Statement {
    const cached = this.#parseCache.get(text);
    if (cached !== undefined) this.#evict(text);
    const statement = cached ?? parse();
    if (statement.kind === 'query') this.#cache(text, statement);
    return statement;
  }

  #cache(text: string, statement: Statement): void {
    this.#parseCache.set(text, statement);
    this.#cachedChars += text.length;
    for (const oldest of this.#parseCache.keys()) {
      if (this.#cachedChars <= maxCachedChars) return;
      this.#evict(oldest);
    }
  }

  #evict(text: string): void {
    this.#parseCache.delete(text);
    this.#cachedChars -= text.length;
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
 * Parses a statement. Of a long INSERT of rows it finds the kind alone, because the INSERT scanner reads the rows.
 * Throws FaultErrors: 0x0219 for any other statement that is longer than `maxBytes`.
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
