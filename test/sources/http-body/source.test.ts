import { Readable } from 'node:stream';
import test from 'ava';
import { BodyBudget } from '../../../src/async/body-budget.js';
import type { Batch, ByteBlock } from '../../../src/model/batch.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import type { WriteRequest } from '../../../src/model/exchange.js';
import { Codes, type Fault, fault } from '../../../src/model/fault.js';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { withCredit } from '../../../src/pipelines/write/intake.js';
import { HttpBodySource } from '../../../src/sources/http-body/source.js';
import { LineCutter } from '../../../src/transforms/wire/line-cutter.js';
import { type SourceUnderTest, sourceContract } from '../../contracts/source-contract.js';
import { instant } from '../../support/blocks/group-commit.js';
import { until } from '../../support/until.js';

const limits = { smallBodyBytes: 64, blockBytes: 32, maxLineBytes: 200 };
const weigh = (_format: string, message: Uint8Array): number => message.length;
const lines = Array.from({ length: 40 }, (_, i) => `m v=${i}i ${i + 1}\n`);
const large = lines.join('');

/** A body that arrives in packets of 16 bytes. */
function inPieces(text: string): Readable {
  const bytes = Buffer.from(text);
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 16) }, (_, i) => bytes.subarray(i * 16, i * 16 + 16)),
  );
}

const asked = {
  format: 'lineproto',
  credentials: { scheme: 'password', user: 'u', password: 'p' },
  target: { database: 'db', createDatabase: false, ttl: 0, precision: 'ns' },
} as const;

interface Rig extends SourceUnderTest {
  request(
    body: Readable,
    length?: number,
    aborted?: AbortSignal,
    maxMessageBytes?: number,
  ): Promise<Delivery | Fault | undefined>;
}

function make(): Rig {
  const gate = new ByteCreditGate(48);
  const bodies = new BodyBudget({ limitBytes: 2 ** 20, maxWaiting: 10, waitMs: 10_000 });
  const options = { origin: 'test', ...limits, newCutter: () => new LineCutter(200), weigh };
  const source = new HttpBodySource(options, gate, bodies);
  const request = (body: Readable, length?: number, aborted = new AbortController().signal, maxMessageBytes?: number) =>
    new Promise<Delivery | Fault | undefined>((resolve) => {
      aborted.addEventListener('abort', () => setTimeout(() => resolve(undefined), 20));
      const limit = maxMessageBytes === undefined ? {} : { maxMessageBytes };
      source.accept(
        { id: '1', request: { ...asked, body, length, ...limit }, aborted, answer: resolve, refuse: resolve },
        'u',
      );
    });
  const send = async (text: string): Promise<Delivery | undefined> => {
    const bytes = Buffer.from(text);
    const answer = await request(inPieces(text), bytes.length);
    return answer !== undefined && 'outcome' in answer ? answer : undefined;
  };
  return { source, gate, send, request };
}

sourceContract(test, 'http-body', async () => make(), large);

test('bodies that wait for one gate hold no room, and go on as far as there is credit, not all together', async (t) => {
  const gate = new ByteCreditGate(48);
  const bodies = new BodyBudget({ limitBytes: 2 ** 20, maxWaiting: 10, waitMs: 10_000 });
  const source = new HttpBodySource(
    { origin: 'test', ...limits, newCutter: () => new LineCutter(200), weigh },
    gate,
    bodies,
  );
  const open: Batch<ByteBlock>[] = [];
  source.batches$.pipe(withCredit<ByteBlock>(gate)).subscribe((batch) => open.push(batch));
  const release = gate.hold('test');
  const body = Buffer.from('m v=1\n'.repeat(6));
  const answers = Array.from({ length: 5 }, (_, sender) => {
    const { length } = body;
    // All of one body is here; another one is still to come.
    const isHere = sender > 0;
    return new Promise<unknown>((answer) => {
      const request = { ...asked, body: Readable.from([body]), length, ...(isHere ? { whole: () => body } : {}) };
      source.accept({ id: '1', request, aborted: new AbortController().signal, answer, refuse: answer }, 'u');
    });
  });
  await instant();
  t.deepEqual([open.length, bodies.bytes], [0, 0]);
  release();
  t.true(await until(() => open.length > 0));
  await instant();
  // The second one uses the credit up.
  t.is(open.length, 2);
  for (let ended = 0; ended < answers.length; ended++) {
    t.true(await until(() => open.length > ended));
    open[ended]?.settle(delivered(6));
  }
  for (const answer of await Promise.all(answers)) t.like(answer, { outcome: 'delivered' });
  t.is(bodies.bytes, 0);
});

