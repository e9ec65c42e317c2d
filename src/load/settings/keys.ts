import { statementKeys } from './general-keys.js';
import { databaseEntryKeys, databaseKeys, insertKeys, streamKeys } from './insert-keys.js';
import { queryKeys, specifiedQueryKeys, superQueryKeys } from './query-keys.js';
import type { KeyTable } from './section.js';
import { olderKeys, subscribeKeys, topicKeys, topicsKeys } from './subscribe-keys.js';
import { fieldKeys, superTableKeys, tsmaKeys } from './super-table-keys.js';

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
