import { rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startService } from './service.js';

/** What the known piece of work in `probe.ts` takes on a usual machine with nothing else to do. */
const usualPaceMs = 30;

/** A service whose inside can be asked about. */
export type ProbedService = Awaited<ReturnType<typeof startProbedService>>;

/** Starts a service as `startService` does, with `probe.ts` in its process. */
export async function startProbedService(...settings: readonly string[]) {
  const path = join(tmpdir(), `sluice-probe-${process.pid}.sock`);
  process.env.SLUICE_TEST_PROBE = path;
  process.env.NODE_OPTIONS = `--import ${new URL('./probe.js', import.meta.url)}`;
  const { service, end } = await startService(...settings);
  delete process.env.SLUICE_TEST_PROBE;
  delete process.env.NODE_OPTIONS;
  const request = async (question: string): Promise<number> => {
    const socket = net.connect(path);
    socket.write(question);
    return Number(await text(socket));
  };
  return {
    service,
    /** The processor time of the longest turn of the service's event loop since the last call, in ms. */
    longestTurn: () => request('turn'),
    /** How much slower the service's process runs now than on a usual machine with nothing else to do, at least 1. */
    slowness: async () => Math.max(1, (await request('pace')) / usualPaceMs),
    /** Memory of the service's process that is in use once its garbage is collected: objects and buffers, in bytes. */
    liveBytes: () => request('live'),
    end: async (): Promise<void> => {
      await end();
      rmSync(path, { force: true });
    },
  };
}
