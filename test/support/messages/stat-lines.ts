import { StatsdReader } from '../../../src/transforms/parse/statsd.js';
import { StatStore } from '../../../src/transforms/stat-store.js';

/** Limits that no test reaches by chance. */
export const statLimits = { maxKeys: 10_000, maxKeyBytes: 1024 * 1024, maxSetValues: 10_000 };
export const deleteAll = [true, true, true, true, true];

/** A store with what the texts tell it. */
export function storeOf(
  texts: readonly (string | Uint8Array)[],
  percentiles: readonly number[] = [],
  deletion = deleteAll,
): StatStore {
  const store = new StatStore(statLimits, deletion, percentiles);
  const reader = new StatsdReader();
  for (const text of texts) reader.read(typeof text === 'string' ? Buffer.from(text) : text, store);
  return store;
}

/** Fields of every series that a gather writes, by series as it stands in the line. */
export function flushed(store: StatStore, blockBytes = 65_536): Record<string, Record<string, number>> {
  const rows: Record<string, Record<string, number>> = {};
  for (const block of store.flush(1_700_000_000_000_000n, blockBytes)) {
    for (const line of block.bytes.toString().trimEnd().split('\n')) {
      const [, series = '', fields = ''] = /^(.*?[^\\]) (\S+) 1700000000000000$/.exec(line) ?? [];
      const pairs = fields.split(',').map((field) => field.split('='));
      rows[series] = Object.fromEntries(pairs.map(([name, value]) => [name, Number.parseFloat(value ?? '')]));
    }
  }
  return rows;
}

/** What one interval with these texts writes. */
export function statsOf(...texts: string[]): Record<string, Record<string, number>> {
  return flushed(storeOf(texts));
}
