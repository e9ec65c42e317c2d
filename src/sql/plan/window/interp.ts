import { Codes } from '../../../model/fault.js';
import { column, fromQuery, select, sortTerm } from '../../engine/build.js';
import { noTimeline, unorderedRows } from '../../functions/spec.js';
import { ExpressionTranslator, mentions } from '../../resolve/expression.js';
import { nestedAggregate, RowNames } from '../../resolve/names.js';
import type { Expression, InterpRange } from '../../syntax/ast.js';
import { durationTicks } from '../../times/timestamp.js';
import { refuse } from '../../values/context.js';
import { ticksOf } from '../../values/convert.js';
import type { Value } from '../../values/value.js';
import { type BlockTask, type PlannedBlock, resultColumns } from '../rows/block.js';
import { keyExpressions } from '../rows/keys.js';
import { orderTerms, sliceLimits } from '../rows/ordering.js';
import { mayRepeatTimes } from '../rows/sliced-rows.js';
import { maxFilledWindows, timeRangeRequired } from './fill.js';
import { InterpNames } from './interp-names.js';
import { type Points, valuesAtPoints } from './interp-points.js';

/** True when a SELECT has a RANGE clause or calls INTERP, which belong together. */
export function usesInterp({ select, items }: BlockTask): boolean {
  return select.range !== undefined || items.some(({ value }) => callsInterp(value));
}

function callsInterp(expression: Expression): boolean {
  return mentions(expression, (name) => name === 'INTERP');
}

/** A SELECT with INTERP: values at regular points of time, slice by slice. */
export function planInterp(task: BlockTask): PlannedBlock {
  const { select: statement, relation, env, items, filter } = task;
  checkPlace(task);
  const { range } = statement;
  if (range === undefined || !items.some(({ value }) => callsInterp(value))) throw wrongClauses();
  if (relation?.time === undefined) throw noTimeline();
  if (relation.rowOrder?.length === 0) throw unorderedRows('INTERP');
  const rows = new ExpressionTranslator(env, new RowNames(relation, nestedAggregate));
  const keys = keyExpressions(statement.partitionBy, items, relation).map(({ value, alias }) => {
    return { value: rows.translate(value), alias };
  });
  const source = `s${task.serial}`;
  const names = new InterpNames(source, rows, keys, range.fill?.mode ?? 'NONE');
  const translator = new ExpressionTranslator(env, names);
  const values = items.map(({ value }) => translator.translate(value));
  const { planned, columns, shown } = resultColumns(items, values);
  const orderBy = orderTerms(statement.orderBy, items, planned, statement.distinct, ({ value }) =>
    translator.translate(value),
  );
  const slices = names.slices.map(({ value, column: name }): Value => ({ ...value, sql: column(source, name) }));
  if (orderBy.length === 0 && !statement.distinct) {
    orderBy.push(...slices.map(({ sql, nullable }) => sortTerm(sql, nullable)), sortTerm(column(source, 't'), false));
  }
  const points = valuesAtPoints({
    relation,
    filter,
    time: relation.time,
    points: pointsOf(range, rows),
    fill: range.fill,
    within: distanceOf(range, rows),
    keys: names.keyColumns,
    inputs: names.inputs,
    ignoresNull: names.ignoresNull,
    mayRepeatTimes: mayRepeatTimes(
      relation,
      keys.map(({ value }) => value),
    ),
    translator: rows,
  });
  const query = select({
    columns,
    distinct: statement.distinct,
    from: fromQuery(points, source),
    ...sliceLimits(statement, slices),
    orderBy,
  });
  return { query, columns: shown };
}

function wrongClauses(): Error {
  return refuse(Codes.interpClauses, 'Invalid usage of RANGE clause, EVERY clause or FILL clause');
}

function checkPlace({ select }: BlockTask): void {
  if (select.window !== undefined) {
    throw refuse(Codes.notInWindow, 'INTERP function is not supported in time window query');
  }
  if (select.groupBy.length > 0) throw refuse(Codes.notInGroup, 'INTERP function is not supported in group query');
  if (select.having !== undefined) throw refuse(Codes.invalidExpression, 'Invalid usage of expr: interp');
}

/** Ticks within which a neighbour of a point must be; error 0x265D for what is no duration of fixed length. */
function distanceOf({ within }: InterpRange, rows: ExpressionTranslator): bigint | undefined {
  if (within === undefined) return undefined;
  const { constant, duration } = rows.translate(within);
  if (typeof constant !== 'bigint' || duration === undefined || constant < 0n) throw wrongClauses();
  return constant;
}

/** Reads RANGE and EVERY; error 0x265D when they do not make points, 0x263B when they make too many. */
function pointsOf(range: InterpRange, rows: ExpressionTranslator): Points {
  const { env } = rows;
  const [from, to] = [range.from, range.to ?? range.from].map((limit) => {
    const { constant } = ticksOf(rows.translate(limit), env.precision, env);
    if (typeof constant !== 'bigint') throw wrongClauses();
    return constant;
  });
  if (from === undefined || to === undefined || from > to) throw wrongClauses();
  if (range.to === undefined) return { from, step: 1n, count: 1n };
  const { every } = range;
  const step = every === undefined ? undefined : 'ticks' in every ? every.ticks : durationTicks(every, env.precision);
  if (step === undefined || step < 1n) throw wrongClauses();
  const count = (to - from) / step + 1n;
  if (count > maxFilledWindows) throw timeRangeRequired();
  return { from, step, count };
}
