import type { LoadRun, OlderSubscription, SubscribeScenario, TopicConsumers } from '../model/scenario.js';
import { readStatements } from './file-query.js';
import { maxStatements } from './general-keys.js';
import type { LoadInput } from './request.js';
import type { Section } from './section.js';
import { olderKeys, topicKeys, topicsKeys } from './subscribe-keys.js';

const maxTopicLength = 255;

/** A subscription scenario, all but what every file has. What is wrong with it is in the report. */
export function readSubscribeFile(section: Section, input: LoadInput): Omit<SubscribeScenario, keyof LoadRun> {
  const topics = section.section('tmq_info', topicsKeys);
  const older = ['specified_table_query', 'super_table_query'] as const;
  if (topics !== undefined) {
    for (const key of older) if (section.has(key)) section.warn(key, 'is ignored beside tmq_info');
    return { kind: 'subscribe', consume: readTopics(topics, input) };
  }
  const parts = older.flatMap((key) => {
    const part = section.section(key, olderKeys);
    return part === undefined ? [] : [readOlder(part, key === 'super_table_query')];
  });
  if (parts.length === 0) section.refuse(undefined, 'tmq_info is missing; there is nothing to subscribe to');
  const database = section.text('databases');
  return {
    kind: 'subscribe',
    consume: { kind: 'statements', database: database === '' ? undefined : database, parts },
  };
}

function readTopics(section: Section, input: LoadInput): TopicConsumers {
  const consumers = section.integer('concurrent') ?? 1;
  const offsetReset = section.text('auto.offset.reset');
  const rowsFile = section.text('rows_file');
  return {
    kind: 'topics',
    topics: readTopicList(section),
    consumers,
    setUp: section.text('create_mode') === 'parallel' ? 'parallel' : 'sequential',
    groups: readGroups(section, consumers, input),
    clientId: section.text('client.id') ?? 'consumer',
    pollDelayMs: section.integer('poll_delay') ?? 1000,
    offsetReset: offsetReset === 'latest' || offsetReset === 'none' ? offsetReset : 'earliest',
    autoCommit: section.yesNo('enable.auto.commit') ?? true,
    autoCommitIntervalMs: section.integer('auto.commit.interval.ms') ?? 5000,
    manualCommit: section.yesNo('enable.manual.commit') ?? false,
    snapshot: section.yesNo('experimental.snapshot.enable') ?? false,
    withTableName: section.yesNo('msg.with.table.name') ?? false,
    rowsFile: rowsFile === '' ? undefined : rowsFile,
    expectRows: section.integer('expect_rows') ?? -1,
  };
}

/** The group of each consumer: the given one, a new one for all, or a new one for each. */
function readGroups(section: Section, consumers: number, input: LoadInput): readonly string[] {
  const given = section.text('group.id');
  const independent = section.text('group_mode') === 'independent';
  if (given !== undefined && given !== '') {
    if (independent) section.inform('group_mode', 'has no effect beside group.id');
    return Array.from({ length: consumers }, () => given);
  }
  const shared = input.randomName();
  return Array.from({ length: consumers }, (_, at) => (independent && at > 0 ? input.randomName() : shared));
}

function readTopicList(section: Section): TopicConsumers['topics'] {
  if (!section.has('topic_list')) section.missing('topic_list', 'an array of topics');
  else if (section.list('topic_list')?.length === 0) section.refuse('topic_list', 'is empty');
  const topics = section.sections('topic_list', topicKeys).flatMap((entry) => {
    const name = readTopicText(entry, 'name');
    const sql = readTopicText(entry, 'sql');
    return name === undefined || sql === undefined ? [] : [{ name, sql }];
  });
  if (topics.length > maxStatements) {
    section.refuse('topic_list', `there are ${topics.length} topics; the maximum is ${maxStatements}`);
  }
  return topics;
}

function readTopicText(entry: Section, key: 'name' | 'sql'): string | undefined {
  const text = entry.text(key)?.trim() ?? '';
  if (text === '') return entry.missing(key, key === 'name' ? 'the name of the topic' : 'what the topic is of');
  if (key === 'name' && text.length > maxTopicLength) {
    return entry.refuse(key, `is longer than ${maxTopicLength} characters`);
  }
  return text;
}

function readOlder(section: Section, ofSuperTable: boolean): OlderSubscription {
  const superTable = section.text('stblname');
  if (ofSuperTable && (superTable === undefined || superTable === '')) {
    section.missing('stblname', 'the name of a super table');
  }
  const queries = readStatements(section, ofSuperTable);
  if (queries.length === 0) section.refuse(undefined, 'there is no statement to subscribe to');
  return {
    superTable: ofSuperTable ? superTable : undefined,
    threads: section.integer('threads') ?? 1,
    intervalMs: (section.number('interval') ?? 0) * 1000,
    restart: section.yesNo('restart') ?? false,
    keepProgress: section.yesNo('keepProgress') ?? false,
    resubAfterConsume: section.yesNo('resubAfterConsume') ?? false,
    endAfterConsume: section.integer('endAfterConsume') ?? -1,
    queries,
  };
}
