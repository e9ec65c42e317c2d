import { checkedName } from '../../database/catalogue/column-type.js';
import { insufficientPrivilege } from '../../database/catalogue/rights.js';
import type { ConsumerGroups } from '../../database/consumers/groups.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { named, refusals } from '../../model/refusals.js';
import type { TopicSource } from '../../model/topic.js';
import type { TopicPlan } from '../../sql/plan/topic.js';
import { topicSchema } from '../../sql/plan/topic.js';
import type { Name } from '../../sql/syntax/ast.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, knownDatabase, submit } from './context.js';
import type { Rights } from './statement-rights.js';

type CreateTopic = StatementOf<'create-topic'>;

/** Longest statement that the list of topics shows, in bytes. */
const maxStatementBytes = 4096;

/** CREATE TOPIC; `plan` is what it delivers of its one table, undefined for a whole database. */
export async function defineTopic(
  statement: CreateTopic,
  plan: TopicPlan | undefined,
  context: DefinitionContext,
): Promise<void> {
  const { source, ifNotExists, meta } = statement;
  const name = checkedName(statement.name.text, 192);
  const text = context.statement.trim();
  if (Buffer.byteLength(text) > maxStatementBytes) {
    const why = `SQL statement too long: that of a topic has ${maxStatementBytes} bytes`;
    throw new FaultError(fault('syntax', Codes.statementTooLong, why));
  }
  const database = source.kind === 'database' ? source.database.text : (plan?.database ?? '');
  await knownDatabase(context, database);
  await submit(
    context,
    {
      op: 'create-topic',
      name,
      database,
      source: storedSource(source, plan, context.database),
      statement: text,
      schema: plan === undefined ? '' : topicSchema(plan),
      meta,
      zone: context.timeZone,
      user: context.user,
    },
    ifNotExists ? Codes.topicAlreadyExists : undefined,
  );
}

function storedSource(
  source: CreateTopic['source'],
  plan: TopicPlan | undefined,
  current: string | undefined,
): TopicSource {
  if (source.kind === 'database' || plan === undefined) return { kind: 'database' };
  const { target, columns } = plan;
  const table = target.kind === 'sub' ? target.name : target.table.name;
  return { kind: source.kind, text: source.text, table, parent: target.table.name, columns, current };
}

/** DROP TOPIC, with all that its consumer groups have read; refused while it has consumers, unless forced. */
export async function dropTopic(
  { name, ifExists, force }: StatementOf<'drop-topic'>,
  context: DefinitionContext,
  groups: ConsumerGroups,
): Promise<void> {
  const topic = context.catalogue.topics.topic(name.text);
  if (topic !== undefined && !force && (await groups.hasConsumers(topic))) {
    throw new FaultError(fault('database', Codes.topicSubscribed, 'Topic subscribed cannot be dropped'));
  }
  await submit(context, { op: 'drop-topic', name: name.text }, ifExists ? Codes.topicNotExist : undefined);
  if (topic !== undefined) await groups.forget(topic);
}

/** DROP CONSUMER GROUP: what the group has read of a topic is forgotten. */
export async function dropConsumerGroup(
  { group, topic: name, ifExists, force }: StatementOf<'drop-consumer-group'>,
  context: DefinitionContext,
  groups: ConsumerGroups,
): Promise<void> {
  const topic = context.catalogue.topics.topic(name.text);
  if (topic === undefined) {
    if (ifExists) return;
    throw new FaultError(named(refusals.topicNotExist, name.text));
  }
  if (!force && (await groups.hasConsumers(topic, group.text))) {
    const text = 'Consumer group being used by some consumer';
    throw new FaultError(fault('database', Codes.consumerGroupUsed, text));
  }
  if (!(await groups.exists(topic, group.text))) {
    if (ifExists) return;
    throw new FaultError(fault('database', Codes.consumerGroupNotExist, 'Subscribe not exist'));
  }
  await groups.forget(topic, group.text);
}

/** GRANT and REVOKE of the right to consume a topic: who dropped it may give it. */
export async function grantTopic(
  { kind, topic, user }: StatementOf<'grant-topic'>,
  context: DefinitionContext,
): Promise<void> {
  const { catalogue } = context;
  const def = catalogue.topics.topic(topic.text);
  if (def === undefined) throw new FaultError(named(refusals.topicNotExist, topic.text));
  if (catalogue.principals.user(user.text) === undefined) throw new FaultError(named(refusals.userNotExist, user.text));
  await submit(context, { op: kind, name: topic.text, user: user.text });
}

/** For the maker of a topic and the owner of the database it is over; every user learns that there is none. */
export function topicOwning<S>(nameOf: (statement: S) => Name): Rights<S> {
  return (statement, { access, catalogue }) => {
    const topic = catalogue.topics.topic(nameOf(statement).text);
    if (topic === undefined || topic.user === access.user || access.owns(topic.database)) return;
    throw insufficientPrivilege();
  };
}
