import type { LoadRun, OlderSubscription, SubscribeScenario, TopicConsumers } from '../../model/scenario.js';
import { maxStatements } from '../keys/general.js';
import { query, subscription } from '../keys/query.js';
import { milliseconds } from '../keys/setting.js';
import { readStatements } from './query.js';
import type { LoadInput } from './request.js';
import type { Section } from './section.js';

const maxTopicLength = 255;

/** A subscription scenario, all but what every file has. What is wrong with it is in the report. */
export function readSubscribeFile(section: Section, input: LoadInput): Omit<SubscribeScenario, keyof LoadRun> {
  const topics = section.section(subscription.topics, 'topics');
  const older = [query.specified, query.children];
  if (topics !== undefined) {
    for (const key of older) if (section.has(key)) section.warn(key, 'is ignored beside tmq_info');
    return { kind: 'subscribe', consume: readTopics(topics, input) };
  }
  const parts = older.flatMap((key) => {
    const part = section.section(key, 'older');
    return part === undefined ? [] : [readOlder(part, key === query.children)];
  });
  if (parts.length === 0) section.refuse(undefined, 'tmq_info is missing; there is nothing to subscribe to');
  const database = section.get(subscription.database) || undefined;
  return { kind: 'subscribe', consume: { kind: 'statements', database, parts } };
}

function readTopics(section: Section, input: LoadInput): TopicConsumers {
  const consumers = section.get(subscription.consumers);
  return {
    kind: 'topics',
    topics: readTopicList(section),
    consumers,
    setUp: section.get(subscription.setUp),
    groups: readGroups(section, consumers, input),
    clientId: section.get(subscription.clientId),
    pollDelayMs: section.get(subscription.pollDelay),
    offsetReset: section.get(subscription.offsetReset),
    autoCommit: section.get(subscription.autoCommit),
    autoCommitIntervalMs: section.get(subscription.autoCommitInterval),
    manualCommit: section.get(subscription.manualCommit),
    snapshot: section.get(subscription.snapshot),
    withTableName: section.get(subscription.withTableName),
    rowsFile: section.get(subscription.rowsFile) || undefined,
    expectRows: section.get(subscription.expectRows),
  };
}

/** The group of each consumer: the given one, a new one for all, or a new one for each. */
function readGroups(section: Section, consumers: number, input: LoadInput): readonly string[] {
  const name = section.get(subscription.group);
  const independent = section.get(subscription.groupMode) === 'independent';
  if (name !== undefined && name !== '') {
    if (independent) section.inform(subscription.groupMode, 'has no effect beside group.id');
    return Array.from({ length: consumers }, () => name);
  }
  const shared = input.randomName();
  return Array.from({ length: consumers }, (_, at) => (independent && at > 0 ? input.randomName() : shared));
}

function readTopicList(section: Section): TopicConsumers['topics'] {
  const { topicList } = subscription;
  if (!section.has(topicList)) section.missing(topicList, 'an array of topics');
  else if (section.lengthOf(topicList) === 0) section.refuse(topicList, 'is empty');
  const topics = section.sections(topicList, 'topic').flatMap((entry) => {
    const name = entry.required(subscription.topicName, 'the name of the topic')?.trim();
    const sql = entry.required(subscription.topicSql, 'what the topic is of')?.trim();
    if (name !== undefined && name.length > maxTopicLength) {
      entry.refuse(subscription.topicName, `is longer than ${maxTopicLength} characters`);
    }
    return name === undefined || sql === undefined ? [] : [{ name, sql }];
  });
  if (topics.length > maxStatements) {
    section.refuse(topicList, `there are ${topics.length} topics; the maximum is ${maxStatements}`);
  }
  return topics;
}

function readOlder(section: Section, ofSuperTable: boolean): OlderSubscription {
  const superTable = ofSuperTable ? section.required(query.superTable, 'the name of a super table') : undefined;
  const queries = readStatements(section, ofSuperTable);
  if (queries.length === 0) section.refuse(undefined, 'there is no statement to subscribe to');
  return {
    superTable,
    threads: section.get(query.threads),
    intervalMs: milliseconds(section.get(subscription.interval)),
    restart: section.get(subscription.restart),
    keepProgress: section.get(subscription.keepProgress),
    resubAfterConsume: section.get(subscription.resubAfterConsume),
    endAfterConsume: section.get(subscription.endAfterConsume),
    queries,
  };
}
