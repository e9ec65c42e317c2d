import { expectedFault } from '../model/fault.js';
import { environmentOf } from './execution/environment.js';
import { faultLine } from './execution/statements.js';
import { cutAfterGrace } from './execution/stopping.js';
import type { RunLog } from './model/ports.js';
import type { SubscribeReport } from './model/report.js';
import type { SubscribeScenario } from './model/scenario.js';
import type { Consumption, SubscribeRun } from './subscribe/consumption.js';
import { OlderRun } from './subscribe/older-subscriptions.js';
import { reportConsumers, subscribeSettings, sumOf, totalLines } from './subscribe/subscribe-figures.js';
import { TopicRun } from './subscribe/topic-consumption.js';
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

/**
 * Runs a subscription: makes the topics, which stay, and lets consumers poll until nothing comes any more, somebody stops
 * them or they have what they wait for. Never throws for what the database refuses: the report says how the run ended.
 */
async function runSubscribe({ consume }: SubscribeScenario, run: SubscribeRun): Promise<SubscribeReport> {
  const { version, log, stop } = run;
  const startedMs = Date.now();
  const settings = subscribeSettings(consume);
  for (const { name, value } of settings) log.done(`${name}: ${value}`);
  const consumption: Consumption = consume.kind === 'topics' ? new TopicRun(consume, run) : new OlderRun(consume, run);
  const environment = await environmentOf(version, run.run);
  const failure = await failureOf(consumption, log);
  const counts = consumption.counts.map((count) => count.report());
  for (const line of totalLines(counts)) log.done(line);
  const outcome = failure !== undefined ? 'failed' : stop.aborted ? 'interrupted' : 'completed';
  const [messages, rows] = [sumOf(counts, 'messages'), sumOf(counts, 'rows')];
  const endedMs = Date.now();
  return { version, startedMs, endedMs, outcome, failure, environment, settings, messages, rows, consumers: counts };
}

async function failureOf(consumption: Consumption, log: RunLog): Promise<string | undefined> {
  const stopReports = reportConsumers(consumption.counts, log);
  try {
    await consumption.go();
  } catch (error) {
    const line = faultLine(expectedFault(error));
    log.error(line);
    return line;
  } finally {
    stopReports();
  }
  const failed = consumption.counts.filter((count) => count.failed).length;
  return failed === 0 ? undefined : `${failed} of ${consumption.counts.length} consumers ended with an error`;
}
