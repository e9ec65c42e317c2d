import { quoteString } from '../../../sql/engine/quote.js';
import { EngineException } from '../connection/exception.js';
import { Tokens } from './tokens.js';

/**
 * Facts about a statement that the host needs before it runs it.
 * - `rows`: a query whose result is streamed; `INTO OUTFILE` goes between `head` and `tail`.
 * - `insert`: rows follow as data; what reads them goes between `head` and `tail`, see {@link readingFrom}. `input`:
 *   the format of the rows when a query reads them by the function `input`. `data` is what followed in the text.
 * - `plain`: everything else, its result is short. `readOnly`: allowed by GET. `changesSession`: it leaves settings, a
 *   current database or temporary tables behind. `defines`: it may write a file of definitions.
 * `format` is the FORMAT clause of the statement, if it has one.
 */
export type Statement =
  | { readonly kind: 'rows'; readonly head: string; readonly tail: string; readonly format: string | undefined }
  | {
      readonly kind: 'insert';
      readonly head: string;
      readonly tail: string;
      readonly input?: string;
      readonly data: Uint8Array;
    }
  | {
      readonly kind: 'plain';
      readonly text: string;
      readonly format: string | undefined;
      readonly readOnly: boolean;
      readonly changesSession: boolean;
      readonly defines: boolean;
    };

const queryWords = new Set(['select', 'with', 'from']);
const definingWords = new Set(['create', 'alter', 'rename', 'exchange', 'attach', 'update', 'delete', 'restore']);
const readOnlyWords = new Set(['show', 'describe', 'desc', 'exists', 'explain', 'set', 'use']);

/**
 * Sorts a statement. Only the clauses that matter here are looked at; the grammar stays the engine's.
 * @throws EngineException for an empty text, several statements, INTO OUTFILE and FROM INFILE, as the engine's own HTTP
 * interface refuses them.
 */
export function readStatement(bytes: Uint8Array): Statement {
  const tokens = new Tokens(bytes);
  tokens.next();
  const first = tokens.word();
  if (tokens.kind === 'end' || tokens.is(';')) throw new EngineException(62, 'SYNTAX_ERROR', 'Empty query');
  if (first === 'insert') return readInsert(tokens);
  return readOther(tokens, first);
}

/** The text of an INSERT that takes its rows from a file. */
export function readingFrom({ head, tail, input }: Extract<Statement, { kind: 'insert' }>, path: string): string {
  if (input === undefined) return `${head} FROM INFILE ${quoteString(path)} COMPRESSION 'none' ${tail}`;
  return `${head}file(${quoteString(path)}, ${quoteString(input)}, ${tail}`;
}

/** True when the text is an INSERT that takes data, so that the rest of a body belongs to it. */
export function takesData(bytes: Uint8Array): boolean {
  const tokens = new Tokens(bytes);
  tokens.next();
  return tokens.word() === 'insert' && readInsert(tokens).kind === 'insert';
}

function readOther(tokens: Tokens, first: string): Statement {
  const { bytes, start } = tokens;
  const isQuery = queryWords.has(first) || tokens.is('(');
  let depth = 0;
  let end = start;
  let previous = '';
  let writes = false;
  let temporary = false;
  const format = new FormatFinder(bytes);
  for (; tokens.kind !== 'end'; tokens.next()) {
    if (tokens.is(';')) {
      refuseMore(tokens);
      break;
    }
    depth += depthStep(tokens);
    const word = depth === 0 ? tokens.word() : '';
    if (previous === 'into' && word === 'outfile') {
      throw new EngineException(358, 'INTO_OUTFILE_NOT_ALLOWED', 'INTO OUTFILE is not allowed');
    }
    if (word === 'insert' && first === 'with') writes = true;
    if (word === 'temporary') temporary = true;
    if (depth === 0) format.see(tokens, word);
    previous = word;
    end = tokens.end;
  }
  const clause = format.clause();
  if (isQuery && !writes) {
    const cut = clause?.start ?? end;
    return { kind: 'rows', head: textOf(bytes, start, cut), tail: textOf(bytes, cut, end), format: clause?.name };
  }
  return {
    kind: 'plain',
    text: textOf(bytes, start, end),
    format: clause?.name,
    readOnly: readOnlyWords.has(first),
    changesSession: first === 'set' || first === 'use' || temporary,
    defines: definingWords.has(first),
  };
}

