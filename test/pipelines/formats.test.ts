import test from 'ava';
import { piecesOf } from '../../src/pipelines/formats.js';
import { deflateSnappy } from '../../src/transforms/wire/deflate-snappy.js';
import { encode } from '../support/messages/remote-messages.js';

test('others have their turns while a long message in snappy is inflated', async (t) => {
  const labels = [{ name: '__name__', value: 'x'.repeat(200) }];
  const series = encode('WriteRequest', { timeseries: [{ labels, samples: [{ value: 1, timestamp: 1 }] }] });
  const parts = Array.from({ length: 80_000 }, () => series);
  const message = Buffer.concat([...deflateSnappy(parts, series.length * parts.length)]);
  let turns = 0;
  const count = (): void => {
    turns++;
    turn = setImmediate(count);
  };
  let turn = setImmediate(count);
  const pieces = piecesOf('remote-write', message, { maxMessageBytes: 2 ** 25, maxLineBytes: 2 ** 20 });
  let rows = 0;
  for await (const piece of pieces ?? []) {
    if (rows === 0) t.true(turns > 0);
    rows += piece.rows;
  }
  clearImmediate(turn);
  t.is(rows, 80_000);
});
