import test from 'ava';
import { faultErrorOf } from '../../../src/database/engine/engine-faults.js';
import { EngineError, engineErrorIn } from '../../../src/database/engine/engine-http.js';

test('a node that ends while it answers another one is a fault of the network, and data that are too short are not', (t) => {
  const text = 'Attempt to read after eof: while receiving packet from 10.0.0.7:9000, local address: 10.0.0.8:40000';
  t.is(faultErrorOf(new EngineError(32, 'ATTEMPT_TO_READ_AFTER_EOF', text)).fault.kind, 'network');
  const short = 'Attempt to read after eof: while reading column v';
  t.is(faultErrorOf(new EngineError(32, 'ATTEMPT_TO_READ_AFTER_EOF', short)).fault.kind, 'database');
  const keeper = 'Cannot read all data. Bytes read: 0. Bytes expected: 4: while receiving handshake from ZooKeeper.';
  t.is(faultErrorOf(new EngineError(33, 'CANNOT_READ_ALL_DATA', keeper)).fault.kind, 'network');
  const greeting = new EngineError(
    33,
    'CANNOT_READ_ALL_DATA',
    'Cannot read all data. Bytes read: 2. Bytes expected: 10',
  );
  t.is(faultErrorOf(greeting).fault.kind, 'database');
  t.is(faultErrorOf(greeting, true).fault.kind, 'network', 'of a node of a cluster');
});

test('a full disk of another node is reported without its address', (t) => {
  const text = 'Received from 10.0.0.7:9000. DB::Exception: Cannot reserve 1.00 MiB, not enough space.';
  const { kind, message } = faultErrorOf(new EngineError(243, 'NOT_ENOUGH_SPACE', text)).fault;
  t.deepEqual([kind, message], ['resource', 'The disk of another node of the cluster is full']);
});

test('sockets that break between nodes are faults of the network', (t) => {
  for (const [code, type] of [
    [95, 'CANNOT_READ_FROM_SOCKET'],
    [96, 'CANNOT_WRITE_TO_SOCKET'],
    [210, 'NETWORK_ERROR'],
  ] as const) {
    t.is(faultErrorOf(new EngineError(code, type, 'Broken pipe')).fault.kind, 'network', type);
  }
});

test('a keeper that does not answer is a fault of the network, in one line', (t) => {
  const lines = ['Code: 999. Coordination::Exception: All connection tries failed. nodes: 10.0.0.9:9181', 'Refused'];
  const { fault } = faultErrorOf(engineErrorIn(`${lines.join('\n')}. (KEEPER_EXCEPTION) (version 26.7.2.1)`));
  t.like(fault, {
    kind: 'network',
    message: 'The keeper of the cluster fails: All connection tries failed. nodes: 10.0.0.9:9181',
  });
});

test('limits of the engine are reported in words of the service', (t) => {
  const list =
    'A call to function range would produce 500100000 array elements, which is greater than the allowed maximum';
  const text = 'Too large string size (310000000000) in function repeat, maximum is: 1073741824';
  for (const [code, type, said] of [
    [128, 'TOO_LARGE_ARRAY_SIZE', list],
    [131, 'TOO_LARGE_STRING_SIZE', text],
  ] as const) {
    const { message } = faultErrorOf(new EngineError(code, type, said)).fault;
    t.is(message, 'Value out of range: a text or a list of values is too large');
  }
});
