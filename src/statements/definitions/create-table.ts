import { checkedEncoding } from '../../database/catalogue/column-encoding.js';
import { checkComment, checkedName, checkTtl, columnSpec } from '../../database/catalogue/column-type.js';
import type { ColumnSpec } from '../../database/catalogue/operations.js';
import { createNamed } from '../../database/store/create-named.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { lengthFault } from '../../model/row-length.js';
import type { TableDef } from '../../model/schema.js';
import { maxColumnNameBytes } from '../../model/sent-name.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, databaseOf } from './context.js';

/** CREATE STABLE, and CREATE TABLE of a normal table. */
export async function createTable(statement: StatementOf<'create-table'>, context: DefinitionContext): Promise<void> {
  const database = await databaseOf(context, statement.table);
  const name = checkedName(statement.table.name.text, 192);
  const [time, ...rest] = statement.columns;
  if (time === undefined || time.type.name !== 'TIMESTAMP') {
    throw new FaultError(fault('syntax', Codes.firstColumnTimestamp, 'First column must be timestamp'));
  }
  const columns = rest.map((column) => columnSpec(column, 'column'));
  checkKey(columns);
  const tags = (statement.tags ?? []).map((tag) => columnSpec(tag, 'tag'));
  const timeColumn = checkedName(time.name.text, maxColumnNameBytes);
  checkShape(timeColumn, columns, tags);
  const kind = statement.tags === undefined ? 'normal' : 'super';
  const { comment, ttl = 0 } = statement.options;
  checkComment(comment);
  checkTtl(ttl);
  const timeEncoding = time.encoding === undefined ? {} : { timeEncoding: checkedEncoding(time.encoding) };
  const spec = {
    database: database.name,
    name,
    kind,
    timeColumn,
    ...timeEncoding,
    columns,
    tags,
    comment,
    ttl,
  } as const;
  const { catalogue, subTables } = context;
  const refused = await createNamed(catalogue, subTables, database, { op: 'create-table', ...spec });
  if (refused !== undefined && !(statement.ifNotExists && refused.code === existsCode(kind))) {
    throw new FaultError(refused);
  }
  const table = context.catalogue.table(database.name, name);
  if (table !== undefined) await context.storage.ensure(database, table);
}

const keyTypes: ReadonlySet<string> = new Set(['INT', 'INT UNSIGNED', 'BIGINT', 'BIGINT UNSIGNED', 'VARCHAR']);

/** A key beside the time is the first data column, and of a type that compares well. */
function checkKey(columns: readonly ColumnSpec[]): void {
  for (const [at, { isKey, type }] of columns.entries()) {
    if (!isKey) continue;
    if (at > 0)
      throw new FaultError(fault('syntax', Codes.secondColumnKey, 'Primary key column must be second column'));
    if (keyTypes.has(type.name)) continue;
    const text = 'Primary key column must be of type int, uint, bigint, ubigint, and varchar';
    throw new FaultError(fault('syntax', Codes.keyType, text));
  }
}

function existsCode(kind: TableDef['kind']): number {
  return kind === 'super' ? Codes.stableAlreadyExists : Codes.tableAlreadyExists;
}

function checkShape(timeColumn: string, columns: readonly ColumnSpec[], tags: readonly ColumnSpec[]): void {
  const names = [timeColumn, ...columns.map((c) => c.name), ...tags.map((t) => t.name)];
  if (new Set(names).size < names.length) throw new FaultError(refusals.duplicatedColumns);
  if (columns.length === 0) throw new FaultError(refusals.illegalColumnCount);
  if (names.length > 4096) throw new FaultError(refusals.tooManyTableColumns);
  if (tags.length > 128) throw new FaultError(fault('syntax', Codes.invalidTagCount, 'Invalid number of tag columns'));
  if (tags.length > 1 && tags.some((tag) => tag.type.name === 'JSON')) throw new FaultError(refusals.oneJsonTag);
  const tooLong = lengthFault(columns, tags);
  if (tooLong !== undefined) throw new FaultError(tooLong);
}
