import { collected } from '../../async/slice.js';
import { declaredText } from '../../database/catalogue/column-type.js';
import { localPrefix } from '../../database/cluster/layout.js';
import type { Engine } from '../../database/engine/engine.js';
import type { ColumnDef, TableDef, TypeName } from '../../model/schema.js';
import { call, text } from '../../sql/engine/build.js';
import { fractionText } from '../../sql/engine/fraction-text.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { printExpr } from '../../sql/engine/print.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { ofSeries } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { somePoint, wellKnownText } from '../../sql/functions/geometry-print.js';
import { hiddenSubTables } from './hidden-sub-tables.js';
import { type InlineRow, inlineRows } from './inline.js';
import { demandedSubTable, type LiveTable, liveSuperTables } from './live-tables.js';
import { columnsOf, type SystemTable } from './system-table.js';
import { typed } from './tables.js';

const columns = columnsOf(
  'table_name V192, db_name V64, stable_name V192, tag_name V192, tag_type V32, tag_value V16384',
);

/** A tag's value as text: numbers and times (ticks) in decimal, `true` and `false`, bytes in hexadecimal digits. */
export function tagText({ type, physical }: Pick<ColumnDef, 'type' | 'physical'>): string {
  const column = quoteIdentifier(physical);
  if (type.name === 'VARBINARY' || type.name === 'GEOMETRY') return `lower(hex(${column}))`;
  return `toString(${column})`;
}

/** Columns that the engine's rows of tags take from the catalogue: see {@link tagsTable}. */
const tagColumns = columnsOf(
  'place V64, physical V64, db_name V64, stable_name V192, tag_name V192, tag_type V32, kind V32',
);

/**
 * So many tables of tags are named to the engine one by one; of more, it looks at all and the join leaves out the
 * others.
 */
const maxNamedTables = 200;

/**
 * `ins_tags`: one row for every tag of every sub-table. The engine reads the tables of tags as one, in which a column
 * is known by its physical name, and the join with the catalogue's definitions gives the names.
 */
export const tagsTable: SystemTable = {
  columns,
  sql: async (facts, demands) => {
    const hiding = new Map<LiveTable, string>();
    const parents: LiveTable[] = [];
    for (const live of await collected(liveSuperTables(facts, demands))) {
      const hidden = hiddenSubTables(live, facts.access, facts.zone);
      if (hidden !== 'all') parents.push(live);
      if (typeof hidden === 'object') hiding.set(live, `NOT (${printExpr(hidden.where)})`);
    }
    const existing = await existingColumns(facts.engine, parents);
    const present = parents.filter(({ table }) => existing.places.has(table.tagStorage ?? ''));
    if (present.length === 0) return inlineRows(columns, []);
    const physicals = new Set<string>();
    for (const { table } of present) for (const { physical } of table.tags) physicals.add(physical);
    // A tag that the engine does not have yet has no value anywhere.
    const tags = [...physicals].map((physical) => {
      const value = existing.columns.has(physical) ? `toString(${quoteIdentifier(physical)})` : 'NULL';
      return `tuple(${quoteString(physical)}, CAST(${value}, 'Nullable(String)'))`;
    });
    const demanded = demandedSubTable(facts, demands);
    const subTable = demanded && (await facts.subTables.lookUp(demanded.database, [demanded.name])).get(demanded.name);
    if (demanded !== undefined && subTable === undefined) return inlineRows(columns, []);
    const where = [
      'dropped = 0',
      ...numberTerms(present),
      ...present.flatMap((live) => hiding.get(live) ?? []),
      ...(subTable === undefined ? [] : [printExpr(ofSeries([subTable.id]))]),
    ];
    const rows = `SELECT ${placeColumn(present, facts.engine)} AS place, name, tag.1 AS physical, tag.2 AS value
      FROM ${tablesOfTags(present, facts.engine)} FINAL ARRAY JOIN [${tags.join(', ')}] AS tag
      WHERE ${where.join(' AND ')}`;
    const types = new Set(present.flatMap(({ table }) => table.tags.map(({ type }) => type.name)));
    const shown = shownText(types, expr`m.c7`, expr`assumeNotNull(t.value)`);
    const value = expr`if(isNull(t.value), NULL, ${shown})`;
    const items = typed(columns, [expr`t.name`, expr`m.c3`, expr`m.c4`, expr`m.c5`, expr`m.c6`, value]);
    return `SELECT ${items} FROM (${rows}) AS t
      INNER JOIN (${await inlineRows(tagColumns, definitionsOf(present))}) AS m ON t.place = m.c1 AND t.physical = m.c2`;
  },
};

