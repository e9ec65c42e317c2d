import { createLogger } from '../telemetry/logger.js';
import type { RunLog } from './model/ports.js';
import type { SubscribeScenario } from './model/scenario.js';
import type { SubscribeReport } from './model/subscribe-report.js';
import { runSubscribe } from './subscribe/subscribe.js';
import { cutAfterGrace } from './work/stopping.js';
import { openLoadWorld } from './world.js';

/** What surrounds a subscription. */
export interface SubscribeRunContext {
  readonly version: string;
  readonly log: RunLog;
  /** Fires when a person asks for the end. */
  readonly stop: AbortSignal;
}

/** Connections to the engine at most: it runs so many statements side by side. */
const maxConnections = 16;
/** A subscription writes nothing. */
const creditBytes = 1024 * 1024;

/** Runs a subscription: opens the way to the database and gives it back at the end. Throws a FaultError when it cannot be reached. */
export async function runSubscribeScenario(
  scenario: SubscribeScenario,
  { version, log, stop }: SubscribeRunContext,
): Promise<SubscribeReport> {
  const { consume, connection } = scenario;
  const consumers = consume.kind === 'topics' ? consume.consumers : maxConnections;
  // What the parts of the service log is of interest only to those who want to know more.
  const logger = createLogger('warn', { stream: { write: (line) => log.debug(line.trimEnd()) }, readable: false });
  const connections = Math.min(maxConnections, consumers + 2);
  const world = await openLoadWorld(
    connection,
    version,
    logger,
    { statements: consumers + 2, connections, creditBytes },
    stop,
  );
  const callOff = cutAfterGrace({ stop, log }, () => world.cut());
  try {
    return await runSubscribe(scenario, { version, run: world.run, subscribe: world.subscribe, log, stop });
  } finally {
    callOff();
    await world.stop();
  }
}
