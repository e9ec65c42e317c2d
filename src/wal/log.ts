import { type FileHandle, open } from 'node:fs/promises';
import type { ComponentLog } from '../model/component.js';
import { Codes, type Fault, FaultError, fault, reasonOf } from '../model/fault.js';
import { type LogDirectory, takeLogDirectory } from './directory.js';
import type { WalSettings } from './options.js';
import {
  decodeRecord,
  encodeGroup,
  encodePayloadHead,
  findRecord,
  type LoggedPayload,
  type Member,
  type UnknownPayload,
} from './record.js';
import { type Recovery, recover } from './recovery.js';
import { headBytes, type RecordPosition, type Scanned, type Segment, scan, type Wants } from './segment.js';
import { SegmentWriter } from './writer.js';

/** A payload in the log. */
export interface LoggedRecord {
  readonly sequence: number;
  readonly place: RecordPosition;
}

/** A payload read from the log, and its position. */
export interface ReadPayload {
  readonly text: LoggedPayload;
  readonly place: RecordPosition;
}

/** A payload whose content this version cannot read, and why. */
export interface UnreadPayload {
  readonly text: UnknownPayload;
  readonly place: RecordPosition;
  readonly fault: Fault;
}

/** Payloads read from the log, and where reading continues. */
interface ReadPiece {
  readonly texts: readonly (ReadPayload | UnreadPayload)[];
  readonly cursor: Cursor;
  /** Says which bytes before the cursor are no records, the first time that they are met. */
  readonly damage?: Fault | undefined;
}

/** Where recovery continues. */
export interface Cursor {
  readonly segment: number;
  readonly offset: number;
}

/** Options for opening a log. */
export interface WalOptions extends WalSettings {
  /** Tells databases apart: rows of one must never go to another one. */
  readonly database: string;
  /** Names this process to others that look for a log. */
  readonly port: number;
  readonly log: ComponentLog;
}

/** How often the disk must fail to read a place of the log before its content counts as lost. */
const maxDiskFailures = 6;
/** Bytes that recovery reads at a time; a longer record is read whole. */
const readBytes = 1024 * 1024;

/**
 * The write-ahead log of one process: payloads as they came, in the order in which they were answered, until their rows
 * are in the database. The order of the answers is the order of the records.
 */
export class WriteAheadLog {
  /** Content of the log when it was opened. */
  readonly recovered: Recovery;
  readonly #directory: LogDirectory;
  readonly #writer: SegmentWriter;
  readonly #id: string;
  readonly #log: ComponentLog;
  #sequence: number;
  #group: number;
  /** Files with payloads that are in the log alone: how many of these recovery has not read. */
  readonly #unread = new Map<Segment, number>();
  #damagedBytes = 0;
  /** Where damage was met. */
  readonly #damagedPlaces = new Set<string>();
  #reading: { readonly segment: Segment; readonly file: FileHandle } | undefined;
  /** How often reading has failed since it last worked. */
  #readFailures = 0;

