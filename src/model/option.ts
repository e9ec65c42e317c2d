/** How the text of a setting is read. Durations become milliseconds, sizes bytes. */
export type OptionType =
  | 'int'
  | 'uint'
  | 'float'
  | 'bool'
  | 'string'
  | 'secret'
  | 'duration'
  | 'size'
  | 'string-list'
  | 'int-list';

/** The value a setting of a type has in the program. */
export type OptionValue = number | boolean | string | readonly string[] | readonly number[] | undefined;

/**
 * One setting, one row (specification 1, "Configuration parameters"). `flag` is the full command-line name with its group
 * prefix; the file section is the part before the first dot, the file key the rest. `env` is the full name of the
 * environment variable: the specification's names are irregular, so it is never derived.
 */
export interface OptionRow {
  readonly flag: string;
  readonly short?: string;
  readonly type: OptionType;
  /** Text form, read by the same reader as every other source; absent means not set. */
  readonly default?: string;
  readonly env: string;
  /** Other environment names that mean the same, lower in rank. */
  readonly envAlso?: readonly string[];
  readonly help: string;
  readonly allowed?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** The settings of one component. `group` is the file section; empty for top-level keys. */
export interface OptionTable {
  readonly group: string;
  readonly title: string;
  readonly rows: readonly OptionRow[];
}
