import { Codes } from '../../model/fault.js';
import { dataType, type Precision, ticksPerSecond } from '../../model/schema.js';
import { one, text, zero } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { raiseIf } from '../engine/raise.js';
import { calendarToTicks, fractionDigits, ticksToCalendar } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { refuse } from '../values/context.js';
import type { Environment } from '../values/convert.js';
import { offsetText } from '../values/local-time.js';
import { timestampType, type Value } from '../values/value.js';
import { plainArgument, textArgument } from './arguments.js';
import { type ScalarFunction, scalar, wrongParameterType, wrongParameterValue, zoneArgument } from './spec.js';

/** Part of a time that a field sets when it is read. */
type Part = 'year' | 'month' | 'day' | 'hour' | 'half' | 'minute' | 'second' | 'ms' | 'us' | 'ns' | 'offset';

/** A point on the engine's calendar by its ticks and its zone. */
interface Instant {
  readonly ticks: Expr;
  readonly precision: Precision;
  readonly zone: string;
}

/** A field of a time format: how it is printed and read. */
interface Field {
  /** Its text; `time` is a point on the engine's calendar. */
  print(time: Expr, instant: Instant): Expr;
  /** Regular expression of its text. */
  readonly pattern: string;
  /** The same where digits of the next field follow at once, so that it has all of its own. */
  readonly closePattern?: string;
  /** Its number from its text; undefined when it is read over. */
  readonly read?: { readonly part: Part; readonly number: (word: Expr) => Expr };
}

function format(specifier: string): (time: Expr) => Expr {
  return (time) => expr`formatDateTime(${time}, ${text(specifier)})`;
}

function digits(specifier: string, most: number, part?: Part, number = plainNumber): Field {
  const field = { print: format(specifier), ...digitPatterns(most) };
  return part === undefined ? field : { ...field, read: { part, number } };
}

/** Longest number that is read; one with more digits than its field needs is a mistake. */
const longestNumber = 9;

function digitPatterns(count: number): Pick<Field, 'pattern' | 'closePattern'> {
  return { pattern: `([0-9]{1,${longestNumber}})`, closePattern: `([0-9]{${count}})` };
}

/** The hours of half a day are 1 to 12; others become one that there is not. */
function hourOfHalf(word: Expr): Expr {
  return expr`if(${plainNumber(word)} BETWEEN 1 AND 12, modulo(${plainNumber(word)}, 12), ${noHour})`;
}

const noHour = 99;

function plainNumber(word: Expr): Expr {
  return expr`toInt64OrZero(${word})`;
}

/** The last digits of a year: of the one nearest to 2020, up to 2519. */
function shortYear(count: number): Field {
  const number = (word: Expr): Expr => {
    const year = plainNumber(word);
    return expr`${year} + multiIf(${year} < 70, 2000, ${year} < 100, 1900, ${year} < 520, 2000, ${year} < 1000, 1000, 0)`;
  };
  return {
    print: (time) => expr`substring(formatDateTime(${time}, '%Y'), ${5 - count})`,
    ...digitPatterns(count),
    read: { part: 'year', number },
  };
}

/** Digits of the second's fraction; where several are read, they are added. */
function fraction(part: 'ms' | 'us' | 'ns', count: 3 | 6 | 9): Field {
  return {
    print: (_, { ticks, precision }) => {
      const perSecond = ticksPerSecond(precision);
      const nanos = expr`positiveModulo(${ticks}, ${perSecond}) * ${1e9 / perSecond}`;
      return expr`leftPad(toString(intDiv(${nanos}, ${10 ** (9 - count)})), ${count}, '0')`;
    },
    ...digitPatterns(count),
    read: {
      part,
      number: (word) => expr`${plainNumber(expr`rightPad(${word}, ${count}, '0')`)} * ${10 ** (9 - count)}`,
    },
  };
}

const monthStarts = expr`['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']`;

