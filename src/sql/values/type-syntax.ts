import { Codes } from '../../model/fault.js';
import { type DataType, dataType, isVariable, type TypeName } from '../../model/schema.js';
import type { TypeSyntax } from '../syntax/ast.js';
import { refuse } from './context.js';

const names: ReadonlyMap<string, TypeName> = new Map<string, TypeName>([
  ['BOOL', 'BOOL'],
  ['TINYINT', 'TINYINT'],
  ['SMALLINT', 'SMALLINT'],
  ['INT', 'INT'],
  ['INTEGER', 'INT'],
  ['BIGINT', 'BIGINT'],
  ['TINYINT UNSIGNED', 'TINYINT UNSIGNED'],
  ['SMALLINT UNSIGNED', 'SMALLINT UNSIGNED'],
  ['INT UNSIGNED', 'INT UNSIGNED'],
  ['BIGINT UNSIGNED', 'BIGINT UNSIGNED'],
  ['FLOAT', 'FLOAT'],
  ['DOUBLE', 'DOUBLE'],
  ['TIMESTAMP', 'TIMESTAMP'],
  ['VARCHAR', 'VARCHAR'],
  ['BINARY', 'VARCHAR'],
  ['NCHAR', 'NCHAR'],
  ['VARBINARY', 'VARBINARY'],
  ['GEOMETRY', 'GEOMETRY'],
  ['DECIMAL', 'DECIMAL'],
  ['JSON', 'JSON'],
  ['BLOB', 'BLOB'],
]);

/** The type a CAST names. A text type without a length does not cut. */
export function typeFromSyntax(syntax: TypeSyntax): DataType {
  const name = names.get(syntax.name);
  if (name === undefined) throw refuse(Codes.invalidValueType, `Invalid value type: ${syntax.name}`);
  if (name === 'DECIMAL') return dataType(name, syntax.length ?? 10, syntax.scale ?? 0);
  return dataType(name, isVariable(name) ? syntax.length : undefined);
}
