import { type DataType, dataType, ticksPerSecond } from '../../model/schema.js';
import { text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { ticksToCalendar } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { parseTimestamp, startOfDay } from '../times/timestamp.js';
import { zoneOffsets } from '../times/zone.js';
import { monthsOf, moved } from '../values/arithmetic.js';
import { type Environment, nowTicks, ticksOf } from '../values/convert.js';
import { cellNumberAt, cellStart, type Grid, isUtc, startOfCellAt } from '../values/grid.js';
import { isoTime } from '../values/local-time.js';
import { bigintType, nullValue, ticksValue, timestampType, type Value } from '../values/value.js';
import { plainArgument } from './arguments.js';
import {
  type ScalarFunction,
  scalar,
  unitArgument,
  wrongParameterType,
  wrongParameterValue,
  zoneArgument,
} from './spec.js';

function calendar(args: readonly Value[], env: Environment): Expr {
  return ticksToCalendar(plainArgument(args, 0), env.precision, env.context.connectionZone);
}

/** Calendar months of the units that TIMETRUNCATE takes: a month, a quarter and a year. */
const calendarMonths: ReadonlySet<number> = new Set([1, 3, 12]);

function truncationGrid(args: readonly Value[], env: Environment): Grid {
  const { precision } = env;
  const unit = args[1]?.duration;
  const zone = truncationZone(args[2], env);
  const base = { shift: 0n, phase: 0n, dayShift: 0n, precision, zone };
  if (unit?.unit === 'n' || unit?.unit === 'y') {
    const months = monthsOf(unit);
    if (!calendarMonths.has(months)) throw wrongParameterValue('TIMETRUNCATE');
    return { ...base, unit: 'months', step: BigInt(months) };
  }
  const isDays = unit?.unit === 'd' || unit?.unit === 'w';
  if (isDays && !isUtc(zone)) return { ...base, unit: 'days', step: unit.unit === 'w' ? 7n : 1n };
  // Hours of a zone that is named begin where its clocks say so.
  const isNamed = typeof args[2]?.constant === 'string';
  const shift = isNamed ? -BigInt(zoneOffsets(zone).standard * ticksPerSecond(precision)) : 0n;
  return { ...base, shift, unit: 'ticks', step: unitArgument('TIMETRUNCATE', args[1], precision) };
}

/** By 0 UTC, by 1 or nothing the zone of the request, else the zone named. */
function truncationZone(choice: Value | undefined, { context }: Environment): string {
  const zone = choice?.constant;
  if (typeof zone === 'string') return zoneArgument(zone);
  if (choice !== undefined && zone !== 0n && zone !== 1n) throw wrongParameterValue('TIMETRUNCATE');
  return zone === 0n ? 'UTC' : context.connectionZone;
}

function timeTruncate(args: readonly Value[], env: Environment): Value | undefined {
  const ticks = args[0]?.constant;
  if (typeof ticks !== 'bigint') return undefined;
  const grid = truncationGrid(args, env);
  return ticksValue(startOfCellAt(grid, cellNumberAt(grid, ticks)), env.precision);
}

/** ISO 8601 with the zone as `+hhmm`, or as it is written where that is no name: `Z`, or a distance to the east. */
function iso8601(args: readonly Value[], env: Environment): Expr {
  const zone = args[1]?.constant;
  if (zone === undefined) return isoTime(plainArgument(args, 0), env.precision, env.context.connectionZone);
  if (typeof zone !== 'string') throw wrongParameterType('TO_ISO8601');
  const match = /^(?:z|([+-])(\d{2}):?(\d{2})?)$/i.exec(zone);
  if (match === null) {
    return isoTime(plainArgument(args, 0), env.precision, zoneArgument(zone));
  }
  const minutes = Number(match[2] ?? '0') * 60 + Number(match[3] ?? '0');
  const seconds = (match[1] === '-' ? -minutes : minutes) * 60;
  const moved = expr`${plainArgument(args, 0)} + ${seconds * ticksPerSecond(env.precision)}`;
  const local = ticksToCalendar(moved, env.precision, 'UTC');
  return expr`concat(formatDateTime(${local}, '%Y-%m-%dT%H:%i:%S.%f'), ${text(zone)})`;
}

function unixTimestamp(args: readonly Value[], env: Environment): Value | undefined {
  const literal = args[0]?.constant;
  if (typeof literal !== 'string') return undefined;
  const ticks = parseTimestamp(literal, env.precision, env.context.connectionZone);
  const type = unixTimestampType(args);
  return ticks === undefined ? { ...nullValue, type } : { ...ticksValue(ticks, env.precision), type };
}

function unixTimestampType(args: readonly Value[]): DataType {
  const asTimestamp = args[1]?.constant;
  if (asTimestamp !== undefined && asTimestamp !== 0n && asTimestamp !== 1n)
    throw wrongParameterValue('TO_UNIXTIMESTAMP');
  return asTimestamp === 1n ? timestampType : bigintType;
}

/** The distance of two times in whole units; a unit of NULL is as if there was none. */
function timeDifference(args: readonly Value[], env: Environment): Expr {
  const [, , unit] = args;
  if (unit !== undefined && unit.duration === undefined && unit.role !== 'null') throw wrongParameterType('TIMEDIFF');
  const ticks = moved(plainArgument(args, 0), 'minus', plainArgument(args, 1));
  return expr`intDiv(${ticks}, ${unitArgument('TIMEDIFF', args[2], env.precision)})`;
}

/** Number of the week by one of the eight usual modes. */
function week(args: readonly Value[], env: Environment): Expr {
  const mode = args[1]?.constant ?? 0n;
  if (typeof mode !== 'bigint' || mode < 0n || mode > 7n) throw wrongParameterValue('WEEK');
  return expr`toInt64(toWeek(${calendar(args, env)}, ${mode}))`;
}

function ofDay(name: string, engine: (calendar: Expr) => Expr, result: DataType = bigintType): ScalarFunction {
  return scalar(name, ['time'], result, (args, env) => engine(calendar(args, env)));
}

/** Functions on times. */
export const timeFunctions: readonly ScalarFunction[] = [
  scalar('NOW', [], timestampType, (_, env) => ticksValue(nowTicks(env), env.precision).sql, {
    fold: (_, env) => ticksValue(nowTicks(env), env.precision),
  }),
  scalar(
    'TODAY',
    [],
    timestampType,
    (_, env) => ticksValue(startOfDay(nowTicks(env), env.precision, env.context.connectionZone), env.precision).sql,
    {
      fold: (_, env) => ticksValue(startOfDay(nowTicks(env), env.precision, env.context.connectionZone), env.precision),
    },
  ),
  scalar('TIMEZONE', [], dataType('VARCHAR', 64), (_, env) => text(zoneText(env))),
  scalar('TIMEDIFF', ['time', 'time', 'any'], bigintType, timeDifference, { required: 2 }),
  scalar(
    'TIMETRUNCATE',
    ['time', 'unit', 'any'],
    timestampType,
    (args, env) => cellStart(truncationGrid(args, env), plainArgument(args, 0)),
    { required: 2, fold: timeTruncate },
  ),
  scalar('TO_ISO8601', ['time', 'text'], dataType('VARCHAR', 64), iso8601, { required: 1 }),
  scalar(
    'TO_UNIXTIMESTAMP',
    ['text', 'integer'],
    unixTimestampType,
    (args, env) => ticksOf(args[0] ?? nullValue, env.precision, env).sql,
    { required: 1, fold: unixTimestamp },
  ),
  scalar('WEEK', ['time', 'integer'], bigintType, week, { required: 1 }),
  ofDay('WEEKOFYEAR', (day) => expr`toInt64(toWeek(${day}, 3))`),
  ofDay('WEEKDAY', (day) => expr`toInt64(toDayOfWeek(${day}) - 1)`),
  ofDay('DAYOFWEEK', (day) => expr`toInt64(toDayOfWeek(${day}) % 7 + 1)`),
  ofDay('DATE', (day) => expr`formatDateTime(${day}, '%Y-%m-%d')`, dataType('VARCHAR', 10)),
];

/** `Asia/Tokyo (JST, +0900)` */
function zoneText(env: Environment): string {
  const zone = env.context.connectionZone;
  const instant = new Date(Number(env.context.nowNanos() / 1000000n));
  const part = (style: 'short' | 'longOffset'): string =>
    new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: style })
      .formatToParts(instant)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const offset = part('longOffset').replace('GMT', '').replace(':', '');
  return `${zone} (${part('short')}, ${offset === '' ? '+0000' : offset})`;
}
