import { requireOneOrder } from '../../database/changes.js';
import { ConsumerGroups } from '../../database/consumers/groups.js';
import type { DefinitionContext } from '../../database/definitions/context.js';
import { createTopic, dropConsumerGroup, dropTopic } from '../../database/definitions/topics.js';
import type { Engine } from '../../database/engine.js';
import { Access } from '../../database/rights.js';
import type { SqlRequest } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Statement, TopicSourceSyntax } from '../../sql/ast-statement.js';
import { planTableTopic, planTopic, type TopicPlan } from '../../sql/plan/topic.js';
import { collectTables, type NamedTable } from '../../sql/resolve/context.js';
import { type QueryNamesContext, queryContext } from './query-names.js';

/** Statements about topics and their groups. */
export type TopicStatement = Extract<Statement, { kind: 'create-topic' | 'drop-topic' | 'drop-consumer-group' }>;

/** What statements about topics work on. */
export interface TopicStatementContext extends QueryNamesContext {
  readonly engine: Engine;
}

/**
 * Runs a statement about topics. Who may read all that a topic delivers may make it; its maker and whoever may drop its
 * database may drop it. Throws FaultErrors.
 */
export async function runTopicStatement(
  statement: TopicStatement,
  request: SqlRequest,
  definitions: DefinitionContext,
  context: TopicStatementContext,
): Promise<void> {
  // A topic that another process made or dropped a moment ago counts.
  await context.catalogue.sync();
  switch (statement.kind) {
    case 'create-topic': {
      const plan = await planSource(statement.source, request, definitions.user, context);
      requireOneOrder(context.engine, 'topics');
      return createTopic(statement, plan, definitions);
    }
    case 'drop-topic':
      return dropTopic(statement, definitions, new ConsumerGroups(context.engine));
    case 'drop-consumer-group':
      return dropConsumerGroup(statement, definitions, new ConsumerGroups(context.engine));
  }
}

async function planSource(
  source: TopicSourceSyntax,
  request: SqlRequest,
  user: string,
  context: TopicStatementContext,
): Promise<TopicPlan | undefined> {
  const access = new Access(context.catalogue, user);
  if (source.kind === 'database') {
    access.require('READ', source.database.text);
    return undefined;
  }
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
