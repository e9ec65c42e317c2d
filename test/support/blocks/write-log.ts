import type { ComponentLog } from '../../../src/model/component.js';
import { type WalOptions, WriteAheadLog } from '../../../src/wal/log.js';
import type { LoggedPayload } from '../../../src/wal/record.js';

/** A log that nobody reads. */
export const silent: ComponentLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** Settings of a log that is never forced to the disk. */
export const logSettings: WalOptions = {
  path: '',
  sync: 'never',
  segmentBytes: 1 << 20,
  maxBytes: 1 << 30,
  database: 'one',
  port: 1,
  log: silent,
};

/** A log that is written in a directory and never forced to the disk. */
export function logIn(root: string): WriteAheadLog {
  return new WriteAheadLog(root, logSettings);
}

/** A text of line protocol for the log. */
export function loggedPayload(content: string): Omit<LoggedPayload, 'sequence'> {
  return {
    origin: 'lineproto',
    format: 'lineproto',
    database: 'db',
    user: 'root',
    createDatabase: false,
    ttl: 0,
    precision: 'ns',
    part: undefined,
    isWithin: true,
    receivedMicros: 1n,
    nowNs: 0n,
    zone: '',
    rejectedRows: 0,
    bytes: Buffer.from(content),
  };
}
