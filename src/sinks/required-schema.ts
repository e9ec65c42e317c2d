import type { ColumnSpec } from '../database/catalogue/operations.js';
import type { ColumnBlock } from '../model/column-block.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import type { DataType, TableDef } from '../model/schema.js';
import { dataType, isVariable, schemalessWidth } from '../model/schema.js';

/** What arriving blocks need beyond a table's definition; both empty when it covers them. */
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
  const tagWidths = new Map<string, number>();
  for (const block of blocks) {
    for (const { name, type } of block.columns) {
      const seen = columns.get(name);
      if (seen !== undefined && !sameKind(seen, type)) throw typeConflict(name, seen, type);
      if (seen === undefined || type.length > seen.length) columns.set(name, type);
    }
    for (const subTable of block.newSubTables) {
      for (const [name, value] of subTable.tags) {
        const width = value === undefined ? 1 : schemalessWidth([...value].length);
        tagWidths.set(name, Math.max(width, tagWidths.get(name) ?? 0));
      }
    }
  }
  return {
    columns: missing(columns, table?.columns ?? []),
    tags: missing(tagTypes(tagWidths, table), table?.tags ?? []),
  };
}

function sameKind(a: DataType, b: DataType): boolean {
  return a.name === b.name && (a.name !== 'DECIMAL' || (a.length === b.length && a.scale === b.scale));
}

function typeConflict(name: string, a: DataType, b: DataType): FaultError {
  const message = `field "${name}" is ${a.name} and ${b.name} in writes at the same time`;
  return new FaultError(fault('syntax', Codes.schemalessTypeConflict, message));
}

/** Tags of schemaless writes are NCHAR; a tag that a statement declared keeps its own type. */
function tagTypes(widths: ReadonlyMap<string, number>, table: TableDef | undefined): ReadonlyMap<string, DataType> {
  const types = new Map<string, DataType>();
  for (const [name, width] of widths) {
    const declared = table?.tags.find((tag) => tag.name === name)?.type;
    if (declared === undefined || declared.name === 'NCHAR') types.set(name, dataType('NCHAR', width));
  }
  return types;
}

function missing(wanted: ReadonlyMap<string, DataType>, have: readonly ColumnSpec[]): ColumnSpec[] {
  const specs: ColumnSpec[] = [];
  for (const [name, type] of wanted) {
    const found = have.find((column) => column.name === name);
    const covered =
      found !== undefined &&
      found.type.name === type.name &&
      (!isVariable(type.name) || type.length <= found.type.length);
    if (!covered) specs.push({ name, type });
  }
  return specs;
}
