import { sameName } from './grouping.js';
import { holding, literal, quoted } from './names.js';
import { listMetrics } from './promql.js';
import { session, Trouble } from './session.js';
import { numberTypes, runOwnSql } from './sql.js';
import { knownTags } from './tags.js';

/** Databases that the service makes up; they stand behind those of people. */
const systemDatabases = ['information_schema', 'performance_schema'];

/** @typedef {{ name: string; type: string; isTag: boolean }} Field */
/** @typedef {{ name: string; isSuper: boolean }} TableName */

/** The databases that the user sees, those of people first. */
export async function databases() {
  const { data } = await runOwnSql('SHOW DATABASES');
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
  const { data } = await runOwnSql(`SELECT n, s FROM (${union}) ORDER BY n LIMIT ${limit + 1} OFFSET ${offset}`);
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

/** @type {Map<string, { at: number; value: Promise<unknown> }>} */
const cache = new Map();
/** How long a listing is cached, in ms. */
const cachedMs = 30_000;

/** What tells an entry from others, also from those of another user. @param {readonly string[]} key */
function cacheKey(key) {
  return JSON.stringify([session()?.user, ...key]);
}

/**
 * The result of a request, from the cache where it is not older than half a minute; one that fails is not cached.
 * @template T
 * @param {readonly string[]} key
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
function cached(key, load) {
  const id = cacheKey(key);
  const known = cache.get(id);
  if (known !== undefined && Date.now() - known.at < cachedMs) return /** @type {Promise<T>} */ (known.value);
  const value = load();
  cache.set(id, { at: Date.now(), value });
  value.catch(() => cache.delete(id));
  return value;
}

/** Empties the cache of listings, after a statement that may have changed what there is. */
export function forgetListings() {
  cache.clear();
}

/**
 * The columns and tags of a table, in their order; the first is the time.
 * @param {string} database
 * @param {string} table
 * @returns {Promise<Field[]>}
 */
export function fields(database, table) {
  return cached(['fields', database, table], async () => {
    const { data } = await runOwnSql(`DESCRIBE ${quoted(database)}.${quoted(table)}`);
    return data.map(([name, type, , note]) => ({ name: String(name), type: String(type), isTag: note === 'TAG' }));
  });
}

/** Columns, and tags, of one database that are listed at most. */
const mostColumns = 50_000;

/** @typedef {Field & { table: string; isSuper: boolean }} ListedField */

/**
 * The columns of all super tables and normal tables of a database, by table.
 * @param {string} database
 * @returns {Promise<ListedField[]>}
 */
export function listedColumns(database) {
  return cached(['columns', database], async () => {
    const { data } = await runOwnSql(
      `SELECT table_name, table_type, col_name, col_type FROM information_schema.ins_columns WHERE db_name = ${literal(database)} AND table_type != 'CHILD_TABLE' ORDER BY table_name LIMIT ${mostColumns}`,
    );
    return data.map(([table, kind, name, type]) => ({
      table: String(table),
      isSuper: kind === 'SUPER_TABLE',
      name: String(name),
      type: String(type),
      isTag: false,
    }));
  });
}

/**
 * The tags of all super tables of a database.
 * @param {string} database
 * @returns {Promise<ListedField[]>}
 */
export function listedTags(database) {
  return cached(['tags', database], async () => {
    const { data } = await runOwnSql(
      `SELECT DISTINCT stable_name, tag_name, tag_type FROM information_schema.ins_tags WHERE db_name = ${literal(database)} LIMIT ${mostColumns}`,
    );
    return data.map(([table, name, type]) => ({
      table: String(table),
      isSuper: true,
      name: String(name),
      type: String(type),
      isTag: true,
    }));
  });
}

/**
 * The names of all metrics of a database, as PromQL has them.
 * @param {string} database
 * @returns {Promise<string[]>}
 */
export function metricNames(database) {
  return cached(['metrics', database], () => listMetrics(database));
}

/** The super table of what Prometheus has sent by remote write: the name of a metric is one of its labels. */
const remoteWritten = 'metrics';

/**
 * Where the values of a metric are, by the name of a table or of a metric: a table, and the column or the label `__name__` that
 * makes the metric. Undefined for a name that there is not, or that the user may not read.
 * @param {string} database
 * @param {string} name
 * @returns {Promise<{ table: string; column?: string; metric?: string } | undefined>}
 */
export async function metricSource(database, name) {
  try {
    await fields(database, name);
    return { table: name };
  } catch (error) {
    if (!(error instanceof Trouble) || error.reason !== 'refused') throw error;
  }
  // A metric may be newer than what is cached.
  for (const kind of ['columns', 'metrics']) cache.delete(cacheKey([kind, database]));
  const columns = await listedColumns(database);
  const own = columns.find(({ table, name: column, type }) => numberTypes.test(type) && `${table}_${column}` === name);
  if (own !== undefined) return { table: own.table, column: own.name };
  if (!columns.some(({ table }) => table === remoteWritten)) return undefined;
  const labels = await knownTags(database, remoteWritten, name);
  if (!labels.some(({ key }) => key === '__name__')) return undefined;
  return { table: remoteWritten, metric: name };
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
