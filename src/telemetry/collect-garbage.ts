import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: ((options: { type: 'major'; execution: 'async' }) => Promise<void>) | undefined;
let isCollecting = false;

/**
 * Runs a full garbage collection in an iteration of the event loop of its own. By itself the runtime collects as memory
 * is allocated, which a service that rejects everything does not do. One collection at a time.
 */
export function collectGarbage(): void {
  if (isCollecting) return;
  isCollecting = true;
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc');
  }
  collect?.({ type: 'major', execution: 'async' }).finally(() => {
    isCollecting = false;
  });
}
