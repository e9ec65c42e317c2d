import test from 'ava';
import { querySettings, reliedOnDefaults, settingsOf, withoutRowSettings } from '../../../src/sql/engine/settings.js';
import { traits } from '../../support/sql/traits.js';

const names = (settings: string): string[] => settings.split(', ').map((term) => term.replace(/ = .*/s, ''));

test('a statement asks for the settings that its words and its result depend on', (t) => {
  const plain = settingsOf('SELECT max(t1.c1) FROM t AS t1', traits);
  t.false(names(plain).some((name) => /^(?:date|input|max|output)_|analyzer/.test(name)));
  t.true(names(settingsOf('SELECT c1_Decimal_4_2', traits)).includes('output_format_json_quote_decimals'));
  t.true(names(settingsOf("SELECT fromUnixTimestamp64Milli(ts, 'UTC')", traits)).includes('date_time_output_format'));
  const asWritten = 'optimize_arithmetic_operations_in_aggregate_functions';
  t.true(names(settingsOf('SELECT sum(multiply(t1.c1, 2)) FROM t AS t1', traits)).includes(asWritten));
  const decimals = settingsOf('SELECT c1', { ...traits, givesDecimals: true });
  t.true(names(decimals).includes('output_format_decimal_trailing_zeros'));
  const texts = settingsOf('SELECT c1', { ...traits, givesTexts: true });
  t.true(names(texts).includes('output_format_json_validate_utf8'));
  const quick = settingsOf('SELECT max(c1) FROM t', { ...traits, isPlain: true });
  t.true(quick.includes('enable_analyzer = 0'));
  t.true(names(quick).includes('compile_aggregate_expressions'));
  t.false(names(plain).includes('compile_aggregate_expressions'));
  const beforeMerging = 'optimize_move_to_prewhere_if_final';
  t.true(names(settingsOf('SELECT max(c1) FROM t AS r FINAL WHERE r.id = 1', traits)).includes(beforeMerging));
  t.false(names(plain).includes(beforeMerging));
  const rows = 'SELECT max(c1) FROM d.t4_0 AS t1 FINAL';
  t.true(settingsOf(rows, traits).includes('max_block_size = 8192'));
  t.false(names(settingsOf(rows, { ...traits, readsLittle: true })).includes('max_block_size'));
  t.false(names(settingsOf('SELECT name FROM (SELECT * FROM d.g4_0 FINAL) AS g1', traits)).includes('max_block_size'));
});

test('a long chain of conditions is one step for the engine', (t) => {
  const chained = (terms: number): string => {
    const chain = Array.from({ length: terms }, (_, at) => `not(equals(t1.c1, ${at}))`);
    return settingsOf(`SELECT c1 FROM t AS t1 WHERE and(${chain.join(', ')})`, traits);
  };
  t.true(chained(1000).includes('query_plan_merge_filters = 0'));
  t.false(chained(10).includes('query_plan_merge_filters'));
});

test('no machine code is made for a statement of hundreds of expressions', (t) => {
  const averages = (count: number): string => {
    const list = Array.from({ length: count }, (_, at) => `avg(toNullable(plus(t1.c1, ${at})))`);
    return settingsOf(`SELECT ${list.join(', ')} FROM t AS t1`, traits);
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
test('a long statement asks for the limits of long ones, and for the analysis that is quick with them', (t) => {
  const settings = settingsOf(`SELECT ${'1 + '.repeat(300)}1`, { ...traits, isPlain: true });
  t.true(settings.includes('max_ast_depth = 10000'));
  t.false(settings.includes('enable_analyzer'));
});
test('settings of rows are left out for a session that has them', (t) => {
  const tail = (own: Partial<typeof traits>): string =>
    withoutRowSettings(`SELECT 1 SETTINGS ${settingsOf('SELECT 1', { ...traits, ...own })} FORMAT CustomSeparated`);
  t.is(tail({}), 'SELECT 1 FORMAT CustomSeparated');
  const none = 'SETTINGS empty_result_for_aggregation_by_empty_set = 1 FORMAT';
  t.is(tail({ emptyGivesNone: true }), `SELECT 1 ${none} CustomSeparated`);
  const others = 'SELECT 1 SETTINGS max_threads = 1 FORMAT TSV';
  t.is(withoutRowSettings(others), others);
});
test('no row over no rows is a setting', (t) => {
  const setting = 'empty_result_for_aggregation_by_empty_set';
  t.true(settingsOf('SELECT max(1)', { ...traits, emptyGivesNone: true }).includes(`${setting} = 1`));
  t.true(querySettings.includes(`${setting} = 0`));
});
test('one thread reads a short series, several print a long result', (t) => {
  const little = names(settingsOf('SELECT max(c1) FROM t', { ...traits, readsLittle: true }));
  t.true(little.includes('max_threads'));
  const long = names(settingsOf('SELECT c1 FROM t', { ...traits, hasFewRows: false }));
  t.true(long.includes('output_format_parallel_formatting'));
  t.false(long.includes('max_threads'));
  const rows = names(settingsOf('SELECT c1 FROM t', { ...traits, hasFewRows: false, readsLittle: true }));
  t.false(rows.includes('output_format_parallel_formatting'));
});

test('pieces of columns are kept for later questions, and joins with tags look at no row beforehand', (t) => {
  t.true(names(settingsOf('SELECT max(t1.c1) FROM d.t4_0 AS t1', traits)).includes('use_uncompressed_cache'));
  t.false(names(settingsOf('SELECT 1', traits)).includes('use_uncompressed_cache'));
  const tags = '(SELECT * FROM d.g4_0 FINAL WHERE dropped = 0) AS g1';
  const before = settingsOf(`SELECT g1.name FROM ${tags} LEFT JOIN (SELECT 1) AS i ON i.id = g1.id`, traits);
  const behind = settingsOf(`SELECT g1.name FROM d.t4_0 AS t1 INNER JOIN ${tags} ON g1.id = t1.id`, traits);
  t.true([before, behind].every((settings) => settings.includes('enable_join_runtime_filters = 0')));
  const rows = settingsOf('SELECT t1.c1 FROM d.t4_0 AS t1 INNER JOIN d.t5_0 AS t2 ON t1.ts = t2.ts', traits);
  t.false(names(rows).includes('enable_join_runtime_filters'));
});
