import { setInterval } from 'node:timers/promises';
import test from 'ava';
import { areCopies } from '../../support/cluster/copies.js';
import { missingCluster, startCluster, type TestCluster } from '../../support/cluster/nodes.js';
import { whereabouts } from '../../support/cluster/replica-layout.js';
import {
  type AcknowledgingInput,
  acknowledgingInputs,
  tablesOfStatements,
} from '../../support/inputs/acknowledging-inputs.js';
import { StatsdSender } from '../../support/inputs/statsd-sender.js';
import { waitedForProcessorMs } from '../../support/processor-time.js';
import { directoryFor, fileScope, type Listening, rowsOf, sql, startAdapter } from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';
import { comesTrue, until } from '../../support/until.js';

/** How many times something is killed; 100 take some ten minutes. */
const kills = Number(process.env.CLUSTER_KILLS ?? 12);
const startMs = Date.UTC(2026, 0, 1);
const database = 'd';
/** Series that every input writes one row of at a time. */
const series = ['a', 'b', 'c', 'e'];
/** A writer sends, and a reader asks, so often at most. */
const [writeMs, queryMs] = [100, 50];
/**
 * Writes go on within this time, whatever is killed. The time for which sender and adapter waited for a processor does not count: the test
 * has a whole cluster on one machine, which may be busy.
 */
const writesMs = 5_000;
/** What goes on at all goes on within this. */
const patienceMs = 60_000;

const { scope, end } = fileScope();
test.after.always(end);

/** Statistics over TCP, which are written often. */
const statsd = ['--statsgw.protocol=tcp', '--statsgw.gatherInterval=1s'];

/** An adapter that keeps its log when it is started again. */
class Adapter {
  readonly #args: readonly string[];
  running: Listening | undefined;

  constructor(cluster: TestCluster) {
    this.#args = [...cluster.settings, `--wal.path=${directoryFor(scope)}`, '--write.flushInterval=200ms', ...statsd];
  }

  async start(): Promise<void> {
    this.running = await startAdapter(scope, this.#args);
  }

  /** Port of its listener for statistics. */
  get statsdPort(): number {
    return Number(/"listens":(\d+),"database":"statsgw"/.exec(this.running?.stdout() ?? '')?.[1]);
  }

  async kill(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    running?.child.kill('SIGKILL');
    await running?.ended;
  }
}

/** What goes on beside the kills. */
class Load {
  /** Rows of each series that were answered, by input. */
  readonly answered = new Map(acknowledgingInputs.map(({ name }) => [name, 0]));
  queries = 0;
  readonly statsd = new StatsdSender('kills');
  /** The newest count of rows that a query gave, by input and series. */
  readonly counted = new Map<string, number>();
  /** What was killed last. */
  killed = 'nothing';
  /** Longest time without an answer, ms, by what was asked and what had been killed; and that without waits for a processor. */
  readonly longest: Record<string, number> = {};
  readonly longestOwn: Record<string, number> = {};
  readonly problems: string[] = [];
  readonly #adapters: readonly Adapter[];
  #isOver = false;
  #isGivenUp = false;
  #turn = 0;

  constructor(adapters: readonly Adapter[]) {
    this.#adapters = adapters;
  }

