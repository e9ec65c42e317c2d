import type { Expression, Name } from '../syntax/ast.js';
import type { AlterTableAction, Statement } from '../syntax/ast-statement.js';
import { parseEncoding, parseKeep, parseKeyMark, parseTagValue } from './create-table.js';
import type { Cursor } from './cursor.js';
import { parseCount, parseString } from './literals.js';
import { parseColumnName, parseNewColumnName, parseObjectName } from './names.js';
import { parseType } from './types.js';

/**
 * `ALTER TABLE` and `ALTER STABLE`, from the name on. Setting tags of many sub-tables at once (`ALTER TABLE USING ...`) is
 * not available.
 */
export function parseAlterTable(cursor: Cursor, stable: boolean): Statement {
  if (!stable && cursor.at('USING')) return { kind: 'unsupported', words: 'ALTER TABLE USING' };
  const table = parseObjectName(cursor);
  return { kind: 'alter-table', stable, table, action: parseAction(cursor) };
}

function parseAction(cursor: Cursor): AlterTableAction {
  const word = cursor.word;
  switch (word) {
    case 'ADD':
    case 'DROP':
    case 'MODIFY':
    case 'RENAME':
      cursor.advance();
      return parseMemberAction(cursor, word);
    case 'SET':
      cursor.advance();
      return parseSetTag(cursor);
    case 'COMMENT':
      cursor.advance();
      return { kind: 'comment', text: parseString(cursor) };
    case 'TTL':
      cursor.advance();
      return { kind: 'ttl', days: parseCount(cursor) };
    case 'KEEP':
      cursor.advance();
      return { kind: 'keep', text: parseKeep(cursor) };
    default:
      return cursor.fail();
  }
}

function parseMemberAction(cursor: Cursor, verb: 'ADD' | 'DROP' | 'MODIFY' | 'RENAME'): AlterTableAction {
  const tag = cursor.accept('TAG');
  if (!tag) cursor.expect('COLUMN');
  const name = verb === 'ADD' ? parseNewColumnName(cursor) : parseColumnName(cursor);
  switch (verb) {
    case 'DROP':
      return { kind: tag ? 'drop-tag' : 'drop-column', name };
    case 'RENAME':
      return { kind: tag ? 'rename-tag' : 'rename-column', from: name, to: parseNewColumnName(cursor) };
    case 'ADD': {
      const type = parseType(cursor, true);
      const isKey = !tag && parseKeyMark(cursor);
      const encoding = tag ? undefined : parseEncoding(cursor);
      const key = isKey ? { isKey } : {};
      return {
        kind: tag ? 'add-tag' : 'add-column',
        name,
        type,
        ...key,
        ...(encoding === undefined ? {} : { encoding }),
      };
    }
    case 'MODIFY': {
      const encoding = tag ? undefined : parseEncoding(cursor);
      if (encoding !== undefined) return { kind: 'encode-column', name, encoding };
      return { kind: tag ? 'modify-tag' : 'modify-column', name, type: parseType(cursor, true) };
    }
  }
}

function parseSetTag(cursor: Cursor): AlterTableAction {
  cursor.expect('TAG');
  return { kind: 'set-tag', tags: cursor.list(parseTagChange) };
}

function parseTagChange(cursor: Cursor): { name: Name; value: Expression } {
  const name = parseColumnName(cursor);
  cursor.expect('=');
  return { name, value: parseTagValue(cursor) };
}
