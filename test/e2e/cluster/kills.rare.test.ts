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
/** Writes and queries go on within this time on a busy machine, whatever is killed; on an idle one within a second or two. */
const patienceMs = 20_000;

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
  /** Longest time without an answer, ms. */
  readonly longest = { write: 0, query: 0 };
  readonly problems: string[] = [];
  readonly #adapters: readonly Adapter[];
  #isOver = false;
  #turn = 0;

  constructor(adapters: readonly Adapter[]) {
    this.#adapters = adapters;
  }

  start(): Promise<unknown> {
    const writing = Array.from({ length: writers }, (_, writer) => this.#write(writer));
    return Promise.all([...writing, this.#query()]);
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Asks one adapter after the other until one answers well. */
  async #ask(kind: 'write' | 'query', ask: (adapter: Listening) => Promise<boolean>): Promise<void> {
    const begun = Date.now();
    await until(async () => {
      const { running } = this.#adapters[this.#turn++ % this.#adapters.length]!;
      const isDone = running !== undefined && (await ask(running).catch(() => false));
      this.longest[kind] = Math.max(this.longest[kind], Date.now() - begun);
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
  t.teardown(() => load.stop());
  const ended = load.start();
  t.true(await until(() => load.counted > 100));
  const victims = { node: cluster.nodes, adapter: adapters, keeper: [cluster.keeper!] };
  const names = ['node', 'adapter', 'node', 'keeper', 'node', 'adapter', 'node'] as const;
  for (let round = 0; round < kills; round++) {
    const name = names[round % names.length]!;
    const candidates = victims[name];
    const victim = candidates[Math.floor(Math.random() * candidates.length)]!;
    const { answered, queries } = load;
    await victim.kill();
    const goesOn = (): boolean => load.answered > answered + writers * linesOfWrite && load.queries > queries + 1;
    // Without its keeper a cluster takes writes into the logs of the adapters and stores them when it is back.
    const isOn =
      name === 'keeper'
        ? await until(() => load.answered > answered + linesOfWrite, patienceMs)
        : await until(goesOn, patienceMs);
    t.true(isOn, `round ${round}: writes and queries go on without a ${name}`);
    await victim.start();
    t.true(await until(goesOn), `round ${round}: they go on with the ${name} back`);
    if (name === 'node') t.true(await until(() => isDrained(cluster)), `round ${round}: the node has caught up`);
  }
  load.stop();
  await ended;
  t.log(`${load.answered} rows, longest wait of a write ${load.longest.write} ms, of a query ${load.longest.query} ms`);
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

/** True when no node keeps rows for another one. */
async function isDrained(cluster: TestCluster): Promise<boolean> {
  const queued = 'SELECT sum(data_files) FROM system.distribution_queue';
  const found = await Promise.all(cluster.nodes.map((node) => cluster.client(node).rows(queued)));
  return found.every(([row]) => Number(row?.[0]) === 0);
}
