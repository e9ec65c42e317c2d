import type { ObjectName } from '../syntax/ast.js';
import type { AlterTableAction, Statement, TagChange } from '../syntax/ast-statement.js';
import { parseEncoding, parseKeep, parseKeyMark, parseTagValue } from './create-table.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { parseCount, parseString } from './literals.js';
import { atName, parseColumnName, parseNewColumnName, parseObjectName } from './names.js';
import { parseType } from './types.js';

/** `ALTER TABLE` and `ALTER STABLE`, from the name on. */
export function parseAlterTable(cursor: Cursor, stable: boolean): Statement {
  if (!stable && cursor.accept('USING')) return parseSetTagsUsing(cursor);
  const table = parseObjectName(cursor);
  if (cursor.at('SET')) return parseSetTags(cursor, stable, table);
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

/** `SET TAG tag = value, …`, and then the next table with the same. */
function parseSetTags(cursor: Cursor, stable: boolean, first: ObjectName): Statement {
  const tables = [{ table: first, tags: parseTagChanges(cursor) }];
  while (atName(cursor)) tables.push({ table: parseObjectName(cursor), tags: parseTagChanges(cursor) });
  return { kind: 'set-tags', stable, tables };
}

/** `USING super_table SET TAG tag = value, … [WHERE condition]`, from behind USING. */
function parseSetTagsUsing(cursor: Cursor): Statement {
  const table = parseObjectName(cursor);
  const tags = parseTagChanges(cursor);
  const where = cursor.accept('WHERE') ? parseExpression(cursor) : undefined;
  return { kind: 'set-tags-using', table, tags, where };
}

function parseTagChanges(cursor: Cursor): readonly TagChange[] {
  cursor.expect('SET');
  cursor.expect('TAG');
  return cursor.list(parseTagChange);
}

function parseTagChange(cursor: Cursor): TagChange {
  const name = parseColumnName(cursor);
  cursor.expect('=');
  return { name, value: parseTagValue(cursor) };
}
