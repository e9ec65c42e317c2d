import { Access } from '../database/catalogue/rights.js';
import { ConsumerGroups } from '../database/consumers/groups.js';
import type { SqlAnswer } from '../model/exchange.js';
import { FaultError } from '../model/fault.js';
import { invalidParameters, notSupported } from '../model/refusals.js';
import type { WaitingTables } from '../model/waiting-tables.js';
import { parseStatement } from '../sql/parser/statement.js';
import type { Name, ObjectName } from '../sql/syntax/ast.js';
import type { Statement, StatementKind, StatementOf } from '../sql/syntax/ast-statement.js';
import { insert, insertQuery, makeSubTables, makeView, remove, setTagsUsing } from './changes.js';
import { databaseOf, definitionsOf, done, listingAnswer, type RequestScope, type StatementContext } from './context.js';
import { createTopic, topicMaking } from './create-topic.js';
import { checkAccepted } from './definitions/accepted.js';
import { alterTable } from './definitions/alter-table.js';
import type { DefinitionContext } from './definitions/context.js';
import { createTable } from './definitions/create-table.js';
import { alterDatabase, createDatabase, dropDatabase, useDatabase } from './definitions/databases.js';
import { dropTables } from './definitions/drop-table.js';
import { setTags } from './definitions/set-tags.js';
import {
  administration,
  altering,
  alteringEach,
  checkedByName,
  databaseDropping,
  databaseInSight,
  databaseMaking,
  databaseOwning,
  everybody,
  type Rights,
  tableInSight,
  writing,
} from './definitions/statement-rights.js';
import { createIndex } from './definitions/tag-indexes.js';
import { dropConsumerGroup, dropTopic, grantTopic, topicOwning } from './definitions/topics.js';
import { createTsma, dropTsma } from './definitions/tsmas.js';
import { dropView } from './definitions/views.js';
import { killedStatement } from './lists/kill-id.js';
import { answerExplain } from './queries/explain.js';
import { answerQuery, viewColumns } from './queries/queries.js';
import { describe, describedView } from './show/describe.js';
import { checkShow, isOfState, shown } from './show/show.js';
import { storedIfRoom } from './stored-if-room.js';
import { dropStream, streamOwning, switchStream } from './streams/administration.js';
import { createStream } from './streams/definition.js';
import { alterToken, createToken, dropToken, tokenMaking, tokenRight } from './users/tokens.js';
import { alterUser, changeRights, createUser, dropUser, userRight } from './users/user-statements.js';

type Run<S> = (statement: S, scope: RequestScope, context: StatementContext) => Promise<SqlAnswer>;

type Touches<S> = (statement: S, current: string | undefined) => WaitingTables;

type Fresh = 'catalogue' | 'rows' | undefined;

/** One kind of statement. */
interface StatementRow<S> {
  /** Throws unless the user may run it; checked before it runs. */
  readonly rights: Rights<S>;
  /**
   * Knowledge that must be up to date before rights are checked. `catalogue`: what other processes have defined.
   * `rows`: that, and the rows that were acknowledged before are stored.
   */
  readonly fresh?: Fresh | ((statement: S) => Fresh);
  /** Of which tables rows must be stored, where that is not all of them. */
  readonly touches?: Touches<S>;
  /** True for what frees room, which runs on a full disk, too. */
  readonly freesRoom?: true;
  readonly run: Run<S>;
}

type StatementTable = { readonly [K in StatementKind]: StatementRow<StatementOf<K>> };

/**
 * A statement that changes the catalogue. A table that another process dropped and made again a moment ago has another
 * storage: the old one must not be meant.
 */
function definition<S>(
  rights: Rights<S>,
  run: (statement: S, definitions: DefinitionContext, context: StatementContext) => Promise<void>,
  touches?: Touches<S>,
): StatementRow<S> {
  const changed: Run<S> = async (statement, scope, context) => {
    await run(statement, definitionsOf(scope, context), context);
    return done;
  };
  return { ...changing(rights, changed), ...(touches === undefined ? {} : { touches }) };
}

