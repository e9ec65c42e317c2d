import { Utf8Mender } from '../../bytes/valid-utf8.js';
import { type Chunks, isWhole } from '../../model/exchange.js';

/**
 * Chunks that call `whenEnded` at their end, with the error when they fail or the reason of `because` when they were
 * cancelled. A buffered result has ended already.
 */
export function ended(
  chunks: Chunks,
  whenEnded: (failure?: unknown) => void,
  because: () => Error | undefined = () => undefined,
): Chunks {
  if (!isWhole(chunks)) return endedPieces(chunks, whenEnded, because);
  whenEnded();
  return chunks;
}

async function* endedPieces(
  pieces: AsyncIterable<Uint8Array>,
  whenEnded: (failure?: unknown) => void,
  because: () => Error | undefined,
): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  try {
    yield* pieces;
  } catch (error) {
    failure = because() ?? error;
    throw failure;
  } finally {
    whenEnded(failure);
  }
}

/** Chunks as UTF-8: stored texts may hold other bytes, and functions may cut a character in two. */
export function asUtf8(chunks: Chunks): Chunks {
  const mender = new Utf8Mender();
  if (!isWhole(chunks)) return mendedPieces(chunks, mender);
  return [...chunks.map((chunk) => mender.piece(chunk)), mender.end()];
}

async function* mendedPieces(pieces: AsyncIterable<Uint8Array>, mender: Utf8Mender): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield mender.piece(piece);
  yield mender.end();
}
