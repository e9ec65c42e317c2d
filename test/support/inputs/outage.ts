import type { TestService } from '../service/service.js';
import { until } from '../until.js';

/** Kills the engine of a service, and sends until another one runs; gives how often. The first call of `send` has the number 1. */
export async function sendThroughOutage(service: TestService, send: (nth: number) => Promise<void>): Promise<number> {
  const killed = service.enginePid();
  process.kill(killed, 'SIGKILL');
  let sent = 0;
  await until(async () => {
    await send(++sent);
    const pid = service.enginePid();
    return pid > 0 && pid !== killed;
  });
  return sent;
}
