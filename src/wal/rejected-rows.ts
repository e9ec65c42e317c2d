import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ComponentLog } from '../model/component.js';
import type { Fault } from '../model/fault.js';
import type { UnknownPayload } from './record.js';

/** What is known of a payload whose rows are rejected: of a damaged one little or nothing. */
export type RejectedPayload = Partial<UnknownPayload>;

/** Rows that were answered and could not be stored after all. */
export interface RejectedRows {
  readonly text: RejectedPayload;
  /** Left out where the payload as a whole could not be read. */
  readonly table?: string | undefined;
  /** 0 where their number is not known. */
  readonly rows: number;
  readonly fault: Fault;
}

/** The file takes no more beyond this size. */
const maxFileBytes = 1024 ** 3;
const retryMs = 1_000;

/**
 * The file of rows that were answered and that the database or the catalogue then refused: a line of JSON for each
 * payload and table, with the input, the time, the reason, and the payload in the form in which it can be sent again.
 */
export class RejectedRowsFile {
  readonly path: string;
  readonly #log: ComponentLog;
  readonly #listener: (rejected: RejectedRows) => void;
  /** Rows and payloads since the start. */
  readonly counts = { rows: 0, texts: 0 };
  #last: Promise<boolean> = Promise.resolve(true);
  #isClosed = false;

  /** `listener` gets each entry. */
  constructor(path: string, log: ComponentLog, listener: (rejected: RejectedRows) => void = () => {}) {
    this.path = path;
    this.#log = log;
    this.#listener = listener;
  }

  /**
   * Notes rows; true once they are in the file, which is tried for as long as it takes: until then they must stay in
   * the log. Never rejects.
   */
  add(rejected: RejectedRows): Promise<boolean> {
    const { text, table, rows, fault } = rejected;
    this.counts.rows += rows;
    this.counts.texts++;
    const { origin, database } = text;
    const message = 'Answered rows could not be stored; they are in the file of rejected rows.';
    this.#log.error({ origin, database, table, rows, reason: fault.message, file: this.path }, message);
    this.#listener(rejected);
    this.#last = this.#last.then(() => this.#append(`${JSON.stringify(lineOf(rejected))}\n`));
    return this.#last;
  }

  /** Stops retries; resolves once nothing is written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
  }

  async #append(line: string): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      try {
        await mkdir(dirname(this.path), { recursive: true });
        await appendWhole(this.path, Buffer.from(line));
        return true;
      } catch (error) {
        const text = 'The file of rejected rows cannot be written; the rows stay in the log.';
        if (attempt === 0) this.#log.error({ error: String(error), file: this.path }, text);
        if (this.#isClosed) return false;
        await setTimeout(retryMs, undefined, { ref: false });
      }
    }
  }
}

/** Appends a line as a whole or not at all. */
async function appendWhole(path: string, line: Buffer): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    const { size } = await file.stat();
    if (size + line.length > maxFileBytes) throw new Error('it is full; move it elsewhere');
    const { bytesWritten } = await file.write(line);
    if (bytesWritten === line.length) return;
    // Half a line on a full disk would be the beginning of the next one. Other workers may have written before it.
    const { size: end } = await file.stat();
    await file.truncate(end - bytesWritten);
    throw new Error('the disk is full');
  } finally {
    await file.close();
  }
}

function lineOf({ text, table, rows, fault }: RejectedRows): object {
  const { origin, format, database, user, precision, ttl, receivedMicros, bytes } = text;
  const received = receivedMicros === undefined ? undefined : new Date(Number(receivedMicros / 1000n)).toISOString();
  const reason = { code: fault.code, reason: fault.message };
  const data = bytes === undefined ? {} : dataOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return { received, door: origin, format, database, table, user, precision, ttl, rows, ...reason, ...data };
}

function dataOf(content: Buffer): object {
  const text = content.toString('utf8');
  return content.equals(Buffer.from(text)) ? { text } : { base64: content.toString('base64') };
}
