import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { DatabaseDef } from '../model/schema.js';
import { defaultMaxKeyBytes, defaultMaxSeries, SeriesDictionary } from '../transforms/parse/series-dictionary.js';

/** Databases whose series are remembered at once. */
const maxDatabases = 64;

/** The series of one database, as the parser knows them. */
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
  /** By database id, the one written to last at the end. */
  readonly #series = new Map<string, Series>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Databases that are remembered. */
  get size(): number {
    return this.#series.size;
  }

  /** The dictionary of a database; a new one when something under the database was dropped. */
  of(database: DatabaseDef): SeriesDictionary {
    const epoch = this.#catalogue.epoch(database.name);
    const known = this.#series.get(database.id);
    const series = known?.epoch === epoch ? known : { epoch, dictionary: new SeriesDictionary() };
    this.#series.delete(database.id);
    this.#forgetExcess();
    this.#series.set(database.id, series);
    return series.dictionary;
  }

  #forgetExcess(): void {
    let series = 0;
    let keyBytes = 0;
    for (const { dictionary } of this.#series.values()) {
      series += dictionary.size;
      keyBytes += dictionary.keyBytes;
    }
    for (const [id, { dictionary }] of this.#series) {
      if (this.#series.size < maxDatabases && series <= defaultMaxSeries && keyBytes <= defaultMaxKeyBytes) return;
      this.#series.delete(id);
      series -= dictionary.size;
      keyBytes -= dictionary.keyBytes;
    }
  }
}
