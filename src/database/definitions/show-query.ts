import { Codes, FaultError, fault } from '../../model/fault.js';
import { quotedName } from '../../model/quoted-name.js';
import type { Name, ObjectName } from '../../sql/ast.js';
import type { Show } from '../../sql/ast-statement.js';
import { systemDatabases } from '../../sql/resolve/context.js';
import { type DefinitionContext, knownDatabase } from './context.js';
import { describedTable } from './described-table.js';

/** The system table behind each list, and the columns it shows when not all. */
const lists: Readonly<Record<string, readonly [table: string, columns?: string]>> = {
  'CLUSTER VARIABLES': ['ins_dnode_variables', 'name, value, scope, info'],
  'LOCAL VARIABLES': ['ins_dnode_variables', 'name, value, scope, info'],
  VARIABLES: ['ins_dnode_variables', 'name, value, scope, info'],
  'DNODE VARIABLES': ['ins_dnode_variables', 'dnode_id, name, value, scope, info'],
  'CLUSTER MACHINES': ['ins_machines'],
  CLUSTER: ['ins_cluster'],
  'USER PRIVILEGES': ['ins_user_privileges'],
  'USERS FULL': ['ins_users'],
  USERS: ['ins_users'],
  'GRANTS FULL': ['ins_grants'],
  'GRANTS LOGS': ['ins_grants'],
  // Who has been granted what; the words of a licence stay behind the other names.
  GRANTS: ['ins_user_privileges'],
  LICENCES: ['ins_grants'],
  'ANODES FULL': ['ins_anodes'],
  ANODES: ['ins_anodes'],
  DNODES: ['ins_dnodes'],
  MNODES: ['ins_mnodes'],
  QNODES: ['ins_qnodes'],
  SNODES: ['ins_snodes'],
  BNODES: ['ins_bnodes'],
  VNODES: ['ins_vnodes'],
  FUNCTIONS: ['ins_functions'],
  STREAMS: ['ins_streams'],
  TOPICS: ['ins_topics'],
  SUBSCRIPTIONS: ['ins_subscriptions'],
  TOKENS: ['ins_tokens'],
  ROLES: ['ins_roles'],
  VIEWS: ['ins_views'],
  TSMAS: ['ins_tsmas'],
  COMPACTS: ['ins_compacts'],
  ENCRYPTIONS: ['ins_encryptions'],
  ARBGROUPS: ['ins_arbgroups'],
  MOUNTS: ['ins_mounts'],
  DISK_INFO: ['ins_disk_usage'],
  CONNECTIONS: ['perf_connections'],
  QUERIES: ['perf_queries'],
  CONSUMERS: ['perf_consumers'],
  TRANSACTIONS: ['perf_trans'],
  APPS: ['perf_apps'],
};

/** The column that LIKE chooses variables by, and that it chooses views by. */
const [variableName, viewName] = ['name', 'view_name'];

/**
 * A SHOW as the SELECT over system tables that it stands for, in the dialect's own words, so that both always agree.
 * Undefined for those that are no list. Throws a FaultError for names that do not exist.
 */
export async function showQuery(show: Show, context: DefinitionContext): Promise<string | undefined> {
  switch (show.what) {
    case 'tables': {
      const type = { all: undefined, normal: 'NORMAL_TABLE', child: 'CHILD_TABLE' }[show.which];
      const ofType = type === undefined ? [] : [`type = ${quoted(type)}`];
      const terms = [await inDatabase(show.database, context), ...ofType, ...like('table_name', show.like)];
      return select('table_name', 'ins_tables', terms, 'table_name');
    }
    case 'stables': {
      const terms = [await inDatabase(show.database, context), ...like('stable_name', show.like)];
      return select('stable_name', 'ins_stables', terms, 'stable_name');
    }
    case 'vgroups': {
      const terms = show.database === undefined ? [] : [await inDatabase(show.database, context)];
      return select('*', 'ins_vgroups', terms, 'vgroup_id');
    }
    case 'tags': {
      const { database, table, subTable } = await taggedTable(show.table, context);
      const name =
        subTable === undefined ? `stable_name = ${quoted(table.name)}` : `table_name = ${quoted(subTable.name)}`;
      return select('*', 'ins_tags', [`db_name = ${quoted(database.name)}`, name], undefined);
    }
    case 'indexes': {
      const { database, table } = await describedTable(show.table, context);
      const terms = [`db_name = ${quoted(database.name)}`, `table_name = ${quoted(table.name)}`];
      return select('*', 'ins_indexes', terms, undefined);
    }
    case 'table-tags':
      return tableTagsQuery(show, context);
    case 'list': {
      const [table, columns = '*'] = lists[show.list] ?? [];
      if (table === undefined) return undefined;
      const isVariables = table === 'ins_dnode_variables';
      const ofNode = show.dnode === undefined ? [] : [`dnode_id = ${show.dnode}`];
      const ofDatabase = show.ofDatabase === undefined ? [] : [await inDatabase(show.ofDatabase, context)];
      const terms = [...like(isVariables ? variableName : viewName, show.like), ...ofNode, ...ofDatabase];
      return select(columns, table, terms, isVariables ? variableName : undefined);
    }
    default:
      return undefined;
  }
}

async function tableTagsQuery(
  show: Extract<Show, { what: 'table-tags' }>,
  context: DefinitionContext,
): Promise<string> {
  const { database, table, subTable } = await taggedTable(show.table, context);
  const wanted = show.tags.map(
    ({ name, alias }) => `${quotedName(name.text)}${alias ? ` AS ${quotedName(alias.text)}` : ''}`,
  );
  const tags = wanted.length > 0 ? wanted : table.tags.map(({ name }) => quotedName(name));
  const from = `${quotedName(database.name)}.${quotedName((subTable ?? table).name)}`;
  return `SELECT TAGS tbname, ${tags.join(', ')} FROM ${from}`;
}

/** A table that has tags, or a sub-table. */
async function taggedTable(name: ObjectName, context: DefinitionContext) {
  const found = await describedTable(name, context);
  if (found.table.kind !== 'normal') return found;
  const text = 'Tags can only applied to super table and child table';
  throw new FaultError(fault('database', Codes.tagsOfNormalTable, text));
}

function select(columns: string, table: string, terms: readonly string[], order: string | undefined): string {
  const schema = systemDatabases[table.startsWith('perf_') ? 1 : 0];
  const where = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`;
  return `SELECT ${columns} FROM ${schema}.${table}${where}${order === undefined ? '' : ` ORDER BY ${order}`}`;
}

async function inDatabase(name: Name | undefined, context: DefinitionContext): Promise<string> {
  const wanted = name?.text ?? context.database;
  if (wanted === undefined) {
    throw new FaultError(fault('database', Codes.databaseNotSpecified, 'Database not specified'));
  }
  if (!systemDatabases.includes(wanted)) await knownDatabase(context, wanted);
  return `db_name = ${quoted(wanted)}`;
}

function like(column: string, pattern: string | undefined): readonly string[] {
  return pattern === undefined ? [] : [`${column} LIKE ${quoted(pattern)}`];
}

/** A text as a literal of the dialect. */
function quoted(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}
