import { type ConsumerContext, TopicConsumer } from '../database/consumers/consumer.js';
import type { MessageForm } from '../database/consumers/message-form.js';
import { type SubscribeUser, type TopicBlocks, topicBlockHeadroom } from '../model/topic-message.js';
import { namedRawBlocks } from '../transforms/encode/raw-block.js';
import type { ServiceParts } from './parts.js';
import type { ServicePipelines } from './pipelines.js';

/** Rows as raw blocks, one for each sub-table. */
const blockForm: MessageForm<TopicBlocks> = {
  rows: 'columns',
  format: 'Native',
  message: (bytes, { meta, precision }, head) => {
    const named = namedRawBlocks(bytes, meta, topicBlockHeadroom);
    if (named.length === 0) return undefined;
    const blocks = named.map(({ name, ...block }) => ({ ...block, meta, precision, table: name }));
    return { ...head, count: blocks.reduce((sum, { rows }) => sum + rows, 0), blocks };
  },
  merge: (first, others) => ({
    ...first,
    count: others.reduce((sum, { count }) => sum + count, first.count),
    blocks: [first, ...others].flatMap(({ blocks }) => blocks),
  }),
};

/** Has users of the service consume topics. */
export function subscriber(
  { engine, catalogue, storage, subTables, settings }: ServiceParts,
  writes: Pick<ServicePipelines['writes'], 'visible'>,
): SubscribeUser {
  const releaseMultiplier = settings.tmq.releaseIntervalMultiplierForAutocommit;
  return (user, topics, consumer) => {
    const visible: ConsumerContext['visible'] = (tables) => writes.visible(tables);
    const consuming = { engine: engine.client, catalogue, storage, subTables, visible };
    return TopicConsumer.subscribe(topics, { ...consumer, user, releaseMultiplier }, blockForm, consuming);
  };
}
