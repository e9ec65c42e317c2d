import test from 'ava';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { DatagramQueue } from '../../../src/sources/support/datagrams.js';
import { silentLog } from '../../support/engine/engine.js';
import { until } from '../../support/until.js';

test('datagrams that find no room for their bytes are shed, and room is there again once others were sent on', async (t) => {
  const blocks: string[] = [];
  const gate = new ByteCreditGate(1);
  const limits = { maxPending: 100, maxPendingBytes: 10 };
  const queue = new DatagramQueue('lines', limits, gate, silentLog, (block) => blocks.push(block.toString()));
  gate.take(1);
  for (const text of ['four', 'six666', 'x']) queue.add(Buffer.from(text));
  t.deepEqual([queue.received, queue.shed], [2, 1]);
  gate.give(1);
  t.true(await until(() => blocks.length === 1));
  gate.take(1);
  queue.add(Buffer.from('ten1010101'));
  queue.add(Buffer.from('y'));
  t.deepEqual([queue.received, queue.shed], [3, 2]);
  queue.flush();
  t.deepEqual(blocks, ['four\nsix666\n', 'ten1010101\n']);
});

test('a gate that is held sheds every datagram, and blocks with lengths keep each apart', (t) => {
  const blocks: Buffer[] = [];
  const gate = new ByteCreditGate(100);
  const limits = { maxPending: 2, maxPendingBytes: 100 };
  const queue = new DatagramQueue('lengths', limits, gate, silentLog, (block) => blocks.push(Buffer.from(block)));
  const release = gate.hold('memory');
  queue.add(Buffer.from('a'));
  release();
  for (const text of ['b\n', '', 'c']) queue.add(Buffer.from(text));
  t.deepEqual([queue.received, queue.shed], [2, 2]);
  queue.flush();
  t.deepEqual(blocks, [Buffer.from('\0\x02b\n\0\0')]);
});
