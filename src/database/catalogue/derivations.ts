import type { StreamDef, TsmaDef } from '../../model/derivation.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { named, refusals } from '../../model/refusals.js';
import type { DerivationOperation, LogEntry } from './operations.js';

/** Streams and TSMAs, which are derived from tables, as a part of the fold over the log. */
export class Derivations {
  readonly #streams = new Map<string, StreamDef>();
  /** By database and name. */
  readonly #tsmas = new Map<string, TsmaDef>();
  /** Ids of the tables that were made for streams. */
  readonly #streamTables = new Set<string>();

  stream(name: string): StreamDef | undefined {
    return this.#streams.get(name);
  }

  streams(): readonly StreamDef[] {
    return [...this.#streams.values()];
  }

  /** True when a table was made for a stream, be it one that is gone. */
  isStreamTable(id: string): boolean {
    return this.#streamTables.has(id);
  }

  tsma(database: string, name: string): TsmaDef | undefined {
    return this.#tsmas.get(tsmaKey(database, name));
  }

  tsmas(database: string): readonly TsmaDef[] {
    return [...this.#tsmas.values()].filter((tsma) => tsma.database === database);
  }

  /** The TSMA that has a column of a table in one of its functions. */
  tsmaWith(database: string, table: string, column: string): TsmaDef | undefined {
    return this.tsmas(database).find((tsma) => tsma.table === table && tsma.columns.includes(column));
  }

  apply(operation: DerivationOperation, { position, at }: LogEntry, index: number): Fault | undefined {
    const { name } = operation;
    switch (operation.op) {
      case 'create-stream': {
        if (this.#streams.has(name)) return refusals.streamAlreadyExists;
        const { op: _, ...rest } = operation;
        const { current } = operation;
        if (operation.ownsTarget) this.#streamTables.add(operation.target.id);
        this.#streams.set(name, { ...rest, current, id: `${position}_${index}`, paused: false, created: at });
        return undefined;
      }
      case 'drop-stream':
        return this.#streams.delete(name) ? undefined : named(refusals.streamNotExist, name);
      case 'switch-stream': {
        const stream = this.#streams.get(name);
        if (stream === undefined) return named(refusals.streamNotExist, name);
        this.#streams.set(name, { ...stream, paused: operation.paused });
        return undefined;
      }
      case 'create-tsma': {
        const key = tsmaKey(operation.database, name);
        if (this.#tsmas.has(key)) return fault('database', Codes.smaAlreadyExists, 'SMA already exists in db');
        const { op: _, ...rest } = operation;
        this.#tsmas.set(key, { ...rest, sliding: operation.sliding, created: at });
        return undefined;
      }
      case 'drop-tsma':
        return this.#dropTsma(operation.database, name);
    }
  }

  #dropTsma(database: string, name: string): Fault | undefined {
    if (this.tsmas(database).some(({ base }) => base === name)) {
      return fault('database', Codes.tsmaIsBase, 'Invalid drop base TSMA, drop recursive TSMA first');
    }
    return this.#tsmas.delete(tsmaKey(database, name)) ? undefined : refusals.smaNotExist;
  }

  /** A database that is dropped takes its TSMAs along, and the streams that read or write it. */
  forgetDatabase(database: string): void {
    for (const { name, source, target } of this.streams()) {
      if (source.database === database || target.database === database) this.#streams.delete(name);
    }
    for (const { name } of this.tsmas(database)) this.#tsmas.delete(tsmaKey(database, name));
  }

  /** A table that is dropped takes its TSMAs along. Streams stay and report what they miss. */
  forgetTable(database: string, table: string): void {
    for (const tsma of this.tsmas(database)) if (tsma.table === table) this.#tsmas.delete(tsmaKey(database, tsma.name));
  }
}

function tsmaKey(database: string, name: string): string {
  return `${database}\0${name}`;
}
