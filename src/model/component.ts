import type { Observable } from 'rxjs';
import type { Batch, Payload } from './batch.js';
import type { Delivery } from './delivery.js';

/**
 * A part of the service with a life. A part that has nothing to begin, to settle or to release leaves that method out.
 * Whoever runs the parts (`pipelines/lifecycle.ts`) ends each wait at the deadline, so a part says only what there is
 * to wait for.
 */
export interface Component {
  readonly name: string;
  /** Resolves when ready; rejects on a bad setting or a busy port. */
  start?(): Promise<void>;
  /**
   * Takes nothing new from the moment of the call on; resolves when all that was taken is settled. At the deadline
   * `stop` follows, whether this has resolved or not.
   */
  drain?(): Promise<void>;
  /** Releases everything, settled or not; safe before start, safe twice. */
  stop?(): Promise<void>;
}

/** Yields batches; never a parser, never the database. */
export interface Source<P extends Payload = Payload> extends Component {
  drain(): Promise<void>;
  stop(): Promise<void>;
  readonly batches$: Observable<Batch<P>>;
}

/** Turns a batch into a delivery. Never settles, never throws for expected faults; has no life of its own. */
export interface Sink<P extends Payload = Payload> {
  write(batch: Batch<P>, deadline: AbortSignal): Promise<Delivery>;
}

/** What every reader awaits before its next read. */
export interface ReadGate {
  /** True while something shuts the gate, whatever credit there is: senders that cannot wait are refused then. */
  readonly isHeld: boolean;
  /** True when there is credit and nothing holds the gate. */
  isOpen(): boolean;
  /** Resolves when there is credit and nothing holds the gate. */
  opened(): Promise<void>;
}

/** Credit in bytes: taken for what flows, and given back once that is settled. */
export interface CreditGate extends ReadGate {
  take(bytes: number): void;
  give(bytes: number): void;
  /** Shuts the gate until the returned function is called. */
  hold(reason: string): () => void;
}

/** Counts what is written; one call a batch or a write, never one a row. */
export interface WriteMeter {
  /** An input received data. */
  received(pipeline: string, bytes: number): void;
  /** Rows or messages of an input have ended. */
  settled(pipeline: string, outcome: 'stored' | 'rejected' | 'failed' | 'shed', rows: number): void;
  /** A payload of a format had this many values that no table can hold. */
  leftOut(format: string, count: number): void;
  /** A group was written, or not. */
  wrote(outcome: string, rows: number, seconds: number): void;
}

/** The log a component is handed: fields first, then a sentence. */
export interface ComponentLog {
  /** True when lines of `debug` are dropped, so that their fields need not be made. */
  readonly dropsDebug?: boolean;
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}