/** A name of a month or day, as upper, capitalised or lower text; full names take nine characters. */
function name(specifier: string, write: (word: Expr) => Expr, padded: boolean, part?: Part): Field {
  const number = (word: Expr): Expr => expr`indexOf(${monthStarts}, lower(substring(${word}, 1, 3)))`;
  return {
    print: (time) => {
      const written = write(format(specifier)(time));
      return padded ? expr`rightPad(${written}, 9)` : written;
    },
    pattern: '([A-Za-z]{3,9})',
    ...(part === undefined ? {} : { read: { part, number } }),
  };
}

/** The half of the day, with or without dots. */
function half(lower: boolean, dot = ''): Field {
  const written = (word: string): Expr => text([...(lower ? word : word.toUpperCase()), ''].join(dot));
  return {
    print: (time) => expr`if(toHour(${time}) < 12, ${written('am')}, ${written('pm')})`,
    pattern: dot === '' ? '([AaPp][Mm])' : '([AaPp]\\.[Mm]\\.)',
    read: { part: 'half', number: (word) => expr`if(lower(substring(${word}, 1, 1)) = 'p', 12, 0)` },
  };
}

/** Distance from UTC, as `+08` or `+08:00`; where it is read, it is the zone of the time. */
function offset(withMinutes: boolean): Field {
  const hours = (whole: Expr): Expr => expr`substring(${whole}, 1, 3)`;
  return {
    print: (_, { ticks, precision, zone }) => {
      const whole = offsetText(ticks, precision, zone);
      return withMinutes ? expr`concat(${hours(whole)}, ':', substring(${whole}, 4, 2))` : hours(whole);
    },
    pattern: withMinutes ? '([+-]?[0-9]{1,2}:?[0-9]{2})' : '([+-]?[0-9]{1,2})',
    read: {
      part: 'offset',
      number: (word) => {
        const plain = expr`replaceRegexpAll(${word}, '[^0-9]', '')`;
        const minutes = withMinutes
          ? expr`${plainNumber(expr`substring(${plain}, 1, length(${plain}) - 2)`)} * 60 + ${plainNumber(expr`right(${plain}, 2)`)}`
          : expr`${plainNumber(plain)} * 60`;
        return expr`if(startsWith(${word}, '-'), -1, 1) * ${minutes}`;
      },
    },
  };
}

const dayOfYear = digits('%j', 3);

/** Fields by the words of a format, longer ones first. Those of digits may be written in any case. */
const fields: readonly (readonly [word: string, field: Field, anyCase?: true])[] = [
  ['MONTH', name('%M', (word) => expr`upper(${word})`, true, 'month')],
  ['Month', name('%M', (word) => word, true, 'month')],
  ['month', name('%M', (word) => expr`lower(${word})`, true, 'month')],
  ['YYYY', digits('%Y', 4, 'year'), true],
  ['A.M.', half(false, '.')],
  ['P.M.', half(false, '.')],
  ['a.m.', half(true, '.')],
  ['p.m.', half(true, '.')],
  ['HH24', digits('%H', 2, 'hour'), true],
  ['HH12', digits('%h', 2, 'hour', hourOfHalf), true],
  ['MON', name('%b', (word) => expr`upper(${word})`, false, 'month')],
  ['Mon', name('%b', (word) => word, false, 'month')],
  ['mon', name('%b', (word) => expr`lower(${word})`, false, 'month')],
  ['DAY', name('%W', (word) => expr`upper(${word})`, true)],
  ['Day', name('%W', (word) => word, true)],
  ['day', name('%W', (word) => expr`lower(${word})`, true)],
  ['YYY', shortYear(3), true],
  ['DDD', dayOfYear, true],
  ['TZH', offset(false), true],
  ['TZ', offset(true), true],
  ['YY', shortYear(2), true],
  ['MM', digits('%m', 2, 'month'), true],
  ['DD', digits('%d', 2, 'day'), true],
  ['DY', name('%a', (word) => expr`upper(${word})`, false)],
  ['Dy', name('%a', (word) => word, false)],
  ['dy', name('%a', (word) => expr`lower(${word})`, false)],
  ['HH', digits('%h', 2, 'hour', hourOfHalf), true],
  ['MI', digits('%i', 2, 'minute'), true],
  ['SS', digits('%S', 2, 'second'), true],
  ['MS', fraction('ms', 3), true],
  ['US', fraction('us', 6), true],
  ['NS', fraction('ns', 9), true],
  ['AM', half(false)],
  ['PM', half(false)],
  ['am', half(true)],
  ['pm', half(true)],
  ['Y', shortYear(1), true],
  ['D', { print: (time) => expr`toString(toDayOfWeek(${time}) % 7 + 1)`, pattern: '([0-9]{1,2})' }, true],
];

