/** A list that SHOW gives by its words. */
interface ShowList {
  /** The system table that it shows; a list without one is empty. */
  readonly table?: string;
  /** The columns that it shows, when not all. */
  readonly columns?: string;
  /** Shows nodes, settings or what others run: hidden from users without SYSINFO. */
  readonly isOfSystem?: true;
  /** The column that LIKE chooses by; without one LIKE is refused. */
  readonly like?: string;
  readonly order?: string;
  /** The column of the database, where the list takes one: `SHOW db.VIEWS`, `SHOW VIEWS FROM db`. */
  readonly ofDatabase?: string;
  /** Takes a node: `SHOW VNODES ON DNODE 1`. */
  readonly onNode?: true;
  /** Read with the number of a node between its words: `SHOW DNODE 1 VARIABLES`. */
  readonly ofNode?: true;
  /** Of one thing by its number: `SHOW COMPACT 1`. */
  readonly numbered?: true;
}

const ofSystem = { isOfSystem: true } as const;
const variables = {
  ...ofSystem,
  table: 'ins_dnode_variables',
  columns: 'name, value, scope, info',
  like: 'name',
  order: 'name',
} as const;

/** Every list by its words, joined with one blank; where one begins with another, the longer stands first. */
export const showLists = {
  'CLUSTER VARIABLES': variables,
  'CLUSTER MACHINES': { ...ofSystem, table: 'ins_machines' },
  CLUSTER: { ...ofSystem, table: 'ins_cluster' },
  'LOCAL VARIABLES': variables,
  VARIABLES: variables,
  'DNODE VARIABLES': { ...variables, columns: `dnode_id, ${variables.columns}`, ofNode: true },
  'USER PRIVILEGES': { table: 'ins_user_privileges' },
  'USERS FULL': { table: 'ins_users' },
  USERS: { table: 'ins_users' },
  'GRANTS FULL': { ...ofSystem, table: 'ins_grants' },
  'GRANTS LOGS': { ...ofSystem, table: 'ins_grants' },
  // Who has been granted what; the words of a licence stay behind the other names.
  GRANTS: { ...ofSystem, table: 'ins_user_privileges' },
  LICENCES: { ...ofSystem, table: 'ins_grants' },
  'ANODES FULL': { ...ofSystem, table: 'ins_anodes_full' },
  ANODES: { ...ofSystem, table: 'ins_anodes' },
  DNODES: { ...ofSystem, table: 'ins_dnodes' },
  MNODES: { ...ofSystem, table: 'ins_mnodes' },
  QNODES: { ...ofSystem, table: 'ins_qnodes' },
  SNODES: { ...ofSystem, table: 'ins_snodes' },
  BNODES: { ...ofSystem, table: 'ins_bnodes' },
  VNODES: { ...ofSystem, table: 'ins_vnodes', onNode: true },
  FUNCTIONS: { table: 'ins_functions' },
  STREAMS: { table: 'ins_streams', ofDatabase: 'target_db' },
  TOPICS: { table: 'ins_topics' },
  SUBSCRIPTIONS: { table: 'ins_subscriptions' },
  TOKENS: { table: 'ins_tokens' },
  ROLES: { table: 'ins_roles' },
  VIEWS: { table: 'ins_views', like: 'view_name', ofDatabase: 'db_name' },
  TSMAS: { table: 'ins_tsmas', ofDatabase: 'db_name' },
  COMPACTS: { ...ofSystem, table: 'ins_compacts' },
  COMPACT: { ...ofSystem, table: 'ins_compact_details', numbered: true },
  ENCRYPTIONS: { ...ofSystem, table: 'ins_encryptions' },
  ARBGROUPS: { ...ofSystem, table: 'ins_arbgroups' },
  MOUNTS: { ...ofSystem, table: 'ins_mounts' },
  CONNECTIONS: { ...ofSystem, table: 'perf_connections' },
  QUERIES: { ...ofSystem, table: 'perf_queries' },
  CONSUMERS: { ...ofSystem, table: 'perf_consumers' },
  TRANSACTIONS: { ...ofSystem, table: 'perf_trans' },
  TRANSACTION: { ...ofSystem, table: 'ins_transaction_details', numbered: true },
  APPS: { ...ofSystem, table: 'perf_apps' },
  SCORES: ofSystem,
  // There is nothing of these here.
  VTABLES: { ofDatabase: 'db_name' },
  RETENTIONS: { ...ofSystem, table: 'ins_retentions' },
  RSMAS: { ...ofSystem, table: 'ins_rsmas' },
  SCANS: { ...ofSystem, table: 'ins_scans' },
  SSMIGRATES: { ...ofSystem, table: 'ins_ssmigrates' },
  XNODES: { ...ofSystem, table: 'ins_xnodes' },
  INSTANCES: ofSystem,
  DISK_INFO: { ...ofSystem, table: 'ins_disk_usage', ofDatabase: 'db_name' },
} as const satisfies Readonly<Record<string, ShowList>>;

/** The words of a list. */
export type ShowListName = keyof typeof showLists;

/** The row of a list. */
export function showList(name: ShowListName): ShowList {
  return showLists[name];
}

/** The names of the lists that `isMeant` picks, in the order of the table. */
export function showListNames(isMeant: (list: ShowList) => boolean): readonly ShowListName[] {
  return nameList.filter((name) => isMeant(showLists[name]));
}

const isName = (name: string): name is ShowListName => name in showLists;
const nameList = Object.keys(showLists).filter(isName);
