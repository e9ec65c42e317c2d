/** One figure to be stored: a table, its tags and its values. */
export interface Figure {
  readonly table: string;
  readonly tags: readonly (readonly [name: string, value: string])[];
  readonly values: readonly (readonly [name: string, value: number])[];
}

/** Figures that are read whenever somebody asks for them, by name and with a help text. */
export interface WatchedFigures {
  readonly [name: string]: { readonly help: string; readonly read: () => number };
}
