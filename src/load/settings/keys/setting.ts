import type { JsonNode, JsonObject } from '../../../text/json-tree.js';

/** Objects of a file that have keys, in the order of the page of documentation. */
export const levels = {
  insert: 'Insert: top level',
  database: 'Insert: an entry of databases',
  dbinfo: 'Insert: dbinfo',
  table: 'Insert: an entry of super_tables',
  field: 'Insert: an entry of columns or tags',
  tsma: 'Insert: an entry of tsmas',
  stream: 'Insert: an entry of streams',
  query: 'Query: top level',
  specified: 'Query: specified_table_query',
  children: 'Query: super_table_query',
  subscribe: 'Subscribe: top level',
  topics: 'Subscribe: tmq_info',
  topic: 'Subscribe: an entry of topic_list',
  older: 'Subscribe: specified_table_query and super_table_query',
  statement: 'Query and subscribe: an entry of sqls',
} as const;
export type Level = keyof typeof levels;

/** Arguments that the help text shows together, in its order. */
export const flagGroups = {
  run: 'What to run',
  server: 'Server',
  tables: 'Database and tables',
  rows: 'Rows',
  reports: 'Reports',
} as const;
type FlagGroup = keyof typeof flagGroups;

/** Place of a value, for messages about what is wrong with it. */
interface Place {
  warn(text: string): void;
  /** Adds an error; the value then counts as absent. */
  refuse(text: string): undefined;
  /** Where a file is that the value names. */
  locate(path: string): string;
}

/** Least and greatest value of a number. */
type Range = readonly [min: number, max?: number];

/** What a type needs to know of its setting. */
interface Bounds {
  readonly range?: Range | undefined;
  /** Treatment of a number out of range, with a warning: the nearest bound, or the default. Left out, it is refused. */
  readonly outOfRange?: 'nearest' | 'default';
}

/** How values of one type are written and read. */
interface SettingType<V> {
  /** As the page of documentation names it. */
  readonly word: string;
  /** The value; undefined when it is refused. A value of the command line comes as a node too. */
  readonly read: (node: JsonNode, bounds: Bounds, place: Place) => V | undefined;
  /** True for values that are written in digits. */
  readonly isNumber?: true;
}

/**
 * One row of the table of settings: a key of a file, an argument or both. Reading, checking, the help text and the page
 * of documentation come from it. `V` is what a getter returns: undefined is possible where there is no default.
 */
export interface Setting<V> extends Bounds {
  readonly type: SettingType<V>;
  /** Its names in a file, the main one first; none where it is an argument alone. */
  readonly keys: readonly string[];
  /** Objects that the key may stand in, where they differ from those of its group of rows. */
  readonly levels?: readonly Level[];
  /** Group, names and word for the value of the argument: `rows: -n --records N`. A switch has no such word. */
  readonly flag?: `${FlagGroup}: -${string}`;
  readonly default: V;
  /** The default as people see it, where it is no plain value. */
  readonly shown?: string;
  readonly help: string;
  /** What differs for the argument: its default, range and help. */
  readonly ofFlag?: { readonly default?: V; readonly range?: Range; readonly help?: string };
  /** The argument still counts beside `-f`. */
  readonly withFile?: true;
  /** The argument makes the run one of plain columns instead of the electricity meters. */
  readonly endsDemo?: true;
}

/** Rows of the table by the names that their values have in code. */
export type Rows = Readonly<Record<string, Setting<unknown>>>;

/** The values of rows, by the same names. */
export type ValuesOf<R extends Rows> = { readonly [K in keyof R]: R[K] extends Setting<infer V> ? V : never };

/** Settings of one kind of run, read from arguments or from an object of a file. */
export interface Values {
  /** The value of the setting, here or in an object around this one, otherwise the default. */
  get<V>(setting: Setting<V>): V;
  /** The values of several settings: those of the names, otherwise all. */
  all<R extends Rows, K extends keyof R = keyof R>(rows: R, ...names: readonly K[]): Pick<ValuesOf<R>, K>;
  /** True when the setting has a value here. */
  has(setting: Setting<unknown>): boolean;
  inform(setting: Setting<unknown> | undefined, text: string): void;
  warn(setting: Setting<unknown> | undefined, text: string): void;
  refuse(setting: Setting<unknown> | undefined, text: string): undefined;
  /** Refuses that there is no value; `what` is needed. */
  missing(setting: Setting<unknown>, what: string): undefined;
}

/** The values of rows as `get` reads them one by one: of those of the names, otherwise of all. */
export function valuesOf<R extends Rows, K extends keyof R>(
  rows: R,
  names: readonly K[],
  get: (setting: Setting<unknown>) => unknown,
): Pick<ValuesOf<R>, K> {
  const chosen = names.length === 0 ? Object.keys(rows) : names;
  return Object.fromEntries(chosen.map((name) => [name, get(rows[name]!)])) as Pick<ValuesOf<R>, K>;
}

