import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { ensureWritable } from '../../database/catalogue/ensure-database.js';
import type { Batch, ByteBlock, RowSet, Target } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { JoinedRows, ParsedPoints } from '../../transforms/points/parse-options.js';
import type { LoggedText } from '../../wal/record.js';
import { joinLines } from './joined.js';
import type { ReadTogether } from './replay.js';

/**
 * Reads the rows of a logged statement. The sub-tables that it had to look up were in the database before it was logged, so
 * no rows that wait need to go before it.
 */
export type ReadStatement = (text: LoggedText) => Promise<readonly ColumnBlock[]>;

/** One of several texts that stand one behind the other: where it ends, and when it came in Unix microseconds. */
export interface ArrivedText {
  readonly end: number;
  readonly nowMicros: bigint;
}

/** Context of reading logged texts. */
interface LoggedTextsContext {
  readonly catalogue: Catalogue;
  readonly readStatement: ReadStatement;
  /** Reads points; of several texts as one with `texts`. */
  readonly parse: (text: ByteBlock, target: Target, texts?: readonly ArrivedText[]) => ParsedPoints;
}

type Read = Pick<Batch<RowSet>, 'target' | 'payload'>;

/** Reads texts of the log with the catalogue as it is now. */
export class LoggedTexts {
  readonly #context: LoggedTextsContext;

  constructor(context: LoggedTextsContext) {
    this.#context = context;
  }

  /** Reads one text. May reject with a FaultError. */
  async read(text: LoggedText): Promise<Read> {
    const { format, bytes, part } = text;
    if (format !== 'sql-insert') return this.#points(text, { kind: 'bytes', format, bytes, part });
    const { catalogue, readStatement } = this.#context;
    const blocks = await readStatement(text);
    const epoch = Math.max(0, ...blocks.map((block) => catalogue.epoch(block.database)));
    const target = targetOf(text, epoch);
    return { target, payload: { kind: 'rows', blocks, rejectedRows: 0, rejects: [] } };
  }

  /** Reads texts of lines that go to the same place as one. May reject with a FaultError. */
  async readTogether(texts: readonly LoggedText[]): Promise<ReadTogether> {
    const first = texts[0]!;
    const { bytes, ends } = joinLines(texts.map((text) => text.bytes));
    const arrived = texts.map(({ receivedMicros }, i): ArrivedText => ({ end: ends[i]!, nowMicros: receivedMicros }));
    return this.#points(first, { kind: 'bytes', format: first.format, bytes }, arrived);
  }

  async #points(text: LoggedText, lines: ByteBlock): Promise<Read>;
  async #points(text: LoggedText, lines: ByteBlock, texts: readonly ArrivedText[]): Promise<ReadTogether>;
  async #points(
    text: LoggedText,
    lines: ByteBlock,
    texts?: readonly ArrivedText[],
  ): Promise<Read & { readonly joined: JoinedRows | undefined }> {
    const { catalogue, parse } = this.#context;
    const { database: name, createDatabase: create, user } = text;
    await ensureWritable(catalogue, { name, create, user });
    const target = targetOf(text, catalogue.epoch(name));
    const { blocks, rejectedRows, rejects, joined } = parse(lines, target, texts);
    return { target, payload: { kind: 'rows', blocks, rejectedRows, rejects }, joined };
  }
}

function targetOf(
  { database, user, createDatabase, ttl, precision, receivedMicros }: LoggedText,
  epoch: number,
): Target {
  return { database, user, createDatabase, ttl, precision, reading: { epoch, nowMicros: receivedMicros } };
}
