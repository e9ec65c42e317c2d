import { PoolReader } from '../../bytes/pool-reader.js';
import { realText } from '../../bytes/real-text.js';
import type { Column } from '../../model/column-block.js';
import { integerRanges, type Precision, type TagValue } from '../../model/schema.js';
import type { RowPool } from '../model/row-request.js';
import { type FieldPlan, isSchemaless, type SuperTablePlan } from '../model/scenario.js';
import { fillRows, makerOf } from './columns.js';
import { builderOf, PooledColumns } from './pool.js';
import { mixed } from './random.js';

const noTimes = new Uint32Array(0);

/** The tags of sub-tables, made at each call: the same ones for the same table. */
export interface TagRows {
  /** Values of the tables `[from, from + count)`, in the order of the super table's tags. */
  rows(from: number, count: number): TagValue[][];
  /** False when schemaless writes may take two tables for one because none of the tags can number them. */
  readonly distinct: boolean;
}

/**
 * Tags by their plans. In schemaless modes the tags alone distinguish sub-tables, so there the first tag that is able
 * to carries the table's number.
 */
export function generatedTags(
  plan: Pick<SuperTablePlan, 'tags' | 'chinese' | 'mode' | 'childCount'>,
  seed: number,
  precision: Precision,
): TagRows {
  const makers = plan.tags.map((field, i) =>
    makerOf(field, { seed: mixed(seed, 0x7a600 + i), chinese: plan.chinese, precision }),
  );
  const schemaless = isSchemaless(plan.mode);
  const numbering = schemaless ? numberingTag(plan.tags, plan.childCount) : -1;
  return {
    distinct: !schemaless || numbering >= 0,
    rows: (from, count) => {
      const columns = makers.map((maker) => {
        const builder = builderOf(maker, count);
        fillRows(maker, builder, { row: 0, count, first: from, prepared: from + count }, undefined, noTimes);
        return builder.finish(count);
      });
      const rows = textRows(columns, count);
      const field = plan.tags[numbering];
      if (field !== undefined) {
        for (const [i, row] of rows.entries()) row[numbering] = numbered(field, from + i, row[numbering]);
      }
      return rows;
    },
  };
}

/** Tags out of a file, line by line. */
export function tagsFromFile(pool: RowPool): TagRows {
  const columns = new PooledColumns(pool);
  return { distinct: true, rows: (from, count) => textRows(columns.take([{ first: from, rows: count }]), count) };
}

function numberingTag(tags: readonly FieldPlan[], tables: number): number {
  const whole = tags.findIndex(({ type }) => (integerRanges[type.name]?.max ?? 0) >= tables);
  if (whole >= 0) return whole;
  const digits = String(tables).length;
  return tags.findIndex(({ type }) => (type.name === 'VARCHAR' || type.name === 'NCHAR') && type.length >= digits);
}

function numbered({ type }: FieldPlan, table: number, value: TagValue): string {
  if (integerRanges[type.name] !== undefined) return String(table + 1);
  const number = String(table);
  if (value === undefined || !/^[A-Za-z0-9]*$/.test(value)) return number;
  const text = `${number}_${value}`;
  return text.length > number.length + 1 ? text.slice(0, Math.max(number.length, type.length)) : number;
}

/** Cells as the texts that their types print, row by row. */
function textRows(columns: readonly Column[], rows: number): TagValue[][] {
  const result: TagValue[][] = Array.from({ length: rows }, () => []);
  for (const column of columns) {
    const entries = column.pool === undefined ? undefined : new PoolReader(column.pool);
    for (const [row, cells] of result.entries()) {
      entries?.next();
      if (column.nulls[row] === 1) cells.push(undefined);
      else if (entries === undefined) cells.push(fixedText(column, row));
      else cells.push(Buffer.from(entries.bytes.subarray(entries.start, entries.end)).toString());
    }
  }
  return result;
}

function fixedText({ type, values }: Column, row: number): string {
  const value = values?.[row] ?? 0;
  if (type.name === 'BOOL') return value === 0 ? 'false' : 'true';
  if (type.name === 'FLOAT' || type.name === 'DOUBLE') return realText(Number(value), type.name);
  return String(value);
}
