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
 * prefix; the file section is the part before the first dot, the file key the rest.
 */
export interface OptionRow {
  readonly flag: string;
  readonly short?: string;
  readonly type: OptionType;
  /** Text form, read by the same reader as every other source; absent means not set. */
  readonly default?: string;
  /** Name of the environment variable where it is not the usual one, see {@link variablesOf}; empty is none. */
  readonly env?: string;
  /** Other environment names that mean the same, lower in rank. */
  readonly envAlso?: readonly string[];
  readonly help: string;
  /** Name in the program; left out, its key with the unit behind it: `flushIntervalMs`, `bodyBytes`. */
  readonly named?: string;
  /** The number that not set means to the program; without it and without a default not set is undefined. */
  readonly unset?: number;
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

/** What a row may have beside its flag, its type and its help. */
type Extras = Partial<Omit<OptionRow, 'flag' | 'type' | 'help'>>;

function rowOf<const T extends OptionType>(type: T) {
  return <const F extends string, const E extends Extras = object>(flag: F, help: string, extras?: E) => {
    return { flag, type, help, ...(extras as E) } as const;
  };
}

/** A row of each type of setting, from its flag, its help and what else it has. */
export const option = {
  int: rowOf('int'),
  uint: rowOf('uint'),
  float: rowOf('float'),
  bool: rowOf('bool'),
  text: rowOf('string'),
  secret: rowOf('secret'),
  duration: rowOf('duration'),
  size: rowOf('size'),
  texts: rowOf('string-list'),
  ints: rowOf('int-list'),
  tables: rowOf('tables'),
};

/** A table whose rows keep their names and types, from which {@link SettingsOf} makes the type of its settings. */
export function optionTable<const G extends string, const R extends readonly OptionRow[]>(
  group: G,
  title: string,
  rows: R,
) {
  return { group, title, rows } as const;
}

/** The settings of a table as the program sees them, each under its `named` or its key and unit. */
export type SettingsOf<T extends OptionTable> = {
  readonly [R in T['rows'][number] as NameOf<R, T['group']>]: ValueOf<R>;
};

type NameOf<R extends OptionRow, G extends string> = R extends { readonly named: infer N extends string }
  ? N
  : WithUnit<R['flag'] extends `${G}.${infer K}` ? K : R['flag'], R['type']>;

type WithUnit<K extends string, T extends OptionType> = T extends 'duration'
  ? `${K}Ms`
  : T extends 'size'
    ? K extends `${string}Bytes`
      ? K
      : `${K}Bytes`
    : K;

/** A text that is not set is empty, a list too; a switch that is not set is off. */
type ValueOf<R extends OptionRow> = R['type'] extends 'bool'
  ? boolean
  : R['type'] extends 'string' | 'secret'
    ? R extends { readonly default: string; readonly allowed: readonly (infer W)[] }
      ? W
      : string
    : R['type'] extends 'string-list'
      ? readonly string[]
      : R['type'] extends 'int-list'
        ? readonly number[]
        : R['type'] extends 'tables'
          ? readonly OptionRecord[]
          : R extends { readonly default: string } | { readonly unset: number }
            ? number
            : number | undefined;

/** Name in the program of a row's setting, as in {@link SettingsOf}. */
export function settingName({ named, flag, type }: OptionRow, { group }: Pick<OptionTable, 'group'>): string {
  if (named !== undefined) return named;
  const key = group === '' ? flag : flag.slice(group.length + 1);
  if (type === 'duration') return `${key}Ms`;
  return type !== 'size' || key.endsWith('Bytes') ? key : `${key}Bytes`;
}

/**
 * Names of the environment variables of a setting, by rank: `ADAPTER_` and the words of its flag unless the row has
 * another one.
 */
export function variablesOf({ flag, env, envAlso = [] }: OptionRow): readonly string[] {
  const words = flag.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2');
  return [env ?? `ADAPTER_${words.replaceAll('.', '_').toUpperCase()}`, ...envAlso].filter((name) => name !== '');
}

/** Gives resolved settings to the function beside each option table that reads it. */
export interface SettingReader {
  /** The settings of a table; a flag that was not resolved is a programming mistake and throws. */
  settings<T extends OptionTable>(table: T): SettingsOf<T>;
  /**
   * Refuses the value of a flag for a reason that one value alone does not show; `needed` says what would be allowed.
   */
  refuse(flag: string, needed: string): void;
  /** Refuses a part of a setting; `part` names it, such as `[1] threshold`, and `value` is what stands there. */
  refusePart(flag: string, part: string, value: unknown, needed: string): void;
}

/** Upper bound for settings that drive a timer: 24 days. Node fires a timer of more than 2^31 - 1 ms at once. */
export const longestTimerMs = 24 * 24 * 3_600_000;

/** True for an absolute `http://` or `https://` address, the form every setting with addresses takes. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
