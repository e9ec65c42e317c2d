import type { RowForm } from '../../model/exchange.js';
import { quoteString } from './quote.js';
import type { QueryShape } from './shape.js';

/** Format of rows as JSON arrays: like JSONCompactEachRow, but without the blanks that it puts behind commas. */
export const arrayRowFormat = 'CustomSeparated';
/** Format of rows as JSON objects. */
export const objectRowFormat = 'JSONEachRow';
/** The format of each form of rows. */
export const rowFormats: Readonly<Record<RowForm, string>> = {
  arrays: arrayRowFormat,
  objects: objectRowFormat,
  columns: 'Native',
};

type EngineSettings = Readonly<Record<string, string | number>>;

/**
 * Settings under which rows in {@link arrayRowFormat} are arrays as REST clients see them. Sessions of the engine host
 * have them; a server gets them with each query in that format.
 */
export const rowSettings = {
  format_custom_escaping_rule: 'JSON',
  format_custom_field_delimiter: ',',
  format_custom_row_before_delimiter: '[',
  format_custom_row_after_delimiter: ']\n',
} as const;

/** The same of texts, and of decimals. */
const ofTexts = { output_format_json_escape_forward_slashes: 0, output_format_json_validate_utf8: 1 } as const;
const ofDecimals = { output_format_json_quote_decimals: 1, output_format_decimal_trailing_zeros: 1 } as const;

/**
 * Settings of statements with such names and texts, for their rows and for the meaning of the plan. A setting costs the
 * engine time in every statement that has it.
 */
