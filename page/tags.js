import { byValues, keysOf } from './json-tags.js';
import { holding, literal } from './names.js';
import { runOwnSql } from './sql.js';

/** Series that are looked at for the keys of a JSON tag and their values. */
const jsonSample = 10_000;
/** Values of a tag that are offered. */
const mostValues = 200;

/** @typedef {{ value: string; series: number }} TagValue */
/** @typedef {import('./explore-sql.js').Tag & { distinct: number; values?: TagValue[]; isSample?: boolean; series?: readonly import('./json-tags.js').Labels[] }} KnownTag */

/** @type {(database: string, table: string) => string} */
const ofTable = (database, table) =>
  `FROM information_schema.ins_tags WHERE db_name = ${literal(database)} AND stable_name = ${literal(table)}`;

/**
 * The tags of a super table with the number of their values, those with most values first. A JSON tag gives one for each of
 * its keys, with the values and counts of the first series alone where there are very many.
 * @param {string} database
 * @param {string} table
 * @param {string} [metric] only of series whose JSON tag says that this is their `__name__`
 * @returns {Promise<KnownTag[]>}
 */
export async function knownTags(database, table, metric) {
  const { data } = await runOwnSql(
    `SELECT tag_name, tag_type, HYPERLOGLOG(tag_value) ${ofTable(database, table)} GROUP BY tag_name, tag_type`,
  );
  const known = await Promise.all(
    data.map(async ([name, type, distinct]) => {
      const tag = { name: String(name), type: String(type), distinct: Number(distinct) };
      return tag.type === 'JSON' ? jsonKeys(database, table, tag, metric) : [tag];
    }),
  );
  return known.flat().sort(byValues);
}

/**
 * @param {string} database
 * @param {string} table
 * @param {KnownTag} tag
 * @param {string} [metric]
 * @returns {Promise<KnownTag[]>}
 */
async function jsonKeys(database, table, tag, metric) {
  const named = metric === undefined ? '' : ` AND tag_value LIKE ${holding(JSON.stringify(metric))}`;
  const { data } = await runOwnSql(
    `SELECT tag_value ${ofTable(database, table)} AND tag_name = ${literal(tag.name)}${named} LIMIT ${jsonSample}`,
  );
  const all = data.map(([text]) => JSON.parse(String(text ?? '{}')) ?? {});
  const series = metric === undefined ? all : all.filter(({ __name__: name }) => name === metric);
  return keysOf(tag.name, series, data.length === jsonSample);
}

/**
 * The values of a tag with their series, those with most series first.
 * @param {string} database
 * @param {string} table
 * @param {KnownTag} tag
 * @returns {Promise<TagValue[]>}
 */
export async function tagValues(database, table, tag) {
  if (tag.values !== undefined) return tag.values.slice(0, mostValues);
  const { data } = await runOwnSql(
    `SELECT tag_value, COUNT(*) AS n ${ofTable(database, table)} AND tag_name = ${literal(tag.name)} GROUP BY tag_value ORDER BY n DESC, tag_value LIMIT ${mostValues}`,
  );
  return data.flatMap(([value, series]) => (value === null ? [] : [{ value: String(value), series: Number(series) }]));
}

/** Counts of the series that a statement finds: all, and those that are not older than an hour. */
const counts = 'COUNT(*) AS series, SUM(CASE WHEN create_time > NOW() - 1h THEN 1 ELSE 0 END) AS fresh';

/**
 * How many series there are, and in how many super tables.
 * @returns {Promise<{ series: number; fresh: number; tables: number }>}
 */
export async function seriesInAll() {
  const own = "db_name NOT IN ('information_schema', 'performance_schema')";
  const [series, tables] = await Promise.all([
    runOwnSql(`SELECT ${counts} FROM information_schema.ins_tables WHERE ${own}`),
    runOwnSql('SELECT COUNT(*) FROM information_schema.ins_stables'),
  ]);
  const [all, fresh] = series.data[0] ?? [];
  return { series: Number(all ?? 0), fresh: Number(fresh ?? 0), tables: Number(tables.data[0]?.[0] ?? 0) };
}

/**
 * How many series each table has, those with most first. Normal tables of a database are counted together, without a name.
 * @param {number} limit
 * @returns {Promise<{ database: string; table: string | undefined; series: number; fresh: number }[]>} `fresh` of them are
 *   not older than an hour
 */
export async function seriesOfTables(limit) {
  const from = 'FROM information_schema.ins_tables WHERE type =';
  const [children, normal] = await Promise.all([
    runOwnSql(
      `SELECT db_name, stable_name, ${counts} ${from} 'CHILD_TABLE' GROUP BY db_name, stable_name ORDER BY series DESC LIMIT ${limit}`,
    ),
    runOwnSql(`SELECT db_name, NULL, ${counts} ${from} 'NORMAL_TABLE' GROUP BY db_name`),
  ]);
  return [...children.data, ...normal.data]
    .map(([database, table, series, fresh]) => ({
      database: String(database),
      table: table === null ? undefined : String(table),
      series: Number(series),
      fresh: Number(fresh),
    }))
    .sort((a, b) => b.series - a.series);
}

/**
 * The tags of all tables with the most values; a JSON tag counts as a whole.
 * @param {number} limit
 * @returns {Promise<{ database: string; table: string; tag: string; distinct: number }[]>}
 */
export async function widestTags(limit) {
  const { data } = await runOwnSql(
    `SELECT db_name, stable_name, tag_name, HYPERLOGLOG(tag_value) AS n FROM information_schema.ins_tags GROUP BY db_name, stable_name, tag_name ORDER BY n DESC LIMIT ${limit}`,
  );
  return data.map(([database, table, tag, distinct]) => ({
    database: String(database),
    table: String(table),
    tag: String(tag),
    distinct: Number(distinct),
  }));
}
