import { reasonOf } from '../../model/fault.js';
import type {
  LoadRun,
  OlderSubscription,
  QueryScenario,
  QueryText,
  SpecifiedQueries,
  SubscribeScenario,
  SuperTableQueries,
  TopicConsumers,
} from '../model/scenario.js';
import type { LoadInput } from './input.js';
import { required } from './keys/setting.js';
import { consumer, general, maxStatements, older, query, subscription } from './keys/table.js';
import { nameMistakes } from './rules.js';
import type { Section } from './section.js';

/** Word for a sub-table in a statement. */
const childPlaceholder = 'xxxx';
const maxTopicLength = 255;

/** A query scenario, except for what every file has. What is wrong with it is in the report. */
export function readQueryFile(section: Section, input: LoadInput): Omit<QueryScenario, keyof LoadRun> {
  const database = section.get(query.database) ?? '';
  if (!section.has(query.database)) section.missing(query.database, 'the name of the database');
  else for (const mistake of nameMistakes('database', database, false)) section.refuse(query.database, mistake);
  const specified = section.section(query.specified, 'specified');
  const children = section.section(query.children, 'children');
  if (specified === undefined && children === undefined) {
    section.refuse(undefined, 'specified_table_query and super_table_query are both missing; there is nothing to run');
  }
  return {
    kind: 'query',
    database,
    ...section.all(query, 'mode', 'killSlowerThanMs', 'killIntervalMs'),
    failure: section.get(general.failure),
    specified: specified && readSpecified(specified, input),
    superTable: children && readChildren(children),
  };
}

function readSpecified(section: Section, input: LoadInput): SpecifiedQueries {
  const queries = [...readSqlFile(section, input), ...readStatements(section, false)];
  checkCount(section, queries.length);
  return { ...section.all(query, 'times', 'intervalMs', 'threads', 'mixed'), queries };
}

function readChildren(section: Section): SuperTableQueries {
  const superTable = required(section, query.superTable, 'the name of a super table') ?? '';
  const queries = readStatements(section, true);
  checkCount(section, queries.length);
  return { superTable, ...section.all(query, 'times', 'intervalMs', 'threads'), queries };
}

function checkCount(section: Section, count: number): void {
  if (count === 0)
    section.refuse(section.has(query.statements) ? query.statements : undefined, 'there is no statement to run');
  if (count > maxStatements)
    section.refuse(query.statements, `there are ${count} statements; the maximum is ${maxStatements}`);
}

/** Statements of a file, one per line, without files for their results. */
function readSqlFile(section: Section, input: LoadInput): readonly QueryText[] {
  const path = section.get(query.sqlFile);
  if (path === undefined) return [];
  try {
    const lines = input.readFile(path).split(/\r?\n/);
    return lines.filter((line) => line.trim() !== '').map((line) => ({ sql: line.trim(), result: undefined }));
  } catch (error) {
    section.refuse(query.sqlFile, `${path} cannot be read: ${reasonOf(error)}`);
    return [];
  }
}

/** Entries of `sqls`; `forChildren` says that each must name the sub-table with {@link childPlaceholder}. */
function readStatements(section: Section, forChildren: boolean): readonly QueryText[] {
  return section.sections(query.statements, 'statement').flatMap((entry) => {
    const sql = entry.get(query.sql)?.trim() ?? '';
    const result = entry.get(query.result);
    if (sql === '') return entry.missing(query.sql, 'a statement') ?? [];
    if (forChildren && !sql.includes(childPlaceholder)) {
      entry.refuse(query.sql, `has no ${childPlaceholder}, which stands for the sub-table`);
    }
    return [{ sql, result }];
  });
}

/** A subscription scenario, except for what every file has. What is wrong with it is in the report. */
export function readSubscribeFile(section: Section, input: LoadInput): Omit<SubscribeScenario, keyof LoadRun> {
  const topics = section.section(subscription.topics, 'topics');
  const sections = [query.specified, query.children];
  if (topics !== undefined) {
    for (const key of sections) if (section.has(key)) section.warn(key, 'is ignored beside tmq_info');
    return { kind: 'subscribe', consume: readTopics(topics, input) };
  }
  const parts = sections.flatMap((key) => {
    const part = section.section(key, 'older');
    return part === undefined ? [] : [readOlder(part, key === query.children)];
  });
  if (parts.length === 0) section.refuse(undefined, 'tmq_info is missing; there is nothing to subscribe to');
  return {
    kind: 'subscribe',
    consume: { kind: 'statements', database: section.get(subscription.database), parts },
  };
}

function readTopics(section: Section, input: LoadInput): TopicConsumers {
  const topics = readTopicList(section);
  const settings = section.all(consumer);
  return { kind: 'topics', topics, ...settings, groups: readGroups(section, settings.consumers, input) };
}

/** The group of each consumer: the one of the file, a new one for all, or a new one for each. */
function readGroups(section: Section, consumers: number, input: LoadInput): readonly string[] {
  const { group, groupMode } = section.all(subscription, 'group', 'groupMode');
  const independent = groupMode === 'independent';
  if (group !== undefined && group !== '') {
    if (independent) section.inform(subscription.groupMode, 'has no effect beside group.id');
    return Array.from({ length: consumers }, () => group);
  }
  const shared = input.randomName();
  return Array.from({ length: consumers }, (_, at) => (independent && at > 0 ? input.randomName() : shared));
}

function readTopicList(section: Section): TopicConsumers['topics'] {
  const { topicList } = subscription;
  section.requireItems(topicList, 'an array of topics');
  const topics = section.sections(topicList, 'topic').flatMap((entry) => {
    const name = required(entry, subscription.topicName, 'the name of the topic')?.trim();
    const sql = required(entry, subscription.topicSql, 'what the topic is of')?.trim();
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
  const superTable = ofSuperTable ? required(section, query.superTable, 'the name of a super table') : undefined;
  const queries = readStatements(section, ofSuperTable);
  if (queries.length === 0) section.refuse(undefined, 'there is no statement to subscribe to');
  return { superTable, threads: section.get(query.threads), ...section.all(older), queries };
}
