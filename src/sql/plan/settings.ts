import { quoteString } from '../print/quote.js';

/** Format of rows as JSON arrays: like JSONCompactEachRow, but without the blanks that it puts behind commas. */
export const arrayRowFormat = 'CustomSeparated';
/** Format of rows as JSON objects. */
export const objectRowFormat = 'JSONEachRow';

/**
 * Settings under which rows printed by the engine in these formats are what REST clients see, byte by byte, and under
 * which planned statements mean what they should.
 */
const general = {
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_quote_decimals: 1,
  output_format_json_validate_utf8: 1,
  output_format_decimal_trailing_zeros: 1,
  format_custom_escaping_rule: 'JSON',
  format_custom_field_delimiter: ',',
  format_custom_row_before_delimiter: '[',
  format_custom_row_after_delimiter: ']\n',
  format_custom_row_between_delimiter: '',
  aggregate_functions_null_for_empty: 0,
  empty_result_for_aggregation_by_constant_keys_on_empty_set: 1,
  prefer_column_name_to_alias: 0,
} as const;

/** More of them, which only statements with such words ask for: a setting costs the engine time in every statement. */
const byWords: readonly (readonly [words: RegExp, settings: Readonly<Record<string, string | number>>])[] = [
  [/DateTime/i, { formatdatetime_f_prints_scale_number_of_digits: 1 }],
  [/JSON|Dynamic/i, { input_format_try_infer_dates: 0, input_format_try_infer_datetimes: 0 }],
  [/\bJOIN\b/i, { join_use_nulls: 0 }],
  [/\b(?:not)?in\b/i, { transform_null_in: 0 }],
  [/\bWITH FILL\b/, { use_with_fill_by_sorting_prefix: 1 }],
  [/\bBY\b/, { enable_positional_arguments: 1 }],
  [/least|greatest/i, { least_greatest_legacy_null_behavior: 1 }],
  [/\bFINAL\b/, { optimize_move_to_prewhere_if_final: 0 }],
  [/\bmerge\(/i, { merge_table_max_tables_to_look_for_schema_inference: 1000000 }],
];

/** Of statements that are long or deep. */
const largeStatement = {
  max_ast_depth: 10000,
  query_plan_max_optimizations_to_apply: 1000000,
  max_ast_elements: 4000000,
  max_expanded_ast_elements: 4000000,
} as const;

/** A statement of so many characters has fewer parts and levels than the engine's own limits, by far. */
const smallStatementChars = 1000;

const emptyGivesRow = { empty_result_for_aggregation_by_empty_set: 0 } as const;
const emptyGivesNothing = { empty_result_for_aggregation_by_empty_set: 1 } as const;

const generalText = printed(general);
const byWordsText = byWords.map(([words, settings]) => [words, printed(settings)] as const);

/** All of them as text, to stand after SETTINGS of any statement. */
export const querySettings = [
  generalText,
  printed(emptyGivesRow),
  ...byWordsText.map(([, text]) => text),
  printed(largeStatement),
].join(', ');

/**
 * The settings that `sql` depends on, to stand after SETTINGS. With `emptyGivesNone` aggregates without keys give no row over
 * no rows.
 */
export function settingsOf(sql: string, { emptyGivesNone }: { readonly emptyGivesNone: boolean }): string {
  const terms = [generalText, printed(emptyGivesNone ? emptyGivesNothing : emptyGivesRow)];
  for (const [words, text] of byWordsText) if (words.test(sql)) terms.push(text);
  if (sql.length > smallStatementChars) terms.push(printed(largeStatement));
  return terms.join(', ');
}

function printed(settings: Readonly<Record<string, string | number>>): string {
  const terms = Object.entries(settings).map(([name, value]) => {
    return `${name} = ${typeof value === 'string' ? quoteString(value) : value}`;
  });
  return terms.join(', ');
}

/** Rows of topics: values separated by tabs. */
export const topicRowFormat = 'TSV';

/** Settings of a query whose rows are written again: blocks are short, because a few of them are held at a time. */
export const insertSelectSettings = `${querySettings}, max_block_size = 16384`;