/** The same for a statement that gives something up. */
function dropping<S>(...row: Parameters<typeof definition<S>>): StatementRow<S> {
  return { ...definition(...row), freesRoom: true };
}

function changing<S>(rights: Rights<S>, run: Run<S>): StatementRow<S> {
  return { rights, fresh: 'rows', run };
}

const namedDatabase: Touches<{ readonly name: Name }> = ({ name }) => [{ database: name.text }];
const namedTable: Touches<{ readonly table: ObjectName }> = ({ table }, current) => databaseOf(table, current);
const namedTables: Touches<{ readonly tables: readonly { readonly table: ObjectName }[] }> = (statement, current) => {
  const databases = new Set(statement.tables.map(({ table }) => table.database?.text ?? current));
  return [...databases].flatMap((database) => (database === undefined ? [] : [{ database }]));
};

const tables: Rights<{ readonly tables: readonly { readonly table: ObjectName }[] }> = writing((statement) =>
  statement.tables.map(({ table }) => table),
);
const view = writing<StatementOf<'create-view' | 'drop-view'>>((statement) => [statement.view]);
const grant = definition(userRight, changeRights);
const topicGrant = definition(
  topicOwning<StatementOf<'grant-topic'>>(({ topic }) => topic),
  grantTopic,
);

/** Every kind of statement: who may run it, and what it does. A kind that is not here does not compile. */
const statements: StatementTable = {
  query: {
    rights: checkedByName,
    run: ({ query, explain }, ...rest) =>
      explain === undefined ? answerQuery(query, ...rest) : answerExplain(query, explain, ...rest),
  },
  insert: { rights: checkedByName, run: (_, ...rest) => insert(...rest) },
  'insert-select': { rights: checkedByName, run: insertQuery },
  delete: { rights: checkedByName, freesRoom: true, run: remove },
  show: {
    rights: ({ show }, subject) => checkShow(show, subject),
    fresh: ({ show }) => (isOfState(show) ? undefined : 'table' in show ? 'rows' : 'catalogue'),
    touches: ({ show }, current) => ('table' in show ? databaseOf(show.table, current) : 'all'),
    run: runShow,
  },
  describe: { rights: tableInSight, fresh: 'rows', touches: namedTable, run: runDescribe },
  'kill-query': { rights: everybody, run: killQuery },
  'kill-connection': { rights: everybody, run: killConnection },
  use: {
    ...changing(databaseInSight, use),
    touches: namedDatabase,
  },
  accepted: definition(administration, checkAccepted),
  unsupported: {
    rights: everybody,
    run: async ({ words }) => {
      throw new FaultError(notSupported(words));
    },
  },

  'create-database': definition(databaseMaking, createDatabase, namedDatabase),
  'alter-database': definition(databaseOwning, alterDatabase, namedDatabase),
  'drop-database': dropping(databaseDropping, dropDatabase, namedDatabase),
  'create-table': definition(
    writing(({ table }) => [table]),
    createTable,
    namedTable,
  ),
  'create-child-tables': { ...changing(tables, makeSubTables), touches: namedTables },
  'alter-table': definition(altering, alterTable, namedTable),
  'set-tags': definition(alteringEach, setTags, namedTables),
  'set-tags-using': changing(altering, setTagsUsing),
  'drop-table': dropping(tables, dropTables, namedTables),
  'create-view': changing(view, makeView),
  'drop-view': dropping(view, dropView),
  'create-tsma': definition(
    writing(({ table }) => [table]),
    createTsma,
  ),
  'create-index': definition(
    writing(({ table }) => [table]),
    createIndex,
    namedTable,
  ),
  'drop-tsma': dropping(
    writing(({ tsma }) => [tsma]),
    dropTsma,
  ),

  'create-stream': definition(
    writing(({ target }) => [target]),
    createStream,
  ),
  'drop-stream': dropping(streamOwning, dropStream),
  'switch-stream': definition(streamOwning, switchStream),
  'create-topic': changing(topicMaking, createTopic),
  'drop-topic': dropping(
    topicOwning(({ name }) => name),
    (statement, definitions, { engine }) => dropTopic(statement, definitions, new ConsumerGroups(engine)),
  ),
  'drop-consumer-group': dropping(
    topicOwning(({ topic }) => topic),
    (statement, definitions, { engine }) => dropConsumerGroup(statement, definitions, new ConsumerGroups(engine)),
  ),
  'grant-topic': topicGrant,
  'revoke-topic': topicGrant,

  'create-user': definition(userRight, createUser),
  'alter-user': definition(userRight, alterUser),
  'drop-user': dropping(userRight, dropUser),
  grant,
  revoke: grant,
  'create-token': {
    rights: tokenMaking,
    fresh: 'catalogue',
    run: async (statement, scope, context) =>
      listingAnswer(await createToken(statement, definitionsOf(scope, context)), scope),
  },
  'alter-token': definition(tokenRight, alterToken),
  'drop-token': dropping(tokenRight, dropToken),
};

