import { expectedFault } from '../../model/fault.js';
import { environmentOf } from '../execution/environment.js';
import { faultLine } from '../execution/statements.js';
import type { RunLog } from '../model/ports.js';
import type { SubscribeReport } from '../model/report.js';
import type { SubscribeScenario } from '../model/scenario.js';
import {
  type Consumption,
  reportConsumers,
  type SubscribeRun,
  subscribeSettings,
  sumOf,
  totalLines,
} from './consumption.js';
import { OlderRun } from './older-subscriptions.js';
import { TopicRun } from './topic-consumption.js';

/**
 * Runs a subscription: makes the topics, which stay, and lets consumers poll until no rows come, a person stops
 * them or they have their expected rows. Never throws for what the database refuses: the report says how the run ended.
 */
export async function runSubscription(
  consume: SubscribeScenario['consume'],
  run: SubscribeRun,
): Promise<SubscribeReport> {
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
