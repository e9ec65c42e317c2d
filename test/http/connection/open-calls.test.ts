import { PassThrough } from 'node:stream';
import test from 'ava';
import { OpenCalls, type Watched } from '../../../src/http/connection/open-calls.js';

const socket = new PassThrough();

function watched(isClientsMove: boolean): Watched {
  const state = { socket, place: -1, isAnswering: false, isWhole: !isClientsMove, outlivesEnd: false };
  return { ...state, isClientsMove: () => isClientsMove, beLast: () => undefined };
}

test('half a request behind one that the service works on does not make its client stuck', (t) => {
  const calls = new OpenCalls(1_000);
  const [first, slow, half] = [watched(false), watched(false), watched(true)];
  for (const call of [first, slow, half]) calls.begin(call);
  t.false(calls.clientIsStuck(socket));
  calls.end(first);
  t.false(calls.clientIsStuck(socket));
  calls.end(slow);
  t.true(calls.clientIsStuck(socket));
  calls.end(half);
  t.true(calls.clientIsStuck(socket), 'nothing is open');
});
