import { Codes, FaultError, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { longestWidth } from '../../model/row-length.js';
import { type DataType, dataType, isPlainType, typeText } from '../../model/schema.js';
import { maxColumnNameBytes } from '../../model/sent-name.js';
import type { TypeSyntax } from '../../sql/syntax/ast.js';
import type { ColumnSyntax } from '../../sql/syntax/ast-statement.js';
import { checkedEncoding } from './column-encoding.js';
import type { ColumnSpec } from './operations.js';

function isVariable(name: string): name is 'VARCHAR' | 'VARBINARY' | 'GEOMETRY' | 'NCHAR' {
  return name === 'VARCHAR' || name === 'VARBINARY' || name === 'GEOMETRY' || name === 'NCHAR';
}

function invalidLength(): FaultError {
  return new FaultError(fault('database', Codes.invalidColumnLength, 'Invalid column length for var length type'));
}

/**
 * The type that a statement declares for a column or a tag. Throws a FaultError for types and lengths that are not
 * allowed.
 */
export function declaredType(syntax: TypeSyntax, role: 'column' | 'tag'): DataType {
  const { name, length, scale } = syntax;
  if (isPlainType(name)) return dataType(name);
  if (isVariable(name)) {
    const limit = longestWidth(name, role);
    if (limit === undefined || length === undefined || length < 1 || length > limit) throw invalidLength();
    return dataType(name, length);
  }
  if (name === 'JSON') {
    if (role === 'tag') return dataType('JSON');
    throw new FaultError(fault('database', Codes.onlyTagJson, 'Only tag can be json type'));
  }
  if (role === 'column' && name === 'DECIMAL') return decimalType(length ?? 10, scale ?? 0);
  if (role === 'column' && name === 'BLOB') return dataType('BLOB');
  throw new FaultError(fault('syntax', Codes.invalidValueType, `Invalid value type: ${name}`));
}

function decimalType(precision: number, scale: number): DataType {
  if (precision < 1 || precision > 38 || scale < 0 || scale > precision) throw invalidLength();
  return dataType('DECIMAL', precision, scale);
}

/** A type as a definition declares it: `VARCHAR(20)`, `DECIMAL(10,2)`, `INT UNSIGNED`. */
export function declaredText(type: DataType): string {
  return isVariable(type.name) ? `${type.name}(${type.length})` : typeText(type);
}

/** A declared column or tag with its checked name. */
export function columnSpec(syntax: ColumnSyntax, role: 'column' | 'tag'): ColumnSpec {
  const { name, type, encoding, primaryKey } = syntax;
  const key = primaryKey ? ({ isKey: true } as const) : {};
  const spec = { name: checkedName(name.text, maxColumnNameBytes), type: declaredType(type, role), ...key };
  return encoding === undefined ? spec : { ...spec, encoding: checkedEncoding(encoding) };
}

/** A name within a length in bytes; throws a FaultError otherwise. */
export function checkedName(name: string, maxBytes: number): string {
  if (name.length === 0 || Buffer.byteLength(name) > maxBytes) {
    throw new FaultError(fault('syntax', Codes.invalidIdentifier, `Invalid identifier name: ${name}`));
  }
  return name;
}

/** Longest comment of a table, in bytes. */
const maxCommentBytes = 1024;

/** Throws a FaultError when a comment is longer than one may be. */
export function checkComment(comment: string | undefined): void {
  if (comment !== undefined && Buffer.byteLength(comment) > maxCommentBytes) {
    throw new FaultError(refusals.commentTooLong);
  }
}

/** Longest time to live of a table, in days. */
const maxTtlDays = 2_147_483_647;

/** Throws a FaultError when a time to live, in days, is longer than one may be. */
export function checkTtl(days: number): void {
  if (days <= maxTtlDays) return;
  const text = `Invalid table option: ttl ${days} valid range: [0, ${maxTtlDays}]`;
  throw new FaultError(fault('syntax', Codes.invalidTableOption, text));
}
