import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: ((options: { type: 'major'; execution: 'async' }) => Promise<void>) | undefined;
let isCollecting = false;

/**
 * Has the whole heap searched for what is not used any more, in a turn of the event loop of its own. Left to itself the runtime does so
 * as memory is asked for, which a service that refuses everything never does. One search at a time.
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
