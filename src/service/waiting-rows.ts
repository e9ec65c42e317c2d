import { setTimeout as sleep } from 'node:timers/promises';

const askAgainMs = 100;
/** A service whose rows wait for longer has a database that does not keep up. */
const patienceMs = 60_000;
const timeoutMs = 5_000;

/** Whether the waiting rows are stored, or why that is unknown, in words. */
export type WaitedFor = 'stored' | { readonly problem: string };

/**
 * Waits until all rows are stored that a service had answered when this was called. Rows that come meanwhile are not waited for.
 * Asks for the public figures of the service, which need no password.
 */
export async function waitForRows(port: number): Promise<WaitedFor> {
  const begun = performance.now();
  for (;;) {
    const asked = performance.now();
    const oldest = await oldestSeconds(port);
    if (oldest === undefined) return { problem: `No service answers on port ${port}; name its --port` };
    // All waiting rows came after the beginning when even the oldest is younger.
    if (oldest * 1000 < asked - begun || oldest === 0) return 'stored';
    if (performance.now() - begun > patienceMs) {
      return { problem: `The database has not stored answered rows that are ${Math.round(oldest)} s old` };
    }
    await sleep(askAgainMs);
  }
}

/** Age of the oldest row that waits, 0 when none does; undefined where no service tells. */
async function oldestSeconds(port: number): Promise<number | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(timeoutMs) });
    const [, value] = /^adapter_wal_oldest_seconds (\S+)$/m.exec(await answer.text()) ?? [];
    return value === undefined ? undefined : Number(value);
  } catch {
    return undefined;
  }
}
