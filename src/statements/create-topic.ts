import { Access } from '../database/catalogue/rights.js';
import type { SqlAnswer } from '../model/exchange.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import { planTableTopic, planTopic, type TopicPlan } from '../sql/plan/topic.js';
import type { StatementOf, TopicSourceSyntax } from '../sql/syntax/ast-statement.js';
import { collectTables, type NamedTable } from '../sql/values/context.js';
import { definitionsOf, done, type RequestScope, type StatementContext, upToDate } from './context.js';
import type { Requester } from './definitions/statement-rights.js';
import { defineTopic } from './definitions/topics.js';
import { queryContext } from './queries/query-names.js';

/**
 * A topic of a database is for those who may read it; the tables of other topics are checked where their names are
 * resolved.
 */
export function topicMaking({ source }: StatementOf<'create-topic'>, { access }: Requester): void {
  if (source.kind === 'database') access.require('READ', source.database.text);
}

/** CREATE TOPIC. Throws FaultErrors. */
export async function createTopic(
  statement: StatementOf<'create-topic'>,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  await upToDate(context, async () => {
    const plan = await planSource(statement.source, scope, context);
    await defineTopic(statement, plan, definitionsOf(scope, context));
  });
  return done;
}

async function planSource(
  source: TopicSourceSyntax,
  { request, user }: RequestScope,
  context: StatementContext,
): Promise<TopicPlan | undefined> {
  if (source.kind === 'database') return undefined;
  const access = new Access(context.catalogue, user);
  const readable = (tables: readonly NamedTable[]) =>
    queryContext(tables, () => undefined, request, access, 'READ', context);
  if (source.kind === 'table') {
    const { database, name } = source.table;
    const plan = await readable([{ database: database?.text, name: name.text }]);
    return planTableTopic(source.table, source.where, plan);
  }
  const tables = collectTables(source.query);
  for (const { database = request.database, name } of tables) {
    if (database === undefined || context.catalogue.view(database, name) === undefined) continue;
    throw new FaultError(fault('database', Codes.invalidTopicQuery, 'Invalid topic query'));
  }
  return planTopic(source.query, await readable(tables));
}
