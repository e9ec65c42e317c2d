import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a service under test before its program (`--import`): answers the questions of `probed-service.ts` over a socket. `turn` is the
 * processor time that the longest turn of the event loop has taken since the last time, in milliseconds, which other processes do not change; `live` what is in use once the garbage is collected, in bytes; `pace` the processor time of a known piece of work.
 */
const path = process.env.SLUICE_TEST_PROBE;
if (path !== undefined) {
  // The engine is a process of its own.
  delete process.env.NODE_OPTIONS;
  delete process.env.SLUICE_TEST_PROBE;
  let longest = 0;
  let last = threadMs();
  setInterval(() => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5).unref();
  const answers: Readonly<Record<string, () => number>> = {
    turn: () => {
      const told = longest;
      longest = 0;
      return told;
    },
    live: liveBytes,
    pace: paceMs,
  };
  const server = net.createServer(async (socket) => {
    socket.on('error', () => {});
    const [question] = await once(socket, 'data');
    socket.end(String(answers[String(question)]?.()));
  });
  server.listen(path, () => chmodSync(path, 0o600)).unref();
}

/** Processor time of the thread that runs the event loop. */
function threadMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[0]) / 1e6;
}

/** How long a known piece of work takes the thread now: other work on the machine takes caches and cycles from it, which processor time does not show. */
function paceMs(): number {
  const begun = threadMs();
  const list = Array.from({ length: 50_000 }, (_, at) => ({ at, name: `n${at}` }));
  JSON.parse(JSON.stringify(list));
  return threadMs() - begun;
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