  start(): Promise<unknown> {
    return Promise.all([...acknowledgingInputs.map((input) => this.#write(input)), this.#query(), this.#measure()]);
  }

  /** Rows that were answered by the input that has answered fewest. */
  get least(): number {
    return Math.min(...this.answered.values());
  }

  /** Nothing new begins; what was begun is asked until it is answered. */
  stop(): void {
    this.#isOver = true;
  }

  /** Also what was begun ends. */
  giveUp(): void {
    this.stop();
    this.#isGivenUp = true;
  }

  /** Asks one adapter after the other until one answers well. */
  async #tryAdapters(kind: 'write' | 'query', send: (adapter: Listening) => Promise<boolean>): Promise<void> {
    const begun = Date.now();
    const own = waitedForProcessorMs(process.pid);
    let ofAdapters = 0;
    await until(async () => {
      if (this.#isGivenUp) return true;
      const { running } = this.#adapters[this.#turn++ % this.#adapters.length]!;
      const before = waitedForProcessorMs(running?.pid ?? 0);
      const isDone = running !== undefined && (await send(running).catch(() => false));
      ofAdapters += Math.max(0, waitedForProcessorMs(running?.pid ?? 0) - before);
      const key = `${kind}, ${this.killed}`;
      const ms = Date.now() - begun;
      const ownMs = Math.round(ms - ofAdapters - (waitedForProcessorMs(process.pid) - own));
      this.longest[key] = Math.max(this.longest[key] ?? 0, ms);
      this.longestOwn[key] = Math.max(this.longestOwn[key] ?? 0, ownMs);
      return isDone;
    }, Number.POSITIVE_INFINITY);
  }

  async #write({ name, send }: AcknowledgingInput): Promise<void> {
    let number = 0;
    for await (const _ of setInterval(writeMs)) {
      if (this.#isOver) return;
      const rows = series.map((writer) => ({ name, writer, ms: startMs + number, number }));
      await this.#tryAdapters('write', (adapter) => send(adapter, database, rows));
      if (this.#isGivenUp) return;
      this.answered.set(name, (this.answered.get(name) ?? 0) + 1);
      number++;
    }
  }

  /** What is aggregated has no answers. */
  async #measure(): Promise<void> {
    for await (const _ of setInterval(writeMs)) {
      if (this.#isOver) return this.statsd.end();
      const adapter = this.#adapters.find(({ running }) => running !== undefined);
      if (adapter !== undefined && adapter.statsdPort > 0) this.statsd.send(adapter.statsdPort);
    }
  }

  async #query(): Promise<void> {
    for await (const _ of setInterval(queryMs)) {
      if (this.#isOver) return;
      const input = acknowledgingInputs[this.queries % acknowledgingInputs.length]!;
      const writer = series[Math.floor(this.queries / acknowledgingInputs.length) % series.length]!;
      const key = `${input.name}, ${writer}`;
      await this.#tryAdapters('query', async (adapter) => {
        const { code, data } = await sql(adapter, countOf(input, writer));
        const count = Number(data?.[0]?.[0] ?? 0);
        if (code !== 0) return false;
        const before = this.counted.get(key) ?? 0;
        if (count < before) this.problems.push(`${key}: ${count} rows after ${before}`);
        this.counted.set(key, Math.max(count, before));
        return true;
      });
      this.queries++;
    }
  }
}

test('whatever is killed under load, nothing answered is lost or double, and writes and queries go on', async (t) => {
  t.timeout(30 * 60_000);
  const missing = missingCluster(true);
  if (missing !== undefined) return skipped(t, missing);
  const cluster = await startCluster(scope, { shards: 2, replicas: 2, keeper: true });
  const adapters = [new Adapter(cluster), new Adapter(cluster)];
  await Promise.all(adapters.map((adapter) => adapter.start()));
  for (const statement of [`CREATE DATABASE ${database}`, ...tablesOfStatements(database, ['statements'])]) {
    t.is((await sql(adapters[0]!.running!, statement)).code, 0, statement);
  }
  const load = new Load(adapters);
  t.teardown(() => load.giveUp());
  const ended = load.start();
  const isUnderWay = (): boolean => load.least > 3 && load.queries > acknowledgingInputs.length;
  t.true(await until(isUnderWay), JSON.stringify([...load.answered, load.queries]));
  const victims = { node: cluster.nodes, adapter: adapters, keeper: [cluster.keeper!] };
  const names = ['node', 'adapter', 'node', 'keeper', 'node', 'adapter', 'node'] as const;
  for (let round = 0; round < kills; round++) {
    const name = names[round % names.length]!;
    const candidates = victims[name];
    const victim = candidates[Math.floor(Math.random() * candidates.length)]!;
    const { least, queries } = load;
    load.killed = name;
    await victim.kill();
    const areWritten = (): boolean => load.least > least + 1;
    t.true(
      await comesTrue(areWritten, patienceMs),
      `round ${round}: writes go on without a ${name}; ${JSON.stringify(load.longest)}`,
    );
    // Without its keeper a cluster takes writes into the logs of the adapters and stores them when it is back.
    const isAnswered = async (): Promise<boolean> => comesTrue(() => load.queries > queries + 1, patienceMs);
    if (name !== 'keeper')
      t.true(await isAnswered(), `round ${round}: queries go on without a ${name}; ${JSON.stringify(load.longest)}`);
    await victim.start();
    t.true(await isAnswered(), `round ${round}: they go on with the ${name} back`);
    // A second node that goes before the first one has its rows back may be the only one that has them.
    const areWhole = await comesTrue(() => areAllWhole(adapters));
    t.true(areWhole, `round ${round}: all nodes have everything; ${cluster.nodes.map((node) => node.end).join()}`);
  }
  load.stop();
  await ended;
  t.log(
    `${JSON.stringify(Object.fromEntries(load.answered))} rows of each of ${series.length} series, longest waits ${JSON.stringify(load.longest)} ms, without those for a processor ${JSON.stringify(load.longestOwn)} ms`,
  );
  const late = Object.entries(load.longestOwn).filter(([key, ms]) => key.startsWith('write') && ms > writesMs);
  t.deepEqual(late, [], 'writes go on within five seconds');
  t.deepEqual(load.problems, [], 'no query gives fewer rows than one before');
  const lost: string[] = [];
  for (const { running } of adapters) {
    for (const input of acknowledgingInputs) {
      for (const writer of series) {
        const expected = load.answered.get(input.name) ?? 0;
        let stored: unknown;
        const isAll = async (): Promise<boolean> => {
          stored = (await sql(running!, countOf(input, writer))).data?.[0]?.[0];
          return stored === expected;
        };
        if (await comesTrue(isAll, lost.length === 0 ? undefined : 1_000)) continue;
        const { data } = await sql(running!, countOf(input, writer).replace('count(*)', `DISTINCT ${input.column}`));
        const there = new Set(data?.map(([number]) => Number(number)));
        const times = Array.from({ length: expected }, (_, n) => n).flatMap((n) => (there.has(n) ? [] : [startMs + n]));
        const traces = await whereabouts(cluster, times);
        lost.push(`${input.name}, ${writer}: ${stored} rows of ${expected}; missing ${times}: ${traces}`);
      }
    }
    // Aggregated values that are there are such as were sent.
    const [[least, most] = []] = await rowsOf(running!, 'SELECT min(`value`), max(`value`) FROM statsgw.kills');
    t.true(Number(least) >= 1 && Number(most) <= load.statsd.sent, `${least} to ${most} of ${load.statsd.sent}`);
  }
  t.deepEqual(lost, [], 'nothing answered is lost or double');
  t.true(await until(() => areCopies(cluster)), 'all replicas have the same rows');
});

/** A query of how many rows of a series an input has stored. */
function countOf({ name, from }: AcknowledgingInput, writer: string): string {
  return `SELECT count(*) FROM ${from(database, name, writer)}`;
}

/** True when all nodes have everything, as every adapter knows it. */
async function areAllWhole(adapters: readonly Adapter[]): Promise<boolean> {
  const lacking = "SELECT count(*) FROM information_schema.ins_dnodes WHERE status = 'offline' OR note <> ''";
  const counts = await Promise.all(adapters.map(async ({ running }) => (await sql(running!, lacking)).data?.[0]?.[0]));
  return counts.every((count) => count === 0);
}
