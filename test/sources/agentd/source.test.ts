import test from 'ava';
import { map } from 'rxjs';
import type { Batch, ByteBlock, Target } from '../../../src/model/batch.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { AgentdSource } from '../../../src/sources/agentd/source.js';
import { sourceContract } from '../../contracts/source-contract.js';
import { silentLog } from '../../support/engine/engine.js';
import { sendDatagrams } from '../../support/inputs/datagrams.js';
import { overheard } from '../../support/inputs/unanswered.js';
import { blockOf } from '../../support/messages/agent-packets.js';
import { until } from '../../support/until.js';

const target: Target = { database: 'd', user: 'u', createDatabase: false, ttl: 0, precision: 'ns' };
const large = Array.from({ length: 40 }, (_, i) => `packet ${i}\n`).join('');

const sources: AgentdSource[] = [];
test.after.always(() => Promise.all(sources.map((source) => source.stop())));

function sourceOf(gate: ByteCreditGate, allowPendingPackets = 1000, worker = 10): AgentdSource {
  const options = { host: '127.0.0.1', port: 0, worker, allowPendingPackets, target };
  const source = new AgentdSource(options, gate, silentLog);
  sources.push(source);
  return source;
}

/** The packets of a block without the lengths before them. */
function withoutLengths(batch: Batch<ByteBlock>): Batch<ByteBlock> {
  const block = Buffer.from(batch.payload.bytes);
  const packets: Buffer[] = [];
  for (let at = 0; at < block.length; at += 2 + block.readUInt16BE(at)) {
    packets.push(block.subarray(at + 2, at + 2 + block.readUInt16BE(at)));
  }
  return { ...batch, payload: { ...batch.payload, bytes: Buffer.concat(packets) } };
}

async function contract() {
  const gate = new ByteCreditGate(64);
  const source = sourceOf(gate);
  const bare = {
    name: source.name,
    batches$: source.batches$.pipe(map(withoutLengths)),
    start: () => source.start(),
    drain: () => source.drain(),
    stop: () => source.stop(),
  };
  const heard = overheard(bare);
  await source.start();
  const send = async (text: string): Promise<Delivery | undefined> => {
    heard.begin();
    await sendDatagrams(source.port, text.match(/.*\n/g) ?? []);
    return heard.ending(Buffer.byteLength(text));
  };
  return { source: heard.source, gate, send, shed: () => source.counts.shedDatagrams };
}

sourceContract(test, 'agentd', contract, large, 'sheds');

test('packets for which there is no room are shed and counted, the others stand behind their lengths', async (t) => {
  const gate = new ByteCreditGate(1000);
  const source = sourceOf(gate, 2);
  const blocks: Buffer[] = [];
  source.batches$.subscribe((batch) => {
    blocks.push(Buffer.from(batch.payload.bytes));
    batch.settle(delivered(1));
  });
  await source.start();
  gate.take(1e9);
  await sendDatagrams(source.port, ['one', 'three', 'four', 'five']);
  await until(() => source.counts.shedDatagrams === 2, 5_000);
  gate.give(1e9);
  await until(() => blocks.length > 0, 5_000);
  t.deepEqual(Buffer.concat(blocks), blockOf([Buffer.from('one'), Buffer.from('three')]));
  t.like(source.counts, { datagrams: 2, shedDatagrams: 2 });
});

test('no more blocks are out than there are workers, and what comes meanwhile goes together', async (t) => {
  const source = sourceOf(new ByteCreditGate(1e6), 1000, 2);
  const open: Batch<ByteBlock>[] = [];
  source.batches$.subscribe((batch) => open.push(batch));
  await source.start();
  await sendDatagrams(source.port, ['a']);
  await until(() => open.length === 1, 5_000);
  await sendDatagrams(source.port, ['b']);
  await until(() => open.length === 2, 5_000);
  await sendDatagrams(source.port, ['c', 'd', 'e', 'f']);
  await until(() => source.counts.datagrams === 6, 5_000);
  t.is(open.length, 2);
  open[0]?.settle(delivered(1));
  await until(() => open.length === 3, 5_000);
  t.is(open[2]?.rows, 4);
});
