import test from 'ava';
import { InFlight } from '../../../src/load/insert/in-flight.js';
import { maxRequestsInFlight } from '../../../src/load/model/scenario.js';

/** Requests that the test ends. */
class Requests {
  readonly begun: number[] = [];
  readonly #ends = new Map<number, { readonly end: () => void; readonly fail: (error: Error) => void }>();

  begin(name: number): () => Promise<void> {
    return () => {
      this.begun.push(name);
      return new Promise((resolve, reject) => this.#ends.set(name, { end: resolve, fail: reject }));
    };
  }

  end(name: number): void {
    this.#ends.get(name)?.end();
  }

  fail(name: number): void {
    this.#ends.get(name)?.fail(new Error(`request ${name}`));
  }
}

/** Lets everything go on that waits for nothing but its turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('full requests follow one after the other', async (t) => {
  const inFlight = new InFlight(100);
  const requests = new Requests();
  await inFlight.start(100, requests.begin(1));
  const second = inFlight.start(100, requests.begin(2));
  await turn();
  t.deepEqual(requests.begun, [1]);
  requests.end(1);
  await second;
  t.deepEqual(requests.begun, [1, 2]);
});

test('without a number of rows even short requests follow one after the other', async (t) => {
  const inFlight = new InFlight(0);
  const requests = new Requests();
  await inFlight.start(1, requests.begin(1));
  const second = inFlight.start(1, requests.begin(2));
  await turn();
  t.deepEqual(requests.begun, [1]);
  requests.end(1);
  await second;
});

test('short requests are in flight together, with no more rows than one request may have', async (t) => {
  const inFlight = new InFlight(100);
  const requests = new Requests();
  for (const name of [1, 2, 3]) await inFlight.start(30, requests.begin(name));
  const fourth = inFlight.start(30, requests.begin(4));
  await turn();
  t.deepEqual(requests.begun, [1, 2, 3]);
  requests.end(2);
  await fourth;
  t.deepEqual(requests.begun, [1, 2, 3, 4]);
});

test('a request with more rows than others may have together goes alone', async (t) => {
  const inFlight = new InFlight(1_000_000);
  const requests = new Requests();
  await inFlight.start(10_000, requests.begin(1));
  const second = inFlight.start(10, requests.begin(2));
  await turn();
  t.deepEqual(requests.begun, [1]);
  requests.end(1);
  await second;
  const third = inFlight.start(10_000, requests.begin(3));
  await turn();
  t.deepEqual(requests.begun, [1, 2]);
  requests.end(2);
  await third;
});

test('the number of requests is bounded', async (t) => {
  const inFlight = new InFlight(1_000_000);
  const requests = new Requests();
  for (let name = 0; name < maxRequestsInFlight; name++) await inFlight.start(1, requests.begin(name));
  const next = inFlight.start(1, requests.begin(-1));
  await turn();
  t.is(requests.begun.length, maxRequestsInFlight);
  requests.end(7);
  await next;
});

test('after a failure nothing is started, and what is in flight ends first', async (t) => {
  const inFlight = new InFlight(100);
  const requests = new Requests();
  await inFlight.start(10, requests.begin(1));
  await inFlight.start(10, requests.begin(2));
  requests.fail(1);
  await turn();
  await t.throwsAsync(inFlight.start(10, requests.begin(3)), { message: 'request 1' });
  let isIdle = false;
  const idle = t.throwsAsync(
    inFlight.idle().finally(() => {
      isIdle = true;
    }),
    { message: 'request 1' },
  );
  await turn();
  t.false(isIdle);
  requests.end(2);
  await idle;
  await inFlight.ended();
  t.deepEqual(requests.begun, [1, 2]);
});
