import type { ComponentLog } from '../../../src/model/component.js';
import { WriteAheadLog } from '../../../src/wal/log.js';

/** A log that nobody reads. */
export const silent: ComponentLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A log that is written in a directory and never forced to the disk. */
export function logIn(root: string): WriteAheadLog {
  const bounds = { segmentBytes: 1 << 20, maxBytes: 1 << 30 };
  return new WriteAheadLog(root, { ...bounds, path: '', sync: 'never', database: 'one', port: 1, log: silent });
}
