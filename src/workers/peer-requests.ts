import type { Rule } from '../events/rule.js';
import type { EventsAdmin } from '../model/exchange.js';
import { type Fault, FaultError, faultOf } from '../model/fault.js';
import type { SlowStatement } from '../model/slow-statement.js';
import type { WaitingTables } from '../model/waiting-tables.js';
import type { StatementPlace } from '../statements/lists/kill-id.js';
import type { ListedConnection, RunningStatement } from '../statements/lists/system-table.js';
import type { MetricFamily } from '../telemetry/merged-metrics.js';

/** A statement to cancel, for a user who may see it. */
interface Kill {
  readonly place: StatementPlace;
  readonly user: string;
}

/** Actions of administrators on rules and notifications, which the primary process owns. */
export type AdminAction = Exclude<keyof EventsAdmin, 'tryRule'>;
export type AdminResult<A extends AdminAction = AdminAction> = Awaited<ReturnType<EventsAdmin[A]>>;

/** An action with its arguments; `run` of both ends is of its kind. */
export interface AdminCall<A extends AdminAction = AdminAction> {
  readonly action: A;
  readonly args: Parameters<EventsAdmin[A]>;
}

/** Requests between the processes of one service: their data and results. */
interface PeerRequests {
  /** Stores the waiting acknowledged rows of these tables. */
  readonly visible: readonly [WaitingTables, null];
  /** Reads the catalogue's log up to this number of entries. */
  readonly catalogue: readonly [number, null];
  /** The metrics of the process. */
  readonly metrics: readonly [null, readonly MetricFamily[]];
  /** The running statements. */
  readonly running: readonly [null, readonly RunningStatement[]];
  readonly kill: readonly [Kill, null];
  /** The connections that clients keep open. */
  readonly connections: readonly [null, readonly ListedConnection[]];
  /** Closes a connection, for a user who may see it. */
  readonly killConnection: readonly [{ readonly id: number; readonly user: string }, null];
  /** The slow statements. */
  readonly slow: readonly [null, readonly SlowStatement[]];
  /** Replaces the rules. */
  readonly rules: readonly [readonly Rule[], null];
  /** For the primary process only. */
  readonly eventsAdmin: readonly [AdminCall, AdminResult];
}

export type PeerRequestKind = keyof PeerRequests;
type RequestData<K extends PeerRequestKind> = PeerRequests[K][0];
export type PeerResult<K extends PeerRequestKind> = PeerRequests[K][1];

/** A request of some kind with its data. */
export type PeerRequest<K extends PeerRequestKind = PeerRequestKind> = {
  readonly [P in K]: { readonly kind: P; readonly data: RequestData<P> };
}[K];

/** Handlers of all requests; a rejection is returned to the sender. */
export type PeerHandlers = {
  readonly [K in PeerRequestKind]: (data: RequestData<K>) => PeerResult<K> | Promise<PeerResult<K>>;
};

/** The other processes of a service. */
export interface Peers {
  /** True when there is no other process. */
  readonly isEmpty: boolean;
  /** The results of all other processes; rejects with the first FaultError. */
  request<K extends PeerRequestKind>(request: PeerRequest<K>): Promise<readonly PeerResult<K>[]>;
}

/** Outcome of a request. `result` is of its kind: both ends are the same program. */
export type Outcome<K extends PeerRequestKind = PeerRequestKind> =
  | { readonly result: PeerResult<K> }
  | { readonly fault: Fault };

/** The outcome of a request to this process; never rejects. */
export async function outcomeOf<K extends PeerRequestKind>(
  handlers: PeerHandlers,
  { kind, data }: PeerRequest<K>,
): Promise<Outcome<K>> {
  try {
    return { result: await handlers[kind](data) };
  } catch (error) {
    // Its cause may not be serializable.
    return { fault: { ...faultOf(error), cause: undefined } };
  }
}

/** The result in an outcome; throws its FaultError. */
export function resultIn<K extends PeerRequestKind>(outcome: Outcome<K>): PeerResult<K> {
  if ('fault' in outcome) throw new FaultError(outcome.fault);
  return outcome.result;
}