/** A text that must be there and not be empty; `what` is needed. */
export function required(values: Values, setting: Setting<string | undefined>, what: string): string | undefined {
  const value = values.get(setting);
  if (value !== undefined && value !== '') return value;
  return value === undefined && values.has(setting) ? undefined : values.missing(setting, what);
}

/** A row without what its constructor adds. */
type Row<V> = Partial<Omit<Setting<V>, 'type' | 'default' | 'keys' | 'help'>> & {
  readonly help: string;
  readonly default?: V;
};

/** A constructor of rows of one type. `keys` are parted by blanks; with a default there is always a value. */
function rowsOf<V>(type: SettingType<V>) {
  function make(keys: string, row: Row<V> & { readonly default: V }): Setting<V>;
  function make(keys: string, row: Row<V>): Setting<V | undefined>;
  function make(keys: string, row: Row<V>): Setting<V | undefined> {
    return { default: undefined, ...row, type, keys: keys.split(' ').filter((key) => key !== '') };
  }
  return make;
}

const textType: SettingType<string> = {
  word: 'text',
  read: (node, _, place) => {
    if (node.kind !== 'string' && node.kind !== 'number') return refuseType(node, 'a text', place);
    if (node.kind === 'number') place.warn('is a number; it is taken as a text');
    return node.text;
  },
};

export const text = rowsOf(textType);

const pathType: SettingType<string> = {
  ...textType,
  read: (node, bounds, place) => textType.read(node, bounds, place) || undefined,
};

/** A text that counts as absent when it is empty. */
export const path = rowsOf(pathType);

/** A file that the run reads, which may be beside the file that names it; absent when the text is empty. */
export const inputFile = rowsOf(located(pathType));

/** The same, where an empty text is a mistake. */
export const requiredInputFile = rowsOf(located(textType));

function located(type: SettingType<string>): SettingType<string> {
  const read: SettingType<string>['read'] = (node, bounds, place) => {
    const name = type.read(node, bounds, place);
    return name === undefined || name === '' ? name : place.locate(name);
  };
  return { ...type, read };
}

/** A text or a number. */
export const word = rowsOf<string>({
  word: 'text or number',
  read: (node, _, place) =>
    node.kind === 'string' || node.kind === 'number' ? node.text : refuseType(node, 'a text', place),
});

/** A type of numbers, each converted from its text. */
function numberType<V>(
  word: string,
  convert: (text: string, bounds: Bounds, place: Place) => V | undefined,
): SettingType<V> {
  const read: SettingType<V>['read'] = (node, bounds, place) => {
    const text = numeric(node, place)?.trim();
    return text === undefined ? undefined : convert(text, bounds, place);
  };
  return { word, isNumber: true, read };
}

export const integer = rowsOf(
  numberType('whole number', (text, bounds, place) => {
    const whole = plain(Math.trunc(Number(text)));
    if (whole !== Number(text)) place.warn(`takes whole numbers; ${Number(text)} is read as ${whole}`);
    return Number.isSafeInteger(whole) ? withinRange(whole, bounds, place) : place.refuse('the number is too large');
  }),
);

/** Seconds in a file; the value, its default included, is in milliseconds. */
export const seconds = rowsOf(
  numberType('number', (text, bounds, place) => {
    const value = withinRange(Number(text), bounds, place);
    return value && value * 1000;
  }),
);

/** A number; an integer beyond 2^53 is a bigint. */
export const exact = rowsOf(
  numberType<number | bigint>('number', (text, { range }, place) => {
    const rounded = plain(Number(text));
    if (!Number.isFinite(rounded)) return place.refuse('the number is too large');
    const value = !/^[+-]?\d+$/.test(text) || Number.isSafeInteger(rounded) ? rounded : BigInt(text);
    if (isWithin(Number(value), range)) return value;
    return place.refuse(`${value} is out of range; allowed: ${rangeText(range)}`);
  }),
);

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'true', 'on', '1'].map((word) => [word, true] as const),
  ...['no', 'false', 'off', '0'].map((word) => [word, false] as const),
]);

/** `usual` are the words that pass without a warning. */
function booleanType(word: string, usual: readonly string[]): SettingType<boolean> {
  return {
    word,
    read: (node, _, place) => {
      if (node.kind !== 'string' && node.kind !== 'number' && node.kind !== 'boolean') {
        return refuseType(node, '"yes" or "no"', place);
      }
      const word = node.kind === 'boolean' ? String(node.value) : node.text.trim().toLowerCase();
      const value = booleanWords.get(word);
      if (value === undefined) return place.refuse(`${JSON.stringify(word)} is neither "yes" nor "no"`);
      if (!usual.includes(word)) place.warn(`takes "yes" or "no"; it is read as "${value ? 'yes' : 'no'}"`);
      return value;
    },
  };
}

