import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { WireFormat } from '../model/batch.js';
import type { DatabaseDef } from '../model/schema.js';
import { defaultMaxKeyBytes, defaultMaxSeries, SeriesDictionary } from '../transforms/points/series-dictionary.js';
import type { Definer } from './write/define.js';

/** Databases whose series are remembered at once. */
const maxDatabases = 64;

/** The series of one database, as the parser of one format knows them by their keys in the text. */
interface Series {
  readonly epoch: number;
  readonly dictionary: SeriesDictionary;
}

/**
 * The series dictionaries of the databases that are written to. What all but one of them hold stays
 * within the limits of one: the database that was not written to for the longest time is forgotten first.
 */
export class Dictionaries {
  readonly #catalogue: Catalogue;
  /** By database id and format, the one written to last at the end. */
  readonly #series = new Map<string, Series>();
  #last = '';

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Databases that are remembered. */
  get size(): number {
    return this.#series.size;
  }

  /** The dictionary of a database and format; a new one when something under the database was dropped. */
  of(database: DatabaseDef, format: WireFormat): SeriesDictionary {
    const key = `${database.id} ${format}`;
    const epoch = this.#catalogue.epoch(database.name);
    const known = this.#series.get(key);
    if (known !== undefined && known.epoch === epoch && key === this.#last) return known.dictionary;
    this.#last = key;
    const series = known?.epoch === epoch ? known : { epoch, dictionary: new SeriesDictionary() };
    this.#series.delete(key);
    this.#forgetExcess();
    this.#series.set(key, series);
    return series.dictionary;
  }

  /**
   * A definer that is watched. Where it is refused, others were first, and what is known of the series of the database
   * may be meant for tables that there are not.
   */
  expiredBy(definer: Definer): Definer {
    return {
      isDefined: (block) => definer.isDefined(block),
      define: async (block) => {
        try {
          await definer.define(block);
        } catch (error) {
          this.#expire(block.database);
          throw error;
        }
      },
    };
  }

  /** Lets everything about a database be forgotten before its next text is read. */
  #expire(database: string): void {
    const id = this.#catalogue.database(database)?.id;
    for (const [key, { dictionary }] of this.#series) if (key.startsWith(`${id} `)) dictionary.expire();
  }

  #forgetExcess(): void {
    let series = 0;
    let keyBytes = 0;
    for (const { dictionary } of this.#series.values()) {
      series += dictionary.size;
      keyBytes += dictionary.keyBytes;
    }
    for (const [key, { dictionary }] of this.#series) {
      if (this.#series.size < maxDatabases && series <= defaultMaxSeries && keyBytes <= defaultMaxKeyBytes) return;
      this.#series.delete(key);
      series -= dictionary.size;
      keyBytes -= dictionary.keyBytes;
    }
  }
}
