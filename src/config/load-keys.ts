import { statementKeys } from './load-general-keys.js';
import { databaseEntryKeys, databaseKeys, insertKeys, streamKeys } from './load-insert-keys.js';
import { queryKeys, specifiedQueryKeys, superQueryKeys } from './load-query-keys.js';
import type { KeyTable } from './load-section.js';
import { olderKeys, subscribeKeys, topicKeys, topicsKeys } from './load-subscribe-keys.js';
import { fieldKeys, superTableKeys, tsmaKeys } from './load-super-table-keys.js';

/** Every table, in the order of the page of documentation. */
export const loadFileTables: readonly KeyTable[] = [
  insertKeys,
  databaseEntryKeys,
  databaseKeys,
  superTableKeys,
  fieldKeys,
  tsmaKeys,
  streamKeys,
  queryKeys,
  specifiedQueryKeys,
  superQueryKeys,
  subscribeKeys,
  topicsKeys,
  topicKeys,
  olderKeys,
  statementKeys,
];
