import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, truncateSync } from 'node:fs';
import { tableKey } from '../model/column-block.js';
import type { Member } from './record.js';
import { headBytes, listSegments, readHead, type Segment, scan } from './segment.js';

/** What a log held when it was opened. */
export interface Recovery {
  /** 16 bytes that tell this log from all others. */
  readonly id: Buffer;
  /** Its files, oldest first; every text in them counts as open. */
  readonly segments: readonly Segment[];
  readonly nextSequence: number;
  readonly nextGroup: number;
  readonly texts: number;
  /** Rows that have ended: by table, the sequences of their texts. Of no use once the log was read back. */
  readonly ended: Map<string, ReadonlySet<number>>;
  /** Groups that were begun and have not ended, by number. */
  readonly groups: ReadonlyMap<number, readonly Member[]>;
  /** Bytes that were no records. */
  readonly damagedBytes: number;
  /** Bytes of a record that was torn off at the end. */
  readonly tornBytes: number;
}

/**
 * Reads what a log directory holds. A record that was torn off at the end is cut off; what is damaged in the middle is left
 * out and counted. Throws an Error with one clear line for a file that this version cannot read.
 */
export function recover(directory: string): Recovery {
  const segments: Segment[] = [];
  const ended = new Map<string, Set<number>>();
  const groups = new Map<number, readonly Member[]>();
  let id: Buffer | undefined;
  let [lastSequence, lastGroup, texts, damagedBytes, tornBytes] = [0, 0, 0, 0, 0];
  const end = (members: readonly Member[]): void => {
    for (const member of members) {
      const key = tableKey(member);
      const known = ended.get(key);
      if (known === undefined) ended.set(key, new Set(member.sequences));
      else for (const sequence of member.sequences) known.add(sequence);
    }
  };
  const files = listSegments(directory);
  for (const { number, path } of files) {
    const bytes = readFileSync(path);
    const head = readHead(path, bytes);
    if (head === undefined) {
      rmSync(path, { force: true });
      continue;
    }
    id ??= head;
    const segment: Segment = { number, path, size: bytes.length, open: 0 };
    const scanned = scan(bytes, headBytes, ({ record }) => {
      if (record.kind === 'text') {
        segment.open++;
        texts++;
        lastSequence = Math.max(lastSequence, record.text.sequence);
        return;
      }
      lastGroup = Math.max(lastGroup, record.group);
      if (record.kind === 'begun') groups.set(record.group, record.members);
      else {
        end(record.members === 'all' ? (groups.get(record.group) ?? []) : record.members);
        groups.delete(record.group);
      }
    });
    damagedBytes += scanned.damagedBytes;
    if (scanned.end < bytes.length) {
      tornBytes += bytes.length - scanned.end;
      segment.size = scanned.end;
      truncateSync(path, scanned.end);
    }
    segments.push(segment);
  }
  const nextSequence = lastSequence + 1;
  const nextGroup = lastGroup + 1;
  id ??= randomBytes(16);
  return { id, segments, nextSequence, nextGroup, texts, ended, groups, damagedBytes, tornBytes };
}