/**
 * A format as fields and the texts between them; text in double quotes stands for itself, and `\"` for a double quote.
 */
function partsOf(format: string): (Field | string)[] {
  const parts: (Field | string)[] = [];
  const literal = (more: string): void => {
    const last = parts.at(-1);
    if (typeof last === 'string') parts[parts.length - 1] = last + more;
    else parts.push(more);
  };
  for (let at = 0; at < format.length; ) {
    if (format.startsWith('\\"', at)) {
      literal('"');
      at += 2;
      continue;
    }
    const close = format.startsWith('"', at) ? format.indexOf('"', at + 1) : -1;
    const field = close < 0 ? fieldAt(format, at) : undefined;
    if (close >= 0) {
      literal(format.slice(at + 1, close));
      at = close + 1;
    } else if (field !== undefined) {
      parts.push(field[1]);
      at += field[0].length;
    } else {
      literal(format.charAt(at));
      at += 1;
    }
  }
  return parts;
}

function fieldAt(text: string, at: number): (typeof fields)[number] | undefined {
  return fields.find(([word, , anyCase]) => {
    const letters = text.slice(at, at + word.length);
    return letters === word || (anyCase === true && letters.toUpperCase() === word);
  });
}

function formatArgument(name: string, arg: Value | undefined): (Field | string)[] {
  if (typeof arg?.constant !== 'string') throw wrongParameterType(name);
  return partsOf(arg.constant);
}

function toChar(args: readonly Value[], env: Environment): Expr {
  const ticks = plainArgument(args, 0);
  const zone = args[2]?.constant;
  if (args[2] !== undefined && typeof zone !== 'string') throw wrongParameterType('TO_CHAR');
  const named = typeof zone === 'string' ? zoneArgument(zone) : env.context.connectionZone;
  const instant = { ticks, precision: env.precision, zone: named };
  const time = ticksToCalendar(ticks, env.precision, named);
  const parts = formatArgument('TO_CHAR', args[1]).map((part) =>
    typeof part === 'string' ? text(part) : part.print(time, instant),
  );
  return expr`if(isNull(${ticks}), NULL, concat('', '', ${parts}))`;
}

/**
 * Reads a text by a format: error 0x2803 for a format without fields, 0x2806 when it does not match, 0x2807 when there
 * is no such time, 0x2808 for days of a year without a day of a month. A text may end before its format does.
 */
function toTimestamp(args: readonly Value[], env: Environment): Expr {
  const source = textArgument(args[0]);
  const parts = formatArgument('TO_TIMESTAMP', args[1]);
  const groups = expr`extractGroups(assumeNotNull(${source}), ${text(`^\\s*${patternOf(parts)}`)})`;
  const numbers = new Map<Part, Expr>();
  const read = parts.filter((part): part is Field => typeof part !== 'string');
  if (read.length === 0) throw wrongParameterValue('TO_TIMESTAMP');
  if (read.includes(dayOfYear) && !read.some((field) => field.read?.part === 'day')) {
    throw refuse(Codes.timestampFormatUnsupported, 'to_timestamp: DDD needs a day of a month beside it');
  }
  for (const [at, { read: reads }] of read.entries()) {
    if (reads === undefined) continue;
    const group = expr`arrayElement(g, ${at + 1})`;
    const earlier = numbers.get(reads.part) ?? missing(reads.part);
    numbers.set(reads.part, expr`if(${group} = '', ${earlier}, ${reads.number(group)})`);
  }
  const ticks = expr`arrayElement(arrayMap(g -> ${assembled(numbers, env)}, [${groups}]), 1)`;
  const mismatch = expr`and(isNotNull(${source}), empty(${groups}))`;
  const checked = raiseIf(mismatch, Codes.timestampFormat, 'to_timestamp: the text does not match the format');
  return expr`if(isNull(${source}), NULL, if(${checked} = 0, ${ticks}, NULL))`;
}

