import { setInterval } from 'node:timers/promises';
import test from 'ava';
import { areCopies } from '../../support/cluster/copies.js';
import { missingCluster, startCluster, type TestCluster } from '../../support/cluster/nodes.js';
import { directoryFor, fileScope, type Listening, sql, startAdapter, writeLines } from '../../support/processes.js';
import { skipped } from '../../support/skipped.js';
import { until } from '../../support/until.js';

/** How many times something is killed; 100 take some ten minutes. */
const kills = Number(process.env.CLUSTER_KILLS ?? 12);
const startMs = Date.UTC(2026, 0, 1);
const writers = 3;
const linesOfWrite = 10;
/** A writer sends, and a reader asks, so often at most. */
const [writeMs, queryMs] = [20, 50];
/** Writes go on within this time, whatever is killed; queries that wait for written rows within the longer one on a busy machine. */
const writesMs = 5_000;
const queriesMs = 20_000;

const { scope, end } = fileScope();
test.after.always(end);

/** An adapter that keeps its log when it is started again. */
class Adapter {
  readonly #args: readonly string[];
  running: Listening | undefined;

  constructor(cluster: TestCluster) {
    this.#args = [...cluster.settings, `--wal.path=${directoryFor(scope)}`, '--write.flushInterval=200ms'];
  }

  async start(): Promise<void> {
    this.running = await startAdapter(scope, this.#args);
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
  /** Rows that were answered. */
  answered = 0;
  queries = 0;
  /** The newest count of rows that a query gave. */
  counted = 0;
  /** What was killed last. */
  killed = 'nothing';
  /** Longest time without an answer, ms, by what was asked and what had been killed. */
  readonly longest: Record<string, number> = {};
  readonly problems: string[] = [];
  readonly #adapters: readonly Adapter[];
  #isOver = false;
  #isGivenUp = false;
  #turn = 0;

  constructor(adapters: readonly Adapter[]) {
    this.#adapters = adapters;
  }

  start(): Promise<unknown> {
    const writing = Array.from({ length: writers }, (_, writer) => this.#write(writer));
    return Promise.all([...writing, this.#query()]);
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
  async #ask(kind: 'write' | 'query', ask: (adapter: Listening) => Promise<boolean>): Promise<void> {
    const begun = Date.now();
    await until(async () => {
      if (this.#isGivenUp) return true;
      const { running } = this.#adapters[this.#turn++ % this.#adapters.length]!;
      const isDone = running !== undefined && (await ask(running).catch(() => false));
      const key = `${kind}, ${this.killed}`;
      this.longest[key] = Math.max(this.longest[key] ?? 0, Date.now() - begun);
      return isDone;
    }, Number.POSITIVE_INFINITY);
  }

  async #write(writer: number): Promise<void> {
    let body = 0;
    for await (const _ of setInterval(writeMs)) {
      if (this.#isOver) return;
      const lines = Array.from({ length: linesOfWrite }, (_, line) => {
        return `m,w=w${writer},s=s${line} v=${body} ${startMs + body}`;
      });
      await this.#ask('write', async (adapter) => (await writeLines(adapter, 'd', lines.join('\n'))).status === 204);
      this.answered += linesOfWrite;
      body++;
    }
  }

  async #query(): Promise<void> {
    for await (const _ of setInterval(queryMs)) {
      if (this.#isOver) return;
      await this.#ask('query', async (adapter) => {
        const { code, data } = await sql(adapter, 'SELECT count(*) FROM d.m');
        const count = Number(data?.[0]?.[0] ?? 0);
        if (code !== 0) return false;
        if (count < this.counted) this.problems.push(`${count} rows after ${this.counted}`);
        this.counted = Math.max(count, this.counted);
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
  const load = new Load(adapters);
  t.teardown(() => load.giveUp());
  const ended = load.start();
  t.true(await until(() => load.counted > 100));
  const victims = { node: cluster.nodes, adapter: adapters, keeper: [cluster.keeper!] };
  const names = ['node', 'adapter', 'node', 'keeper', 'node', 'adapter', 'node'] as const;
  for (let round = 0; round < kills; round++) {
    const name = names[round % names.length]!;
    const candidates = victims[name];
    const victim = candidates[Math.floor(Math.random() * candidates.length)]!;
    const { answered, queries } = load;
    load.killed = name;
    await victim.kill();
    const areWritten = (): boolean => load.answered > answered + writers * linesOfWrite;
    t.true(await until(areWritten, writesMs), `round ${round}: writes go on without a ${name}`);
    // Without its keeper a cluster takes writes into the logs of the adapters and stores them when it is back.
    const isAnswered = async (): Promise<boolean> => until(() => load.queries > queries + 1, queriesMs);
    if (name !== 'keeper') t.true(await isAnswered(), `round ${round}: queries go on without a ${name}`);
    await victim.start();
    t.true(await isAnswered(), `round ${round}: they go on with the ${name} back`);
    // A second node that goes before the first one has its rows back may be the only one that has them.
    t.true(await until(() => areAllWhole(adapters)), `round ${round}: all nodes have everything`);
  }
  load.stop();
  await ended;
  t.log(`${load.answered} rows, longest waits ${JSON.stringify(load.longest)} ms`);
  t.deepEqual(load.problems, [], 'no query gives fewer rows than one before');
  for (const { running } of adapters) {
    let count: unknown;
    const isAll = async (): Promise<boolean> => {
      count = (await sql(running!, 'SELECT count(*) FROM d.m')).data?.[0]?.[0];
      return count === load.answered;
    };
    t.true(await until(isAll), `${count} rows of ${load.answered}`);
  }
  t.true(await until(() => areCopies(cluster)), 'all replicas have the same rows');
});

/** True when all nodes have everything, as every adapter knows it. */
async function areAllWhole(adapters: readonly Adapter[]): Promise<boolean> {
  const lacking = "SELECT count(*) FROM information_schema.ins_dnodes WHERE status = 'offline' OR note <> ''";
  const counts = await Promise.all(adapters.map(async ({ running }) => (await sql(running!, lacking)).data?.[0]?.[0]));
  return counts.every((count) => count === 0);
}
