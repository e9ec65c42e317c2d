import type { CatalogueLog } from './log.js';
import type { LogEntry } from './operations.js';

/** Key of an entry without operations, which stands where the other log has a gap. */
const gapKey = 'gap';

/**
 * Gives a log the entries of another one, each at the position that it has there, because names of storage are made of
 * positions. What is there already from an earlier call is left, and so is what was appended since. No other process
 * may append meanwhile.
 * @throws Error when the log began otherwise.
 */
export async function copyLog(from: CatalogueLog, to: CatalogueLog): Promise<void> {
  const entries = withoutGaps(await from.read(0));
  for (const { key, at, operations } of entries.slice(await agreed(entries, to)))
    await to.append(operations, { key, at });
  if ((await agreed(entries, to)) < entries.length) throw new Error('Others have changed the catalogue meanwhile.');
}

/** How many of the wanted entries a log has; those behind them came later. */
async function agreed(entries: readonly LogEntry[], to: CatalogueLog): Promise<number> {
  const copied = (await to.read(0)).slice(0, entries.length);
  const isSame = copied.every(({ position, key }, at) => position === at + 1 && key === entries[at]?.key);
  if (!isSame) throw new Error('The new database has databases, users or tables of its own.');
  return copied.length;
}

function withoutGaps(entries: readonly LogEntry[]): readonly LogEntry[] {
  const all: LogEntry[] = [];
  for (const entry of entries) {
    while (all.length + 1 < entry.position) {
      all.push({ position: all.length + 1, key: gapKey, at: entry.at, operations: [] });
    }
    all.push(entry);
  }
  return all;
}
