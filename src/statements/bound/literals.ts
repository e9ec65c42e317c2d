import { isUtf8 } from 'node:buffer';
import { printWellKnownText } from '../../bytes/geometry-text.js';
import { realText } from '../../bytes/real-text.js';
import { type BoundColumn, typeOfNumber } from '../../model/bound-rows.js';
import { isGeometry } from '../../sql/insert/bound-rows.js';
import { badBinding } from '../../transforms/bound/bound-form.js';

/**
 * The bound value of a tag or of a parameter of a query as the dialect writes it. Throws a FaultError for a value that
 * its type does not have.
 */
export function literalOf(column: BoundColumn): string {
  if (column.rows !== 1) throw badBinding(`a tag or a parameter of a query has one value, not ${column.rows}`);
  if (column.nulls[0] !== 0) return 'NULL';
  const bytes = Buffer.from(column.values.buffer, column.values.byteOffset, column.values.byteLength);
  switch (typeOfNumber(column.type)) {
    case 'BOOL':
      return bytes.readUInt8(0) === 0 ? 'false' : 'true';
    case 'TINYINT':
      return String(bytes.readInt8(0));
    case 'SMALLINT':
      return String(bytes.readInt16LE(0));
    case 'INT':
      return String(bytes.readInt32LE(0));
    case 'BIGINT':
    case 'TIMESTAMP':
      return String(bytes.readBigInt64LE(0));
    case 'TINYINT UNSIGNED':
      return String(bytes.readUInt8(0));
    case 'SMALLINT UNSIGNED':
      return String(bytes.readUInt16LE(0));
    case 'INT UNSIGNED':
      return String(bytes.readUInt32LE(0));
    case 'BIGINT UNSIGNED':
      return String(bytes.readBigUInt64LE(0));
    case 'FLOAT':
      return realLiteral(bytes.readFloatLE(0), 'FLOAT');
    case 'DOUBLE':
      return realLiteral(bytes.readDoubleLE(0), 'DOUBLE');
    case 'VARBINARY':
    case 'BLOB':
      return `'\\x${bytes.toString('hex')}'`;
    case 'GEOMETRY':
      if (!isGeometry(bytes)) throw badBinding('the bytes are no geometry in little-endian well-known binary');
      return `'${printWellKnownText(bytes)}'`;
    case 'DECIMAL':
      return decimalLiteral(bytes.toString('latin1'));
    default:
      if (!isUtf8(bytes)) throw badBinding('a text is not UTF-8');
      return quoted(bytes.toString('utf8'));
  }
}

function decimalLiteral(text: string): string {
  if (!/^[+-]?\d{1,80}(?:\.\d{0,80})?(?:[eE][+-]?\d{1,3})?$/.test(text)) throw badBinding('the text is no decimal');
  return text;
}

function realLiteral(value: number, type: 'FLOAT' | 'DOUBLE'): string {
  if (!Number.isFinite(value)) throw badBinding(`${value} is no ${type}`);
  return realText(value, type);
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/**
 * A bound name of a table as the dialect writes it: names in back quotes, or with their database, stand as they are.
 */
export function nameOf(name: string): string {
  return /^(?:[A-Za-z_]\w*|`[^`]*`)(?:\.(?:[A-Za-z_]\w*|`[^`]*`))?$/.test(name)
    ? name
    : `\`${name.replaceAll('`', '``')}\``;
}
