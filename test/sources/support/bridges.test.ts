import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { fromBytes } from '../../../src/sources/support/bridges.js';
import { until } from '../../support/until.js';

test('bytes that come while the gate is shut wait for it, those of a read that was begun before, too', async (t) => {
  const gate = new ByteCreditGate(100);
  const [input, chain] = [new PassThrough(), new PassThrough()];
  let text = '';
  const reading = fromBytes<Buffer>(input, chain, gate, new AbortController().signal).subscribe((bytes) => {
    text += bytes;
  });
  input.write('one ');
  t.true(await until(() => text === 'one '));
  const release = gate.hold('memory');
  input.write('two ');
  for (let time = 0; time < 10; time++) await turn();
  t.is(text, 'one ');
  release();
  t.true(await until(() => text === 'one two '));
  reading.unsubscribe();
});

test('of several readers that wait for the gate the first one uses up its credit', async (t) => {
  const gate = new ByteCreditGate(100);
  gate.take(100);
  let emitted = 0;
  const readings = [0, 1, 2].map(() => {
    const input = new PassThrough();
    input.write('x');
    return fromBytes<Buffer>(input, new PassThrough(), gate, new AbortController().signal).subscribe(() => {
      emitted++;
      gate.take(100);
    });
  });
  for (let time = 0; time < 10; time++) await turn();
  t.is(emitted, 0);
  for (let round = 1; round <= 3; round++) {
    gate.give(100);
    t.true(await until(() => emitted === round));
    for (let time = 0; time < 10; time++) await turn();
    t.is(emitted, round);
  }
  for (const reading of readings) reading.unsubscribe();
});
