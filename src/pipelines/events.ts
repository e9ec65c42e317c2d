import { RepeatedWork } from '../async/repeated-work.js';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { Engine } from '../database/engine/engine.js';
import { DocumentsStore } from '../database/store/documents-store.js';
import { EventsStore } from '../database/store/events-store.js';
import { SeriesNames } from '../database/store/series-names.js';
import type { EventsSettings } from '../events/options.js';
import type { QueryRule, Rule } from '../events/rule.js';
import type { Component, ComponentLog } from '../model/component.js';
import type { WatchedMetrics } from '../model/metric.js';
import type { EventChange } from '../model/notification.js';
import type { RuleTrial } from '../model/rule-list.js';
import type { RequestReplyContext } from '../statements/request-reply.js';
import { EventLogWriter } from './events/event-log-writer.js';
import { EventQueue } from './events/event-queue.js';
import { EventRequests } from './events/event-requests.js';
import { NotificationDispatcher } from './events/notification-dispatcher.js';
import { tryRule } from './events/rule-trial.js';
import { RuleWatch } from './events/rule-watch.js';
import { RulesFile } from './events/rules-file.js';
import type { ScheduledWatchContext } from './events/scheduled-watch.js';
import { StoredRules } from './events/stored-rules.js';
import { SystemWatch, type SystemWatchContext } from './events/system-watch.js';
import type { AlertingRules } from './promql/scope.js';

/** Alerts in one list. */
const maxAlerts = 10_000;

/** Context of the events pipeline. */
export interface EventsContext
  extends Omit<RequestReplyContext, 'log'>,
    Pick<SystemWatchContext, 'identity' | 'guard$' | 'watchEngine' | 'signals'>,
    Pick<ScheduledWatchContext, 'storage' | 'query' | 'visible'> {
  readonly settings: EventsSettings;
  /** File with the rules of the last run. */
  readonly rulesFile: string;
  /** True for a worker: it evaluates rules over its own rows, and leaves everything else to the primary process. */
  readonly isWorker?: boolean;
  /** Called with events that open and that end, if no silence covers them. */
  readonly notify: (change: EventChange) => void;
  /** Makes the workers of the service watch these rules; rejects if one cannot. */
  readonly shareRules: (rules: readonly Rule[]) => Promise<unknown>;
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly logOf: (component: string) => ComponentLog;
}

/** Everything about events: detection, storage and requests. */
export class EventsPipeline {
  readonly requests: EventRequests;
  readonly queue: EventQueue;
  /** The rules, which evaluate stored rows. */
  readonly rules: RuleWatch;
  /** Rules and silences that people make; not for workers. */
  readonly stored: StoredRules;
  /** The rules with expressions in PromQL, and their open events. */
  readonly alerting: AlertingRules;
  /** Findings that a rule would have now; rejects with a FaultError. */
  readonly tryRule: (rule: Rule, signal: AbortSignal) => Promise<RuleTrial>;
  /** Sends the notifications of a change, also of one that a worker has found, if no silence covers it. */
  readonly notify: (change: EventChange) => void;
  /** Parts in the order in which they start. */
  readonly components: readonly Component[];

  /** All rules as a worker lists them, of which it evaluates some; undefined for the primary process. */
  #rulesOfWorker: readonly Rule[] | undefined;

  constructor(context: EventsContext) {
    const { settings, engine, catalogue, credentials, slots, logOf, isWorker = false } = context;
    const log = logOf('events');
    const store = new EventsStore(engine);
    this.notify = (change) => {
      if (!this.stored.isSilenced(change)) context.notify(change);
    };
    const dispatcher = new NotificationDispatcher(this.notify);
    const eventLog = new EventLogWriter(store, (operations, outcomes) => dispatcher.recorded(operations, outcomes));
    this.queue = new EventQueue(eventLog, settings.maxWaiting, log, (operations) => dispatcher.waiting(operations));
    this.requests = new EventRequests({ credentials, slots, log, catalogue, store, eventLog });
    const retention = eventRetention({ store, eventLog, retentionMs: settings.retentionMs, log });
    const names = new SeriesNames(engine, catalogue);
    this.stored = new StoredRules({
      settings: settings.rules,
      documents: new DocumentsStore(engine, catalogue),
      catalogue,
      store,
      replace: async (rules) => {
        const changes = await this.rules.replace(rules);
        await context.shareRules(rules);
        return changes;
      },
      notify: context.notify,
      log,
    });
    const loadRules = isWorker ? async () => rulesOfWorker(settings.rules) : () => this.stored.load();
    const rulesFile = isWorker ? noRulesFile : new RulesFile(context.rulesFile);
    const watching = { ...settings, ...context, store, names, queue: this.queue, log, rulesFile };
    this.rules = new RuleWatch({ ...watching, loadRules });
    this.#rulesOfWorker = isWorker ? settings.rules : undefined;
    this.alerting = {
      rules: (database) =>
        (this.#rulesOfWorker ?? this.rules.rules).filter(
          (rule): rule is QueryRule =>
            rule.kind === 'query' && rule.language === 'promql' && rule.database === database,
        ),
      open: (ruleNames) => store.open(ruleNames, maxAlerts),
    };
    this.tryRule = (rule, signal) => tryRule(rule, watching, signal);
    const ofFirst = [retention, ...(settings.system ? [new SystemWatch(watching)] : [])];
    const ofWorker = [this.queue, this.rules, this.requests];
    this.components = isWorker ? ofWorker : [...ofFirst, ...ofWorker, this.stored];
  }

  /** Replaces the rules of a worker. */
  async takeRules(rules: readonly Rule[]): Promise<void> {
    await this.rules.replace(rulesOfWorker(rules));
    this.#rulesOfWorker = rules;
  }

  /** Metrics of events. */
  get metrics(): WatchedMetrics {
    const { queue } = this;
    return {
      adapter_events_waiting: { help: 'Events that are not stored yet.', read: () => queue.waiting },
      adapter_events_lost: { isCounter: true, help: 'Events lost because too many waited.', read: () => queue.lost },
    };
  }
}

/** A worker has only some of the rules, and saves none. */
const noRulesFile = { read: () => [], save: () => {} };

/** The rules that a worker evaluates over the rows that it stores. */
function rulesOfWorker(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ kind }) => kind === 'value');
}

/** Context of the store's retention. */
interface EventRetentionContext {
  readonly store: Pick<EventsStore, 'removeEnded'>;
  readonly eventLog: Pick<EventLogWriter, 'foldRest'>;
  /** How long a resolved event is kept; 0 is for ever. */
  readonly retentionMs: number;
  readonly log: ComponentLog;
}

/** First run soon after the start, to repair after a crash, and the interval of later ones. */
const firstMs = 2_000;
const sweepMs = 10 * 60_000;
const retryMs = 15_000;

/** Folds entries that a dead process has not folded, and removes expired events. */
function eventRetention({ store, eventLog, retentionMs, log }: EventRetentionContext): Component {
  return new RepeatedWork('event-retention', firstMs, async () => {
    const now = Date.now();
    try {
      await eventLog.foldRest();
      await store.removeEnded(retentionMs === 0 ? 0 : now - retentionMs, now);
      return sweepMs;
    } catch (error) {
      log.warn({ error: String(error) }, 'The events could not be folded or expired; Sluice retries.');
      return retryMs;
    }
  });
}
