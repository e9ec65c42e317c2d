import { type Chunks, isWhole, type SqlRequest } from '../../model/exchange.js';

/** Largest result that fits the buffer, in bytes of text. */
const maxBufferedBytes = 2 * 1024 * 1024;
/** Longest statement with an entry, in bytes. */
const maxStatementBytes = 4096;
/** Entries; the history is cleared when it is full. */
const maxEntries = 1000;

type Request = Pick<SqlRequest, 'statement' | 'database' | 'form'>;

/**
 * Predicts by the earlier results of a query whether its result fits the buffer. A buffered result costs less than a
 * stream, and dashboards repeat a query with other times: queries that differ in digits alone share an entry. After one
 * wrong prediction an entry stays `varying`, because the buffered run was wasted.
 */
export class ResultSizeHistory {
  readonly #entries = new Map<string, 'buffered' | 'varying'>();

  /** True when the result is predicted to fit the buffer. */
  fitsBuffer(request: Request): boolean {
    return request.statement.length <= maxStatementBytes && this.#entries.get(shapeOf(request)) === 'buffered';
  }

  /** Records that a result did not fit the buffer against the prediction. */
  recordExceeded(request: Request): void {
    this.#put(request, 'varying');
  }

  /** The chunks of a result, whose size is recorded at their end. */
  record(request: Request, chunks: Chunks): Chunks {
    if (request.statement.length > maxStatementBytes) return chunks;
    if (!isWhole(chunks)) return this.#measured(request, chunks);
    this.#put(request, 'buffered');
    return chunks;
  }

  async *#measured(request: Request, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += piece.length;
      yield piece;
    }
    if (bytes <= maxBufferedBytes) this.#put(request, 'buffered');
  }

  #put(request: Request, size: 'buffered' | 'varying'): void {
    const shape = shapeOf(request);
    if (size === 'buffered' && this.#entries.has(shape)) return;
    if (this.#entries.size >= maxEntries) this.#entries.clear();
    this.#entries.set(shape, size);
  }
}

function shapeOf({ statement, database = '', form }: Request): string {
  return `${form} ${database} ${statement.toString('latin1').replace(/\d+/g, '0')}`;
}
