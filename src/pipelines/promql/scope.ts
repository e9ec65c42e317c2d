import type { QueryRule } from '../../events/rule.js';
import type { StoredEvent } from '../../model/event-log.js';
import type { PromqlRequest } from '../../model/exchange.js';
import type { SeriesLists } from '../series/series-lists.js';
import type { SeriesReader } from '../series/series-reader.js';

/** The warning of an answer that a limit has cut. */
export const truncated = 'results truncated due to limit';

/** Limits of queries, see the settings `promql.*`. */
export interface PromqlLimits {
  readonly lookbackMs: number;
  readonly timeoutMs: number;
  readonly steps: number;
  readonly series: number;
  readonly samples: number;
  readonly samplesOfAll: number;
}

/** The rules of a service with expressions in PromQL, and their open events. */
export interface AlertingRules {
  /** Those about a database. */
  rules(database: string): readonly QueryRule[];
  /** The open events of rules, by their names. */
  open(names: readonly string[]): Promise<readonly StoredEvent[]>;
}

/** A request while it is answered. */
export interface EndpointScope {
  readonly request: PromqlRequest;
  readonly source: SeriesReader;
  readonly lists: SeriesLists;
  /** Fires when the client has left, the query was killed or its time is over. */
  readonly signal: AbortSignal;
  readonly limits: PromqlLimits;
  readonly alerting: AlertingRules;
  /** The user may read all of the database. */
  readonly readsAll: boolean;
}
