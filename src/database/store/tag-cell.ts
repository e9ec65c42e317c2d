import type { ColumnBuilder } from '../../model/column-block.js';
import type { TagValue } from '../../model/schema.js';
import { isBinary } from '../../sql/values/value.js';

/** Puts a tag value from its text form; see {@link TagValue}. */
export function putTag(column: ColumnBuilder, row: number, text: TagValue): void {
  if (text === undefined) return;
  const { type } = column;
  if (isBinary(type)) {
    const bytes = Buffer.from(text, 'hex');
    column.reserve(row);
    column.putBytes(row, bytes, 0, bytes.length);
  } else if (column.variable) column.putText(row, text);
  else column.putNumber(row, type.name === 'BOOL' ? Number(text === 'true') : text);
}
