import { appendFile, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ComponentLog } from '../model/component.js';
import type { Fault } from '../model/fault.js';
import type { LoggedText } from './record.js';

/** Rows that were answered and could not be stored after all. */
export interface RejectedRows {
  readonly text: LoggedText;
  /** Left out where the text as a whole could not be read. */
  readonly table?: string | undefined;
  readonly rows: number;
  readonly fault: Fault;
}

/** The file takes no more beyond this size; what comes then is counted and logged. */
const maxFileBytes = 1024 ** 3;

/**
 * The file of rows that were answered and that the database or the catalogue then refused: a line of JSON for each text and
 * table, with the door, the time, the reason, and the text in the form in which it can be sent again.
 */
export class RejectedRowsFile {
  readonly path: string;
  readonly #log: ComponentLog;
  readonly #told: (rejected: RejectedRows) => void;
  /** Rows and texts since the start. */
  readonly counts = { rows: 0, texts: 0 };
  #last: Promise<void> = Promise.resolve();

  /** `told` hears of each entry. */
  constructor(path: string, log: ComponentLog, told: (rejected: RejectedRows) => void = () => {}) {
    this.path = path;
    this.#log = log;
    this.#told = told;
  }

  /** Notes rows; never throws. */
  add(rejected: RejectedRows): void {
    const { text, table, rows, fault } = rejected;
    this.counts.rows += rows;
    this.counts.texts++;
    const { origin, database } = text;
    const message = 'Answered rows could not be stored; they are in the file of rejected rows.';
    this.#log.error({ origin, database, table, rows, reason: fault.message, file: this.path }, message);
    this.#told(rejected);
    this.#last = this.#last.then(() => this.#append(`${JSON.stringify(lineOf(rejected))}\n`));
  }

  /** Resolves once all that was noted is in the file, or could not be written. */
  async flushed(): Promise<void> {
    await this.#last;
  }

  async #append(line: string): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true });
      const size = await stat(this.path).then(
        (found) => found.size,
        () => 0,
      );
      if (size + line.length <= maxFileBytes) await appendFile(this.path, line, { mode: 0o600 });
      else this.#log.error({ file: this.path }, 'The file of rejected rows is full; move it elsewhere.');
    } catch (error) {
      this.#log.error({ error: String(error), file: this.path }, 'The file of rejected rows cannot be written.');
    }
  }
}

function lineOf({ text, table, rows, fault }: RejectedRows): object {
  const { origin, format, database, user, precision, ttl, receivedMicros, bytes } = text;
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isText = content.equals(Buffer.from(content.toString('utf8')));
  const received = new Date(Number(receivedMicros / 1000n)).toISOString();
  const reason = { code: fault.code, reason: fault.message };
  const data = isText ? { text: content.toString('utf8') } : { base64: content.toString('base64') };
  return { received, door: origin, format, database, table, user, precision, ttl, rows, ...reason, ...data };
}