const byWords: readonly (readonly [words: RegExp, settings: EngineSettings])[] = [
  [/Timestamp|Date|JSON|Dynamic/i, { date_time_output_format: 'iso' }],
  // A value that the engine converts to a text in between counts, too.
  [/String|JSON|Dynamic/i, ofTexts],
  [/Decimal|String|JSON|Dynamic/i, ofDecimals],
  [/DateTime/i, { formatdatetime_f_prints_scale_number_of_digits: 1 }],
  [/JSON|Dynamic/i, { input_format_try_infer_dates: 0, input_format_try_infer_datetimes: 0 }],
  // The sum adds what each row gives: a factor that is taken out of a sum rounds and overflows elsewhere.
  [/^(?:plus|minus|multiply|divide)$/m, { optimize_arithmetic_operations_in_aggregate_functions: 0 }],
  [/least|greatest/i, { least_greatest_legacy_null_behavior: 1 }],
  [/^merge$|\bmerge\(/im, { merge_table_max_tables_to_look_for_schema_inference: 1000000 }],
];

/**
 * Settings that statements rely on at the engine's own defaults. The host has these; where an administrator may have set others,
 * they go with every statement.
 */
export const reliedOnDefaults: Readonly<Record<string, string>> = {
  output_format_json_quote_64bit_integers: '0',
  output_format_json_quote_denormals: '0',
  format_custom_row_between_delimiter: '',
  aggregate_functions_null_for_empty: '0',
  empty_result_for_aggregation_by_empty_set: '0',
  empty_result_for_aggregation_by_constant_keys_on_empty_set: '1',
  prefer_column_name_to_alias: '0',
  join_use_nulls: '0',
  transform_null_in: '0',
  use_with_fill_by_sorting_prefix: '1',
  enable_positional_arguments: '1',
};

/** Of statements that are long or deep. */
const largeStatement = {
  max_ast_depth: 10000,
  query_plan_max_optimizations_to_apply: 1000000,
  max_ast_elements: 4000000,
  max_expanded_ast_elements: 4000000,
} as const;

/**
 * Of a chain of AND each term is a step of its own for the engine, with a copy of all those behind it: of a thousand
 * terms that takes 24 s of processor time, as one step 3 s, of five thousand more memory than there is.
 */
const oneFilter = { query_plan_merge_filters: 0 } as const;
/** A shorter statement has some hundred terms at most, which are faster as steps. */
const chainChars = 16 * 1024;

/**
 * The engine makes machine code of expressions and aggregates at the fourth run: 5 s for 500 averages, 20 s for 500 of sums,
 * while each run without it takes 0.1 s.
 */
const neverCompiled = { compile_expressions: 0, compile_aggregate_expressions: 0 } as const;
/** A shorter statement has a hundred expressions at most. */
const compiledChars = 4 * 1024;

/** A statement of so many characters has fewer parts and levels than the engine's own limits, by far. */
const smallStatementChars = 1000;

const emptyGivesRow = { empty_result_for_aggregation_by_empty_set: 0 } as const;
const emptyGivesNothing = { empty_result_for_aggregation_by_empty_set: 1 } as const;
/** The old analyzer of the engine takes half a millisecond less, but twice as long for hundreds of expressions. */
const oldAnalyzer = { enable_analyzer: 0 } as const;

/**
 * One group is added up as fast without machine code made for it, which the engine compiles at the fourth run: 45 ms for one
 * aggregate, seconds for a thousand.
 */
const notCompiled = { compile_aggregate_expressions: 0 } as const;

/**
 * One thread reads the few parts of one series, each in one step: idle threads cost a fifth of such a query, and a step
 * for each condition a tenth.
 */
const oneSeries = { max_threads: 1, enable_multiple_prewhere_read_steps: 0 } as const;

/**
 * The cache of uncompressed column blocks saves a query of one series a tenth, and averages of half a million rows a
 * seventh. The engine host does not use it for a statement that reads more than 786,432 rows.
 */
const uncompressedCache = { use_uncompressed_cache: 1 } as const;

/**
 * No runtime filters for a join of rows with their tags: every row has tags, and a filter takes half a millisecond.
 * Conditions on tags choose the series to read in another way.
 */
const noJoinFilters = { enable_join_runtime_filters: 0 } as const;

/**
 * Merging versions holds blocks of each part and each layer of the key: short ones take half of the memory or less, and
 * the same time. Series that are short do without it.
 */
export const shortBlocks = { max_block_size: 8192 } as const;

/**
 * Rows of a super table without versions to be merged, grouped by their series: they lie in that order, so each group
 * is ended before the next one begins, which takes a tenth to a quarter less. Where versions are merged, and with
 * windows, it takes longer. No projection of the engine has such groups, and looking for one takes a twentieth.
 */
const inSeriesOrder = { optimize_aggregation_in_order: 1, optimize_use_projections: 0 } as const;

/** Conditions on the key, which alone are moved, decide before versions of a row are merged: of a series or an hour only those. */
const movedConditions = { optimize_move_to_prewhere_if_final: 1 } as const;

/** Those that any statement may need as text, to stand after SETTINGS. */
export const querySettings = printed(
  Object.assign({}, emptyGivesRow, movedConditions, ...byWords.map(([, settings]) => settings), largeStatement),
);

/** Traits of a statement that decide about its settings, in addition to its words. */
export interface StatementTraits {
  /** Aggregates without keys give no row over no rows. */
  readonly emptyGivesNone: boolean;
  /** The result has texts, or decimals. */
  readonly givesTexts: boolean;
  readonly givesDecimals: boolean;
  /** It reads single short series only. */
  readonly readsShortSeries: boolean;
  /** Both analyzers give it the same meaning: one SELECT over one table, with one group or one short series. */
  readonly allowsOldAnalyzer: boolean;
}

/** True for a statement of at most {@link smallStatementChars}, which cannot reach the engine's limits. */
function underEngineLimits(sql: string): boolean {
  return sql.length <= smallStatementChars;
}

/** The settings that a query of this shape depends on, to stand after SETTINGS; may be empty. `sql` is its text. */
export function settingsOf(sql: string, shape: QueryShape, traits: StatementTraits): string {
  const settings: EngineSettings = {
    ...(traits.emptyGivesNone && emptyGivesNothing),
    ...(traits.givesTexts && ofTexts),
    ...(traits.givesDecimals && ofDecimals),
    ...(traits.readsShortSeries ? oneSeries : shape.mergesRows && shortBlocks),
    ...(shape.readsRows && uncompressedCache),
    ...(shape.joinsTags && shape.joins === 1 && noJoinFilters),
    ...(traits.allowsOldAnalyzer && notCompiled),
    ...(shape.groupsSeries && !shape.mergesRows && !shape.unites && inSeriesOrder),
    ...(underEngineLimits(sql) ? traits.allowsOldAnalyzer && oldAnalyzer : largeStatement),
    ...(sql.length > chainChars && oneFilter),
    ...(sql.length > compiledChars && neverCompiled),
  };
  const matching = byWords.filter(([words]) => words.test(shape.words)).map(([, own]) => own);
  return printed(Object.assign(settings, shape.merges && movedConditions, ...matching));
}

/** A query with its settings, some of which may be empty. */
export function withSettings(sql: string, ...settings: readonly string[]): string {
  const all = settings.filter((some) => some !== '');
  return all.length === 0 ? sql : `${sql} SETTINGS ${all.join(', ')}`;
}

function printed(settings: EngineSettings): string {
  const terms = Object.entries(settings).map(([name, value]) => {
    return `${name} = ${typeof value === 'string' ? quoteString(value) : value}`;
  });
  return terms.join(', ');
}

/** Rows of topics: values separated by tabs. */
export const topicRowFormat = 'TSV';

/** Settings of a query whose rows are written again. Blocks are short, because a few are in memory at a time. */
export const insertSelectSettings = `${querySettings}, max_block_size = 16384`;
