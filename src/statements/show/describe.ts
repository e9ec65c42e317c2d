import { encodingOf, tagEncoding } from '../../database/catalogue/column-encoding.js';
import type { ColumnMeta } from '../../model/exchange.js';
import { type DataType, dataType, type EncodingWords, typeLength, typeText } from '../../model/schema.js';
import { maxColumnNameBytes } from '../../model/sent-name.js';
import type { ObjectName } from '../../sql/syntax/ast.js';
import type { DefinitionContext } from '../definitions/context.js';
import { type Listing, textColumn } from '../definitions/listing.js';
import { systemTable } from '../lists/registry.js';
import { describedTable } from './described-table.js';

const describeMeta: readonly ColumnMeta[] = [
  textColumn('field', maxColumnNameBytes),
  textColumn('type', 20),
  { name: 'length', type: dataType('INT') },
  textColumn('note', 13),
  textColumn('encode', 12),
  textColumn('compress', 12),
  textColumn('level', 12),
];

function describeRow(
  field: string,
  type: DataType,
  note: string,
  chosen?: EncodingWords,
): readonly (string | number)[] {
  const encoding = note === 'TAG' ? tagEncoding : encodingOf(type, chosen);
  return [field, typeText(type), typeLength(type), note, ...encoding];
}

/** DESCRIBE: the columns of a table, the tags marked as such, each with its encoding. */
export async function describe(name: ObjectName, context: DefinitionContext): Promise<Listing> {
  const system = systemTable(name.database?.text ?? context.database ?? '', name.name.text);
  if (system !== undefined) {
    return { meta: describeMeta, rows: system.columns.map((column) => describeRow(column.name, column.type, '')) };
  }
  const { table } = await describedTable(name, context);
  return {
    meta: describeMeta,
    rows: [
      describeRow(table.timeColumn, dataType('TIMESTAMP'), '', table.timeEncoding),
      ...table.columns.map(({ name: field, type, encoding, isKey }) =>
        describeRow(field, type, isKey ? 'COMPOSITE KEY' : '', encoding),
      ),
      ...table.tags.map((tag) => describeRow(tag.name, tag.type, 'TAG')),
    ],
  };
}

/** DESCRIBE of a view, whose columns are stored nowhere. */
export function describedView(columns: readonly ColumnMeta[]): Listing {
  const rows = columns.map(({ name, type }) => [name, typeText(type), typeLength(type), 'VIEW COL', '', '', '']);
  return { meta: describeMeta, rows };
}
