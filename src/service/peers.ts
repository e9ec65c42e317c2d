import type { Component } from '../model/component.js';
import type { EventsDesk } from '../model/exchange.js';
import { polledCatalogue } from '../pipelines/polled-catalogue.js';
import type { OtherStatements } from '../pipelines/statements/running-statements.js';
import type { WriteContext } from '../pipelines/writes.js';
import type { FirstProcess } from '../workers/link.js';
import type { DeskAnswer, DeskQuestion, Peers } from '../workers/questions.js';
import type { ServiceParts } from './parts.js';

/** Rows that wait in the other processes; undefined where there are none. */
export function otherRows(peers: Peers | undefined): WriteContext['others'] {
  return peers && ((asked) => (peers.isEmpty ? undefined : peers.ask({ kind: 'visible', asked })));
}

/** Statements of the other processes; undefined where there are none. */
export function otherStatements(peers: Peers | undefined): OtherStatements | undefined {
  if (peers === undefined) return undefined;
  return {
    running: async () => (await peers.ask({ kind: 'running', asked: null })).flat(),
    slow: async () => (await peers.ask({ kind: 'slow', asked: null })).flat(),
    kill: async (place, user) => {
      await peers.ask({ kind: 'kill', asked: { place, user } });
    },
  };
}

/** The catalogue as a component. The other processes are told of new entries, so that what was answered here holds there. */
export function keptCatalogue({ engine, peers, ...parts }: ServiceParts): Component {
  // One that does not hear of it finds it by itself.
  const submitted = peers && ((asked: number) => peers.ask({ kind: 'catalogue', asked }).catch(() => undefined));
  return polledCatalogue(parts, { watchLog: engine.watchLog, submitted });
}

/** Rules and notifications are kept by the first process; `own` tries a rule. */
export function deskOfFirst(first: FirstProcess, own: EventsDesk): EventsDesk {
  const ask =
    <A extends DeskQuestion>(what: A) =>
    async (user: string): Promise<DeskAnswer<A>> =>
      (await first.askFirst({ kind: 'desk', asked: { ask: what, user } })) as DeskAnswer<A>;
  return {
    rules: ask('rules'),
    reload: ask('reload'),
    notifications: ask('notifications'),
    testNotifications: ask('testNotifications'),
    tryRule: (user, text, signal) => own.tryRule(user, text, signal),
  };
}
