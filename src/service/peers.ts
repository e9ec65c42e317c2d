import type { Component } from '../model/component.js';
import type { EventsAdmin } from '../model/exchange.js';
import { polledCatalogue } from '../pipelines/polled-catalogue.js';
import type { WriteContext } from '../pipelines/writes.js';
import type { OtherStatements } from '../statements/running-statements.js';
import type { AdminAction, AdminResult, Peers } from '../workers/peer-requests.js';
import type { PrimaryProcess } from '../workers/primary-process.js';
import type { ServiceParts } from './parts.js';

/** Waiting rows of the other processes; undefined if there are none. */
export function otherRows(peers: Peers | undefined): WriteContext['others'] {
  return peers && ((tables) => (peers.isEmpty ? undefined : peers.request({ kind: 'visible', data: tables })));
}

/** Statements of the other processes; undefined if there are none. */
export function otherStatements(peers: Peers | undefined): OtherStatements | undefined {
  if (peers === undefined) return undefined;
  return {
    running: async () => (await peers.request({ kind: 'running', data: null })).flat(),
    slow: async () => (await peers.request({ kind: 'slow', data: null })).flat(),
    kill: async (place, user) => {
      await peers.request({ kind: 'kill', data: { place, user } });
    },
    connections: async () => (await peers.request({ kind: 'connections', data: null })).flat(),
    killConnection: async (id, user) => {
      await peers.request({ kind: 'killConnection', data: { id, user } });
    },
  };
}

/**
 * The catalogue as a component. It notifies the other processes of new entries, so that an acknowledged change holds
 * there.
 */
export function syncedCatalogue({ engine, peers, ...parts }: ServiceParts): Component {
  // A process that misses the notification polls the entries itself.
  const submitted =
    peers && ((entries: number) => peers.request({ kind: 'catalogue', data: entries }).catch(() => undefined));
  return polledCatalogue(parts, { watchLog: engine.watchLog, submitted });
}

/** Forwards actions on rules and notifications to the primary process; `own` runs trials of rules. */
export function adminOfPrimary(primary: PrimaryProcess, own: EventsAdmin): EventsAdmin {
  const run =
    <A extends AdminAction>(action: A) =>
    async (...args: Parameters<EventsAdmin[A]>): Promise<AdminResult<A>> =>
      (await primary.requestPrimary({ kind: 'eventsAdmin', data: { action, args } })) as AdminResult<A>;
  return {
    rules: run('rules'),
    reload: run('reload'),
    createRule: run('createRule'),
    replaceRule: run('replaceRule'),
    removeRule: run('removeRule'),
    silence: run('silence'),
    endSilence: run('endSilence'),
    notifications: run('notifications'),
    testNotifications: run('testNotifications'),
    tryRule: (user, text, signal) => own.tryRule(user, text, signal),
  };
}
