import test from 'ava';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { DatagramQueue } from '../../../src/sources/support/datagrams.js';
import { endsItsLines } from '../../../src/transforms/wire/line-cutter.js';
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

test('a datagram whose last string is not closed is the last of its block, so that no other one closes it', (t) => {
  const blocks: string[] = [];
  const limits = { maxPending: 100, maxPendingBytes: 1000 };
  const emit = (block: Buffer) => void blocks.push(block.toString());
  const queue = new DatagramQueue('lines', limits, new ByteCreditGate(1), silentLog, emit, endsItsLines);
  for (const text of ['m s="a"', 'm s="b\nc",v=1\n', 'm s="d', 'm v=2', '# "', '" 1', 'm s="e\\'])
    queue.add(Buffer.from(text));
  queue.flush();
  t.deepEqual(blocks, ['m s="a"\nm s="b\nc",v=1\nm s="d\n', 'm v=2\n# "\n" 1\nm s="e\\\n']);
});

test('datagrams that stand alone are sent on in their order, and make room for others', async (t) => {
  const blocks: string[] = [];
  const gate = new ByteCreditGate(1);
  const limits = { maxPending: 10, maxPendingBytes: 1000 };
  const emit = (block: Buffer): void => {
    blocks.push(block.toString());
    if (blocks.length % 4 === 0) gate.take(1);
  };
  const queue = new DatagramQueue('lines', limits, gate, silentLog, emit, () => false);
  gate.take(1);
  for (let i = 0; i < 12; i++) queue.add(Buffer.from(`${i}`));
  gate.give(1);
  t.true(await until(() => blocks.length === 4));
  for (let i = 12; i < 18; i++) queue.add(Buffer.from(`${i}`));
  t.deepEqual([queue.received, queue.shed], [14, 4]);
  queue.flush();
  t.deepEqual(
    blocks.map((block) => block.trimEnd()),
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '12', '13', '14', '15'],
  );
});
