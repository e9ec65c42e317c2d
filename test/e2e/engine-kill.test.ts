import test from 'ava';
import {
  directoryFor,
  enginePid,
  isAlive,
  rowsOf,
  type SqlReply,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';
import { until } from '../support/until.js';

const writers = 8;
const linesPerBody = 20;
const startMs = Date.UTC(2026, 0, 1);
/** The service promises to be back by then. A machine that is so busy that its first start takes longer is given that long. */
const promisedMs = 5_000;

/** What one writer has seen. */
interface Writer {
  /** Numbers of the lines whose body was answered 204. */
  readonly answered: number[];
  /** Status of every answer that was not 204; 0 for a broken connection. */
  readonly refused: number[];
  readonly withoutRetryAfter: number[];
}

test.serial(
  'an engine killed under eight writers who wait for storage loses and doubles nothing, twice in a row',
  async (t) => {
    const started = Date.now();
    const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`, '--write.ack=stored']);
    const allowedMs = Math.max(promisedMs, 2 * (Date.now() - started));
    const gapsMs: number[] = [];
    const stopping = new AbortController();
    const states = Array.from(
      { length: writers },
      (): Writer => ({ answered: [], refused: [], withoutRetryAfter: [] }),
    );
    const running = states.map((state, writer) => writeUntil(adapter, writer, state, stopping.signal));
    const gapReplies: SqlReply[] = [];
    for (let kill = 0; kill < 2; kill++) {
      const begun = states.map((state) => state.answered.length);
      const isWriting = () => states.every((state, i) => state.answered.length > begun[i]! + 10);
      t.true(await until(isWriting), 'every writer is at work');
      const before = states.map((state) => state.answered.length);
      const killed = enginePid(adapter);
      t.true(killed > 0);
      process.kill(killed, 'SIGKILL');
      const since = Date.now();
      const isBack = await until(async () => {
        const reply = await sql(adapter, 'SELECT count(*) FROM kept.lines');
        if (reply.code !== 0) gapReplies.push(reply);
        return reply.code === 0 && enginePid(adapter) !== killed;
      });
      t.true(isBack);
      gapsMs.push(Date.now() - since);
      const goOn = await until(() => states.every((state, i) => state.answered.length > before[i]!));
      t.true(goOn, 'every writer goes on after the kill');
      t.true(isAlive(adapter.pid));
    }
    stopping.abort();
    await Promise.all(running);
    // A busy machine may be late once.
    t.true(Math.min(...gapsMs) <= allowedMs, `back after ${gapsMs.join(' and ')} ms`);

    t.true(gapReplies.length > 0, 'statements met the gap');
    t.deepEqual([...new Set(gapReplies.map((reply) => `${reply.status} ${reply.code}`))], ['200 11']);
    const refused = states.flatMap((state) => state.refused);
    t.true(refused.length > 0, 'writes met the gap');
    t.deepEqual([...new Set(refused)], [503]);
    t.deepEqual(
      states.flatMap((state) => state.withoutRetryAfter),
      [],
    );
    for (const [writer, { answered }] of states.entries()) {
      const rows = await rowsOf(adapter, `SELECT n FROM kept.lines WHERE w = 'w${writer}' ORDER BY _ts`);
      const stored = rows.map(([n]) => Number(n));
      t.deepEqual(stored, answered, `writer ${writer}`);
    }
    const [[total] = []] = await rowsOf(adapter, 'SELECT count(*) FROM kept.lines');
    t.is(
      total,
      states.reduce((sum, state) => sum + state.answered.length, 0),
    );
  },
);

/** Writes body after body; a body that is refused is sent again until it is taken. */
async function writeUntil(
  adapter: { readonly port: number },
  writer: number,
  state: Writer,
  stopping: AbortSignal,
): Promise<void> {
  for (let next = 0; !stopping.aborted; next += linesPerBody) {
    const numbers = Array.from({ length: linesPerBody }, (_, i) => next + i);
    const body = numbers.map((n) => line(writer, next / linesPerBody, n)).join('\n');
    await until(() => takes(adapter, body, state));
    state.answered.push(...numbers);
  }
}

/** Every body of every fourth writer brings a new sub-table, and of every fourth a new column. */
function line(writer: number, body: number, n: number): string {
  const series = writer % 4 === 1 ? `,series=s${body}` : '';
  const column = writer % 4 === 3 && body < 500 ? `,c${writer}_${body}=${n}i64` : '';
  return `lines,w=w${writer}${series} n=${n}i64,x=${n}.5${column} ${startMs + n}`;
}

async function takes(adapter: { readonly port: number }, body: string, state: Writer): Promise<boolean> {
  const answer = await writeLines(adapter, 'kept', body).catch(() => undefined);
  if (answer?.status === 204) return true;
  const status = answer?.status ?? 0;
  state.refused.push(status);
  if (status === 503 && answer?.headers['retry-after'] === undefined) state.withoutRetryAfter.push(status);
  return false;
}

test.serial('with httpCodeServerError a statement in the gap is answered 502', async (t) => {
  const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`, '--httpCodeServerError=true']);
  t.is((await sql(adapter, 'CREATE DATABASE gap')).code, 0);
  process.kill(enginePid(adapter), 'SIGKILL');
  const reply = await sql(adapter, 'CREATE DATABASE gap2');
  t.deepEqual([reply.status, reply.code], [502, 11]);
  t.true(await until(async () => (await sql(adapter, 'CREATE DATABASE IF NOT EXISTS gap2')).code === 0));
});
