import type { ColumnSpec } from '../database/catalogue/operations.js';
import { type ColumnBlock, schemalessStyle } from '../model/column-block.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import type { DataType, SubTable, TableDef, TagValue } from '../model/schema.js';
import { dataType, isVariable, sameKind, schemalessWidth } from '../model/schema.js';

/** Columns and tags that arriving blocks need beyond a table's definition; both empty when it covers them. */
export interface Growth {
  readonly columns: readonly ColumnSpec[];
  readonly tags: readonly ColumnSpec[];
}

/**
 * Compares blocks of one table with its definition (undefined when the table does not exist yet). Throws a FaultError
 * when the blocks, each parsed before the others were stored, disagree about the type of a column.
 */
export function growthFor(blocks: readonly ColumnBlock[], table: TableDef | undefined): Growth {
  const columns = new Map<string, DataType>();
  const tags = new Map<string, Longest>();
  for (const block of blocks) {
    for (const { name, type } of block.columns) {
      const seen = columns.get(name);
      if (seen !== undefined && !sameKind(seen, type)) throw typeConflict(name, seen, type);
      if (seen === undefined || type.length > seen.length) columns.set(name, type);
    }
    noteTags(tags, block.newSubTables, table);
  }
  const types = tagTypes(tags, table, blocks.find((block) => block.style !== undefined)?.style);
  const have = table?.tags ?? [];
  const growth = { columns: missing(columns, table?.columns ?? []), tags: missing(types, have) };
  const all = [...have, ...growth.tags];
  if (growth.tags.length > 0 && all.length > 1 && all.some(({ type }) => type.name === 'JSON')) {
    throw new FaultError(fault('parameter', Codes.oneJsonTag, 'Only one tag if there is a json tag'));
  }
  return growth;
}

/** Length of the longest value of a tag, in characters, or in bytes where it is declared in these. */
interface Longest {
  readonly inBytes: boolean;
  length: number;
}

/**
 * Notes the tags of sub-tables that the table is not known to cover. It is apart from {@link growthFor} because there may be
 * thousands: V8 compiles a loop while it runs, and leaves the compiled code whenever it comes to what is behind the loop.
 */
function noteTags(tags: Map<string, Longest>, subTables: readonly SubTable[], table: TableDef | undefined): void {
  for (const subTable of subTables) {
    if (table !== undefined && subTable.coveredBy === table) continue;
    for (const [name, value] of subTable.tags) widen(tags, name, value, table);
  }
}

function widen(tags: Map<string, Longest>, name: string, value: TagValue = '', table: TableDef | undefined): void {
  let longest = tags.get(name);
  if (longest === undefined) {
    longest = { inBytes: declaredTag(table, name)?.name === 'VARCHAR', length: 0 };
    tags.set(name, longest);
  }
  // A UTF-16 unit is at most one character and three bytes.
  if (longest.inBytes) {
    if (value.length * 3 > longest.length) longest.length = Math.max(longest.length, Buffer.byteLength(value));
  } else if (value.length > longest.length) longest.length = Math.max(longest.length, [...value].length);
}

function declaredTag(table: TableDef | undefined, name: string): DataType | undefined {
  return table?.tags.find((tag) => tag.name === name)?.type;
}

function typeConflict(name: string, a: DataType, b: DataType): FaultError {
  const message = `field "${name}" is ${a.name} and ${b.name} in writes at the same time`;
  return new FaultError(fault('syntax', Codes.schemalessTypeConflict, message));
}

/**
 * Tags are made as the style says. A tag that is declared already keeps its type; as text it is widened when
 * a value does not fit.
 */
function tagTypes(
  tags: ReadonlyMap<string, Longest>,
  table: TableDef | undefined,
  style = schemalessStyle,
): ReadonlyMap<string, DataType> {
  const types = new Map<string, DataType>();
  for (const [name, { length }] of tags) {
    const declared = declaredTag(table, name) ?? (style.tagType === 'JSON' ? dataType('JSON') : dataType('NCHAR', -1));
    if (declared.name === 'JSON') types.set(name, declared);
    if (declared.name !== 'NCHAR' && declared.name !== 'VARCHAR') continue;
    if (length > declared.length) types.set(name, dataType(declared.name, schemalessWidth(length)));
  }
  return types;
}

function missing(required: ReadonlyMap<string, DataType>, have: readonly ColumnSpec[]): ColumnSpec[] {
  const specs: ColumnSpec[] = [];
  for (const [name, type] of required) if (!holds(have, name, type)) specs.push({ name, type });
  return specs;
}

/** True when one of the columns has the name, and room for values of the type. */
function holds(columns: readonly ColumnSpec[], name: string, type: DataType): boolean {
  const present = columns.find((column) => column.name === name)?.type;
  return present !== undefined && sameKind(present, type) && (!isVariable(type.name) || type.length <= present.length);
}

/** True when a block brings no sub-tables with tags that were not looked at, and its table has all of its columns: nearly every block. */
export function isHeld({ columns, newSubTables }: ColumnBlock, table: TableDef): boolean {
  return (
    newSubTables.every(({ coveredBy }) => coveredBy === table) &&
    columns.every(({ name, type }) => holds(table.columns, name, type))
  );
}
