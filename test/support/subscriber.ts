import { runSubscribeScenario } from '../../src/load-subscribe-run.js';
import type { SubscribeScenario } from '../../src/model/load-scenario.js';

/** A subscription in a process of its own, which can be killed: its argument is the scenario. */
const scenario: SubscribeScenario = JSON.parse(process.argv[2] ?? '');
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const say = (line: string): void => console.log(line);
const log = { info: say, done: say, warn: say, error: say, debug: () => undefined };
await runSubscribeScenario(scenario, { version: 'test', log, stop: stop.signal });
