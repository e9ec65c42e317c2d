import { rulesOfWorker } from '../pipelines/events.js';
import type { Answering } from '../workers/questions.js';
import type { ServiceParts } from './parts.js';
import type { ServicePipelines } from './pipelines.js';

/** How a process of the service answers the others. */
export function answering(
  { catalogue, monitoring: { metrics } }: ServiceParts,
  { writes, sql, events, desk }: ServicePipelines,
): Answering {
  return {
    visible: async (tables) => {
      await writes.visibleHere(tables);
      return null;
    },
    catalogue: async (entries) => {
      if (catalogue.entries < entries) await catalogue.sync();
      return null;
    },
    figures: () => metrics.ownValues(),
    running: () => sql.ownStatements.running,
    slow: () => sql.ownStatements.slow,
    kill: ({ place, user }) => {
      sql.kill(place, user);
      return null;
    },
    rules: async (rules) => {
      await events.rules.replace(rulesOfWorker(rules));
      return null;
    },
    desk: ({ ask, user }) => desk[ask](user),
  };
}
