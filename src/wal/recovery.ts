import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { tableKey } from '../model/column-block.js';
import { scanHeads } from './head-scan.js';
import { findRecord, type GroupBegun, type GroupEnded, type Member, nextMagic, type PayloadHead } from './record.js';
import { headBytes, listSegments, moveAside, readHead, type Segment, scan } from './segment.js';

/** Stands for the database of payloads whose rows may go to several. */
export const ofSeveral = '';

/**
 * A file of the log whose end, or all of it, could not be read; it is moved beside the log, at once or once its rows
 * are stored.
 */
interface DamagedFile {
  readonly path: string;
  /** Bytes that could not be read. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Content of a log when it was opened. */
export interface Recovery {
  /** 16 bytes that identify this log. */
  readonly id: Buffer;
  /** Its files, oldest first; every payload in them counts as open. */
  readonly segments: readonly Segment[];
  readonly nextSequence: number;
  readonly nextGroup: number;
  readonly texts: number;
  /** How many of them go to each database; the name of those that may go to several is empty. */
  readonly databases: ReadonlyMap<string, number>;
  /** Rows that have ended: by table, the sequences of their payloads. Of no use after recovery. */
  readonly ended: Map<string, ReadonlySet<number>>;
  /** Groups that were begun and have not ended, by number. */
  readonly groups: ReadonlyMap<number, readonly Member[]>;
  /** Bytes of records that were torn off at the end of a file while they were written: they were never answered. */
  readonly tornBytes: number;
  /** Files that are damaged at their end, or at their beginning and then wholly; one of 0 bytes was removed. */
  readonly damaged: readonly DamagedFile[];
  /** Files that are missing between the others: files are numbered, and the log itself deletes the oldest alone. */
  readonly missingFiles: number;
}

/**
 * Finds out what a log directory holds, without reading its payloads where nothing is damaged. A record that was torn
 * off or is damaged at the end of a file counts as not there; what is damaged elsewhere is left out. Throws an Error
 * with one clear line for a file that this version cannot read.
 */
export function recover(directory: string): Recovery {
  const segments: Segment[] = [];
  const tally = new Findings();
  let id: Buffer | undefined;
  let missingFiles = 0;
  const damaged: DamagedFile[] = [];
  for (const { number, path } of listSegments(directory)) {
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.allocUnsafe(headBytes);
      const head = readHead(path, bytes.subarray(0, readSync(fd, bytes, 0, headBytes, 0)));
      if (head === undefined) {
        // A process that was killed while it began the file leaves an empty one.
        if (size === 0) rmSync(path, { force: true });
        damaged.push({ path: size === 0 ? path : moveAside(path), bytes: size, isWhole: true });
        continue;
      }
      id ??= head;
      const segment: Segment = { number, path, size, open: 0 };
      missingFiles += number - (segments.at(-1)?.number ?? number - 1) - 1;
      if (!tally.takeHeads(fd, segment)) tally.takeScan(fd, segment);
      if (segment.isDamaged === true) damaged.push({ path, bytes: size - segment.size, isWhole: false });
      segments.push(segment);
    } finally {
      closeSync(fd);
    }
  }
  const { ended, groups, lastSequence, lastGroup, texts, databases, tornBytes } = tally;
  const next = { nextSequence: lastSequence + 1, nextGroup: lastGroup + 1 };
  const rest = { texts, databases, ended, groups, tornBytes, damaged, missingFiles };
  return { id: id ?? randomBytes(16), segments, ...next, ...rest };
}

/** Findings in the segments so far. */
class Findings {
  readonly ended = new Map<string, Set<number>>();
  readonly groups = new Map<number, readonly Member[]>();
  readonly databases = new Map<string, number>();
  lastSequence = 0;
  lastGroup = 0;
  texts = 0;
  tornBytes = 0;

  /** Takes what the scan of heads finds; false, and nothing of it, where the segment must be scanned. */
  takeHeads(fd: number, segment: Segment): boolean {
    const groupRecords: (GroupBegun | GroupEnded)[] = [];
    const counts = new Map<string, number>();
    let last = this.lastSequence;
    const text = (head: PayloadHead): void => {
      last = head.sequence;
      count(counts, head);
      segment.open++;
    };
    const isWhole = scanHeads(fd, segment.size, last, { text, group: (record) => groupRecords.push(record) });
    if (!isWhole) {
      segment.open = 0;
      return false;
    }
    this.texts += segment.open;
    this.lastSequence = last;
    for (const [database, texts] of counts) this.databases.set(database, (this.databases.get(database) ?? 0) + texts);
    for (const one of groupRecords) this.#record(one);
    return true;
  }

  /** Takes what is whole in a segment, up to a record that was torn off or is damaged at its end. */
  takeScan(fd: number, segment: Segment): void {
    const bytes = Buffer.allocUnsafe(segment.size);
    readSync(fd, bytes, 0, segment.size, 0);
    const { end } = scan(bytes, headBytes, ({ record }) => {
      if (record.kind === 'begun' || record.kind === 'ended') {
        this.#record(record);
        return;
      }
      segment.open++;
      this.texts++;
      this.lastSequence = Math.max(this.lastSequence, record.text.sequence);
      count(this.databases, record.text);
    });
    if (end === bytes.length) return;
    segment.size = end;
    const isTorn = findRecord(bytes, end) === 'short' && nextMagic(bytes, end + 1) < 0;
    if (isTorn) this.tornBytes += bytes.length - end;
    else segment.isDamaged = true;
  }

  #record(record: GroupBegun | GroupEnded): void {
    this.lastGroup = Math.max(this.lastGroup, record.group);
    if (record.kind === 'begun') {
      this.groups.set(record.group, record.members);
      return;
    }
    for (const member of record.members === 'all' ? (this.groups.get(record.group) ?? []) : record.members) {
      const key = tableKey(member);
      const known = this.ended.get(key);
      if (known === undefined) this.ended.set(key, new Set(member.sequences));
      else for (const sequence of member.sequences) known.add(sequence);
    }
    this.groups.delete(record.group);
  }
}

function count(counts: Map<string, number>, { database, isWithin }: Omit<PayloadHead, 'sequence'>): void {
  const key = isWithin ? database : ofSeveral;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
