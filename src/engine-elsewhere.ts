import type { EngineClient } from './database/engine/client.js';
import type { RunningEngine } from './running-engine.js';

/** An engine that somebody else runs: nothing is known of it but what it answers. */
export function engineElsewhere(client: EngineClient, url: string): RunningEngine {
  return {
    client,
    url,
    pid: () => undefined,
    companions: () => [],
    isUp: () => true,
    isHung: () => false,
    isMissing: () => false,
    watch: () => () => {},
    stop: () => client.close(),
  };
}
