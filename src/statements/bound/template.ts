import { Codes, FaultError, fault } from '../../model/fault.js';
import { Lexer, TokenKind } from '../../sql/syntax/lexer.js';

/** An INSERT of rows whose values are bound. Names and fixed tags are as the statement has them. */
export interface InsertTemplate {
  readonly kind: 'insert';
  /** The table; undefined where its name is bound. */
  readonly table: string | undefined;
  /** The database and the point in front of a bound name, or nothing. */
  readonly owner: string;
  readonly using: UsingTemplate | undefined;
  /** Names of the values; undefined where the statement has none. */
  readonly columns: readonly string[] | undefined;
  /** How many values a row has. */
  readonly values: number;
}

interface UsingTemplate {
  readonly table: string;
  /** Undefined where the statement names none. */
  readonly tagNames: readonly string[] | undefined;
  /** Undefined where a tag is bound. */
  readonly tags: readonly (string | undefined)[];
  /** What stands behind the tags, such as TTL. */
  readonly options: string;
}

/** Another statement with parameters: the text between them. */
export interface TextTemplate {
  readonly kind: 'text';
  readonly pieces: readonly string[];
}

/** A prepared statement. */
type Template = InsertTemplate | TextTemplate;

function refuse(reason: string): FaultError {
  return new FaultError(fault('syntax', Codes.syntaxError, `syntax error: ${reason}`));
}

/** Reads a prepared statement. Throws a FaultError for an INSERT whose parameters stand where none may. */
export function readTemplate(text: string): Template {
  const reader = new TemplateReader(text);
  const pieces = reader.pieces();
  if (pieces.length === 1) return { kind: 'text', pieces };
  return reader.isInsert() ? reader.insert() : { kind: 'text', pieces };
}

class TemplateReader {
  readonly #text: string;
  readonly #lexer: Lexer;

  constructor(text: string) {
    this.#text = text;
    this.#lexer = new Lexer(text);
  }

  /** The text between the parameters. */
  pieces(): string[] {
    const lexer = new Lexer(this.#text);
    const pieces: string[] = [];
    let from = 0;
    for (lexer.next(); lexer.kind !== TokenKind.end; lexer.next()) {
      if (!isParameter(lexer)) continue;
      pieces.push(this.#text.slice(from, lexer.start));
      from = lexer.end;
    }
    pieces.push(this.#text.slice(from));
    return pieces;
  }

  isInsert(): boolean {
    this.#lexer.seek(0);
    return this.#lexer.word === 'INSERT' || this.#lexer.word === 'IMPORT';
  }

  insert(): InsertTemplate {
    const lexer = this.#lexer;
    lexer.next();
    if (this.#word() !== 'INTO') throw refuse('INTO is expected');
    lexer.next();
    const { table, owner } = this.#tableName();
    const before = this.#list();
    const using = this.#word() === 'USING' ? this.#using() : undefined;
    const columns = before ?? this.#list();
    if (this.#word() !== 'VALUES') throw refuse('VALUES is expected');
    lexer.next();
    const items = this.#list();
    if (items === undefined || items.some((item) => item !== undefined)) {
      throw refuse('every value of a prepared INSERT must be a parameter');
    }
    if (lexer.kind !== TokenKind.end && this.#word() !== ';') {
      throw refuse('a prepared INSERT has one table and one row of parameters');
    }
    if (columns?.some((name) => name === undefined)) throw refuse('a name of a column cannot be a parameter');
    return { kind: 'insert', table, owner, using, columns: columns?.map((name) => name ?? ''), values: items.length };
  }

  #word(): string {
    return this.#lexer.word;
  }

  /** Reads a name, of which the last part may be a parameter; the lexer stands on its first token. */
  #tableName(): { readonly table: string | undefined; readonly owner: string } {
    const lexer = this.#lexer;
    const { start } = lexer;
    let isBound = isParameter(lexer);
    let [from, end] = [start, lexer.end];
    if (!isBound && lexer.kind !== TokenKind.word && lexer.kind !== TokenKind.quoted)
      throw refuse('a name is expected');
    lexer.next();
    if (!isBound && lexer.word === '.') {
      lexer.next();
      isBound = isParameter(lexer);
      from = lexer.start;
      end = lexer.end;
      lexer.next();
    }
    if (isBound) return { table: undefined, owner: this.#text.slice(start, from) };
    return { table: this.#text.slice(start, end), owner: '' };
  }

  /** Reads `(item, …)` where that comes next; a parameter is undefined. */
  #list(): (string | undefined)[] | undefined {
    const lexer = this.#lexer;
    if (lexer.word !== '(') return undefined;
    const items: (string | undefined)[] = [];
    let from = lexer.end;
    let tokens = 0;
    let hasParameter = false;
    let depth = 1;
    while (depth > 0) {
      lexer.next();
      if (lexer.kind === TokenKind.end) throw refuse(') is expected');
      if (this.#word() === '(') depth++;
      else if (this.#word() === ')') depth--;
      if (depth === 0 || (depth === 1 && this.#word() === ',')) {
        if (hasParameter && tokens > 1) throw refuse('a parameter stands in an expression');
        items.push(hasParameter ? undefined : this.#text.slice(from, lexer.start).trim());
        from = lexer.end;
        tokens = 0;
        hasParameter = false;
      } else {
        tokens++;
        hasParameter ||= isParameter(lexer);
      }
    }
    lexer.next();
    return items;
  }

  #using(): UsingTemplate {
    const lexer = this.#lexer;
    lexer.next();
    const { table } = this.#tableName();
    if (table === undefined) throw refuse('the super table cannot be a parameter');
    const tagNames = this.#list()?.map((name) => name ?? '');
    if (this.#word() !== 'TAGS') throw refuse('TAGS is expected');
    lexer.next();
    const tags = this.#list();
    if (tags === undefined) throw refuse('( is expected');
    const { start } = lexer;
    while (lexer.kind !== TokenKind.end && lexer.word !== 'VALUES' && lexer.word !== '(') {
      if (isParameter(lexer)) throw refuse('an option of a table cannot be a parameter');
      lexer.next();
    }
    return { table, tagNames, tags, options: this.#text.slice(start, lexer.start) };
  }
}

function isParameter({ kind, text, start }: Lexer): boolean {
  return kind === TokenKind.bad && text[start] === '?';
}
