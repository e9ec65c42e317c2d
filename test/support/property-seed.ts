import fc from 'fast-check';

/**
 * Property tests draw the same cases in every run, so that a change is judged by what it changed. `PROPERTY_SEED=random`
 * draws new ones, `PROPERTY_SEED=<number>` repeats those of a failure.
 */
const seed = process.env.PROPERTY_SEED ?? '20261121';

if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });

/** Cases of a property: `usual` ones, or as many as `PROPERTY_RUNS` says, for a long search. */
export function propertyRuns(usual: number): number {
  return Number(process.env.PROPERTY_RUNS ?? usual);
}
