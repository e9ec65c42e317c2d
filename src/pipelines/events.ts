import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { Engine } from '../database/engine.js';
import { EventsStore } from '../database/events-store.js';
import { SeriesNames } from '../database/series-names.js';
import type { EventsSettings } from '../events/options.js';
import type { BlockGroup } from '../model/batch.js';
import type { Component, ComponentLog } from '../model/component.js';
import type { WatchedFigures } from '../model/figure.js';
import { EventLedger } from './events/ledger.js';
import { EventQuestions } from './events/questions.js';
import { EventRecorder } from './events/recorder.js';
import { EventRetention } from './events/retention.js';
import { ScheduledWatch, type ScheduledWatchContext } from './events/scheduled-watch.js';
import { SystemWatch, type SystemWatchContext } from './events/system-watch.js';
import { ValueWatch } from './events/value-watch.js';
import type { RequestReplyContext } from './request-reply.js';

/** What events are made of. */
export interface EventsContext
  extends Omit<RequestReplyContext, 'log'>,
    Pick<SystemWatchContext, 'identity' | 'guard$' | 'watchEngine' | 'signals'>,
    Pick<ScheduledWatchContext, 'storage' | 'query'> {
  readonly settings: EventsSettings;
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly logOf: (component: string) => ComponentLog;
}

/** Everything about events: who notices, what is kept, and who asks. */
export class EventsPipeline {
  readonly questions: EventQuestions;
  readonly recorder: EventRecorder;
  /** Parts in the order in which they start; see {@link EventsPipeline.observe} for what begins before. */
  readonly components: readonly Component[];
  /** Shows stored rows to the rules over values; undefined when there are none. */
  readonly observe: ((group: BlockGroup) => void) | undefined;

  constructor(context: EventsContext) {
    const { settings, engine, catalogue, credentials, slots, logOf } = context;
    const log = logOf('events');
    const store = new EventsStore(engine);
    const ledger = new EventLedger(store);
    this.recorder = new EventRecorder(ledger, settings.maxWaiting, log);
    this.questions = new EventQuestions({ credentials, slots, log, catalogue, store, ledger });
    const retention = new EventRetention({ store, ledger, retentionMs: settings.retentionMs, log });
    const names = new SeriesNames(engine, catalogue);
    const watching = { ...settings, ...context, store, names, recorder: this.recorder, log };
    const overValues = settings.rules.filter((rule) => rule.kind === 'value');
    const scheduled = settings.rules.filter((rule) => rule.kind !== 'value');
    const values = overValues.length === 0 ? undefined : new ValueWatch({ ...watching, rules: overValues });
    this.observe = values === undefined ? undefined : (group) => values.observe(group);
    this.components = [
      retention,
      this.recorder,
      ...(settings.system ? [new SystemWatch(watching)] : []),
      ...(values === undefined ? [] : [values]),
      ...(scheduled.length === 0 ? [] : [new ScheduledWatch({ ...watching, rules: scheduled })]),
      this.questions,
    ];
  }

  /** What the service shows about events. */
  get figures(): WatchedFigures {
    const { recorder } = this;
    return {
      adapter_events_waiting: { help: 'Events that are not stored yet.', read: () => recorder.waiting },
      adapter_events_lost: { help: 'Events lost because too many waited.', read: () => recorder.lost },
    };
  }
}
