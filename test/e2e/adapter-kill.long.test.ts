import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import {
  childrenOf,
  directoryFor,
  enginePid,
  isAlive,
  type Listening,
  rowsOf,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';
import { until } from '../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const linesPerBody = 50;

test.serial(
  'after kill -9 of the adapter its engine ends, and a new one takes the directory over with all data',
  async (t) => {
    const path = directoryFor(t);
    const first = await startAdapter(t, [`--database.path=${path}`]);
    const load = startLoad(first, 4);
    await underWay(t, load);
    const engine = enginePid(first);
    t.is(lockOwner(path), engine);
    first.child.kill('SIGKILL');
    t.deepEqual(await first.ended, { code: null, signal: 'SIGKILL' });
    t.true(await until(() => !isAlive(engine), 30_000), 'the engine ends with its adapter');
    await load.ended;

    const second = await startAdapter(t, [`--database.path=${path}`]);
    t.is(lockOwner(path), enginePid(second));
    await assertAnsweredIsStored(t, second, load.answered);
    t.is((await sql(second, 'CREATE DATABASE after_kill')).code, 0);
  },
);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  // A terminal sends SIGINT to the adapter and its engine alike.
  const toGroup = signal === 'SIGINT';
  test.serial(`${signal} under load answers what is in flight and ends with exit code 0`, async (t) => {
    const path = directoryFor(t);
    const first = await startAdapter(t, [`--database.path=${path}`], toGroup);
    const load = startLoad(first, 8);
    await underWay(t, load);
    const { child, finish } = await halfARequest(first.port);
    const family = childrenOf(first.pid);
    process.kill(toGroup ? -first.pid : first.pid, signal);
    await until(() => refusesConnections(first.port));
    t.regex(await finish(), /^HTTP\/1.1 204/, 'a request that had begun is answered');
    child.destroy();
    t.deepEqual(await first.ended, { code: 0, signal: null });
    await load.ended;
    t.deepEqual(
      load.broken.filter((reason) => !isRefusalBeforeReading(reason)),
      [],
      'no request is left without an answer',
    );
    t.true(await until(() => !family.some(isAlive), 2_000), 'nothing is left running');
    t.is(first.stderr(), '');

    const second = await startAdapter(t, [`--database.path=${path}`]);
    await assertAnsweredIsStored(t, second, load.answered);
    t.deepEqual(await rowsOf(second, 'SELECT count(*) FROM kept.half'), [[1]]);
  });
}

interface Load {
  /** Numbers of the answered lines, by writer. */
  readonly answered: readonly number[][];
  /** How requests ended that got no answer. */
  readonly broken: string[];
  readonly ended: Promise<unknown>;
}

/** Writers that go on until their connection is refused or broken. */
function startLoad(adapter: Listening, writers: number): Load {
  const answered = Array.from({ length: writers }, (): number[] => []);
  const broken: string[] = [];
  const write = async (writer: number): Promise<void> => {
    for (let next = 0; ; next += linesPerBody) {
      const numbers = Array.from({ length: linesPerBody }, (_, i) => next + i);
      const body = numbers.map((n) => `lines,w=w${writer} n=${n}i64 ${startMs + n}`).join('\n');
      try {
        if ((await writeLines(adapter, 'kept', body)).status !== 204) return;
      } catch (error) {
        broken.push(error instanceof Error && 'code' in error ? String(error.code) : String(error));
        return;
      }
      answered[writer]!.push(...numbers);
    }
  };
  return { answered, broken, ended: Promise.all(answered.map((_, writer) => write(writer))) };
}

/** Resolves once every writer has had several answers. */
async function underWay(t: ExecutionContext, { answered }: Load): Promise<void> {
  t.true(await until(() => answered.every((numbers) => numbers.length >= 5), 60_000));
}

/** A stopped listener refuses; a kept connection that was closed while idle resets. Neither request was begun. */
function isRefusalBeforeReading(reason: string): boolean {
  return reason === 'ECONNREFUSED' || reason === 'ECONNRESET';
}

/** True once the adapter listens no longer. */
async function refusesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

/** A write request whose body is half sent; `finish` sends the rest and gives the answer. */
async function halfARequest(port: number) {
  const child = connect(port, '127.0.0.1');
  await once(child, 'connect');
  const body = `half n=1i64 ${startMs}\n`;
  const authorization = Buffer.from('root:taosdata').toString('base64');
  child.write(
    `POST /lineproto/v1/write?db=kept&precision=ms HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${authorization}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 8)}`,
  );
  await sleep(100);
  const finish = async (): Promise<string> => {
    child.write(body.slice(8));
    const [answer] = await once(child, 'data');
    return String(answer);
  };
  return { child, finish };
}

async function assertAnsweredIsStored(
  t: ExecutionContext,
  adapter: Listening,
  answered: readonly number[][],
): Promise<void> {
  t.true(answered.every((numbers) => numbers.length > 0));
  for (const [writer, numbers] of answered.entries()) {
    const rows = await rowsOf(adapter, `SELECT n FROM kept.lines WHERE w = 'w${writer}' ORDER BY _ts`);
    // The last body may have been stored without its answer having arrived.
    const stored = rows.map(([n]) => Number(n));
    t.deepEqual(stored.slice(0, numbers.length), numbers);
    t.true(stored.length <= numbers.length + linesPerBody);
  }
}

function lockOwner(path: string): number {
  const owner: { pid: number } = JSON.parse(readFileSync(join(path, 'sluice.lock'), 'utf8'));
  return owner.pid;
}
