import { type Chunks, isWhole, type SqlRequest } from '../../model/exchange.js';

/** Longest result that counts as short, bytes of text. */
const shortBytes = 2 * 1024 * 1024;
/** Longer statements are not remembered. */
const maxStatementBytes = 4096;
const maxRemembered = 1000;

type Request = Pick<SqlRequest, 'statement' | 'database' | 'keyed'>;

/**
 * Which queries had short results the last time: dashboards ask the same again and again, with other times, and a result that may be taken whole costs less. Queries
 * that differ in digits alone are taken for the same. One whose result has turned out longer is not expected to be short any more, as it
 * was run in vain.
 */
export class ResultLengths {
  readonly #known = new Map<string, 'short' | 'varying'>();

  isShort(request: Request): boolean {
    return request.statement.length <= maxStatementBytes && this.#known.get(shapeOf(request)) === 'short';
  }

  /** Told when a result was expected to be short, and was not. */
  wasLong(request: Request): void {
    this.#note(request, 'varying');
  }

  /** The chunks of a result, whose length is noted at their end. */
  noted(request: Request, chunks: Chunks): Chunks {
    if (request.statement.length > maxStatementBytes) return chunks;
    if (!isWhole(chunks)) return this.#counted(request, chunks);
    this.#note(request, 'short');
    return chunks;
  }

  async *#counted(request: Request, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += piece.length;
      yield piece;
    }
    if (bytes <= shortBytes) this.#note(request, 'short');
  }

  #note(request: Request, length: 'short' | 'varying'): void {
    const shape = shapeOf(request);
    if (length === 'short' && this.#known.has(shape)) return;
    if (this.#known.size >= maxRemembered) this.#known.clear();
    this.#known.set(shape, length);
  }
}

function shapeOf({ statement, database = '', keyed }: Request): string {
  return `${keyed} ${database} ${statement.toString('latin1').replace(/\d+/g, '0')}`;
}
