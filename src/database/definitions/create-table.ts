import { Codes, FaultError, fault } from '../../model/fault.js';
import { type DataType, isVariable, type TableDef } from '../../model/schema.js';
import type { Statement } from '../../sql/ast.js';
import { createNamed } from '../catalogue/create-named.js';
import type { ColumnSpec } from '../catalogue/operations.js';
import { checkedName, columnSpec } from './column-type.js';
import { type DefinitionContext, databaseOf } from './context.js';

/** Longest row and longest tags of a sub-table, in bytes (SQL reference, limits). */
const maxRowBytes = 65531;
const maxTagsBytes = 16384;
const maxCommentBytes = 1024;

/** CREATE STABLE, and CREATE TABLE of a normal table. */
export async function createTable(
  statement: Extract<Statement, { kind: 'create-table' }>,
  context: DefinitionContext,
): Promise<void> {
  const database = await databaseOf(context, statement.table);
  const name = checkedName(statement.table.name.text, 192);
  const [time, ...rest] = statement.columns;
  if (time === undefined || time.type.name !== 'TIMESTAMP') {
    throw new FaultError(fault('syntax', Codes.firstColumnTimestamp, 'First column must be timestamp'));
  }
  if (rest.some((column) => column.primaryKey)) {
    throw new FaultError(fault('database', Codes.notSupported, 'Operation not supported: composite primary key'));
  }
  const columns = rest.map((column) => columnSpec(column, 'column'));
  const tags = (statement.tags ?? []).map((tag) => columnSpec(tag, 'tag'));
  const timeColumn = checkedName(time.name.text, 64);
  checkShape(timeColumn, columns, tags);
  const kind = statement.tags === undefined ? 'normal' : 'super';
  const { comment, ttl = 0 } = statement.options;
  if (comment !== undefined && Buffer.byteLength(comment) > maxCommentBytes) {
    throw new FaultError(fault('syntax', Codes.commentTooLong, 'Comment too long'));
  }
  const spec = { database: database.name, name, kind, timeColumn, columns, tags, comment, ttl } as const;
  const { catalogue, subTables } = context;
  const refused = await createNamed(catalogue, subTables, database, { op: 'create-table', ...spec });
  if (refused !== undefined && !(statement.ifNotExists && refused.code === existsCode(kind))) {
    throw new FaultError(refused);
  }
  const made = context.catalogue.table(database.name, name);
  if (made !== undefined) await context.storage.ensure(database, made);
}

function existsCode(kind: TableDef['kind']): number {
  return kind === 'super' ? Codes.stableAlreadyExists : Codes.tableAlreadyExists;
}

function checkShape(timeColumn: string, columns: readonly ColumnSpec[], tags: readonly ColumnSpec[]): void {
  const names = [timeColumn, ...columns.map((c) => c.name), ...tags.map((t) => t.name)];
  if (new Set(names).size < names.length) {
    throw new FaultError(fault('syntax', Codes.duplicatedColumns, 'Duplicated column names'));
  }
  if (columns.length === 0)
    throw new FaultError(fault('syntax', Codes.illegalColumnCount, 'Illegal number of columns'));
  if (names.length > 4096) throw new FaultError(fault('syntax', Codes.tooManyTableColumns, 'Too many columns'));
  if (tags.length > 128) throw new FaultError(fault('syntax', Codes.invalidTagCount, 'Invalid number of tag columns'));
  if (tags.length > 1 && tags.some((tag) => tag.type.name === 'JSON')) {
    throw new FaultError(fault('syntax', Codes.oneJsonTag, 'Only one tag if there is a json tag'));
  }
  if (bytesOf(columns) + 8 > maxRowBytes) {
    throw new FaultError(fault('syntax', Codes.rowTooLong, `Row length exceeds max length ${maxRowBytes}`));
  }
  if (bytesOf(tags) > maxTagsBytes) {
    throw new FaultError(fault('syntax', Codes.tagsTooLong, `Tags length exceeds max length ${maxTagsBytes}`));
  }
}

function bytesOf(columns: readonly ColumnSpec[]): number {
  return columns.reduce((sum, { type }) => sum + rowBytes(type), 0);
}

/** What a value takes of the row limit: variable types cost two bytes more, NCHAR four a character, BLOB a pointer. */
function rowBytes(type: DataType): number {
  if (type.name === 'BLOB') return 8;
  if (type.name === 'DECIMAL') return type.length <= 18 ? 8 : 16;
  if (type.name === 'NCHAR') return type.length * 4 + 2;
  return isVariable(type.name) ? type.length + 2 : type.length;
}
