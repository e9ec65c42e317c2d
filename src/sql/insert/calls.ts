import { Lexer, TokenKind } from '../syntax/lexer.js';

/** A value of an INSERT, or a tag of CREATE TABLE, that begins with a call of a function. */
export interface CallInValues {
  /** Half-open range of bytes of the statement, up to the comma or bracket behind it. */
  readonly start: number;
  readonly end: number;
  /** Database that the statement names for the table; undefined is the current one. */
  readonly database: string | undefined;
}

/** Words that may stand behind a bracket outside of all others, beside the name of the next table. */
const clauseWords: ReadonlySet<string> = new Set(['VALUES', 'USING', 'TAGS', 'FILE', 'TTL', 'COMMENT', 'IF']);

/** Words and marks behind which the name of a table stands. */
const beforeNames: ReadonlySet<string> = new Set(['INTO', 'TABLE', 'EXISTS', ')', ',']);

/** Calls that are read where they stand. */
const times: ReadonlySet<string> = new Set(['NOW', 'TODAY']);

/** The calls of functions among the values and tags of an INSERT or CREATE TABLE, in the order in which they stand. */
export function callsInValues(statement: Buffer): CallInValues[] {
  // One character per byte, so that places in the text are places in the statement.
  const lexer = new Lexer(statement.toString('latin1'));
  const calls: CallInValues[] = [];
  let database: string | undefined;
  let call: number | undefined;
  let depth = 0;
  let before = '';
  for (lexer.next(); lexer.kind !== TokenKind.end; lexer.next()) {
    const { word, start } = lexer;
    if (depth === 0 && beforeNames.has(before) && isName(lexer)) {
      database = ownerOf(lexer, statement);
    } else if (word === '(') {
      depth++;
    } else if (depth === 1 && call === undefined && (before === '(' || before === ',') && isCall(lexer)) {
      call = start;
    } else if (depth === 1 && call !== undefined && (word === ',' || word === ')')) {
      calls.push({ start: call, end: start, database });
      call = undefined;
    }
    if (word === ')') depth--;
    before = word;
  }
  return calls;
}

function isName({ kind, word }: Lexer): boolean {
  return kind === TokenKind.quoted || (kind === TokenKind.word && !clauseWords.has(word));
}

function isCall({ kind, word, end, text }: Lexer): boolean {
  return kind === TokenKind.word && !times.has(word) && /^\s*\(/.test(text.slice(end, end + 64));
}

/** The database before the point of a name; the lexer stays in front of its last part. */
function ownerOf(lexer: Lexer, statement: Buffer): string | undefined {
  const { kind, start, end, text } = lexer;
  if (text[end] !== '.') return undefined;
  lexer.next();
  const name = statement.toString('utf8', start, end);
  return kind === TokenKind.quoted ? name.slice(1, -1).replaceAll('``', '`') : name.toLowerCase();
}
