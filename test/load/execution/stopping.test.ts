import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { cutAfterGrace, firstResponse, StoppedBeforehand } from '../../../src/load/execution/stopping.js';
import { FaultError } from '../../../src/model/fault.js';

/** A question that is answered when the test says so. */
function asking(timeoutMs?: number) {
  const { promise: response, resolve: answer, reject: refuse } = withResolvers<string>();
  const stop = new AbortController();
  const late: string[] = [];
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const tooLate = (text: string): void => void late.push(text);
  const answered = firstResponse({ response, otherwise: 'No database', stop: stop.signal, tooLate, ...limit });
  return { answered, answer, refuse, stop, late };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const log = () => {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  return { lines, info: say, done: say, warn: say, error: say, debug: say };
};

test('an answer in time is passed on, and so is a refusal', async (t) => {
  const good = asking();
  good.answer('here');
  t.is(await good.answered, 'here');
  const bad = asking();
  bad.refuse(new Error('nobody here'));
  await t.throwsAsync(bad.answered, { message: 'nobody here' });
  t.deepEqual([...good.late, ...bad.late], []);
});

test('silence is a fault of the network after the limit, and an answer that comes later is given back', async (t) => {
  const silent = asking(20);
  const error = await t.throwsAsync(silent.answered, { instanceOf: FaultError });
  t.is(error?.fault.kind, 'network');
  t.is(error?.fault.message, 'No database: no answer within 0.02 seconds');
  silent.answer('at last');
  await turn();
  t.deepEqual(silent.late, ['at last']);
});

test('a person who asks for the end need not wait for the first answer', async (t) => {
  const silent = asking();
  silent.stop.abort();
  await t.throwsAsync(silent.answered, { instanceOf: StoppedBeforehand });
  const { signal: stop } = silent.stop;
  const never = new Promise<string>(() => {});
  const beforehand = firstResponse({ response: never, otherwise: '', stop, tooLate: () => {} });
  await t.throwsAsync(beforehand, { instanceOf: StoppedBeforehand });
});

test('requests in flight are cut some time after a stop, unless they have ended', async (t) => {
  const stop = new AbortController();
  const said = log();
  const cut = new Promise<void>((resolve) => {
    cutAfterGrace({ stop: stop.signal, log: said }, resolve, 1);
  });
  const callOff = cutAfterGrace({ stop: stop.signal, log: said }, () => t.fail('It had ended.'), 1);
  stop.abort();
  callOff();
  await cut;
  t.deepEqual(said.lines, ['What has not ended within 0.001 seconds is broken off.']);
});
