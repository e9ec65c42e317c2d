import { general } from './general.js';
import { database, insert, stream } from './insert.js';
import { query, subscription } from './query.js';
import type { Flag, Level, Setting } from './setting.js';
import { field, table, tsma } from './table.js';

/** Groups of rows in the order of the help text, with the objects of a file that their keys stand in. */
const groups: readonly (readonly [Readonly<Record<string, Setting<unknown>>>, readonly Level[]])[] = [
  [general, ['insert', 'query', 'subscribe']],
  [database, ['dbinfo']],
  [table, ['table']],
  [insert, ['insert']],
  [field, ['field']],
  [tsma, ['tsma']],
  [stream, ['stream']],
  [query, ['query']],
  [subscription, ['topics']],
];

const levelsOf: ReadonlyMap<Setting<unknown>, readonly Level[]> = new Map(
  groups.flatMap(([rows, usual]) =>
    Object.values(rows).map(
      (setting) => [setting, setting.key === undefined ? [] : (setting.levels ?? usual)] as const,
    ),
  ),
);

/** Every setting of the load tool. */
export const settings: readonly Setting<unknown>[] = [...levelsOf.keys()];

/** True when the key may stand in such an object. Where an object has none, the one around it may have it. */
export function mayStandIn(setting: Setting<unknown>, level: Level): boolean {
  return levelsOf.get(setting)?.includes(level) ?? false;
}

/** One argument of the command line with the setting that it gives. */
export interface LoadFlag extends Flag<unknown> {
  /** Undefined for a switch. */
  readonly value?: string;
  readonly setting: Setting<unknown>;
}

/** Every argument of the load tool. */
export const flags: readonly LoadFlag[] = settings.flatMap((setting) => {
  const { flag } = setting;
  if (flag === undefined) return [];
  return flag.word === undefined ? [{ ...flag, setting }] : [{ ...flag, value: flag.word, setting }];
});

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
  insert: ['check_sql', 'pre_load_tb_meta', 'thread_bind_vgroup', 'dsn', 'output_dir', 'csvPath', 'num_of_tables'],
  dbinfo: ['flush_each_batch'],
  table: [
    'angle_step',
    'start_fillback_time',
    'partial_col_from',
    'primary_key',
    'primary_key_name',
    'repeat_ts_min',
    'repeat_ts_max',
    'sqls',
    'use_tag_table_name',
    'generate_row_rule',
    'update_ratio',
    'delete_ratio',
    'disorder_fill_interval',
    'update_fill_interval',
    'binary_prefix',
    'nchar_prefix',
    'random_write_future',
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
