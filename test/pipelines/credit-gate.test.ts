import test from 'ava';
import { ByteCreditGate } from '../../src/pipelines/credit-gate.js';

async function isOpen(gate: ByteCreditGate): Promise<boolean> {
  return Promise.race([gate.opened().then(() => true), new Promise<boolean>((r) => setImmediate(() => r(false)))]);
}

test('closes when the credit is used up and opens when it is given back', async (t) => {
  const gate = new ByteCreditGate(100);
  gate.take(99);
  t.true(await isOpen(gate));
  gate.take(1);
  t.false(await isOpen(gate));
  gate.give(1);
  t.true(await isOpen(gate));
  t.is(gate.bytes, 99);
});

test('stays shut while anything holds it', async (t) => {
  const gate = new ByteCreditGate(100);
  const releaseOne = gate.hold('memory');
  const releaseTwo = gate.hold('draining');
  const opened = gate.opened().then(() => 'open');
  releaseOne();
  releaseOne();
  t.false(await isOpen(gate));
  releaseTwo();
  t.is(await opened, 'open');
});

test('lets one batch larger than the limit pass when nothing is in flight', async (t) => {
  const gate = new ByteCreditGate(10);
  t.true(await isOpen(gate));
  gate.take(1_000);
  t.false(await isOpen(gate));
  gate.give(1_000);
  t.true(await isOpen(gate));
});
