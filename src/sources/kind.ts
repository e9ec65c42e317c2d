import type { MonoTypeOperatorFunction } from 'rxjs';
import type { Batch, ByteBlock, Target } from '../model/batch.js';
import type { ComponentLog, ReadGate, Source } from '../model/component.js';
import type { WatchedMetrics } from '../model/metric.js';
import type { OptionTable, SettingReader } from '../model/option.js';
import type { ListenPort } from './support/listeners.js';
import type { LossLog } from './support/loss-log.js';

/** Settings that every way in has, besides its own. */
export interface SourceSettings {
  readonly enable: boolean;
  /** Who writes, for senders who bring no credentials. */
  readonly user: string;
  readonly password: string;
}

/** A scrape with some of the lines of another one. */
export interface ScrapePiece {
  readonly bytes: Uint8Array;
  /** It stands for a metric that is longer than a row may be. */
  readonly tooLong?: boolean;
}

/** Context that the service hands to each source. */
interface SourceContext {
  /** A gate of its own: a sender who floods one way in holds up no other one. */
  readonly gate: ReadGate;
  readonly log: ComponentLog;
  /** Logs what is lost, a line per kind and interval. */
  readonly losses: LossLog;
  /** Logs how batches end that end within the source; those that it yields are reported by the service. */
  readonly reported: MonoTypeOperatorFunction<Batch<ByteBlock>>;
  /** Reports the result of a scrape; `problem` says why it failed. */
  readonly scraped: (address: string, problem: string | undefined) => void;
  /** Now, in Unix microseconds. */
  readonly nowMicros: () => bigint;
  /** The longest line, in bytes (`limits.lineBytes`). */
  readonly maxLineBytes: number;
  /**
   * The pieces that a long scrape is read in; undefined where it is short. Throws a FaultError, or the first of them
   * does, for what is none.
   */
  readonly piecesOf: (scrape: Uint8Array) => Iterable<ScrapePiece> | undefined;
  /** Of the service. */
  readonly version: string;
}

/** A source that was made, with what its metrics are read from. */
export interface OpenSource {
  readonly source: Source<ByteBlock>;
}

/**
 * A kind of source: what a folder of `src/sources` exports. Users, retries, counting, losses and shedding are the work
 * of the service (`pipelines/inputs.ts`), which does it for each kind alike.
 */
export interface SourceKind<S extends SourceSettings = SourceSettings, O extends OpenSource = OpenSource> {
  /** Of the log, of the metrics that count its rows, and of the table of its settings. */
  readonly name: string;
  /** The table of its settings, and what reads them. */
  readonly options: SourceOptions<S>;
  /** True for a source that logs by itself how its batches end. */
  readonly reportsItself?: boolean;
  /**
   * Makes the source; throws an Error with one line for a setting that cannot be used, such as a file that cannot be
   * read.
   */
  create(settings: S, context: SourceContext): O;
  /** Metrics of the source in a scrape of the service. */
  metrics(open: O): WatchedMetrics;
  /** Addresses that it scrapes, as `scraped` names them; left out where it scrapes none. */
  targets?(settings: S): readonly string[];
  /** Datagrams that were dropped since the start; left out where nothing is dropped. */
  shed?(open: O): number;
}

/** The settings of a kind, which are read before any source is loaded. */
export interface SourceOptions<S extends SourceSettings = SourceSettings> {
  readonly table: OptionTable;
  read(reader: SettingReader): S;
  /** Ports that it listens on, which are tried before anything is started; left out where it listens on none. */
  ports?(settings: S): readonly ListenPort[];
}

/**
 * Where the rows of a source go. The operator named the database in the settings, so it is made when it is missing;
 * senders name none.
 */
export function targetOf({ db, user, ttlDays }: { db: string; user: string; ttlDays: number }): Target {
  return { database: db, user, createDatabase: true, ttl: ttlDays, precision: 'ns' };
}