/** Finds `FORMAT name` where a clause can stand: at the end, or before a last SETTINGS. */
class FormatFinder {
  readonly #bytes: Uint8Array;
  #start = 0;
  #name = '';
  /** 0 nothing, 1 after FORMAT, 2 after the name, 3 in the settings behind it. */
  #stage = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  see(tokens: Tokens, word: string): void {
    if (this.#stage === 3) return;
    if (this.#stage === 1 && tokens.kind === 'word') {
      this.#name = textOf(this.#bytes, tokens.start, tokens.end);
      this.#stage = 2;
    } else if (this.#stage === 2 && word === 'settings') {
      this.#stage = 3;
    } else {
      this.#stage = word === 'format' ? 1 : 0;
      this.#start = tokens.start;
    }
  }

  clause(): { readonly start: number; readonly name: string } | undefined {
    return this.#stage >= 2 ? { start: this.#start, name: this.#name } : undefined;
  }
}

/** `INSERT INTO [TABLE] [FUNCTION] name [(columns)] [SETTINGS ...] (FORMAT name [SETTINGS ...] | VALUES) data`. */
function readInsert(tokens: Tokens): Statement {
  const { bytes, start } = tokens;
  const afterName = passTableName(tokens);
  let depth = 0;
  let cut = -1;
  let last = afterName;
  for (; tokens.kind !== 'end' && !tokens.is(';'); tokens.next()) {
    depth += depthStep(tokens);
    const word = depth === 0 ? tokens.word() : '';
    if (word === 'settings' && cut < 0) cut = tokens.start;
    else if (word === 'values') {
      const clauses = cut < 0 ? '' : textOf(bytes, cut, tokens.start);
      const head = textOf(bytes, start, cut < 0 ? tokens.start : cut);
      return { kind: 'insert', head, tail: `${clauses} FORMAT Values`, data: bytes.subarray(tokens.end) };
    } else if (word === 'format') {
      const from = cut < 0 ? tokens.start : cut;
      const dataStart = passFormat(tokens);
      const tail = textOf(bytes, from, tokens.end);
      return { kind: 'insert', head: textOf(bytes, start, from), tail, data: bytes.subarray(dataStart) };
    } else if (word === 'select' || word === 'with') return readInsertSelect(tokens, start);
    else if (word === 'from') throw new EngineException(178, 'UNKNOWN_TYPE_OF_QUERY', 'Query has infile');
    last = tokens.end;
  }
  if (endsWithSubquery(bytes, afterName)) return wholeInsert(bytes, start);
  const from = cut < 0 ? last : cut;
  const tail = `${textOf(bytes, from, last)} FORMAT Values`;
  return { kind: 'insert', head: textOf(bytes, start, from), tail, data: bytes.subarray(bytes.length) };
}

/**
 * `SELECT ... FROM input('columns') ... FORMAT name data` from its first word on: `input` gives the rows of the data.
 * Without it the statement takes none.
 */
