import { chmodSync } from 'node:fs';
import net from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a service under test before its program (`--import`): tells over a socket, each time somebody connects, the longest turn of the event loop
 * since the last time, in milliseconds.
 */
const path = process.env.SLUICE_TEST_LOOP_PROBE;
if (path !== undefined) {
  // The engine is a process of its own.
  delete process.env.NODE_OPTIONS;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.end(String(delay.max / 1e6));
    delay.reset();
  });
  server.listen(path, () => chmodSync(path, 0o600)).unref();
}