/** The number of a part that a text leaves out is that of the epoch. */
function missing(part: Part): Expr {
  return part === 'year' ? expr`1970` : part === 'month' || part === 'day' ? one : zero;
}

/** Ticks from the parts of a time. */
function assembled(numbers: ReadonlyMap<Part, Expr>, env: Environment): Expr {
  const part = (name: Part): Expr => numbers.get(name) ?? missing(name);
  const date = expr`makeDate32(${part('year')}, ${part('month')}, ${part('day')})`;
  const isDay = [
    expr`toYear(${date}) = ${part('year')}`,
    expr`toMonth(${date}) = ${part('month')}`,
    expr`toDayOfMonth(${date}) = ${part('day')}`,
  ];
  const isHour = numbers.has('half') ? expr`${part('hour')} <= 12` : expr`${part('hour')} < 24`;
  const sensible = expr`and(and(${isDay}), ${isHour}, ${part('minute')} < 60, ${part('second')} < 60)`;
  const wrong = raiseIf(expr`not(${sensible})`, Codes.timestampValue, 'to_timestamp: there is no such time');
  const perTick = 1e9 / ticksPerSecond(env.precision);
  const hour = numbers.has('half') ? expr`modulo(${part('hour')}, 12) + ${part('half')}` : part('hour');
  const nanos = expr`${part('ms')} + ${part('us')} + ${part('ns')}`;
  const zone = text(numbers.has('offset') ? 'UTC' : env.context.connectionZone);
  const day = [expr`toYear(${date})`, expr`toMonth(${date})`, expr`toDayOfMonth(${date})`];
  const clock = [hour, part('minute'), part('second')];
  const calendar = expr`makeDateTime64(${day}, ${clock}, 0, ${fractionDigits(env.precision)}, ${zone})`;
  const ticks = expr`${calendarToTicks(calendar, env.precision)} + intDiv(${nanos}, ${perTick})`;
  const offsetTicks = expr`${part('offset')} * ${60 * ticksPerSecond(env.precision)}`;
  return expr`if(${wrong} = 0, ${numbers.has('offset') ? expr`${ticks} - ${offsetTicks}` : ticks}, 0)`;
}

/**
 * The regular expression of a format: each part stands in a group of its own behind the one before, and may be left out
 * at the end of the text.
 */
function patternOf(parts: readonly (Field | string)[]): string {
  const patterns = parts.map((part, at) => {
    if (typeof part === 'string') return literalPattern(part);
    const next = parts[at + 1];
    const isClose = typeof next === 'object' && next.closePattern !== undefined;
    return `\\s*${(isClose ? part.closePattern : undefined) ?? part.pattern}`;
  });
  return patterns.reduceRight((rest, pattern) => (rest === '' ? pattern : `${pattern}(?:\\s*$|${rest})`), '');
}

/**
 * Blanks match any number of blanks, punctuation any or none, and other characters themselves or another that is no
 * letter or digit.
 */
function literalPattern(literal: string): string {
  const characters = [...literal].map((character) => {
    if (/\s/.test(character)) return '\\s*';
    if (/[!-/:-@[-`{-~]/.test(character)) return '\\s*[!-/:-@\\[-`{-~]?';
    return `\\s*(?:${character}|[^0-9A-Za-z\\s])`;
  });
  return characters.join('');
}

/** Times by formats with words such as YYYY and HH24. */
export const timeFormatFunctions: readonly ScalarFunction[] = [
  scalar('TO_CHAR', ['time', 'text', 'text'], dataType('VARCHAR', 192), toChar, { required: 2 }),
  scalar('TO_TIMESTAMP', ['text', 'text'], timestampType, toTimestamp),
];