/**
 * A value of one of the types as lists of tags show it, from its text in the engine: numbers with a fraction have five
 * or nine digits of it at least, bytes are hexadecimal digits behind `\x`, shapes well-known text.
 */
function shownText(types: ReadonlySet<TypeName>, kind: Expr, value: Expr): Expr {
  const shape = expr`if(${kind} = 'GEOMETRY', ${value}, ${somePoint})`;
  const texts: Partial<Record<TypeName, Expr>> = {
    FLOAT: fractionText(expr`toFloat32OrZero(${value})`, 5, 'Float32'),
    DOUBLE: fractionText(expr`toFloat64OrZero(${value})`, 9),
    VARBINARY: expr`concat('\\\\x', hex(${value}))`,
    GEOMETRY: wellKnownText(shape, expr`hex(g)`),
  };
  const choices = [...types].flatMap((type) => {
    const shown = texts[type];
    return shown === undefined ? [] : [expr`${kind} = ${text(type)}`, shown];
  });
  return choices.length === 0 ? value : call('multiIf', ...choices, value);
}

function* definitionsOf(parents: readonly LiveTable[]): Generator<InlineRow> {
  for (const { database, table } of parents) {
    for (const { physical, name, type } of table.tags) {
      yield [placeOf(table), physical, database.name, table.name, name, declaredText(type), type.name];
    }
  }
}

/** Where a table's tags are, with its number where others have theirs in the same place; see {@link placeColumn}. */
function placeOf({ tagStorage, number }: TableDef): string {
  return `${tagStorage} ${number ?? 0}`;
}

/** The number is missing where every table has a place of its own, and 0 where only this one has. */
function placeColumn(parents: readonly LiveTable[], { cluster }: Engine): string {
  const database = cluster !== undefined ? `replaceRegexpOne(_database, '^${localPrefix}', '')` : '_database';
  return `concat(${database}, '.', _table, ' ', ${areShared(parents) ? 'toString(t)' : "'0'"})`;
}

/** Leaves out what other tables have in shared places, where the tables are few. */
function numberTerms(parents: readonly LiveTable[]): string[] {
  if (!areShared(parents) || parents.length > maxNamedTables) return [];
  const numbers = new Set(parents.map(({ table }) => table.number ?? 0));
  return [`t IN (${[...numbers].join(', ')})`];
}

function areShared(parents: readonly LiveTable[]): boolean {
  return parents.some(({ table }) => table.number !== undefined);
}

/** The engine tables of tags as one table; those that hold other tags too are left to the join. */
function tablesOfTags(parents: readonly LiveTable[], { cluster }: Engine): string {
  const databases = [...new Set(parents.map(({ database }) => database.id))];
  const tables = [...new Set(parents.map(({ table }) => table.tagStorage?.split('.')[1] ?? ''))];
  const names = tables.length > maxNamedTables ? '^g' : `^(${tables.join('|')})$`;
  const prefix = cluster === undefined ? '' : localPrefix;
  const merged = `merge(REGEXP('^${prefix}(${databases.join('|')})$'), '${names}')`;
  // Each node merges its own: tables that are spread and have different columns cannot be merged.
  return cluster === undefined ? merged : `cluster(${quoteString(cluster)}, ${merged})`;
}

/** Which tables of tags the engine has, and which physical columns any of them. */
async function existingColumns(
  engine: Engine,
  parents: readonly LiveTable[],
): Promise<{ readonly places: ReadonlySet<string>; readonly columns: ReadonlySet<string> }> {
  if (parents.length === 0) return { places: new Set(), columns: new Set() };
  const databases = [...new Set(parents.map(({ database }) => quoteString(database.id)))];
  const from = `FROM system.columns WHERE database IN (${databases.join(', ')}) AND startsWith(table, 'g')`;
  const tables = await engine.system.rows(`SELECT DISTINCT concat(database, '.', table) ${from}`);
  const columns = await engine.system.rows(`SELECT DISTINCT name ${from}`);
  return {
    places: new Set(tables.map(([place]) => String(place))),
    columns: new Set(columns.map(([name]) => String(name))),
  };
}
