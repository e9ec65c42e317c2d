/**
 * Runs the work of every thread side by side, to the end of all; `broken` is aborted with the first that fails, for those that
 * should end early then. Gives their endings in order; see {@link throwFailure}.
 */
export function allThreads<T>(
  threads: readonly T[],
  work: (thread: T, number: number) => Promise<void>,
  broken?: AbortController,
): Promise<readonly PromiseSettledResult<void>[]> {
  return Promise.allSettled(
    threads.map(async (thread, number) => {
      try {
        await work(thread, number);
      } catch (error) {
        broken?.abort();
        throw error;
      }
    }),
  );
}

/** Throws what the first thread that failed did so with. */
export function throwFailure(endings: readonly PromiseSettledResult<void>[]): void {
  const failed = endings.find((ending) => ending.status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
