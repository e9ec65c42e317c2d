import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import {
  directoryFor,
  enginePid,
  type Listening,
  memoryOf,
  rowsOf,
  startAdapter,
} from '../support/service/processes.js';
import { basic } from '../support/service/service.js';
import { standsStill, until } from '../support/until.js';

const mebibyte = 1024 * 1024;
/** Length of a streamed body. */
const bodyBytes = 256 * mebibyte;
const maxResidentBytes = 300 * mebibyte;
const startMs = Date.UTC(2026, 0, 1);
const linesPerChunk = 1_000;
const series = 100;

/** Lines of many series, as chunks of about 80 kB; the same text with other times, so that making them costs little. */
function* chunks(bytes: number): Generator<Buffer> {
  const wide = Array.from({ length: 6 }, (_, i) => `f${i}=${i}.25`).join(',');
  const line = (n: number): string => `big,host=host-${n % series},region=eu ${wide} ${startMs + 1e9}\n`;
  const text = Buffer.from(Array.from({ length: linesPerChunk }, (_, n) => line(n)).join(''));
  const time = String(startMs + 1e9).length;
  const lineEnds: number[] = [];
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) lineEnds.push(at);
  for (let sent = 0, chunk = 0; sent < bytes; sent += text.length, chunk++) {
    const copy = Buffer.from(text);
    for (const [n, end] of lineEnds.entries()) {
      copy.write(String(startMs + chunk * linesPerChunk + n), end - time, 'latin1');
    }
    yield copy;
  }
}

function open(adapter: Listening, headers: Record<string, string>, query = ''): ClientRequest {
  return request({
    port: adapter.port,
    path: `/lineproto/v1/write?db=stream&precision=ms${query}`,
    method: 'POST',
    headers: { authorization: basic, 'transfer-encoding': 'chunked', ...headers },
  });
}

async function answerOf(outgoing: ClientRequest): Promise<readonly [number, string]> {
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  let text = '';
  for await (const piece of incoming!) text += piece;
  return [incoming!.statusCode ?? 0, text];
}

/** Watches the resident memory of a process until the returned function is called, which gives the most it was. */
function watchMemory(pid: number): () => number {
  let most = 0;
  const look = (): void => {
    most = Math.max(most, memoryOf(pid, 'VmRSS'));
  };
  const timer = setInterval(look, 50);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}

async function expectedRows(t: ExecutionContext, adapter: Listening, lines: number): Promise<void> {
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM stream.big'), [[lines]]);
}

for (const coding of ['identity', 'gzip'] as const) {
  test.serial(`a streamed body of 256 MiB (${coding}) passes through in little memory`, async (t) => {
    const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`]);
    const stop = watchMemory(adapter.pid);
    const outgoing = open(adapter, coding === 'gzip' ? { 'content-encoding': 'gzip' } : {});
    const answer = answerOf(outgoing);
    let lines = 0;
    const counted = Readable.from(
      (function* () {
        for (const chunk of chunks(bodyBytes)) {
          lines += linesPerChunk;
          yield chunk;
        }
      })(),
    );
    if (coding === 'gzip') await pipeline(counted, createGzip({ level: 1 }), outgoing);
    else await pipeline(counted, outgoing);
    t.deepEqual(await answer, [204, '']);
    const most = stop();
    t.log(`${Math.round(most / mebibyte)} MiB resident at most, ${lines} lines`);
    t.true(most < maxResidentBytes, `${Math.round(most / mebibyte)} MiB`);
    await expectedRows(t, adapter, lines);
  });
}

test.serial(
  'an engine that stands still stalls a client that waits for what is stored, and fills no memory',
  async (t) => {
    const creditBytes = 16 * mebibyte;
    const adapter = await startAdapter(t, [
      `--database.path=${directoryFor(t)}`,
      `--limits.creditBytes=${creditBytes}`,
    ]);
    const engine = enginePid(adapter);
    const outgoing = open(adapter, {}, '&ack=stored');
    const answer = answerOf(outgoing);
    const source = chunks(160 * mebibyte);
    let sent = 0;
    let lines = 0;
    let paused = false;
    let ended = false;
    const send = async (): Promise<void> => {
      for (const chunk of source) {
        sent += chunk.length;
        lines += linesPerChunk;
        if (!outgoing.write(chunk)) {
          paused = true;
          await once(outgoing, 'drain');
          paused = false;
        }
      }
      outgoing.end();
      ended = true;
    };
    const sending = send();
    t.true(await until(() => sent > 20 * mebibyte, 20_000));
    process.kill(engine, 'SIGSTOP');
    t.teardown(() => {
      try {
        process.kill(engine, 'SIGCONT');
      } catch {
        // It has ended.
      }
    });
    const before = sent;
    const stalledAt = await standsStill(() => sent, 1_500);
    const resident = memoryOf(adapter.pid, 'VmRSS');
    await sleep(1_500);
    t.true(paused && !ended, 'the client waits');
    t.is(sent, stalledAt, 'nothing more is taken while the engine stands still');
    // The credit, what one group holds beyond it, and what both sockets hold.
    t.true(stalledAt - before < creditBytes * 2 + 16 * mebibyte, `${stalledAt - before} bytes were taken`);
    t.true(memoryOf(adapter.pid, 'VmRSS') < resident + 8 * mebibyte, 'memory does not grow');
    t.true(memoryOf(adapter.pid, 'VmHWM') < maxResidentBytes);
    process.kill(engine, 'SIGCONT');
    await sending;
    t.deepEqual(await answer, [204, '']);
    await expectedRows(t, adapter, lines);
  },
);