test('rejected lines are numbered over the whole body, however it was cut', async (t) => {
  const rig = make();
  const bad = fault('syntax', Codes.lineSyntax, 'bad');
  rig.source.batches$.subscribe((batch) => batch.settle(delivered(0, 1, [{ row: 0, fault: bad }])));
  const answer = await rig.request(inPieces(large));
  if (answer === undefined || !('outcome' in answer) || answer.outcome !== 'delivered') return t.fail();
  const starts = answer.rejects.map((reject) => reject.row);
  t.true(starts.length > 3);
  t.is(starts[0], 0);
  t.deepEqual(
    starts,
    [...starts].sort((a, b) => a - b),
  );
  t.is(new Set(starts).size, starts.length);
});

test('a message in pieces has one answer, with rejected rows numbered over all of it, and turns of others between', async (t) => {
  const bad = fault('syntax', Codes.lineSyntax, 'bad');
  const gate = new ByteCreditGate(48);
  const bodies = new BodyBudget({ limitBytes: 2 ** 20, maxWaiting: 10, waitMs: 10_000 });
  const piecesOf = (_format: string, { length }: Uint8Array) =>
    length < 30 ? undefined : [1, 2, 3].map((rows) => ({ bytes: Buffer.alloc(rows), rows }));
  const options = { origin: 'test', ...limits, newCutter: () => new LineCutter(200), weigh, piecesOf };
  const source = new HttpBodySource(options, gate, bodies);
  const seen: number[] = [];
  let turns = 0;
  const turnsThen: number[] = [];
  source.batches$.subscribe(({ payload, rows, settle }) => {
    seen.push(payload.bytes.length);
    turnsThen.push(turns);
    setImmediate(() => turns++);
    settle(delivered(rows - 1, 1, [{ row: 0, fault: bad }]));
  });
  for (const [length, sizes] of [
    [20, [20]],
    [40, [1, 2, 3]],
    [100, [1, 2, 3]],
  ] as const) {
    seen.length = 0;
    const answer = await new Promise<Delivery | Fault>((resolve) => {
      const request: WriteRequest = {
        format: 'remote-write',
        credentials: { scheme: 'password', user: 'u', password: 'p' },
        target: { database: 'db', createDatabase: false, ttl: 0, precision: 'ns' },
        body: Readable.from([Buffer.alloc(length)]),
        whole: length === 40 ? () => Buffer.alloc(length) : () => undefined,
        length,
        maxMessageBytes: 1000,
      };
      source.accept({ id: '1', request, aborted: new AbortController().signal, answer: resolve, refuse: resolve }, 'u');
    });
    t.deepEqual(seen, [...sizes]);
    if (sizes.length > 1) t.like(answer, { outcome: 'delivered', rows: 3, rejectedRows: 3 });
    const rows = 'rejects' in answer ? answer.rejects.map(({ row }) => row) : [];
    t.deepEqual(rows, sizes.length > 1 ? [0, 1, 3] : [0]);
    t.is(gate.bytes, 0);
  }
  t.is(new Set(turnsThen).size, turnsThen.length);
});

