import type { DataType } from '../../model/schema.js';

/** encode, compress, level */
export type ColumnEncoding = readonly [encode: string, compress: string, level: string];

/** What tags show. */
export const tagEncoding: ColumnEncoding = ['disabled', 'disabled', 'disabled'];

/**
 * The encoding a column of a type is said to have (SQL reference, 2.3). The engine chooses its own codecs; clients that
 * copy definitions read these.
 */
export function encodingOf({ name }: DataType): ColumnEncoding {
  switch (name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'TINYINT UNSIGNED':
    case 'SMALLINT UNSIGNED':
      return ['simple8b', 'zlib', 'medium'];
    case 'INT':
    case 'INT UNSIGNED':
      return ['simple8b', 'lz4', 'medium'];
    case 'BIGINT':
    case 'BIGINT UNSIGNED':
    case 'TIMESTAMP':
      return ['delta-i', 'lz4', 'medium'];
    case 'FLOAT':
    case 'DOUBLE':
      return ['delta-d', 'lz4', 'medium'];
    case 'BOOL':
      return ['bit-packing', 'zstd', 'medium'];
    default:
      return ['disabled', 'zstd', 'medium'];
  }
}
