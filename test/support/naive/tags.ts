import fc from 'fast-check';
import type { Cell, Condition, Row } from './rows.js';

/** Tags of the super table `s` beside `g`, as CREATE STABLE says them. */
export const tagDefinitions =
  'flag BOOL, size DOUBLE, name VARCHAR(8), label NCHAR(8), born TIMESTAMP, many BIGINT UNSIGNED, raw VARBINARY(8)';

/** Ticks between the rows of the generators. */
const [early, late] = [1_700_000_000_030, 1_700_000_000_090];
const most = 18_446_744_073_709_551_615n;

interface Tags {
  readonly flag: boolean | null;
  readonly size: number | null;
  readonly name: string;
  readonly label: string | null;
  readonly born: number | null;
  readonly many: bigint;
  readonly raw: string | null;
}

const tagsOfTable: Readonly<Record<string, Tags>> = {
  a: { flag: true, size: 1.5, name: 'x', label: 'ü', born: early, many: most, raw: '01ff' },
  b: { flag: false, size: null, name: "y'z", label: null, born: null, many: 0n, raw: null },
  c: { flag: null, size: -2, name: 'x', label: 'ü', born: late, many: 7n, raw: '00' },
};

function tagsOf({ tb }: Pick<Row, 'tb'>): Tags {
  const tags = tagsOfTable[tb];
  if (tags === undefined) throw new Error(`There is no table ${tb}.`);
  return tags;
}

/** The values of the tags of a sub-table, as INSERT … TAGS takes them. */
export function tagLiterals(tb: string): string {
  const { flag, size, name, label, born, many, raw } = tagsOf({ tb });
  const text = (value: string | null): string => (value === null ? 'NULL' : `'${value.replaceAll("'", "\\'")}'`);
  return [flag, size, text(name), text(label), born, many, raw === null ? 'NULL' : `'\\x${raw}'`]
    .map(String)
    .join(', ');
}

/** Tags that slices are divided by. */
export type KeyTag = 'flag' | 'size' | 'name' | 'label';

/** The value of such a tag. */
export function tagOf(row: Row, key: KeyTag): Cell {
  return tagsOf(row)[key];
}

/** A comparison that is NULL where the tag is. */
function compared<K extends keyof Tags>(
  tag: K,
  sql: string,
  test: (value: NonNullable<Tags[K]>, row: Row) => boolean,
): Condition {
  return {
    sql,
    holds: (row) => {
      const value = tagsOf(row)[tag];
      return value === null ? null : test(value, row);
    },
  };
}

/** Conditions on tags of all types. */
export const tagCondition = fc.constantFrom<Condition>(
  compared('name', "name = 'x'", (name) => name === 'x'),
  compared('name', "name <> 'x'", (name) => name !== 'x'),
  compared('name', "name LIKE '_\\'%'", (name) => name.startsWith("y'")),
  compared('name', "name NOT IN ('q', 'x')", (name) => name !== 'x'),
  compared('label', "label = 'ü'", (label) => label === 'ü'),
  compared('label', 'char_length(label) = 1', (label) => label.length === 1),
  compared('flag', 'flag = true', (flag) => flag),
  compared('flag', 'flag <> 1', (flag) => !flag),
  compared('size', 'size > 0', (size) => size > 0),
  compared('size', 'size BETWEEN -2 AND 1.5', () => true),
  compared('born', 'born > ts', (born, { t }) => born > t),
  compared('born', `born = ${late}`, (born) => born === late),
  compared('many', 'many > 9223372036854775807', (many) => many > 9_223_372_036_854_775_807n),
  compared('many', `many IN (7, ${most})`, (many) => many > 0n),
  compared('raw', "raw = '\\x00'", (raw) => raw === '00'),
  { sql: 'label IS NULL', holds: (row) => tagsOf(row).label === null },
  { sql: 'born IS NOT NULL', holds: (row) => tagsOf(row).born !== null },
);
