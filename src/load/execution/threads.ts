/**
 * Runs the work of every thread side by side, to the end of all; `broken` is aborted with the first that fails, for
 * those that should end early then. Throws the error of the first thread in order that failed.
 */
export async function allThreads<T>(
  threads: readonly T[],
  work: (thread: T, number: number) => Promise<void>,
  broken?: AbortController,
): Promise<void> {
  const endings = await Promise.allSettled(
    threads.map(async (thread, number) => {
      try {
        await work(thread, number);
      } catch (error) {
        broken?.abort();
        throw error;
      }
    }),
  );
  for (const ending of endings) if (ending.status === 'rejected') throw ending.reason;
}
