import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { nowTicks, storableTimes } from '../../database/catalogue/storable-times.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import type { ByteBlock, Target, WireFormat } from '../../model/batch.js';
import type { WriteMeter } from '../../model/component.js';
import { FaultError, missingDatabase } from '../../model/fault.js';
import type { DatabaseDef, TagValue } from '../../model/schema.js';
import type { ParsedPoints, TextTimes } from '../../transforms/points/parse-options.js';
import { SeriesDictionary } from '../../transforms/points/series-dictionary.js';
import type { Dictionaries } from '../dictionaries.js';
import { type PointFormat, pointParsers } from '../formats.js';
import type { MetadataCache } from './metadata-cache.js';
import type { ArrivedPayload } from './payload-reader.js';

/** What the meaning of points depends on besides their payload. */
interface PointReaderContext {
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  readonly meter: Pick<WriteMeter, 'leftOut'>;
  readonly limits: { readonly maxLineBytes: number; readonly maxMessageBytes: number };
  readonly dictionaries: Dictionaries;
  readonly metadata: MetadataCache;
  /** Names of the values of agents' lists by type, where a types database is given. */
  readonly dataSourceNames?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Whether names of OpenTelemetry's metrics get their unit and type behind them. */
  readonly otlpSuffixes?: boolean | undefined;
}

/** Parses payloads of points into the rows of tables, with the catalogue as it is now. */
export class PointReader {
  readonly #context: PointReaderContext;

  constructor(context: PointReaderContext) {
    this.#context = context;
  }

  /** The rows of a payload, or of several that came at different times as one. Throws a FaultError. */
  read({ format, bytes, part, merged }: ByteBlock, target: Target, arrived?: readonly ArrivedPayload[]): ParsedPoints {
    const { catalogue, subTables, limits, meter, metadata, dataSourceNames, otlpSuffixes = false } = this.#context;
    const database = catalogue.database(target.database);
    if (database === undefined) throw new FaultError(missingDatabase(target.database));
    if (!isPointFormat(format)) throw new Error(`Text of the format ${format} has no points.`);
    const times = timesOf(database, target.reading?.nowMicros);
    const place = `${database.id} ${catalogue.epoch(database.name)} `;
    const nameTag = target.tableNameTag;
    const parsed = pointParsers[format](bytes, {
      database,
      precision: target.precision,
      ...times,
      ttl: target.ttl,
      schema: catalogue,
      // Series whose sub-table a tag names have other names than those that are known.
      dictionary: nameTag === undefined ? this.#context.dictionaries.of(database, format) : new SeriesDictionary(),
      ...(dataSourceNames === undefined ? {} : { dataSourceNames }),
      otlpSuffixes,
      ...(target.tally === undefined ? {} : { tally: target.tally }),
      isStored: metadata.reader(place),
      makeSubTable: (superTable, name, tags, ttl, metric) => {
        const named = namedByTag(name, tags, nameTag);
        return subTables.make(database, superTable, named.name, named.tags, ttl, metric);
      },
      maxLineBytes: limits.maxLineBytes,
      part,
      texts:
        merged?.ends.map((end) => ({ end, times })) ??
        arrived?.map(({ end, nowMicros }) => ({ end, times: timesOf(database, nowMicros) })),
      maxMessageBytes: limits.maxMessageBytes,
    });
    if (parsed.leftOut > 0) meter.leftOut(format, parsed.leftOut);
    return metadata.expect(place, parsed);
  }
}

/** The name and the tags of a sub-table, where the value of a tag may be its name. */
function namedByTag(name: string, tags: ReadonlyMap<string, TagValue>, nameTag: string | undefined) {
  const subTable = nameTag === undefined ? undefined : tags.get(nameTag);
  if (subTable === undefined || subTable === '') return { name, tags };
  return { name: subTable, tags: new Map([...tags].filter(([tag]) => tag !== nameTag)) };
}

/** The times of rows of a payload that came at a time, in Unix microseconds, or comes now. */
function timesOf(database: DatabaseDef, micros?: bigint): TextTimes {
  const now = nowTicks(database, micros);
  const { min, max } = storableTimes(database, now);
  return { nowTicks: now, minTicks: min, maxTicks: max };
}

function isPointFormat(format: WireFormat): format is PointFormat {
  return format in pointParsers;
}
