import { Utf8Mender } from '../../bytes/valid-utf8.js';
import { type Chunks, isWhole } from '../../model/exchange.js';

/**
 * Chunks, and what is done when they end, however that is; it is told what they failed of. Those that are all there have
 * ended already. `because` says why they broke off, if it knows.
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
