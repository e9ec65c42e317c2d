import type { Steps } from './source.js';

/** The time of a step, in Unix milliseconds. */
export function stepTime(steps: Steps, step: number): number {
  return steps.startMs + step * steps.stepMs;
}

/** One step at a time. */
export function oneStep(ms: number): Steps {
  return { startMs: ms, stepMs: 1, count: 1 };
}