const yesNoType = booleanType('yes or no', ['yes', 'no']);
export const yesNo = rowsOf(yesNoType);
export const trueFalse = rowsOf(booleanType('true or false', [...booleanWords.keys()]));

/** An argument without a value. */
export function flag(flag: `${FlagGroup}: -${string}`, help: string, more: Partial<Row<boolean>> = {}) {
  return rowsOf(yesNoType)('', { ...more, flag, help, default: false });
}

/** How often something is retried: Infinity is for ever. */
export const tries = rowsOf<number>({
  word: 'see right',
  isNumber: true,
  read: (node, _, place) => {
    const text = node.kind === 'boolean' ? String(node.value) : 'text' in node ? node.text : '';
    const word = text.trim().toLowerCase();
    if (word === 'no' || word === 'false') return 0;
    if (word === 'yes' || word === 'true') return Number.POSITIVE_INFINITY;
    if (!/^-?\d+(\.\d+)?$/.test(word)) return place.refuse('expected a number, "yes" or "no"');
    const count = plain(Math.trunc(Number(word)));
    return count < 0 ? Number.POSITIVE_INFINITY : count;
  },
});

export const list = rowsOf<readonly JsonNode[]>({
  word: 'array',
  read: (node, _, place) => (node.kind === 'array' ? node.items : refuseType(node, 'an array', place)),
});

export const object = rowsOf<JsonObject>({
  word: 'object',
  read: (node, _, place) => (node.kind === 'object' ? node : refuseType(node, 'an object', place)),
});

/** Any value, as it stands. */
export const anything = rowsOf<JsonNode>({ word: 'see right', read: (node) => node });

/** A row whose value is one of some words, in any case. */
export function choice<const W extends string>(
  words: readonly W[],
  keys: string,
  row: Row<NoInfer<W>> & { readonly default: NoInfer<W> },
): Setting<W> {
  const type: SettingType<W> = {
    word: `text: ${words.map((known) => `\`${known}\``).join(', ')}`,
    read: (node, bounds, place) => {
      const text = textType.read(node, bounds, place);
      if (text === undefined) return undefined;
      const known = words.find((word) => word === text.trim().toLowerCase());
      return known ?? place.refuse(`${JSON.stringify(text)} is not supported; allowed: ${words.join(', ')}`);
    },
  };
  return rowsOf(type)(keys, row);
}

/** Kind of a value, which does not show it. */
export function kindOf(node: JsonNode): string {
  switch (node.kind) {
    case 'string':
      return 'a text';
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
    default:
      return `${node.kind === 'array' || node.kind === 'object' ? 'an' : 'a'} ${node.kind}`;
  }
}

/** `1 or more`, `0 to 50`. */
export function rangeText([min, max = Number.MAX_SAFE_INTEGER]: Range = [Number.NEGATIVE_INFINITY]): string {
  const isOpen = max >= Number.MAX_SAFE_INTEGER;
  if (min === Number.NEGATIVE_INFINITY && isOpen) return 'whole numbers';
  return isOpen ? `${min} or more` : `${min} to ${max}`;
}

function refuseType(node: JsonNode, expected: string, place: Place): undefined {
  return place.refuse(`expected ${expected}, found ${kindOf(node)}`);
}

/** The text of a number, also of one that is written as a text. */
function numeric(node: JsonNode, place: Place): string | undefined {
  if (node.kind === 'number') return node.text;
  if (node.kind !== 'string' || !/^\s*[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(node.text)) {
    return refuseType(node, 'a number', place);
  }
  place.warn('is a text; it is taken as a number');
  return node.text;
}

function isWithin(value: number, range: Range | undefined): boolean {
  return value === nearestOf(value, range);
}

/** The nearest number that is allowed. */
function nearestOf(value: number, [min, max = Number.POSITIVE_INFINITY]: Range = [Number.NEGATIVE_INFINITY]): number {
  return Math.min(max, Math.max(min, value));
}

function withinRange(value: number, { range, outOfRange }: Bounds, place: Place): number | undefined {
  if (isWithin(value, range)) return value;
  const outside = `${value} is out of range; allowed: ${rangeText(range)}`;
  if (outOfRange === undefined) return place.refuse(outside);
  const used = outOfRange === 'nearest' ? nearestOf(value, range) : undefined;
  place.warn(`${outside}; ${used ?? 'the default'} is used`);
  return used;
}

/** -0 is 0. */
function plain(value: number): number {
  return value === 0 ? 0 : value;
}
