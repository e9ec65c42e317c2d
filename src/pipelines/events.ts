import { RepeatedWork } from '../async/repeated-work.js';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { Engine } from '../database/engine/engine.js';
import { EventsStore } from '../database/rows/events-store.js';
import { SeriesNames } from '../database/rows/series-names.js';
import type { EventsSettings } from '../events/options.js';
import type { Rule } from '../events/rule.js';
import type { Component, ComponentLog } from '../model/component.js';
import type { WatchedFigures } from '../model/figure.js';
import type { EventChange } from '../model/notification.js';
import type { RuleTrial } from '../model/rule-list.js';
import { Announcer } from './events/announcer.js';
import { EventLedger } from './events/ledger.js';
import { EventQuestions } from './events/questions.js';
import { EventRecorder } from './events/recorder.js';
import { RuleMemory } from './events/rule-memory.js';
import { tryRule } from './events/rule-trial.js';
import { RuleWatch } from './events/rule-watch.js';
import type { ScheduledWatchContext } from './events/scheduled-watch.js';
import { SystemWatch, type SystemWatchContext } from './events/system-watch.js';
import type { RequestReplyContext } from './request-reply.js';

/** Context of the events pipeline. */
interface EventsContext
  extends Omit<RequestReplyContext, 'log'>,
    Pick<SystemWatchContext, 'identity' | 'guard$' | 'watchEngine' | 'signals'>,
    Pick<ScheduledWatchContext, 'storage' | 'query' | 'visible'> {
  readonly settings: EventsSettings;
  /** File that remembers the rules from run to run. */
  readonly rulesFile: string;
  /** True for a worker: it watches the values of its own rows, and leaves everything else to the first process. */
  readonly isWorker?: boolean;
  /** Hears of events that open and that are over. */
  readonly tell: (change: EventChange) => void;
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly logOf: (component: string) => ComponentLog;
}

/** Everything about events: who notices, what is kept, and who asks. */
export class EventsPipeline {
  readonly questions: EventQuestions;
  readonly recorder: EventRecorder;
  /** The rules that are watched; stored rows are shown to them. */
  readonly rules: RuleWatch;
  /** Findings that a rule would have now; rejects with a FaultError. */
  readonly tryRule: (rule: Rule, signal: AbortSignal) => Promise<RuleTrial>;
  /** Parts in the order in which they start. */
  readonly components: readonly Component[];

  constructor(context: EventsContext) {
    const { settings, engine, catalogue, credentials, slots, logOf, isWorker = false } = context;
    const log = logOf('events');
    const store = new EventsStore(engine);
    const announcer = new Announcer(context.tell);
    const ledger = new EventLedger(store, (operations, outcomes) => announcer.recorded(operations, outcomes));
    this.recorder = new EventRecorder(ledger, settings.maxWaiting, log, (operations) => announcer.waiting(operations));
    this.questions = new EventQuestions({ credentials, slots, log, catalogue, store, ledger });
    const retention = eventRetention({ store, ledger, retentionMs: settings.retentionMs, log });
    const names = new SeriesNames(engine, catalogue);
    const rules = isWorker ? rulesOfWorker(settings.rules) : settings.rules;
    const memory = isWorker ? noMemory : new RuleMemory(context.rulesFile);
    const watching = { ...settings, ...context, rules, store, names, recorder: this.recorder, log, memory };
    this.rules = new RuleWatch(watching);
    this.tryRule = (rule, signal) => tryRule(rule, watching, signal);
    const ofFirst = [retention, ...(settings.system ? [new SystemWatch(watching)] : [])];
    this.components = [...(isWorker ? [] : ofFirst), this.recorder, this.rules, this.questions];
  }

  /** Figures of events. */
  get figures(): WatchedFigures {
    const { recorder } = this;
    return {
      adapter_events_waiting: { help: 'Events that are not stored yet.', read: () => recorder.waiting },
      adapter_events_lost_total: { help: 'Events lost because too many waited.', read: () => recorder.lost },
    };
  }
}

/** A worker has some of the rules only. */
const noMemory = { read: () => [], keep: () => {} };

/** The rules that a worker watches: they look at the rows that it stores. */
export function rulesOfWorker(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ kind }) => kind === 'value');
}

/** Context of the store's retention. */
interface EventRetentionContext {
  readonly store: Pick<EventsStore, 'removeEnded'>;
  readonly ledger: Pick<EventLedger, 'heal'>;
  /** How long a resolved event is kept; 0 is for ever. */
  readonly retentionMs: number;
  readonly log: ComponentLog;
}

/** Soon after a start, so that what a crash has left is put right, and then now and then. */
const firstMs = 2_000;
const sweepMs = 10 * 60_000;
const retryMs = 15_000;

/** Completes what a process that died has left half done, and removes events whose time is over. */
function eventRetention({ store, ledger, retentionMs, log }: EventRetentionContext): Component {
  return new RepeatedWork('event-retention', firstMs, async () => {
    const now = Date.now();
    try {
      await ledger.heal();
      await store.removeEnded(retentionMs === 0 ? 0 : now - retentionMs, now);
      return sweepMs;
    } catch (error) {
      log.warn({ error: String(error) }, 'The events could not be put in order; it is tried again.');
      return retryMs;
    }
  });
}