function readInsertSelect(tokens: Tokens, start: number): Statement {
  const { bytes } = tokens;
  let depth = 0;
  let name = -1;
  let columns = -1;
  let previous = -1;
  for (; tokens.kind !== 'end' && !tokens.is(';'); tokens.next()) {
    if (previous >= 0 && tokens.is('(')) {
      name = previous;
      columns = tokens.end;
    }
    depth += depthStep(tokens);
    const word = tokens.word();
    previous = word === 'input' && columns < 0 ? tokens.start : -1;
    if (word !== 'format' || depth !== 0 || columns < 0) continue;
    const cut = tokens.start;
    const format = new Tokens(bytes);
    format.end = tokens.end;
    format.next();
    const dataStart = passFormat(tokens);
    return {
      kind: 'insert',
      head: textOf(bytes, start, name),
      tail: `${textOf(bytes, columns, cut)}${textOf(bytes, format.end, tokens.end)}`,
      input: textOf(bytes, format.start, format.end),
      data: bytes.subarray(dataStart),
    };
  }
  return wholeInsert(bytes, start);
}

function endsWithSubquery(bytes: Uint8Array, from: number): boolean {
  const tokens = new Tokens(bytes);
  tokens.end = from;
  for (tokens.next(); tokens.kind !== 'end'; tokens.next()) {
    const word = tokens.word();
    if (word === 'select') return true;
  }
  return false;
}

function wholeInsert(bytes: Uint8Array, start: number): Statement {
  const tokens = new Tokens(bytes);
  tokens.end = start;
  let end = start;
  for (tokens.next(); tokens.kind !== 'end'; tokens.next()) {
    if (tokens.is(';')) {
      refuseMore(tokens);
      break;
    }
    end = tokens.end;
  }
  return {
    kind: 'plain',
    text: textOf(bytes, start, end),
    format: undefined,
    readOnly: false,
    changesSession: false,
    defines: false,
  };
}

/** Steps from INSERT to the first token behind the table's name, which may itself read like a keyword. */
function passTableName(tokens: Tokens): number {
  tokens.next();
  if (tokens.word() === 'into') tokens.next();
  if (tokens.word() === 'table') tokens.next();
  if (tokens.word() === 'function') tokens.next();
  let end = tokens.end;
  tokens.next();
  while (tokens.is('.')) {
    tokens.next();
    end = tokens.end;
    tokens.next();
  }
  return end;
}

/**
 * Steps from FORMAT over the name and a SETTINGS list behind it; returns where the data begins: behind one line break,
 * or behind the blanks when there is none. Leaves the tokens at the last one of the clause.
 */
function passFormat(tokens: Tokens): number {
  tokens.next();
  const { bytes } = tokens;
  let end = tokens.end;
  const start = tokens.start;
  tokens.next();
  if (tokens.word() === 'settings') end = passSettings(tokens);
  tokens.start = start;
  tokens.end = end;
  tokens.kind = 'word';
  let at = end;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0c) at++;
  if (bytes[at] === 0x3b) {
    throw new EngineException(62, 'SYNTAX_ERROR', "You have excessive ';' symbol before data for INSERT.");
  }
  if (bytes[at] === 0x0d) at++;
  if (bytes[at] === 0x0a) at++;
  return at;
}

/** `SETTINGS a = 1, b = 'x'`: returns the end of the last value. */
function passSettings(tokens: Tokens): number {
  let end = tokens.end;
  for (;;) {
    tokens.next();
    tokens.next();
    if (!tokens.is('=')) return end;
    tokens.next();
    if (tokens.is('-')) tokens.next();
    let depth = depthStep(tokens);
    while (depth > 0 && !(tokens.kind === 'end')) {
      tokens.next();
      depth += depthStep(tokens);
    }
    end = tokens.end;
    tokens.next();
    if (!tokens.is(',')) return end;
  }
}

function refuseMore(tokens: Tokens): void {
  while (tokens.is(';')) tokens.next();
  if (tokens.kind !== 'end') {
    throw new EngineException(62, 'SYNTAX_ERROR', 'Syntax error: Multi-statements are not allowed');
  }
}

function depthStep(tokens: Tokens): number {
  if (tokens.is('(') || tokens.is('[') || tokens.is('{')) return 1;
  return tokens.is(')') || tokens.is(']') || tokens.is('}') ? -1 : 0;
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}
