import { GroupState } from '../../database/consumers/group-state.js';
import { ConsumerGroups, type ConsumerRow } from '../../database/consumers/groups.js';
import type { TopicDef } from '../../model/topic.js';
import { inlineRows } from './inline.js';
import { columnsOf, type SystemFacts, type SystemTable } from './system-table.js';

const types = { query: 'column', table: 'stable', database: 'db' } as const;

/** Topics of databases that the viewer knows of, and those it may consume. */
function seenTopics({ catalogue, access }: SystemFacts): readonly TopicDef[] {
  const { topics } = catalogue;
  return topics
    .all()
    .filter(({ database, name }) => access.sees(database) || topics.isGranted(name, access.user))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** `ins_topics` */
export const topicsTable: SystemTable = {
  columns: columnsOf('topic_name V192, db_name V64, create_time TS, sql V4096, schema V4096, meta V4, type V8'),
  rows: (facts) =>
    seenTopics(facts).map(({ name, database, created, statement, schema, meta, source }) => [
      name,
      database,
      created,
      statement,
      schema === '' ? null : schema,
      meta ? 'yes' : 'no',
      types[source.kind],
    ]),
};

const subscriptionColumns = columnsOf(
  `topic_name V204, consumer_group V193, vgroup_id INT, consumer_id V32, user V24, fqdn V128, offset V64, rows BIGINT`,
);

/** `ins_subscriptions`: every vgroup of every group, with its reader when there is one. */
export const subscriptionsTable: SystemTable = {
  columns: subscriptionColumns,
  sql: async (facts) => {
    const groups = new ConsumerGroups(facts.engine);
    const topics = seenTopics(facts);
    const ids = topics.map(({ id }) => id);
    const [entries, places, consumers] = [
      await groups.entries(ids, undefined, 0),
      await groups.listedPlaces(),
      new Map((await groups.consumers()).map((row) => [row.consumer, row])),
    ];
    const rows = topics.flatMap((topic) => {
      const vgroups = facts.catalogue.vgroups(topic.database);
      const own = entries.filter((entry) => entry.topic === topic.id);
      return [...new Set(own.map(({ group }) => group))].toSorted().flatMap((group) => {
        const state = new GroupState(vgroups.count);
        for (const { entry, group: of } of own) if (of === group) state.apply(entry);
        return Array.from({ length: vgroups.count }, (_, share) => {
          const vgroup = vgroups.first + share;
          const reader = consumers.get(state.owner(share) ?? '');
          const read = places.find((at) => at.topic === topic.id && at.group === group && at.vgroup === vgroup);
          const who = [reader?.consumer ?? null, reader?.user ?? null, reader?.host ?? null];
          const offset = read === undefined ? null : `log:${read.place.number}`;
          return [topic.name, group, vgroup, ...who, offset, read?.rows ?? 0];
        });
      });
    });
    return inlineRows(subscriptionColumns, rows);
  },
};

const consumerColumns = columnsOf(
  `consumer_id V32, consumer_group V193, client_id V192, user V24, fqdn V128, status V20, topics V202, up_time TS,
   subscribe_time TS, rebalance_time TS, parameters V128`,
);

/** `perf_consumers`: those that came back within their time. */
export const consumersTable: SystemTable = {
  columns: consumerColumns,
  sql: async (facts) => {
    const names = new Map(facts.catalogue.topics.all().map(({ id, name }) => [id, name]));
    const rows = (await new ConsumerGroups(facts.engine).consumers()).map((row) => consumerRow(row, names));
    return inlineRows(consumerColumns, rows);
  },
};

function consumerRow(row: ConsumerRow, names: ReadonlyMap<string, string>): (string | number)[] {
  const { consumer, group, client, user, host, topics, joined, parameters } = row;
  const list = topics.map((id) => names.get(id) ?? id).join(',');
  return [consumer, group, client, user, host, 'ready', list, joined, joined, joined, parameters];
}
