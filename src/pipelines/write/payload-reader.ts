import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { ensureWritable } from '../../database/catalogue/ensure-database.js';
import { type ByteBlock, isStatement, type RowSet, type Target } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { RefusedRows } from '../../model/refused-rows.js';
import type { MergedRows, ParsedPoints } from '../../transforms/points/parse-options.js';
import type { LoggedPayload } from '../../wal/record.js';
import type { AnsweredRows } from './in-flight.js';
import { mergeLines } from './merging.js';
import type { ReadTogether } from './replay.js';

/**
 * Reads the rows of a logged statement. The sub-tables that it had to look up were in the database before it was
 * logged, so no rows that wait need to go before it.
 */
export type ReadStatement = (text: LoggedPayload) => Promise<StatementRows>;

interface StatementRows {
  readonly blocks: readonly ColumnBlock[];
  readonly refused: readonly RefusedRows[];
}

/** One of several payloads that stand one behind the other: where it ends, and when it came in Unix microseconds. */
export interface ArrivedPayload {
  readonly end: number;
  readonly nowMicros: bigint;
}

/** Context of reading logged payloads. */
interface PayloadReaderContext {
  readonly catalogue: Catalogue;
  readonly readStatement: ReadStatement;
  /** Reads points; of several payloads as one with `texts`. */
  readonly parse: (text: ByteBlock, target: Target, texts?: readonly ArrivedPayload[]) => ParsedPoints;
}

/** Reads payloads of the log with the catalogue as it is now. */
export class PayloadReader {
  readonly #context: PayloadReaderContext;

  constructor(context: PayloadReaderContext) {
    this.#context = context;
  }

  /** Reads one payload. May reject with a FaultError. */
  async read(text: LoggedPayload): Promise<AnsweredRows> {
    const { format, bytes, part } = text;
    if (!isStatement(format)) return this.#points(text, { kind: 'bytes', format, bytes, part });
    const { catalogue, readStatement } = this.#context;
    const { blocks, refused } = await readStatement(text);
    const epoch = Math.max(0, ...blocks.map((block) => catalogue.epoch(block.database)));
    const target = targetOf(text, epoch);
    return { target, payload: { kind: 'rows', blocks, rejectedRows: 0, rejects: [] }, refused };
  }

  /** Reads payloads of lines that go to the same place as one. May reject with a FaultError. */
  async readTogether(texts: readonly LoggedPayload[]): Promise<ReadTogether> {
    const first = texts[0]!;
    const { bytes, ends } = mergeLines(texts.map((text) => text.bytes));
    const arrived = texts.map(
      ({ receivedMicros }, i): ArrivedPayload => ({ end: ends[i]!, nowMicros: receivedMicros }),
    );
    return this.#points(first, { kind: 'bytes', format: first.format, bytes }, arrived);
  }

  async #points(text: LoggedPayload, lines: ByteBlock): Promise<AnsweredRows>;
  async #points(
    text: LoggedPayload,
    lines: ByteBlock,
    texts: readonly ArrivedPayload[],
  ): Promise<ReadTogether & AnsweredRows>;
  async #points(
    text: LoggedPayload,
    lines: ByteBlock,
    texts?: readonly ArrivedPayload[],
  ): Promise<AnsweredRows & { readonly joined: MergedRows | undefined }> {
    const { catalogue, parse } = this.#context;
    const { database: name, createDatabase: create, user } = text;
    await ensureWritable(catalogue, { name, create, user });
    const target = targetOf(text, catalogue.epoch(name));
    const { blocks, rejectedRows, rejects, joined } = parse(lines, target, texts);
    const refused = refusedNow(text, { rejectedRows, rejects });
    return { target, payload: { kind: 'rows', blocks, rejectedRows, rejects }, refused, joined };
  }
}

/** The rows of a payload that were good when it was answered and are refused now, of all that are refused now. */
export function refusedNow(
  text: Pick<LoggedPayload, 'rejectedRows'>,
  { rejectedRows, rejects }: Pick<RowSet, 'rejectedRows' | 'rejects'>,
): readonly RefusedRows[] {
  const rows = rejectedRows - (text.rejectedRows ?? rejectedRows);
  const reason = rejects.at(-1)?.fault;
  return rows > 0 && reason !== undefined ? [{ rows, fault: reason }] : [];
}

function targetOf(
  { database, user, createDatabase, ttl, precision, receivedMicros }: LoggedPayload,
  epoch: number,
): Target {
  return { database, user, createDatabase, ttl, precision, reading: { epoch, nowMicros: receivedMicros } };
}
