/**
 * A condition on one label; a label that a series lacks has the empty text. Regular expressions match the whole value.
 */
export interface LabelMatcher {
  readonly kind: 'equal' | 'not-equal' | 'match' | 'not-match';
  readonly name: string;
  readonly value: string;
}

/** Samples of the series that pass all matchers, from one time to another, both included, in Unix milliseconds. */
export interface SeriesQuery {
  readonly startMs: bigint;
  readonly endMs: bigint;
  readonly matchers: readonly LabelMatcher[];
}
