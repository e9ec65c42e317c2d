import test from 'ava';
import { type Batch, type BlockGroup, groupBatches } from '../../../src/model/batch.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { MetadataCache } from '../../../src/pipelines/write/metadata-cache.js';
import { parseRemoteWrite } from '../../../src/transforms/parse/remote-write/remote-write.js';
import type { ParsedPoints } from '../../../src/transforms/points/parse-options.js';
import { LineProtocolDesk } from '../../support/messages/line-protocol.js';
import { writeBody } from '../../support/messages/remote-messages.js';

const desk = new LineProtocolDesk();
const day = 86_400_000_000_000n;
const signal = new AbortController().signal;
const labels = [{ name: '__name__', value: 'first' }];
const samples = [{ value: 1, timestamp: 1_700_000_000_000 }];

function groupOf({ blocks }: ParsedPoints): Batch<BlockGroup> {
  const target = { database: 'demo', user: 'root', createDatabase: false, ttl: 0, precision: 'ms' } as const;
  const settle = (): void => undefined;
  return groupBatches(
    blocks.map((payload) => ({ origin: 'test', target, payload, rows: payload.rows, bytes: 1, settle })),
  );
}

test('metadata that is stored already is left out, anything else is not', async (t) => {
  let ending: Delivery = delivered(3);
  const memory = new MetadataCache();
  const sink = memory.caching({ write: async () => ending });
  /** Sends a sample and the metadata of two metrics; gives how many rows were written. */
  const send = async (help: string, onDay = 1n, place = 'demo 1 '): Promise<number> => {
    const metadata = ['first', 'second'].map((name) => ({ type: 1, metric_family_name: name, help }));
    const tally = { histograms: 0, exemplars: 0, metadata: 0 };
    const more = { nowTicks: onDay * day + 5n, tally, isStored: memory.reader(place) };
    const body = writeBody([{ labels, samples }], metadata);
    const points = memory.expect(place, parseRemoteWrite(body, { ...desk.options(), ...more }));
    t.is(points.rows, 1 + tally.metadata);
    await sink.write(groupOf(points), signal);
    return points.rows;
  };
  ending = { outcome: 'shed', reason: 'queue-full' };
  t.is(await send('a'), 3);
  ending = delivered(3);
  t.is(await send('a'), 3, 'what was not stored is written');
  t.is(await send('a'), 1);
  t.is(await send('b'), 3);
  t.is(await send('a'), 3, 'the last metadata is stored');
  t.is(await send('a', 2n), 3, 'a new day is a new row');
  t.is(await send('a', 2n), 1);
  t.is(await send('a', 2n, 'demo 2 '), 3, 'something was dropped');
});
