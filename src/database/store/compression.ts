import { expectedFault, FaultError } from '../../model/fault.js';
import { quoteString } from '../../sql/engine/quote.js';
import type { Engine, Store } from '../engine/engine.js';
import { alters } from '../engine/request.js';
import { isStaleSchema } from './stale-schema.js';

/**
 * How rows are compressed: `compact` as small as it goes without being slower, `plain` with codecs only that the engine
 * does not call experimental.
 */
export type Compression = 'compact' | 'plain';

/** The one codec that is called experimental, which exists in engines from 26.x on. */
const decimalFloats = 'ALP';

const anyType = /^/;

/** Codecs by the engine's type, the first that fits, as the engine prints them; see docs/decisions/017-codecs.md. */
const codecs: readonly { readonly type: RegExp; readonly compact: string; readonly plain?: string }[] = [
  { type: /^Nullable\(Float64/, compact: `${decimalFloats}, LZ4`, plain: 'ZSTD(1)' },
  // Another codec behind it, or a short part would take columns of both widths for one: the engine refuses such rows.
  { type: /^Nullable\(Float32/, compact: `${decimalFloats}, ZSTD(1)`, plain: 'ZSTD(1)' },
  { type: /^Nullable\((U?Int|Decimal\(([1-9]|1[0-8]),)/, compact: 'T64, ZSTD(1)' },
  // Of the key: the time, and what is the same in many rows on end.
  { type: /^Int64$/, compact: 'Delta(8), ZSTD(1)' },
  { type: anyType, compact: 'ZSTD(1)' },
];

/** The codec of a column of rows by its type in the engine. */
export function codecOf(type: string, compression: Compression): string {
  return codecIn(codecs.find((candidate) => candidate.type.test(type))!, compression);
}

function codecIn({ compact, plain = compact }: (typeof codecs)[number], compression: Compression): string {
  return compression === 'plain' ? plain : compact;
}

/** End of statements that give codecs to columns. */
export const codecSettings = 'allow_experimental_codecs = 1';

/** The compression that is wanted, as far as the engine has it. */
export async function offeredCompression(engine: Engine, compression: Compression): Promise<Compression> {
  if (compression === 'plain') return compression;
  try {
    const codecs = await engine.system.rows(`SELECT 1 FROM system.codecs WHERE name = ${quoteString(decimalFloats)}`);
    return codecs.length > 0 ? compression : 'plain';
  } catch (error) {
    // An engine without that list is older than the codec.
    if (error instanceof FaultError && error.fault.kind === 'database') return 'plain';
    throw error;
  }
}

/**
 * The columns that have codecs, by the names that the catalogue gives: all of tables of rows, and names and times of
 * sub-tables, of which a fingerprint is half as long for it. What sub-tables have beside those, questions look through
 * again and again.
 */
function compressedColumns(prefix: string): string {
  const ofRows = "match(table, '^[tns][0-9a-f]+') AND name NOT IN ('version', 'received')";
  const ofTags = "match(table, '^g([0-9]|s$)') AND name IN ('ts', 'name')";
  const ofRegistry = `database = '${prefix}sluice' AND table = 'sub_tables' AND name IN ('name', 'created')`;
  return `(match(database, '^${prefix}d[0-9]+_[0-9]+$') AND (${ofRows} OR ${ofTags}) OR ${ofRegistry})`;
}

/** A column of type `type` with its codec, to be defined; none of these codecs is experimental. */
export function packedColumn(name: string, type: 'Int64' | 'String' | 'UInt16'): string {
  return `${name} ${type} CODEC(${codecOf(type, 'plain')})`;
}

/**
 * Gives the columns of all tables their codecs where they have others, such as those of tables that an earlier version
 * made. What is stored is read as it is, and takes them as it is merged. Meant to run once at every start, beside the
 * traffic; it may be repeated and may run in several processes at once.
 * @returns how many tables were changed.
 */
export async function renewCodecs(engine: Engine, compression: Compression): Promise<number> {
  let changed = 0;
  for (const store of engine.stores()) changed += await renewCodecsOf(store, compression);
  return changed;
}

async function renewCodecsOf({ engine, prefix }: Store, compression: Compression): Promise<number> {
  const terms = codecs.map((codec) => {
    const name = quoteString(codecIn(codec, compression));
    return codec.type === anyType ? name : `match(type, ${quoteString(codec.type.source)}), ${name}`;
  });
  const change = "concat('MODIFY COLUMN `', name, '` CODEC(', codec, ')')";
  const outdated = await engine.rows(
    `WITH multiIf(${terms.join(', ')}) AS codec
     SELECT concat(database, '.', table), arrayStringConcat(groupArray(${change}), ', ') FROM system.columns
     WHERE ${compressedColumns(prefix)} AND compression_codec != concat('CODEC(', codec, ')') GROUP BY database, table`,
  );
  let changed = 0;
  for (const [place, changes] of outdated) {
    try {
      await engine.exec(`ALTER TABLE ${place} ${changes} SETTINGS ${codecSettings}`, alters(String(place)));
      changed++;
    } catch (error) {
      // Dropped meanwhile.
      if (!isStaleSchema(expectedFault(error))) throw error;
    }
  }
  return changed;
}
