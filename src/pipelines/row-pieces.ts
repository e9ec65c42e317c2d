/**
 * Pieces, and what is done when they end, however that is; it is told what they failed of. `because` says why they broke
 * off, if it knows.
 */
export async function* ended<T>(
  pieces: AsyncIterable<T>,
  whenEnded: (failure?: unknown) => void,
  because: () => Error | undefined = () => undefined,
): AsyncGenerator<T> {
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

/** An iteration whose first step was taken already. */
export async function* resumed<T>(first: IteratorResult<T, unknown>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}
