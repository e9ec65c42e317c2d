/** One part of an engine table of rows. */
export interface StoredPart {
  /** Which partition it belongs to; the engine merges versions of rows within one. */
  readonly partition: string;
  /** Number of the last insert that has rows in it. */
  readonly insert: number;
  /** True where a merge or the engine itself has seen to it that the part holds each key once. */
  readonly isUnique: boolean;
  readonly rows: number;
  /** Times of its first and its last row, in ticks. */
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Rows of an engine table that are known to have a key each, so that they can be read without merging versions: what
 * inserts up to `insert` stored at times from `from` on and before `until`. That stays true whatever is written,
 * deleted and merged later.
 */
export interface UniqueRows {
  readonly insert: number;
  /** Ticks; undefined where there is no limit. */
  readonly from: bigint | undefined;
  readonly until: bigint | undefined;
  /** True where these were all rows of the table at the last check. */
  readonly isAll: boolean;
  /** The parts of the table at the last check. */
  readonly parts: readonly StoredPart[];
}
