import type { Settings } from '../config/adapter-settings.js';
import type { HandoverDirectory } from '../database/engine/handover.js';
import type { EngineEndpoint } from '../database/host/endpoint-file.js';
import type { EngineState } from '../database/host/supervisor.js';
import type { EventChange } from '../model/notification.js';
import type { Signal } from '../pipelines/events/signals.js';
import type { RecordedStatement } from '../telemetry/sql-record.js';
import type { Outcome, Question } from './questions.js';

/** Duty of a worker: requests over HTTP, or a log that was left behind, which it stores and ends. */
export type WorkerRole = 'http' | 'log';

/** News of the embedded engine for a worker. */
export interface EngineNews {
  readonly state: EngineState;
  readonly handover: HandoverDirectory | undefined;
  /** Processes of the service with the engine. */
  readonly pids: readonly number[];
}

/** State that a worker begins with. */
export interface Beginning {
  readonly role: WorkerRole;
  /** From 1. */
  readonly number: number;
  readonly settings: Settings;
  readonly version: string;
  readonly recordsSql: boolean;
  /** Undefined where the database is elsewhere. */
  readonly engine: EngineEndpoint | undefined;
  readonly news: EngineNews;
}

/** Messages to a worker. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly beginning: Beginning }
  | { readonly kind: 'engine'; readonly news: EngineNews }
  | { readonly kind: 'log'; readonly entries: number }
  | { readonly kind: 'question'; readonly id: number; readonly question: Question }
  | { readonly kind: 'answers'; readonly id: number; readonly outcomes: readonly Outcome[] }
  /** The turn that was asked for has come. */
  | { readonly kind: 'turn'; readonly id: number }
  | { readonly kind: 'stop'; readonly withinMs: number };

/** Messages that a worker sends unasked. */
export type News =
  | { readonly about: 'signal'; readonly signal: Signal }
  | { readonly about: 'event'; readonly change: EventChange }
  | { readonly about: 'statement'; readonly entry: RecordedStatement };

/** Messages from a worker. */
export type FromWorker =
  /** It listens; what was sent before is lost. */
  | { readonly kind: 'listening' }
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'cannot-start'; readonly reason: string }
  /** A log that was left behind is stored. */
  | { readonly kind: 'done' }
  | { readonly kind: 'question'; readonly id: number; readonly question: Question; readonly of: 'others' | 'first' }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: Outcome }
  /** Asks for a turn to work on engine tables, which ends with its end or with the process. */
  | { readonly kind: 'take-turn'; readonly id: number; readonly tables: ReadonlySet<string> }
  | { readonly kind: 'end-turn'; readonly id: number }
  | { readonly kind: 'news'; readonly news: News };
