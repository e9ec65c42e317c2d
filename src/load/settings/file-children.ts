import { type InsertMode, isSchemaless, type SuperTablePlan } from '../model/scenario.js';
import type { Section } from './section.js';

/** `childtable_from` and `childtable_to` as given. */
export interface ChildRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Which sub-tables there are and how they come to be. */
type Children = Pick<
  SuperTablePlan,
  | 'childPrefix'
  | 'childCount'
  | 'childFrom'
  | 'childTo'
  | 'childExists'
  | 'childOffset'
  | 'childLimit'
  | 'ttl'
  | 'autoCreateTable'
  | 'createBatches'
  | 'createPausesMs'
>;

const defaultCount = 10;
const defaultBatch = 10;

/** Reads the sub-tables of a super table; `drop` says that the database is made anew, so that none can exist. */
export function readChildren(
  section: Section,
  outer: ChildRange,
  drop: boolean,
  mode: InsertMode,
  normalTables: boolean,
): Children {
  const childCount = section.integer('childtable_count') ?? defaultCount;
  const childExists = readExists(section, drop);
  const range = readChildRange(section);
  const { from, to } = checkRange(
    section,
    range.from ?? outer.from ?? 0,
    range.to ?? outer.to ?? childCount,
    childCount,
  );
  const prefix = section.text('childtable_prefix');
  const isAlone = normalTables && childCount === 1;
  if (prefix === undefined && !section.has('childtable_prefix') && !childExists && !isAlone) {
    section.missing('childtable_prefix', 'what names of sub-tables begin with');
  }
  return {
    childPrefix: prefix ?? '',
    childCount,
    childFrom: from,
    childTo: to,
    childExists,
    ...readWindow(section, childExists, childCount),
    ttl: section.integer('ttl') ?? 0,
    autoCreateTable: readAutoCreate(section, mode, childExists, normalTables),
    createBatches: readNumbers(section, 'batch_create_tbl_numbers', 1) ?? [
      section.integer('batch_create_tbl_num') ?? defaultBatch,
    ],
    createPausesMs: readNumbers(section, 'batch_create_tbl_intervals', 0) ?? [],
  };
}

/** The pair of the top level or of a super table; a negative beginning is 0. */
export function readChildRange(section: Section): ChildRange {
  const from = section.integer('childtable_from');
  const to = section.integer('childtable_to');
  if (from === undefined || from >= 0) return { from, to };
  section.warn('childtable_from', `${from} is negative; 0 is used`);
  return { from: 0, to };
}

function checkRange(section: Section, from: number, to: number, count: number): { from: number; to: number } {
  const key = section.has('childtable_from') || !section.has('childtable_to') ? 'childtable_from' : 'childtable_to';
  if (to < from) section.refuse(key, `childtable_to ${to} is below childtable_from ${from}`);
  else if (from >= count) section.refuse(key, `childtable_from ${from} must be below childtable_count ${count}`);
  else if (to > count) section.refuse(key, `childtable_to ${to} is above childtable_count ${count}`);
  return { from, to };
}

function readExists(section: Section, drop: boolean): boolean {
  const exists = section.yesNo('child_table_exists') ?? false;
  if (!exists || !drop) return exists;
  section.warn('child_table_exists', 'has no effect, because the database is dropped');
  return false;
}

function readWindow(
  section: Section,
  exists: boolean,
  count: number,
): Pick<SuperTablePlan, 'childOffset' | 'childLimit'> {
  const limit = section.integer('childtable_limit');
  const offset = section.integer('childtable_offset');
  if (!exists) {
    for (const key of ['childtable_limit', 'childtable_offset']) {
      if (section.has(key)) section.inform(key, 'has no effect unless the sub-tables exist');
    }
    return { childOffset: 0, childLimit: count };
  }
  const childOffset = Math.max(0, offset ?? 0);
  if (offset !== undefined && offset < 0) section.warn('childtable_offset', `${offset} is negative; 0 is used`);
  if (limit !== undefined && limit < 0) section.warn('childtable_limit', `${limit} is negative; all are used`);
  if (limit !== undefined && limit > count) {
    section.warn('childtable_limit', `${limit} is above childtable_count; ${count} is used`);
  }
  if (limit === undefined || limit <= 0) {
    if (childOffset >= count) refuseOffset(section, childOffset, count);
    return { childOffset, childLimit: count };
  }
  const childLimit = Math.min(limit, count);
  if (childOffset + childLimit > count) refuseOffset(section, childOffset + childLimit, count);
  return { childOffset, childLimit };
}

function refuseOffset(section: Section, end: number, count: number): void {
  section.refuse(
    'childtable_offset',
    `childtable_offset and childtable_limit reach ${end}, above childtable_count ${count}`,
  );
}

function readAutoCreate(section: Section, mode: InsertMode, exists: boolean, normalTables: boolean): boolean {
  const auto = section.yesNo('auto_create_table') ?? false;
  if (!auto || (!exists && !normalTables && !isSchemaless(mode))) return auto;
  const reason = exists ? 'because the sub-tables exist' : normalTables ? 'on normal tables' : `on the mode ${mode}`;
  section.inform('auto_create_table', `has no effect ${reason}`);
  return false;
}

/** Whole numbers parted by commas. */
function readNumbers(section: Section, key: string, min: number): readonly number[] | undefined {
  const text = section.text(key);
  if (text === undefined) return undefined;
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const numbers = words.map((word) => (/^\d+$/.test(word) ? Number(word) : Number.NaN));
  if (numbers.length > 0 && numbers.every((number) => number >= min && Number.isSafeInteger(number))) return numbers;
  return section.refuse(key, `expected whole numbers from ${min} on, parted by commas`);
}