  /** Takes a log directory and reads it. Throws an Error with one clear line where that does not work. */
  constructor(root: string, { database, port, log, ...settings }: WalOptions) {
    this.#log = log;
    this.#directory = takeLogDirectory(root, database, port);
    try {
      this.recovered = recover(this.#directory.path);
    } catch (error) {
      this.#directory.release();
      throw error;
    }
    const { id, segments, nextSequence, nextGroup } = this.recovered;
    for (const segment of segments) this.#unread.set(segment, segment.open);
    this.#id = id.toString('hex');
    this.#sequence = nextSequence;
    this.#group = nextGroup;
    this.#writer = new SegmentWriter(this.#directory.path, id, segments, {
      ...settings,
      isHeld: this.#directory.isHeld,
      log,
    });
  }

  /** Its directory. */
  get path(): string {
    return this.#directory.path;
  }

  /** Bytes of its files. */
  get bytes(): number {
    return this.#writer.bytes;
  }

  /** Bytes that are no records, as far as recovery has read. */
  get damagedBytes(): number {
    return this.#damagedBytes;
  }

  /** Why no payload can be written now; undefined while one can. Its message names no path. */
  get refusal(): Fault | undefined {
    return this.#writer.refusal;
  }

  /** Payloads with rows that have not ended. */
  get open(): number {
    return this.#writer.segments.reduce((sum, { open: texts }) => sum + texts, 0);
  }

  /** End of what is written. */
  get end(): Cursor {
    const newest = this.#writer.segments.at(-1);
    return newest === undefined ? { segment: 0, offset: 0 } : { segment: newest.number, offset: newest.size };
  }

  /** Beginning of what is there. */
  get begin(): Cursor {
    return { segment: this.#writer.segments[0]?.number ?? 0, offset: headBytes };
  }

  /**
   * Appends a payload, whose bytes must not change until `written` is called with its record or with the fault that it
   * could not be written for. The payload is open until {@link WriteAheadLog.ended}.
   */
  append(text: Omit<LoggedPayload, 'sequence'>, written: (result: LoggedRecord | Fault) => void): void {
    const sequence = this.#sequence++;
    const head = encodePayloadHead(sequence, text);
    this.#writer.append([head, text.bytes], (result) => {
      if ('kind' in result) written(result);
      else {
        result.segment.open++;
        written({ sequence, place: result });
      }
    });
  }

  /**
   * Says that payloads come at the end of this turn of the event loop: what was planned for then before this call is
   * done first, and what it appends is written in the same turn.
   */
  expect(): void {
    this.#writer.schedule();
  }

  /** Notes that a group of rows is about to be inserted; gives its number once that is written. */
  async beginGroup(members: readonly Member[]): Promise<number> {
    const group = this.#group++;
    await new Promise<void>((resolve, reject) => {
      const record = encodeGroup({ kind: 'begun', group, members });
      const written = (result: RecordPosition | Fault): void => {
        if ('kind' in result) reject(new FaultError(result));
        else resolve();
      };
      this.#writer.append([record], written, true);
    });
    return group;
  }

  /**
   * Records that rows of a group have ended. A crash may lose the record: they are then inserted again as the same
   * group.
   */
  noteEnded(group: number, members: readonly Member[] | 'all'): void {
    const failed = (result: RecordPosition | Fault): void => {
      if ('kind' in result) this.#log.warn({ fault: result }, 'The log could not record that rows are stored.');
    };
    this.#writer.append([encodeGroup({ kind: 'ended', group, members })], failed, true);
  }

  /** A payload has no rows any more that are on their way. */
  ended({ segment }: RecordPosition): void {
    segment.open--;
    if (segment.open === 0) this.#writer.release();
  }

  /** The name by which the engine knows the insert of a group. */
  tokenOf(group: number): string {
    return `${this.#id}-${group}`;
  }

  /** Leaves a payload in the log alone, until recovery reads it. */
  leave({ segment }: RecordPosition): void {
    this.#unread.set(segment, (this.#unread.get(segment) ?? 0) + 1);
  }

  /**
   * Reads one payload back. Rejects with a FaultError: one that may pass where the file cannot be read now, another one
   * where the payload is damaged or gone.
   */
  async read({ segment, offset, length }: RecordPosition): Promise<LoggedPayload> {
    const bytes = await this.#attempt(segment, async () => {
      const file = await open(segment.path, 'r');
      try {
        return await bytesOf(file, offset, length);
      } finally {
        await file.close();
      }
    });
    const frame = typeof bytes === 'string' ? undefined : findRecord(bytes, 0);
    const record = typeof frame === 'object' ? decodeRecord(frame.body) : undefined;
    if (record?.kind === 'text') return record.text;
    const reason = typeof bytes === 'string' ? bytes : undefined;
    this.#recordDamage(segment, offset, length, reason);
    throw new FaultError(damageAt(segment, offset, length, reason));
  }

  /**
   * The next payloads from a place on, at most about 1 MiB of them, and where to continue; undefined at the end of what
   * is written. Those that are not wanted are left out, and so is what is damaged or gone. Rejects with a FaultError
   * that may pass where the file cannot be read now.
   */
  async next(from: Cursor, wants?: Wants): Promise<ReadPiece | undefined> {
    const segment = this.#writer.segments.find(({ number }) => number >= from.segment);
    if (segment === undefined) return undefined;
    const offset = segment.number === from.segment ? Math.max(from.offset, headBytes) : headBytes;
    const left = segment.size - offset;
    if (left <= 0) {
      const isLast = this.#writer.segments.at(-1) === segment;
      return isLast ? undefined : { texts: [], cursor: { segment: segment.number + 1, offset: headBytes } };
    }
    const readPiece = async (): Promise<ReadPiece> => {
      try {
        return await this.#pieceAt(await this.#fileOf(segment), segment, offset, left, wants);
      } catch (error) {
        // It is opened anew: there may be another file by then.
        await this.#closeReading();
        throw error;
      }
    };
    const read = await this.#attempt(segment, readPiece);
    if (typeof read !== 'string') return read;
    const damage = this.#recordDamage(segment, offset, left, read);
    return { texts: [], damage, cursor: { segment: segment.number, offset: offset + left } };
  }

  async #pieceAt(file: FileHandle, segment: Segment, offset: number, left: number, wants?: Wants): Promise<ReadPiece> {
    for (let length = Math.min(readBytes, left); ; length = Math.min(length * 4, left)) {
      const bytes = await bytesOf(file, offset, length);
      const texts: (ReadPayload | UnreadPayload)[] = [];
      const each = ({ record, offset: at, length: recordLength }: Scanned): void => {
        const place = { segment, offset: offset + at, length: recordLength };
        if (record.kind === 'text') texts.push({ text: record.text, place });
        else if (record.kind === 'unknown text')
          texts.push({ text: record.text, place, fault: unknownForm(record.text) });
      };
      const { end, damagedBytes, damagedAt } = scan(bytes, 0, each, wants && { wants, limit: left });
      const isOver = end === 0 && length >= left;
      if (end === 0 && !isOver) continue;
      this.#count(segment, texts.length);
      const damage = this.#recordDamage(segment, offset + damagedAt, isOver ? left : damagedBytes);
      return { texts, damage, cursor: { segment: segment.number, offset: offset + (isOver ? left : end) } };
    }
  }

  /**
   * Marks all payloads before a position as read by recovery: those that were left in the log and could not be read are
   * given up.
   */
  passed({ segment: number, offset }: Cursor): void {
    for (const [segment, open] of this.#unread) {
      if (segment.number > number || (segment.number === number && offset < segment.size)) break;
      this.#unread.delete(segment);
      segment.open -= open;
    }
    this.#writer.release();
  }

  /** Resolves once all that was appended is written. */
  flushed(): Promise<void> {
    return this.#writer.flushed();
  }

  /** Writes what waits and gives the directory back; without open payloads nothing is left of it. */
  async close(): Promise<void> {
    await this.#closeReading();
    await this.#writer.close();
    this.#directory.release();
  }

  /** So many payloads of a segment are read. */
  #count(segment: Segment, texts: number): void {
    const unread = this.#unread.get(segment);
    if (unread !== undefined) this.#unread.set(segment, unread - texts);
  }

  /** Notes damage; gives the fault of it, once where several readings meet it. */
  #recordDamage(segment: Segment, offset: number, bytes: number, reason?: string): Fault | undefined {
    const { path, number } = segment;
    const place = `${number} ${offset}`;
    if (bytes === 0 || this.#damagedPlaces.has(place)) return undefined;
    this.#damagedPlaces.add(place);
    this.#damagedBytes += bytes;
    segment.isDamaged = true;
    this.#log.error(
      { bytes, path, offset, reason },
      'The write-ahead log is damaged; what could not be read is left out.',
    );
    return damageAt(segment, offset, bytes, reason);
  }

  /**
   * Reads from a segment. Gives the reason where its file is gone, or where the disk has failed too often to read it;
   * rejects with a FaultError that may pass for all other failures, of which the first is logged.
   */
  async #attempt<T extends object>({ path }: Segment, read: () => Promise<T>): Promise<T | string> {
    try {
      const result = await read();
      if (this.#readFailures > 0) this.#log.info({ path }, 'The write-ahead log can be read again.');
      this.#readFailures = 0;
      return result;
    } catch (error) {
      const code = codeOf(error);
      const reason = reasonOf(error);
      if (code === undefined) throw error;
      if (code === 'ENOENT') return 'the file is gone';
      this.#readFailures++;
      if (code === 'EIO' && this.#readFailures >= maxDiskFailures) {
        this.#readFailures = 0;
        return reason;
      }
      const text = 'The write-ahead log cannot be read; Sluice tries again.';
      if (this.#readFailures === 1) this.#log.error({ path, error: reason }, text);
      throw new FaultError(fault('resource', Codes.free, `The write-ahead log cannot be read: ${reason}`, error));
    }
  }

  async #fileOf(segment: Segment): Promise<FileHandle> {
    if (this.#reading?.segment === segment) return this.#reading.file;
    await this.#closeReading();
    const file = await open(segment.path, 'r');
    this.#reading = { segment, file };
    return file;
  }

  async #closeReading(): Promise<void> {
    const reading = this.#reading;
    this.#reading = undefined;
    await reading?.file.close();
  }
}

/** The system's code of an error, such as EMFILE; undefined for one of the program's own. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code)
    ? error.code
    : undefined;
}

function damageAt({ path }: Segment, offset: number, bytes: number, reason = 'its checksum is wrong'): Fault {
  const text = `The write-ahead log is damaged: ${bytes} bytes at ${path}:${offset} cannot be read (${reason})`;
  return fault('database', Codes.free, text);
}

function unknownForm({ format, precision }: UnknownPayload): Fault {
  const text = `This version does not know the form of the text in the write-ahead log: format ${format}, precision ${precision}`;
  return fault('database', Codes.notSupported, text);
}

async function bytesOf(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await file.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}
