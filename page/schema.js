import { sameName } from './grouping.js';
import { holding, literal, quoted } from './names.js';
import { Trouble } from './session.js';
import { runSql } from './sql.js';

/** Databases that the service makes up; they stand behind those of people. */
const systemDatabases = ['information_schema', 'performance_schema'];

/** @typedef {{ name: string; type: string; isTag: boolean }} Field */
/** @typedef {{ name: string; isSuper: boolean }} TableName */

/** The databases that the user sees, those of people first. */
export async function databases() {
  const { data } = await runSql('SHOW DATABASES', '');
  const names = data.map(([name]) => String(name));
  const isSystem = (/** @type {string} */ name) => systemDatabases.includes(name);
  return [...names.filter((name) => !isSystem(name)).sort(), ...names.filter(isSystem)];
}

/**
 * Tables of a database by name, without the sub-tables, of which there may be any number: super tables and normal tables
 * whose name holds a text, or that have a column or tag whose name does.
 * @param {string} database
 * @param {{ holds?: string; limit: number; offset?: number }} which
 * @returns {Promise<TableName[]>} one more than the limit where there are more
 */
export async function tables(database, { holds = '', limit, offset = 0 }) {
  const from = 'information_schema';
  const of = `db_name = ${literal(database)}`;
  const like = (/** @type {string} */ column) => {
    return holds === '' ? '' : ` AND ${column} LIKE ${holding(holds)}`;
  };
  const ofColumns = systemDatabases.includes(database)
    ? `SELECT DISTINCT table_name AS n, 0 AS s FROM ${from}.ins_columns WHERE ${of}${like('table_name')}`
    : '';
  const parts =
    ofColumns !== ''
      ? [ofColumns]
      : [
          `SELECT stable_name AS n, 1 AS s FROM ${from}.ins_stables WHERE ${of}${like('stable_name')}`,
          `SELECT table_name AS n, 0 AS s FROM ${from}.ins_tables WHERE ${of} AND type = 'NORMAL_TABLE'${like('table_name')}`,
          ...(holds === '' ? [] : columnSearch(of, like)),
        ];
  const union = parts.join(' UNION ');
  const { data } = await runSql(`SELECT n, s FROM (${union}) ORDER BY n LIMIT ${limit + 1} OFFSET ${offset}`, '');
  return data.map(([name, isSuper]) => ({ name: String(name), isSuper: Number(isSuper) === 1 }));
}

/**
 * @param {string} of
 * @param {(column: string) => string} like
 */
function columnSearch(of, like) {
  const columns = 'information_schema.ins_columns';
  return [
    `SELECT DISTINCT table_name AS n, 1 AS s FROM ${columns} WHERE ${of} AND table_type = 'SUPER_TABLE'${like('col_name')}`,
    `SELECT DISTINCT table_name AS n, 0 AS s FROM ${columns} WHERE ${of} AND table_type = 'NORMAL_TABLE'${like('col_name')}`,
    `SELECT DISTINCT stable_name AS n, 1 AS s FROM information_schema.ins_tags WHERE ${of}${like('tag_name')}`,
  ];
}

/** @type {Map<string, { at: number; fields: Promise<Field[]> }>} */
const described = new Map();
/** How long a description is taken for true, in ms. */
const keptMs = 30_000;

/**
 * The columns and tags of a table, in their order; the first is the time.
 * @param {string} database
 * @param {string} table
 * @returns {Promise<Field[]>}
 */
export function fields(database, table) {
  const key = JSON.stringify([database, table]);
  const kept = described.get(key);
  if (kept !== undefined && Date.now() - kept.at < keptMs) return kept.fields;
  const found = runSql(`DESCRIBE ${quoted(database)}.${quoted(table)}`, '').then(({ data }) =>
    data.map(([name, type, , note]) => ({ name: String(name), type: String(type), isTag: note === 'TAG' })),
  );
  described.set(key, { at: Date.now(), fields: found });
  found.catch(() => described.delete(key));
  return found;
}

const name = '(?:`(?:[^`]|``)*`|[A-Za-z_]\\w*)';
const tableOf = new RegExp(`\\b(?:FROM|JOIN)\\s+(?:(${name})\\s*\\.\\s*)?(${name})`, 'gi');

/** @typedef {{ tags: ReadonlySet<string>; values: ReadonlySet<string> }} KnownColumns */

/**
 * The tags of the tables that a statement reads, and the columns beside them, as {@link sameName} writes them. Tables without
 * tags have neither.
 * @param {string} statement
 * @param {string} database for tables named without one
 * @returns {Promise<KnownColumns>}
 */
export async function columnsOf(statement, database) {
  const bare = (/** @type {string} */ text) =>
    text.startsWith('`') ? text.slice(1, -1).replaceAll('``', '`') : text.toLowerCase();
  const named = [...statement.matchAll(tableOf)].slice(0, 8);
  const found = await Promise.all(
    named.map(async ([, owner, table = '']) => {
      const of = owner === undefined ? database : bare(owner);
      if (of === '') return [];
      try {
        return await fields(of, bare(table));
      } catch (error) {
        // A view, or a table that is gone: what the statement names is told apart by other means.
        if (error instanceof Trouble) return [];
        throw error;
      }
    }),
  );
  const ofSuperTables = found.filter((table) => table.some(({ isTag }) => isTag)).flat();
  const names = (/** @type {boolean} */ isTag) =>
    new Set(ofSuperTables.filter((field) => field.isTag === isTag).map((field) => sameName(field.name)));
  return { tags: names(true), values: names(false) };
}
