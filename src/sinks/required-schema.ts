import type { ColumnSpec } from '../database/catalogue/operations.js';
import { type Column, type ColumnBlock, schemalessStyle, type TableStyle } from '../model/column-block.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import { refusals } from '../model/refusals.js';
import type { DataType, SubTable, TableDef, TagValue } from '../model/schema.js';
import { dataType, isVariable, sameKind, schemalessWidth, sentName } from '../model/schema.js';
import {
  freeName,
  isOtherMetric,
  longName,
  maxColumnNameBytes,
  refusalOfAttribute,
  refusalOfMetric,
  type SentMetric,
} from '../model/sent-name.js';

type ColumnLike = Pick<Column, 'name' | 'type' | 'sentAs'> & Pick<ColumnSpec, 'attribute'>;

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
  const columnsByName = new Map<string, ColumnSpec>();
  const tags = new Map<string, Longest>();
  const owner = (table ?? blocks.find(({ sentAs }) => sentAs !== undefined))?.sentAs;
  for (const block of blocks) {
    checkMetric(block, owner);
    for (const { name, type, sentAs } of block.columns) {
      const seen = columnsByName.get(name);
      if (seen !== undefined && !sameKind(seen.type, type)) throw typeConflict(name, seen.type, type);
      if (seen !== undefined && seen.sentAs !== sentAs) throw new FaultError(refusals.duplicatedColumns);
      if (seen === undefined || type.length > seen.type.length) columnsByName.set(name, specOf(name, type, sentAs));
    }
    noteTags(tags, block.newSubTables, table);
  }
  const style = blocks.find((block) => block.style !== undefined)?.style;
  const types = tagTypes(tags, table, style);
  const have = table?.tags ?? [];
  const columns = missing([...columnsByName.values()], table?.columns ?? [], style);
  const taken = new Set([...columns, ...(table?.columns ?? []), ...have].map(({ name }) => name));
  if (table !== undefined) taken.add(table.timeColumn);
  const specs = [...types].map(([sent, type]) =>
    tagSpec({ sent, type, attribute: tags.get(sent)?.attribute }, have, taken),
  );
  const growth = { columns, tags: missing(specs, have, style) };
  const all = [...have, ...growth.tags];
  if (growth.tags.length > 0 && all.length > 1 && all.some(({ type }) => type.name === 'JSON')) {
    throw new FaultError(fault('parameter', Codes.oneJsonTag, 'Only one tag if there is a json tag'));
  }
  return growth;
}

/** Throws a FaultError where the table is, or becomes, that of another metric whose name becomes the same. */
function checkMetric({ sentAs, table }: ColumnBlock, owner: SentMetric | undefined): void {
  const taken = refusalOfMetric(sentAs, table, owner);
  if (taken !== undefined) throw new FaultError(taken);
}

function specOf(name: string, type: DataType, sentAs: string | undefined): ColumnSpec {
  return sentAs === undefined || sentAs === name ? { name, type } : { name, type, sentAs };
}

/** A tag by the name under which it is sent: as the table has it, or with a name that is free in it. */
function tagSpec(
  { sent, type, attribute }: { sent: string; type: DataType; attribute: string | undefined },
  have: readonly ColumnSpec[],
  taken: Set<string>,
): ColumnSpec {
  const name = have.find((tag) => sentName(tag) === sent)?.name ?? freeName('tag_', sent, (text) => taken.has(text));
  if (Buffer.byteLength(name) > maxColumnNameBytes) throw new FaultError(longName('tag', name));
  taken.add(name);
  const spec = specOf(name, type, sent);
  return attribute === undefined ? spec : { ...spec, attribute };
}

/** Length of the longest value of a tag, in characters, or in bytes where it is declared in these. */
interface Longest {
  readonly inBytes: boolean;
  /** See `ColumnDef`. */
  readonly attribute: string | undefined;
  length: number;
}

/**
 * Notes the tags of sub-tables that the table is not known to cover. It is apart from {@link growthFor} because there
 * may be thousands: V8 compiles a loop while it runs, and leaves the compiled code whenever it comes to what is behind
 * the loop.
 */
function noteTags(tags: Map<string, Longest>, subTables: readonly SubTable[], table: TableDef | undefined): void {
  for (const subTable of subTables) {
    if (table !== undefined && subTable.coveredBy === table) continue;
    const { attributes } = subTable;
    for (const [name, value] of subTable.tags) widen(tags, name, value, attributes?.get(name), table);
  }
}

function widen(
  tags: Map<string, Longest>,
  name: string,
  value: TagValue = '',
  attribute: string | undefined,
  table: TableDef | undefined,
): void {
  let longest = tags.get(name);
  if (longest === undefined) {
    longest = { inBytes: declaredTag(table, name)?.name === 'VARCHAR', attribute, length: 0 };
    tags.set(name, longest);
  }
  // A UTF-16 unit is at most one character and three bytes.
  if (longest.inBytes) {
    if (value.length * 3 > longest.length) longest.length = Math.max(longest.length, Buffer.byteLength(value));
  } else if (value.length > longest.length) longest.length = Math.max(longest.length, [...value].length);
}

function declaredTag(table: TableDef | undefined, name: string): DataType | undefined {
  return table?.tags.find((tag) => sentName(tag) === name)?.type;
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

function missing(
  required: readonly ColumnSpec[],
  have: readonly ColumnSpec[],
  style: TableStyle | undefined,
): ColumnSpec[] {
  return required.filter((spec) => !holds(have, spec, style));
}

/**
 * True when one of the columns has the name, in rows that arrive also as it is sent, and room for values of the type.
 */
function holds(columns: readonly ColumnSpec[], spec: ColumnLike, style: TableStyle | undefined): boolean {
  const present = columns.find((column) => column.name === spec.name);
  if (present === undefined || (style !== undefined && sentName(present) !== sentName(spec))) return false;
  const { type } = spec;
  if (refusalOfAttribute(spec.attribute, spec.name, present.attribute) !== undefined) return false;
  return sameKind(present.type, type) && (!isVariable(type.name) || type.length <= present.type.length);
}

/**
 * True when a block brings no sub-tables with tags that were not checked, and its table has all of its columns: nearly
 * every block.
 */
export function isHeld({ columns, newSubTables, style, sentAs }: ColumnBlock, table: TableDef): boolean {
  return (
    !isOtherMetric(sentAs, table.sentAs) &&
    newSubTables.every(({ coveredBy }) => coveredBy === table) &&
    columns.every((column) => holds(table.columns, column, style))
  );
}