test('a byte order mark before a text is no part of it, and within a text or a message it is', async (t) => {
  const rig = make();
  const seen: Buffer[] = [];
  rig.source.batches$.subscribe((batch) => {
    seen.push(Buffer.from(batch.payload.bytes));
    batch.settle(delivered(batch.rows));
  });
  const mark = '\ufeff';
  const asked = async (text: string, isLong: boolean, maxMessageBytes?: number): Promise<string> => {
    seen.length = 0;
    const never = new AbortController().signal;
    await rig.request(inPieces(text), isLong ? undefined : Buffer.byteLength(text), never, maxMessageBytes);
    return Buffer.concat(seen).toString();
  };
  for (const isLong of [false, true]) {
    t.is(await asked(`${mark}m v=1 1\n`, isLong), 'm v=1 1\n');
    t.is(await asked(mark, isLong), '');
  }
  t.is(await asked(mark + large + mark, true), large + mark);
  t.is(await asked(`${mark}x`, false, 100), `${mark}x`);
});

test('a line above the limit is rejected by its number, and its neighbours are kept', async (t) => {
  const rig = make();
  const seen: string[] = [];
  rig.source.batches$.subscribe((batch) => {
    seen.push(Buffer.from(batch.payload.bytes).toString());
    batch.settle(delivered(batch.rows));
  });
  const answer = await rig.request(
    Readable.from(['first v=1 1\n', 'x'.repeat(500), '\nlast v=1 1\n'].map((s) => Buffer.from(s))),
  );
  if (answer === undefined || !('outcome' in answer) || answer.outcome !== 'delivered') return t.fail();
  t.deepEqual(
    answer.rejects.map((reject) => reject.row),
    [1],
  );
  t.is(seen.join(''), 'first v=1 1\nlast v=1 1\n');
});

test('a body that breaks off or lies about its length is refused and gives its credit back', async (t) => {
  const rig = make();
  rig.source.batches$.subscribe((batch) => setImmediate(() => batch.settle(delivered(1))));
  const short = await rig.request(Readable.from([Buffer.from('m v=1 1\n')]), 60);
  t.like(short, { code: Codes.invalidContentLength });
  const long = await rig.request(Readable.from([Buffer.from('m v=1 1\n')]), 3);
  t.like(long, { code: Codes.invalidContentLength });
  const broken = new Readable({ read() {} });
  broken.push(large);
  setTimeout(() => broken.destroy(new Error('gone')), 10);
  t.like(await rig.request(broken), { code: Codes.invalidContentLength });
  t.is(rig.gate.bytes, 0);
});

test('a sender that goes away ends the reading without an answer', async (t) => {
  const rig = make();
  rig.source.batches$.subscribe((batch) => batch.settle(delivered(1)));
  const gone = new AbortController();
  const body = new Readable({ read() {} });
  body.push(large);
  setTimeout(() => gone.abort(), 10);
  t.is(await rig.request(body, undefined, gone.signal), undefined);
  t.true(body.destroyed);
  t.is(rig.gate.bytes, 0);
});

test('a message is taken whole however long it is, up to its limit, and weighed', async (t) => {
  const rig = make();
  const sizes: [number, number][] = [];
  rig.source.batches$.subscribe((batch) => {
    if (batch.payload.kind === 'bytes') sizes.push([batch.payload.bytes.length, batch.bytes]);
    batch.settle(delivered(1));
  });
  const none = new AbortController().signal;
  for (const length of [0, 10, 65, 100]) {
    const text = 'm'.repeat(length);
    t.deepEqual(await rig.request(inPieces(text), length, none, 100), delivered(1));
    t.deepEqual(await rig.request(inPieces(text), undefined, none, 100), delivered(1));
  }
  t.deepEqual(
    sizes,
    [0, 0, 10, 10, 65, 65, 100, 100].map((length) => [length, length]),
  );
  for (const length of [101, undefined]) {
    const answer = await rig.request(inPieces('m'.repeat(101)), length, none, 100);
    t.true(answer !== undefined && 'message' in answer && answer.message.includes('longer than 100 bytes'));
  }
  t.is(rig.gate.bytes, 0);
});
