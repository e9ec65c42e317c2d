import type { JsonNode, JsonObject } from './json-text.js';

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

/** A setting as an argument of the command line; its members that are left out are those of the key. */
export interface Flag<V> {
  readonly long: string;
  readonly short?: string;
  /** Other long names. */
  readonly also?: readonly string[];
  /** Word for the value in the help text; a switch has none. */
  readonly word?: string;
  readonly group: FlagGroup;
  readonly default?: V;
  readonly min?: number;
  readonly help?: string;
  /** It still counts beside `-f`. */
  readonly withFile?: true;
  /** Given alone or with others, it makes the run one of plain columns instead of the electricity meters. */
  readonly endsDemo?: true;
}

/** Place of a value, for messages about what is wrong with it. */
interface Place {
  warn(text: string): void;
  /** Adds an error; the value then counts as absent. */
  refuse(text: string): undefined;
}

/** Bounds that values are checked against. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
  /** Treatment of a number out of range, with a warning: the nearest bound, or the default. Left out, it is refused. */
  readonly outOfRange?: 'nearest' | 'default';
  /** The value is never shown. */
  readonly secret?: true;
}

/** How values of one type are written and read. */
interface SettingType<V> {
  /** As the page of documentation names it. */
  readonly word: string;
  /** The value of a key; undefined when it is refused. */
  readonly fromJson: (node: JsonNode, bounds: Bounds, place: Place) => V | undefined;
  /** The value of an argument; undefined when it cannot be read or is out of range. */
  readonly fromText: (text: string, bounds: Bounds) => V | undefined;
  /** True for values that are written in digits. */
  readonly isNumber?: true;
}

/**
 * One setting of the load tool: its key, its argument or both. Reading, checking, the help text and the page of documentation
 * come from this row. `V` is what a getter gives: without a default undefined is possible.
 */
export interface Setting<V> extends Bounds {
  readonly type: SettingType<V>;
  readonly key?: string;
  /** Other names of the key, lower in rank. */
  readonly also?: readonly string[];
  /** Objects that the key may stand in, where they are others than those of its group of rows. */
  readonly levels?: readonly Level[];
  readonly flag?: Flag<V>;
  readonly default: V;
  /** The default as people see it, where it is no plain value. */
  readonly shown?: string;
  readonly help: string;
}

/** Settings of one kind of run, read from arguments or from an object of a file. */
export interface Values {
  /** The value that is given, here or in an object around this one, otherwise the default. */
  get<V>(setting: Setting<V>): V;
  /** True when it is given here. */
  has(setting: Setting<unknown>): boolean;
  inform(setting: Setting<unknown> | undefined, text: string): void;
  warn(setting: Setting<unknown> | undefined, text: string): void;
  refuse(setting: Setting<unknown> | undefined, text: string): undefined;
}

/** A row without its key, its help and what its type adds. */
type Row<V> = Partial<Omit<Setting<V>, 'type' | 'default' | 'key' | 'help'>> & { readonly default?: V };

const textType: SettingType<string> = {
  word: 'text',
  fromText: (text) => text,
  fromJson: (node, _, place) => {
    if (node.kind !== 'string' && node.kind !== 'number') return refuseType(node, 'a text', place);
    if (node.kind === 'number') place.warn('is a number; it is taken as a text');
    return node.text;
  },
};

const wordType: SettingType<string> = {
  word: 'text or number',
  fromText: (text) => text,
  fromJson: (node, _, place) =>
    node.kind === 'string' || node.kind === 'number' ? node.text : refuseType(node, 'a text', place),
};

const integerType: SettingType<number> = {
  word: 'whole number',
  isNumber: true,
  fromText: (text, bounds) =>
    /^-?\d+$/.test(text) && isWithin(Number(text), bounds) ? plain(Number(text)) : undefined,
  fromJson: (node, bounds, place) => {
    const value = Number(numeric(node, place) ?? Number.NaN);
    if (Number.isNaN(value)) return undefined;
    const whole = plain(Math.trunc(value));
    if (whole !== value) place.warn(`takes whole numbers; ${value} is read as ${whole}`);
    return Number.isSafeInteger(whole) ? withinRange(whole, bounds, place) : place.refuse('the number is too large');
  },
};

const numberType: SettingType<number> = {
  word: 'number',
  isNumber: true,
  fromText: (text, bounds) => (text.trim() !== '' && isWithin(Number(text), bounds) ? Number(text) : undefined),
  fromJson: (node, bounds, place) => {
    const text = numeric(node, place);
    return text === undefined ? undefined : withinRange(Number(text), bounds, place);
  },
};

const exactType: SettingType<number | bigint> = {
  word: 'number',
  isNumber: true,
  fromText: (text, bounds) => (/^-?\d+$/.test(text) && isWithin(Number(text), bounds) ? exactOf(text) : undefined),
  fromJson: (node, bounds, place) => {
    const text = numeric(node, place)?.trim();
    if (text === undefined) return undefined;
    if (!Number.isFinite(Number(text))) return place.refuse('the number is too large');
    const value = exactOf(text);
    if (isWithin(Number(value), bounds)) return value;
    return place.refuse(`${value} is out of range; allowed: ${rangeText(bounds)}`);
  },
};

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['no', false],
  ['true', true],
  ['false', false],
  ['on', true],
  ['off', false],
  ['1', true],
  ['0', false],
]);

