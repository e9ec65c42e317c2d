import type { Settings } from '../config/adapter-settings.js';
import type { HostDirectory } from '../database/engine/handover.js';
import type { EngineEndpoint } from '../database/host/endpoint-file.js';
import type { EngineState } from '../database/host/supervisor.js';
import type { EventChange } from '../model/notification.js';
import type { Signal } from '../pipelines/events/signals.js';
import type { RecordedStatement } from '../telemetry/sql-record.js';
import type { Outcome, PeerRequest } from './peer-requests.js';

/** Role of a worker: it serves HTTP, or stores an orphaned write-ahead log and ends. */
export type WorkerRole = 'http' | 'log';

/** Status of the embedded engine for a worker. */
export interface EngineStatus {
  readonly state: EngineState;
  readonly directory: HostDirectory | undefined;
  /** Processes of the service with the engine. */
  readonly pids: readonly number[];
}

/** State that a worker begins with. */
export interface WorkerStart {
  readonly role: WorkerRole;
  /** From 1. */
  readonly number: number;
  readonly settings: Settings;
  readonly version: string;
  readonly recordsSql: boolean;
  /** Undefined where the database is elsewhere. */
  readonly engine: EngineEndpoint | undefined;
  readonly status: EngineStatus;
}

/** Messages to a worker. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly workerStart: WorkerStart }
  | { readonly kind: 'engine'; readonly status: EngineStatus }
  | { readonly kind: 'log'; readonly entries: number }
  | { readonly kind: 'request'; readonly id: number; readonly request: PeerRequest }
  | { readonly kind: 'results'; readonly id: number; readonly outcomes: readonly Outcome[] }
  /** The requested tables are locked. */
  | { readonly kind: 'tables-locked'; readonly id: number }
  | { readonly kind: 'stop'; readonly withinMs: number };

/** Notifications from a worker. */
export type WorkerNotification =
  | { readonly about: 'signal'; readonly signal: Signal }
  | { readonly about: 'event'; readonly change: EventChange }
  | { readonly about: 'statement'; readonly entry: RecordedStatement };

/** Messages from a worker. */
export type FromWorker =
  /** It listens; earlier messages are lost. */
  | { readonly kind: 'listening' }
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'cannot-start'; readonly reason: string }
  /** The orphaned log is stored. */
  | { readonly kind: 'done' }
  | { readonly kind: 'request'; readonly id: number; readonly request: PeerRequest; readonly of: 'others' | 'primary' }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: Outcome }
  /** Requests a lock on engine tables, which ends with `unlock-tables` or with the process. */
  | { readonly kind: 'lock-tables'; readonly id: number; readonly tables: ReadonlySet<string> }
  | { readonly kind: 'unlock-tables'; readonly id: number }
  | { readonly kind: 'notification'; readonly notification: WorkerNotification };
