import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import test from 'ava';
import { cacheHead, headOf } from '../../../src/http/request/request-head.js';

/** A request as the runtime's parser gives it; headers are names and values in turn. */
function request(socket: Socket, rawHeaders: readonly string[], url = '/write?db=d', method = 'POST'): IncomingMessage {
  return Object.assign(new IncomingMessage(socket), { method, url, httpVersion: '1.1', rawHeaders: [...rawHeaders] });
}

const headers = ['Host', 'a', 'Authorization', 'Basic x', 'Content-Length', '5'];

test('a request has the cached head of its connection if only the length of its body differs', (t) => {
  const socket = new Socket();
  const first = headOf(request(socket, headers));
  t.not(headOf(request(socket, headers)), first, 'it is not cached yet');
  cacheHead(socket, first);
  t.is(headOf(request(socket, headers)), first);
  t.is(headOf(request(socket, ['Host', 'a', 'Authorization', 'Basic x', 'Content-Length', '17'])), first);
  const others = [
    request(new Socket(), headers),
    request(socket, headers, '/write?db=e'),
    request(socket, headers, '/write?db=d', 'PUT'),
    request(socket, ['Host', 'a', 'Authorization', 'Basic y', 'Content-Length', '5']),
    request(socket, ['Host', 'a', 'Authorization', 'Basic x', 'Content-Lengt', '5']),
    request(socket, ['Host', 'a', 'Authorization', 'Basic x', 'Transfer-Enco', '5']),
    request(socket, ['Host', 'a', 'Authorization', 'Basic x']),
    request(socket, [...headers, 'X', 'y']),
    request(socket, ['Authorization', 'Basic x', 'Host', 'a', 'Content-Length', '5']),
    Object.assign(request(socket, headers), { httpVersion: '1.0' }),
  ];
  for (const other of others) t.not(headOf(other), first);
});

test('a long head is not cached', (t) => {
  const socket = new Socket();
  const long = headOf(request(socket, [...headers, 'X', 'x'.repeat(9_000)]));
  cacheHead(socket, long);
  t.not(headOf(request(socket, [...headers, 'X', 'x'.repeat(9_000)])), long);
});

test('a head has the query and the request id of its URL', (t) => {
  const head = headOf(request(new Socket(), headers, '/write?db=a%20b&req_id=77'));
  t.is(head.query.get('db'), 'a b');
  t.is(head.requestId, '0x4d');
  t.is(headOf(request(new Socket(), headers, '/write')).requestId, '');
});
