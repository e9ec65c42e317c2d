import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import test from 'ava';
import { RequestsInFlight } from '../../../src/http/connection/requests-in-flight.js';

/** A request on a connection, all of which has come or not. */
function request(socket: Socket, isWhole: boolean): readonly [IncomingMessage, ServerResponse] {
  const message = new IncomingMessage(socket);
  message.complete = isWhole;
  const response = new ServerResponse(message);
  response.assignSocket(Object.assign(new EventEmitter(), { writable: true }) as Socket);
  return [message, response];
}

test('half a request behind one that the service works on does not make its client stuck', (t) => {
  const calls = new RequestsInFlight(1_000);
  const socket = new Socket();
  const all = [true, true, false].map((isWhole) => request(socket, isWhole));
  for (const [message, response] of all) calls.add(message, response);
  t.false(calls.clientIsStuck(socket));
  const ends = all.map(
    ([, response]) =>
      () =>
        response.emit('close'),
  );
  ends[0]?.();
  t.false(calls.clientIsStuck(socket));
  ends[1]?.();
  t.true(calls.clientIsStuck(socket));
  ends[2]?.();
  t.true(calls.clientIsStuck(socket), 'nothing is open');
});
