import type { EventsAdmin } from '../model/exchange.js';
import type { AdminAction, AdminCall, AdminResult, PeerHandlers } from '../workers/peer-requests.js';
import type { ServiceParts } from './parts.js';
import type { ServicePipelines } from './pipelines.js';

/** Handlers of requests of the other processes. */
export function peerHandlers(
  { catalogue, monitoring: { metrics } }: ServiceParts,
  { writes, sql, events, eventsAdmin }: ServicePipelines,
): PeerHandlers {
  return {
    visible: async (tables) => {
      await writes.visibleHere(tables);
      return null;
    },
    catalogue: async (entries) => {
      if (catalogue.entries < entries) await catalogue.sync();
      return null;
    },
    metrics: () => metrics.ownValues(),
    running: () => sql.ownStatements.running,
    slow: () => sql.ownStatements.slow,
    kill: ({ place, user }) => {
      sql.kill(place, user);
      return null;
    },
    connections: () => sql.connections.all,
    killConnection: ({ id, user }) => {
      sql.killConnection(id, user);
      return null;
    },
    rules: async (rules) => {
      await events.takeRules(rules);
      return null;
    },
    eventsAdmin: ({ action, args }) => adminAction(eventsAdmin, action)(...args),
  };
}

/** An action by its name; a call has the arguments of its action. */
function adminAction(admin: EventsAdmin, action: AdminAction): (...args: AdminCall['args']) => Promise<AdminResult> {
  return admin[action] as (...args: AdminCall['args']) => Promise<AdminResult>;
}
