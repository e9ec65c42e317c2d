import test from 'ava';
import { column, fromQuery, join, number, select } from '../../../src/sql/engine/build.js';
import type { Expr, FromItem, Query } from '../../../src/sql/engine/nodes.js';
import { printQuery } from '../../../src/sql/engine/print.js';
import {
  querySettings,
  reliedOnDefaults,
  type StatementTraits,
  settingsOf,
  withSettings,
} from '../../../src/sql/engine/settings.js';
import { shapeOf } from '../../../src/sql/engine/shape.js';
import { rowsSource, tagsSource } from '../../../src/sql/engine/storage.js';
import { expr } from '../../../src/sql/engine/template.js';
import { traits } from '../../support/sql/traits.js';

const names = (settings: string): string[] => settings.split(', ').map((term) => term.replace(/ = .*/s, ''));

/** A SELECT of one value. */
function oneOf(value: Expr, from?: FromItem, where: readonly Expr[] = []): Query {
  return select({ columns: [[value, '']], from, where });
}

/** The settings of a query with some traits of its own. */
function settingsWith(query: Query, own: Partial<StatementTraits> = {}): string {
  return settingsOf(printQuery(query), shapeOf(query), { ...traits, ...own });
}

/** Rows of which no versions are to be merged, those of which some are, and tags. */
const rows: FromItem = { kind: 'table', table: 'd.t4_0', alias: 't1' };
const merged = rowsSource('d.t4_0', 't1');
const tags = tagsSource({ tagStorage: 'd.g4_0', number: undefined }, 'g1');

test('a statement has the settings that its words and its result depend on', (t) => {
  const plain = settingsWith(oneOf(expr`max(t1.c1)`, rows));
  t.false(names(plain).some((name) => /^(?:date|input|max|output)_|analyzer/.test(name)));
  const ofName = settingsWith(oneOf(column(undefined, 'c1_Decimal_4_2')));
  t.true(names(ofName).includes('output_format_json_quote_decimals'));
  const ofCall = settingsWith(oneOf(expr`fromUnixTimestamp64Milli(ts, 'UTC')`));
  t.true(names(ofCall).includes('date_time_output_format'));
  const asWritten = 'optimize_arithmetic_operations_in_aggregate_functions';
  t.true(names(settingsWith(oneOf(expr`sum(multiply(t1.c1, 2))`, rows))).includes(asWritten));
  t.false(names(plain).includes(asWritten));
  const decimals = settingsWith(oneOf(expr`c1`), { givesDecimals: true });
  t.true(names(decimals).includes('output_format_decimal_trailing_zeros'));
  const texts = settingsWith(oneOf(expr`c1`), { givesTexts: true });
  t.true(names(texts).includes('output_format_json_validate_utf8'));
  const quick = settingsWith(oneOf(expr`max(c1)`, rows), { allowsOldAnalyzer: true });
  t.true(quick.includes('enable_analyzer = 0'));
  t.true(names(quick).includes('compile_aggregate_expressions'));
  t.false(names(plain).includes('compile_aggregate_expressions'));
  const beforeMerging = 'optimize_move_to_prewhere_if_final';
  const ofMerged = oneOf(expr`max(t1.c1)`, merged, [expr`t1.id = 1`]);
  t.true(names(settingsWith(ofMerged)).includes(beforeMerging));
  t.false(names(plain).includes(beforeMerging));
  t.true(settingsWith(ofMerged).includes('max_block_size = 8192'));
  t.false(names(settingsWith(ofMerged, { readsShortSeries: true })).includes('max_block_size'));
  const ofTags = names(settingsWith(oneOf(expr`name`, tags)));
  t.false(ofTags.includes('max_block_size'));
  t.true(ofTags.includes(beforeMerging));
});

test('a long chain of conditions is one step for the engine', (t) => {
  const chained = (terms: number): string => {
    const chain = Array.from({ length: terms }, (_, at) => expr`not(equals(t1.c1, ${at}))`);
    return settingsWith(oneOf(expr`c1`, rows, chain));
  };
  t.true(chained(1000).includes('query_plan_merge_filters = 0'));
  t.false(chained(10).includes('query_plan_merge_filters'));
});

test('no machine code is made for a statement of hundreds of expressions', (t) => {
  const averages = (count: number): string => {
    const list = Array.from({ length: count }, (_, at) => expr`avg(toNullable(plus(t1.c1, ${at})))`);
    return settingsWith(select({ columns: list.map((each) => [each, ''] as const), from: rows }));
  };
  for (const setting of ['compile_expressions = 0', 'compile_aggregate_expressions = 0']) {
    t.true(averages(500).includes(setting));
    t.false(averages(10).includes(setting));
  }
});

test('what is left at its default is named for engines that may have another', (t) => {
  for (const name of ['join_use_nulls', 'prefer_column_name_to_alias', 'transform_null_in']) {
    t.true(name in reliedOnDefaults, name);
    t.false(names(querySettings).includes(name), name);
  }
});

test('a long statement has higher limits and the new analyzer', (t) => {
  const terms = Array.from({ length: 300 }, (_, at) => number(at));
  const settings = settingsWith(oneOf(expr`greatest(${terms})`), { allowsOldAnalyzer: true });
  t.true(settings.includes('max_ast_depth = 10000'));
  t.false(settings.includes('enable_analyzer'));
});

test('a query without settings has no clause of them', (t) => {
  t.is(settingsWith(oneOf(number(1))), '');
  t.is(withSettings('SELECT 1', ''), 'SELECT 1');
  t.is(withSettings('SELECT 1', '', 'max_threads = 1', 'a = 2'), 'SELECT 1 SETTINGS max_threads = 1, a = 2');
});

test('no row over no rows is a setting', (t) => {
  const setting = 'empty_result_for_aggregation_by_empty_set';
  t.true(settingsWith(oneOf(expr`max(1)`), { emptyGivesNone: true }).includes(`${setting} = 1`));
  t.true(querySettings.includes(`${setting} = 0`));
});

test('one thread reads a short series', (t) => {
  t.true(names(settingsWith(oneOf(expr`max(c1)`, rows), { readsShortSeries: true })).includes('max_threads'));
  t.false(names(settingsWith(oneOf(expr`c1`, rows))).includes('max_threads'));
});

test('queries of rows use the uncompressed cache, and joins with tags no runtime filters', (t) => {
  t.true(names(settingsWith(oneOf(expr`max(t1.c1)`, rows))).includes('use_uncompressed_cache'));
  t.false(names(settingsWith(oneOf(number(1)))).includes('use_uncompressed_cache'));
  const groups = fromQuery(oneOf(number(1)), 'i');
  const before = settingsWith(oneOf(expr`g1.name`, join('LEFT', tags, groups, [expr`i.id = g1.id`])));
  const behind = settingsWith(oneOf(expr`g1.name`, join('INNER', rows, tags, [expr`g1.id = t1.id`])));
  t.true([before, behind].every((settings) => settings.includes('enable_join_runtime_filters = 0')));
  const others: FromItem = { kind: 'table', table: 'd.t5_0', alias: 't2' };
  const both = settingsWith(oneOf(expr`t1.c1`, join('INNER', rows, others, [expr`t1.ts = t2.ts`])));
  t.false(names(both).includes('enable_join_runtime_filters'));
});
