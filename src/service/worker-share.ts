import type { Settings } from '../config/adapter-settings.js';

/** True if worker processes serve HTTP. */
export function hasWorkers({ general }: Pick<Settings, 'general'>): boolean {
  return general.workers > 1;
}

/** Number of processes that query the database. */
export function processesOf(settings: Pick<Settings, 'general'>): number {
  return hasWorkers(settings) ? settings.general.workers + 1 : 1;
}

/** The settings of one worker: its share of the service's limits. */
export function shareOf(settings: Settings): Settings {
  const { general, limits } = settings;
  const { workers } = general;
  const part = (whole: number): number => Math.ceil(whole / workers);
  const { running, runningOfUser, waiting, waitMs } = limits.slots;
  return {
    ...settings,
    limits: {
      ...limits,
      creditBytes: part(limits.creditBytes),
      bodyBytes: Math.max(part(limits.bodyBytes), limits.messageBytes),
      slots: { running: part(running), runningOfUser: part(runningOfUser), waiting: part(waiting), waitMs },
    },
  };
}
