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
  | 'int-list'
  | 'tables';

/** One table of a setting of type `tables`: plain values, lists and tables, as in JSON. */
export type OptionRecord = Readonly<Record<string, unknown>>;

/** The value a setting of a type has in the program. */
export type OptionValue =
  | number
  | boolean
  | string
  | readonly string[]
  | readonly number[]
  | readonly OptionRecord[]
  | undefined;

/**
 * One setting, one row. `flag` is the full command-line name with its group
 * prefix; the file section is the part before the first dot, the file key the rest. `env` is the full name of the
 * environment variable: established names are irregular, so it is never derived.
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

/**
 * Typed access to resolved settings, by flag; what the reader function beside each option table is handed. Asking for a
 * flag that no table has, or for another type than the table's, is a programming mistake and throws.
 */
export interface SettingReader {
  /** Not set reads as false. */
  bool(flag: string): boolean;
  /** A number, milliseconds of a duration or bytes of a size; the setting must have a default. */
  number(flag: string): number;
  optionalNumber(flag: string): number | undefined;
  /** Not set reads as the empty text. */
  text(flag: string): string;
  /** Not set reads as the empty list. */
  texts(flag: string): readonly string[];
  numbers(flag: string): readonly number[];
  /** The tables of a setting, as they were written; not set reads as none. */
  records(flag: string): readonly OptionRecord[];
  /** Refuses the value of a flag for a reason that one value alone does not show; `needed` says what would be allowed. */
  refuse(flag: string, needed: string): void;
  /** Refuses a part of a setting; `part` names it, such as `[1] threshold`, and `found` is what stands there. */
  refusePart(flag: string, part: string, found: unknown, needed: string): void;
}

/** Upper bound for settings that drive a timer: 24 days. Node fires a timer of more than 2^31 - 1 ms at once. */
export const longestTimerMs = 24 * 24 * 3_600_000;

/** True for an absolute `http://` or `https://` address, the form every setting with addresses takes. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
