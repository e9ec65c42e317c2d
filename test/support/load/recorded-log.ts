import type { RunLog } from '../../../src/load/model/ports.js';

/** A log of a run that keeps its lines, each with its level in front. */
export function recordedLog(): { readonly log: RunLog; readonly lines: string[] } {
  const lines: string[] = [];
  const say = (level: string) => (text: string) => void lines.push(`${level}: ${text}`);
  const log: RunLog = {
    info: say('info'),
    done: say('done'),
    warn: say('warn'),
    error: say('error'),
    debug: say('debug'),
  };
  return { log, lines };
}
