import type { DatabaseOption, Statement } from '../syntax/ast-statement.js';
import { stringValue, TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseDatabaseName, parseNewDatabaseName } from './names.js';

/** Options the dialect knows; ranges are the executor's business. Words of older versions are syntax errors. */
const databaseOptions = new Set(
  (
    'PRECISION KEEP DURATION VGROUPS REPLICA BUFFER CACHEMODEL CACHESIZE CACHESHARDBITS COMP WAL_LEVEL WAL_FSYNC_PERIOD ' +
    'WAL_RETENTION_PERIOD WAL_RETENTION_SIZE WAL_ROLL_PERIOD WAL_SEGMENT_SIZE MAXROWS MINROWS PAGES PAGESIZE STT_TRIGGER ' +
    'TSDB_PAGESIZE SINGLE_STABLE TABLE_PREFIX TABLE_SUFFIX KEEP_TIME_OFFSET STRICT SCHEMALESS RETENTIONS DNODES ' +
    'ENCRYPT_ALGORITHM WITH_ARBITRATOR SS_CHUNKPAGES SS_KEEPLOCAL SS_COMPACT S3_CHUNKPAGES S3_KEEPLOCAL S3_COMPACT ' +
    'COMPACT_INTERVAL COMPACT_TIME_RANGE COMPACT_TIME_OFFSET'
  ).split(' '),
);

/** `CREATE DATABASE [IF NOT EXISTS] name {option}`, from the name clause on. */
export function parseCreateDatabase(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const name = parseNewDatabaseName(cursor);
  return { kind: 'create-database', name, ifNotExists, options: parseOptions(cursor) };
}

/** `ALTER DATABASE name option {option}`, from the name on. */
export function parseAlterDatabase(cursor: Cursor): Statement {
  const name = parseDatabaseName(cursor);
  const options = parseOptions(cursor);
  if (options.length === 0) cursor.fail();
  return { kind: 'alter-database', name, options };
}

function parseOptions(cursor: Cursor): readonly DatabaseOption[] {
  const options: DatabaseOption[] = [];
  while (databaseOptions.has(cursor.word)) {
    const { start, word: name } = cursor;
    cursor.advance();
    const values = cursor.list(parseValue);
    options.push({ name, values, span: cursor.spanFrom(start) });
  }
  return options;
}

/** A string without its quotes, otherwise the text of a number or duration in lower case, sign included. */
function parseValue(cursor: Cursor): string {
  const { kind, start, end, text } = cursor;
  if (kind === TokenKind.string) {
    cursor.advance();
    return stringValue(text, start, end);
  }
  const negative = cursor.accept('-');
  const numeric = cursor.kind === TokenKind.integer || cursor.kind === TokenKind.number;
  if (!numeric && cursor.kind !== TokenKind.duration) cursor.fail();
  const value = text.slice(cursor.start, cursor.end).toLowerCase();
  cursor.advance();
  return negative ? `-${value}` : value;
}