/** Runs a statement of any kind, if its user may. Throws FaultErrors. */
export function runStatement(statement: Statement, scope: RequestScope, context: StatementContext): Promise<SqlAnswer> {
  return runKind(statement.kind, statement, scope, context);
}

async function runKind<K extends StatementKind>(
  kind: K,
  statement: StatementOf<K>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const { rights, fresh: needed, touches, freesRoom, run }: StatementRow<StatementOf<K>> = statements[kind];
  const fresh = typeof needed === 'function' ? needed(statement) : needed;
  const { catalogue, writes } = context;
  if (freesRoom === true) await context.engine.makeRoom();
  if (fresh === 'rows') await storedIfRoom(writes.visible(touches?.(statement, scope.request.database) ?? 'all'));
  if (fresh !== undefined) await catalogue.sync();
  rights(statement, { access: new Access(catalogue, scope.user), catalogue, current: scope.request.database });
  return run(statement, scope, context);
}

/** The database is the current one of a connection that has one. */
async function use(statement: StatementOf<'use'>, scope: RequestScope, context: StatementContext): Promise<SqlAnswer> {
  await useDatabase(statement, definitionsOf(scope, context));
  return { kind: 'affected', rows: 0, current: statement.name.text };
}

async function runShow(
  { show }: StatementOf<'show'>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const listing = await shown(show, definitionsOf(scope, context), context.engine);
  if (typeof listing !== 'string') return listingAnswer(listing, scope);
  const statement = parseStatement(listing);
  if (statement.kind !== 'query') throw new Error(`SHOW ${show.what} is not a query.`);
  return answerQuery(statement.query, scope, context);
}

async function runDescribe(
  { table }: StatementOf<'describe'>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const database = table.database?.text ?? scope.request.database;
  const view = database === undefined ? undefined : context.catalogue.view(database, table.name.text);
  const described =
    view === undefined
      ? await describe(table, definitionsOf(scope, context))
      : describedView(await viewColumns(view, scope, context));
  return listingAnswer(described, scope);
}

async function killConnection(
  { id }: StatementOf<'kill-connection'>,
  { user }: RequestScope,
  { connections, catalogue, others }: StatementContext,
): Promise<SqlAnswer> {
  connections.kill(id, new Access(catalogue, user));
  await others?.killConnection(id, user);
  return done;
}

async function killQuery(
  { id }: StatementOf<'kill-query'>,
  { user }: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const killed = killedStatement(id);
  if (killed === undefined) throw new FaultError(invalidParameters(`'${id}' is no kill_id of SHOW QUERIES`));
  if (killed.pid === process.pid) context.running.kill(killed.id, new Access(context.catalogue, user));
  else await context.others?.kill(killed, user);
  return done;
}
