import { quoteString } from '../print/quote.js';

/** Format of rows as JSON arrays: like JSONCompactEachRow, but without the blanks that it puts behind commas. */
export const arrayRowFormat = 'CustomSeparated';
/** Format of rows as JSON objects. */
export const objectRowFormat = 'JSONEachRow';

/**
 * Settings under which rows printed by the engine in these formats are what REST clients see, byte by byte, and under
 * which planned statements mean what they should.
 */
const settings = {
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
  formatdatetime_f_prints_scale_number_of_digits: 1,
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  join_use_nulls: 0,
  transform_null_in: 0,
  aggregate_functions_null_for_empty: 0,
  empty_result_for_aggregation_by_empty_set: 0,
  empty_result_for_aggregation_by_constant_keys_on_empty_set: 1,
  use_with_fill_by_sorting_prefix: 1,
  enable_positional_arguments: 1,
  prefer_column_name_to_alias: 0,
  least_greatest_legacy_null_behavior: 1,
  optimize_move_to_prewhere_if_final: 0,
  merge_table_max_tables_to_look_for_schema_inference: 1000000,
  max_ast_depth: 10000,
  query_plan_max_optimizations_to_apply: 1000000,
  max_ast_elements: 4000000,
  max_expanded_ast_elements: 4000000,
} as const;

/** The same as text, to stand after SETTINGS. */
export const querySettings = Object.entries(settings)
  .map(([name, value]) => `${name} = ${typeof value === 'string' ? quoteString(value) : value}`)
  .join(', ');

/** Rows of topics: values separated by tabs. */
export const topicRowFormat = 'TSV';

/** Settings of a query whose rows are written again: blocks are short, because a few of them are held at a time. */
export const insertSelectSettings = `${querySettings}, max_block_size = 16384`;