/** `usual` are the two words that pass without a warning. */
function booleanType(word: string, usual: readonly string[]): SettingType<boolean> {
  return {
    word,
    fromText: () => true,
    fromJson: (node, _, place) => {
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
const trueFalseType = booleanType('true or false', [...booleanWords.keys()]);

/** How often something is tried again: Infinity is for ever. */
const triesType: SettingType<number> = {
  word: 'see right',
  isNumber: true,
  fromText: triesOf,
  fromJson: (node, _, place) => {
    const text = node.kind === 'boolean' ? String(node.value) : 'text' in node ? node.text : '';
    return triesOf(text) ?? place.refuse('expected a number, "yes" or "no"');
  },
};

const listType: SettingType<readonly JsonNode[]> = {
  word: 'array',
  fromText: () => undefined,
  fromJson: (node, _, place) => (node.kind === 'array' ? node.items : refuseType(node, 'an array', place)),
};

const objectType: SettingType<JsonObject> = {
  word: 'object',
  fromText: () => undefined,
  fromJson: (node, _, place) => (node.kind === 'object' ? node : refuseType(node, 'an object', place)),
};

const anyType: SettingType<JsonNode> = { word: 'see right', fromText: () => undefined, fromJson: (node) => node };

/** A constructor of rows of one type; with a default there is always a value. Without a key the setting is an argument alone. */
function rowsOf<V>(type: SettingType<V>) {
  function make(key: string | undefined, help: string, row: Row<V> & { readonly default: V }): Setting<V>;
  function make(key: string | undefined, help: string, row?: Row<V>): Setting<V | undefined>;
  function make(key: string | undefined, help: string, row: Row<V> = {}): Setting<V | undefined> {
    return { default: undefined, ...(key === undefined ? {} : { key }), help, ...row, type };
  }
  return make;
}

export const text = rowsOf(textType);
/** A text or a number. */
export const word = rowsOf(wordType);
export const integer = rowsOf(integerType);
export const number = rowsOf(numberType);
/** A number; an integer beyond 2^53 is a bigint. */
export const exact = rowsOf(exactType);
export const yesNo = rowsOf(yesNoType);
export const trueFalse = rowsOf(trueFalseType);
export const tries = rowsOf(triesType);
export const list = rowsOf(listType);
export const object = rowsOf(objectType);
/** Any value, as it stands. */
export const anything = rowsOf(anyType);
/** An argument without a value. */
export const flag = (row: Omit<Setting<boolean>, 'type' | 'default'>): Setting<boolean> => ({
  ...row,
  type: yesNoType,
  default: false,
});

/** One of some words, in any case. */
export function choice<const W extends string>(
  words: readonly W[],
  key: string,
  help: string,
  row: Row<NoInfer<W>> & { readonly default: NoInfer<W> },
): Setting<W> {
  const find = (text: string): W | undefined => words.find((known) => known === text.trim().toLowerCase());
  const type: SettingType<W> = {
    word: `text: ${words.map((known) => `\`${known}\``).join(', ')}`,
    fromText: find,
    fromJson: (node, bounds, place) => {
      const text = textType.fromJson(node, bounds, place);
      if (text === undefined) return undefined;
      return find(text) ?? place.refuse(`${JSON.stringify(text)} is not supported; allowed: ${words.join(', ')}`);
    },
  };
  return rowsOf(type)(key, help, row);
}

/** Seconds in a file as milliseconds. */
export function milliseconds(seconds: number): number {
  return seconds * 1000;
}

/** Kind of a value, which does not show it. */
export function kindOf(node: JsonNode): string {
  switch (node.kind) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
    default:
      return node.kind === 'array' ? 'an array' : 'an object';
  }
}

/** `1 or more`, `0 to 50`. */
export function rangeText({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Bounds): string {
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

function exactOf(digits: string): number | bigint {
  const value = plain(Number(digits));
  return !/^[+-]?\d+$/.test(digits) || Number.isSafeInteger(value) ? value : BigInt(digits);
}

function triesOf(text: string): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'no' || word === 'false') return 0;
  if (word === 'yes' || word === 'true') return Number.POSITIVE_INFINITY;
  if (!/^-?\d+(\.\d+)?$/.test(word)) return undefined;
  const more = plain(Math.trunc(Number(word)));
  return more < 0 ? Number.POSITIVE_INFINITY : more;
}

function isWithin(value: number, { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Bounds): boolean {
  return value >= min && value <= max;
}

function withinRange(value: number, bounds: Bounds, place: Place): number | undefined {
  if (isWithin(value, bounds)) return value;
  const outside = `${value} is out of range; allowed: ${rangeText(bounds)}`;
  if (bounds.outOfRange === undefined) return place.refuse(outside);
  if (bounds.outOfRange === 'nearest') {
    const used = nearestOf(value, bounds);
    place.warn(`${outside}; ${used} is used`);
    return used;
  }
  place.warn(`${outside}; the default is used`);
  return undefined;
}

/** The nearest number that is allowed. */
export function nearestOf(value: number, bounds: Bounds): number {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = bounds;
  return Math.min(max, Math.max(min, value));
}

/** -0 is 0. */
function plain(value: number): number {
  return value === 0 ? 0 : value;
}
