import { type InsertMode, isSchemaless, type SuperTablePlan } from '../../model/scenario.js';
import { insert } from '../keys/insert.js';
import type { Setting } from '../keys/setting.js';
import { table } from '../keys/table.js';
import type { Section } from './section.js';

/** Reads the sub-tables of a super table; `drop` says that the database is made anew, so that none can exist. */
export function readChildren(section: Section, drop: boolean, mode: InsertMode, normalTables: boolean) {
  const childCount = section.get(table.childCount);
  const childExists = readExists(section, drop);
  const range = readRange(section, childCount);
  const isAlone = normalTables && childCount === 1;
  if (!section.has(table.childPrefix) && !childExists && !isAlone) {
    section.missing(table.childPrefix, 'prefix of the names of sub-tables');
  }
  return {
    childPrefix: section.get(table.childPrefix) ?? '',
    childCount,
    ...range,
    childExists,
    ...readWindow(section, childExists, childCount),
    ttl: section.get(table.ttl),
    autoCreateTable: readAutoCreate(section, mode, childExists, normalTables),
    createBatches: readNumbers(section, table.createBatches, 1) ?? [section.get(table.createBatch)],
    createPausesMs: readNumbers(section, table.createPauses, 0) ?? [],
  };
}

function readRange(section: Section, count: number): Pick<SuperTablePlan, 'childFrom' | 'childTo'> {
  const from = section.get(insert.childFrom);
  const to = section.get(insert.childTo) ?? count;
  const key = section.has(insert.childFrom) || !section.has(insert.childTo) ? insert.childFrom : insert.childTo;
  if (to < from) section.refuse(key, `childtable_to ${to} is below childtable_from ${from}`);
  else if (from >= count) section.refuse(key, `childtable_from ${from} must be below childtable_count ${count}`);
  else if (to > count) section.refuse(key, `childtable_to ${to} is above childtable_count ${count}`);
  return { childFrom: from, childTo: to };
}

function readExists(section: Section, drop: boolean): boolean {
  const exists = section.get(table.childExists);
  if (!exists || !drop) return exists;
  section.warn(table.childExists, 'has no effect, because the database is dropped');
  return false;
}

function readWindow(section: Section, exists: boolean, count: number) {
  if (!exists) {
    for (const setting of [table.childLimit, table.childOffset]) {
      if (section.has(setting)) section.warn(setting, 'has no effect without "child_table_exists": "yes"');
    }
    return { childOffset: 0, childLimit: count };
  }
  const limit = section.get(table.childLimit) || count;
  if (limit > count) section.warn(table.childLimit, `${limit} is above childtable_count; ${count} is used`);
  const childOffset = section.get(table.childOffset);
  const childLimit = Math.min(limit, count);
  const isAll = childLimit === count && !section.has(table.childLimit);
  const end = isAll ? childOffset + 1 : childOffset + childLimit;
  if (end > count) {
    const text = `childtable_offset and childtable_limit reach ${end}, above childtable_count ${count}`;
    section.refuse(table.childOffset, text);
  }
  return { childOffset, childLimit };
}

function readAutoCreate(section: Section, mode: InsertMode, exists: boolean, normalTables: boolean): boolean {
  const auto = section.get(table.autoCreateTable);
  if (!auto || (!exists && !normalTables && !isSchemaless(mode))) return auto;
  const reason = exists ? 'because the sub-tables exist' : normalTables ? 'on normal tables' : `on the mode ${mode}`;
  section.inform(table.autoCreateTable, `has no effect ${reason}`);
  return false;
}

/** Whole numbers parted by commas. */
function readNumbers(
  section: Section,
  setting: Setting<string | undefined>,
  min: number,
): readonly number[] | undefined {
  const text = section.get(setting);
  if (text === undefined) return undefined;
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const numbers = words.map((word) => (/^\d+$/.test(word) ? Number(word) : Number.NaN));
  if (numbers.length > 0 && numbers.every((number) => number >= min && Number.isSafeInteger(number))) return numbers;
  return section.refuse(setting, `expected whole numbers from ${min} on, parted by commas`);
}
