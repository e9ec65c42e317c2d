import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import net from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a service under test before its program (`--import`): answers the questions of `probed-service.ts` over a socket. `turn` is the
 * longest turn of the event loop since the last time, in milliseconds; `live` what is in use once the garbage is collected, in bytes.
 */
const path = process.env.SLUICE_TEST_PROBE;
if (path !== undefined) {
  // The engine is a process of its own.
  delete process.env.NODE_OPTIONS;
  delete process.env.SLUICE_TEST_PROBE;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const answers: Readonly<Record<string, () => number>> = {
    turn: () => {
      const longest = delay.max / 1e6;
      delay.reset();
      return longest;
    },
    live: liveBytes,
  };
  const server = net.createServer(async (socket) => {
    socket.on('error', () => {});
    const [question] = await once(socket, 'data');
    socket.end(String(answers[String(question)]?.()));
  });
  server.listen(path, () => chmodSync(path, 0o600)).unref();
}

function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // What the first search finds unused, such as a buffer, may let go of more.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
