import { cutAfterGrace } from './execution/stopping.js';
import type { RunLog } from './model/ports.js';
import type { SubscribeScenario } from './model/scenario.js';
import type { SubscribeReport } from './model/subscribe-report.js';
import { runSubscribe } from './subscribe/subscribe.js';
import { type LoadWorldContext, openLoadWorld } from './world.js';

/** Connections to the engine at most: it runs so many statements side by side. */
const maxConnections = 16;
/** A subscription writes nothing. */
const creditBytes = 1024 * 1024;

/** Runs a subscription: opens the way to the database and gives it back at the end. Throws a FaultError when it cannot be reached. */
export async function runSubscribeScenario(
  scenario: SubscribeScenario,
  context: LoadWorldContext & { readonly log: RunLog },
): Promise<SubscribeReport> {
  const { version, log, stop } = context;
  const { consume, connection } = scenario;
  const consumers = consume.kind === 'topics' ? consume.consumers : maxConnections;
  const connections = Math.min(maxConnections, consumers + 2);
  const world = await openLoadWorld(connection, context, { statements: consumers + 2, connections, creditBytes });
  const callOff = cutAfterGrace({ stop, log }, () => world.cut());
  try {
    return await runSubscribe(scenario, { version, run: world.run, subscribe: world.subscribe, log, stop });
  } finally {
    callOff();
    await world.stop();
  }
}
