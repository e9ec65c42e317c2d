import type { Level, Rows, Setting } from './setting.js';
import {
  consumer,
  database,
  field,
  general,
  insert,
  older,
  query,
  stream,
  subscription,
  table,
  tsma,
} from './table.js';

/** Groups of rows in the order of the help text, with the objects of a file that their keys stand in. */
const groups: readonly (readonly [Rows, ...Level[]])[] = [
  [general, 'insert', 'query', 'subscribe'],
  [database, 'dbinfo'],
  [table, 'table'],
  [insert, 'insert'],
  [field, 'field'],
  [tsma, 'tsma'],
  [stream, 'stream'],
  [query, 'query'],
  [subscription, 'topics'],
  [consumer, 'topics'],
  [older, 'older'],
];

const levelsOf: ReadonlyMap<Setting<unknown>, readonly Level[]> = new Map(
  groups.flatMap(([rows, ...usual]) =>
    Object.values(rows).map((row) => [row, row.keys.length === 0 ? [] : (row.levels ?? usual)] as const),
  ),
);

/** Every setting of the load tool. */
export const settings: readonly Setting<unknown>[] = [...levelsOf.keys()];

/** True when the key may stand in such an object. Where an object has none, the one around it may have it. */
export function mayStandIn(setting: Setting<unknown>, level: Level): boolean {
  return levelsOf.get(setting)?.includes(level) ?? false;
}

/** One argument of the command line. */
export interface LoadFlag {
  readonly group: string;
  readonly short?: string;
  readonly long: string;
  /** Other long names. */
  readonly also: readonly string[];
  /** Word for the value in the help text; undefined for a switch. */
  readonly value?: string;
  readonly setting: Setting<unknown>;
}

/** Every argument of the load tool. */
export const flags: readonly LoadFlag[] = settings.flatMap((setting) => {
  if (setting.flag === undefined) return [];
  const [group = '', ...words] = setting.flag.split(/:? /);
  const value = words.at(-1)?.startsWith('-') ? undefined : words.pop();
  const short = words[0]?.startsWith('--') ? undefined : words.shift()?.slice(1);
  const [long = '', ...also] = words.map((name) => name.slice(2));
  return [{ group, ...(short && { short }), long, also, ...(value && { value }), setting }];
});

/** The argument of a setting; undefined where it has none. */
export function flagOf(setting: Setting<unknown>): LoadFlag | undefined {
  return flags.find((flag) => flag.setting === setting);
}

/** A setting as messages about the command line name it: `-n, --records`. */
export function nameOfFlag(setting: Setting<unknown>): string {
  const flag = flagOf(setting);
  if (flag === undefined) return setting.keys[0] ?? '';
  return `${flag.short === undefined ? '' : `-${flag.short}, `}--${flag.long}`;
}

/** The keys that an object of a file may have, its own before those that others have too. */
export function rowsAt(level: Level): readonly Setting<unknown>[] {
  const rows = settings.filter((setting) => mayStandIn(setting, level));
  const shared = (setting: Setting<unknown>): number => (levelsOf.get(setting)?.[0] === level ? 0 : 1);
  return rows.toSorted((a, b) => shared(a) - shared(b));
}

/** True where every other key has a meaning too: it is an option of CREATE DATABASE. */
export function isOpen(level: Level): boolean {
  return level === 'dbinfo';
}

/** Keys of other programs of this kind that are understood to be without effect here. */
export const withoutEffect: Readonly<Partial<Record<Level, readonly string[]>>> = {
  insert: 'check_sql pre_load_tb_meta thread_bind_vgroup dsn output_dir csvPath num_of_tables'.split(' '),
  dbinfo: ['flush_each_batch'],
  table: [
    ...'angle_step start_fillback_time partial_col_from primary_key primary_key_name repeat_ts_min'.split(' '),
    ...'repeat_ts_max sqls use_tag_table_name generate_row_rule update_ratio delete_ratio'.split(' '),
    ...'disorder_fill_interval update_fill_interval binary_prefix nchar_prefix random_write_future'.split(' '),
    'check_correct_interval',
  ],
  field: ['scalingFactor', 'gen', 'fillNull', 'encode', 'compress', 'level'],
  query: ['reset_query_cache', 'response_buffer', 'dsn', 'telnet_tcp_port'],
  specified: ['batch_query', 'mode'],
  children: ['batch_query', 'mode'],
  subscribe: ['dsn', 'mode', 'subscribe_interval', 'subscribe_times'],
  topics: ['enable.heartbeat.background'],
  older: ['mode', 'subscribe_interval', 'subscribe_times', 'endAfterRows'],
};
