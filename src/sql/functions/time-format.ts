import { Codes } from '../../model/fault.js';
import { dataType, type Precision, ticksPerSecond } from '../../model/schema.js';
import { quoteString } from '../engine/quote.js';
import { raiseIf } from '../engine/raise.js';
import { calendarToTicks, fractionDigits, ticksToCalendar } from '../engine/storage.js';
import { textSide } from '../values/compare.js';
import { refuse } from '../values/context.js';
import type { Environment } from '../values/convert.js';
import { offsetText } from '../values/local-time.js';
import { timestampType, type Value } from '../values/value.js';
import { type ScalarFunction, scalar, wrongParameterType, wrongParameterValue, zoneArgument } from './spec.js';

/** Part of a time that a field sets when it is read. */
type Part = 'year' | 'month' | 'day' | 'hour' | 'half' | 'minute' | 'second' | 'ms' | 'us' | 'ns' | 'offset';

/** A point on the engine's calendar by its ticks, as engine SQL, and its zone. */
interface Instant {
  readonly ticks: string;
  readonly precision: Precision;
  readonly zone: string;
}

/** A field of a time format: how it is printed and read. */
interface Field {
  /** Engine SQL of its text; `time` is a point on the engine's calendar. */
  print(time: string, instant: Instant): string;
  /** Regular expression of its text. */
  readonly pattern: string;
  /** The same where digits of the next field follow at once, so that it has all of its own. */
  readonly closePattern?: string;
  /** Engine SQL of its number from its text; undefined when it is read over. */
  readonly read?: { readonly part: Part; readonly number: (text: string) => string };
}

function format(specifier: string): (time: string) => string {
  return (time) => `formatDateTime(${time}, '${specifier}')`;
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
function hourOfHalf(text: string): string {
  return `if(${plainNumber(text)} BETWEEN 1 AND 12, modulo(${plainNumber(text)}, 12), ${noHour})`;
}

const noHour = 99;

function plainNumber(text: string): string {
  return `toInt64OrZero(${text})`;
}

/** The last digits of a year: of the one nearest to 2020, up to 2519. */
function shortYear(count: number): Field {
  const number = (text: string): string => {
    const year = plainNumber(text);
    return `(${year} + multiIf(${year} < 70, 2000, ${year} < 100, 1900, ${year} < 520, 2000, ${year} < 1000, 1000, 0))`;
  };
  return {
    print: (time) => `substring(formatDateTime(${time}, '%Y'), ${5 - count})`,
    ...digitPatterns(count),
    read: { part: 'year', number },
  };
}

/** Digits of the second's fraction; where several are read, they are added. */
function fraction(part: 'ms' | 'us' | 'ns', count: 3 | 6 | 9): Field {
  return {
    print: (_, { ticks, precision }) => {
      const perSecond = ticksPerSecond(precision);
      const nanos = `positiveModulo(${ticks}, ${perSecond}) * ${1e9 / perSecond}`;
      return `leftPad(toString(intDiv(${nanos}, ${10 ** (9 - count)})), ${count}, '0')`;
    },
    ...digitPatterns(count),
    read: { part, number: (text) => `${plainNumber(`rightPad(${text}, ${count}, '0')`)} * ${10 ** (9 - count)}` },
  };
}

const monthStarts = "['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']";

/** A name of a month or day, as upper, capitalised or lower text; full names take nine characters. */
function name(specifier: string, write: (text: string) => string, padded: boolean, part?: Part): Field {
  const number = (text: string): string => `indexOf(${monthStarts}, lower(substring(${text}, 1, 3)))`;
  return {
    print: (time) => {
      const text = write(format(specifier)(time));
      return padded ? `rightPad(${text}, 9)` : text;
    },
    pattern: '([A-Za-z]{3,9})',
    ...(part === undefined ? {} : { read: { part, number } }),
  };
}

/** The half of the day, with or without dots. */
function half(lower: boolean, dot = ''): Field {
  const text = (word: string): string => quoteString([...(lower ? word : word.toUpperCase()), ''].join(dot));
  return {
    print: (time) => `if(toHour(${time}) < 12, ${text('am')}, ${text('pm')})`,
    pattern: dot === '' ? '([AaPp][Mm])' : '([AaPp]\\.[Mm]\\.)',
    read: { part: 'half', number: (word) => `if(lower(substring(${word}, 1, 1)) = 'p', 12, 0)` },
  };
}

/** Distance from UTC, as `+08` or `+08:00`; where it is read, it is the zone of the time. */
function offset(withMinutes: boolean): Field {
  const hours = (text: string): string => `substring(${text}, 1, 3)`;
  return {
    print: (_, { ticks, precision, zone }) => {
      const text = offsetText(ticks, precision, zone);
      return withMinutes ? `concat(${hours(text)}, ':', substring(${text}, 4, 2))` : hours(text);
    },
    pattern: withMinutes ? '([+-]?[0-9]{1,2}:?[0-9]{2})' : '([+-]?[0-9]{1,2})',
    read: {
      part: 'offset',
      number: (text) => {
        const plain = `replaceRegexpAll(${text}, '[^0-9]', '')`;
        const minutes = withMinutes
          ? `${plainNumber(`substring(${plain}, 1, length(${plain}) - 2)`)} * 60 + ${plainNumber(`right(${plain}, 2)`)}`
          : `${plainNumber(plain)} * 60`;
        return `(if(startsWith(${text}, '-'), -1, 1) * (${minutes}))`;
      },
    },
  };
}

const dayOfYear = digits('%j', 3);

/** Fields by the words of a format, longer ones first. Those of digits may be written in any case. */
const fields: readonly (readonly [word: string, field: Field, anyCase?: true])[] = [
  ['MONTH', name('%M', (text) => `upper(${text})`, true, 'month')],
  ['Month', name('%M', (text) => text, true, 'month')],
  ['month', name('%M', (text) => `lower(${text})`, true, 'month')],
  ['YYYY', digits('%Y', 4, 'year'), true],
  ['A.M.', half(false, '.')],
  ['P.M.', half(false, '.')],
  ['a.m.', half(true, '.')],
  ['p.m.', half(true, '.')],
  ['HH24', digits('%H', 2, 'hour'), true],
  ['HH12', digits('%h', 2, 'hour', hourOfHalf), true],
  ['MON', name('%b', (text) => `upper(${text})`, false, 'month')],
  ['Mon', name('%b', (text) => text, false, 'month')],
  ['mon', name('%b', (text) => `lower(${text})`, false, 'month')],
  ['DAY', name('%W', (text) => `upper(${text})`, true)],
  ['Day', name('%W', (text) => text, true)],
  ['day', name('%W', (text) => `lower(${text})`, true)],
  ['YYY', shortYear(3), true],
  ['DDD', dayOfYear, true],
  ['TZH', offset(false), true],
  ['TZ', offset(true), true],
  ['YY', shortYear(2), true],
  ['MM', digits('%m', 2, 'month'), true],
  ['DD', digits('%d', 2, 'day'), true],
  ['DY', name('%a', (text) => `upper(${text})`, false)],
  ['Dy', name('%a', (text) => text, false)],
  ['dy', name('%a', (text) => `lower(${text})`, false)],
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
  ['D', { print: (time) => `toString(toDayOfWeek(${time}) % 7 + 1)`, pattern: '([0-9]{1,2})' }, true],
];

/** A format as fields and the texts between them; text in double quotes stands for itself, and `\"` for a double quote. */
function partsOf(text: string): (Field | string)[] {
  const parts: (Field | string)[] = [];
  const literal = (more: string): void => {
    const last = parts.at(-1);
    if (typeof last === 'string') parts[parts.length - 1] = last + more;
    else parts.push(more);
  };
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('\\"', at)) {
      literal('"');
      at += 2;
      continue;
    }
    const close = text.startsWith('"', at) ? text.indexOf('"', at + 1) : -1;
    const field = close < 0 ? fieldAt(text, at) : undefined;
    if (close >= 0) {
      literal(text.slice(at + 1, close));
      at = close + 1;
    } else if (field !== undefined) {
      parts.push(field[1]);
      at += field[0].length;
    } else {
      literal(text.charAt(at));
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

function toChar(args: readonly Value[], env: Environment): string {
  const ticks = args[0]?.sql ?? 'NULL';
  const zone = args[2]?.constant;
  if (args[2] !== undefined && typeof zone !== 'string') throw wrongParameterType('TO_CHAR');
  const named = typeof zone === 'string' ? zoneArgument(zone) : env.context.connectionZone;
  const instant = { ticks, precision: env.precision, zone: named };
  const time = ticksToCalendar(ticks, env.precision, named);
  const parts = formatArgument('TO_CHAR', args[1]).map((part) =>
    typeof part === 'string' ? quoteString(part) : part.print(time, instant),
  );
  return `if(isNull(${ticks}), NULL, concat(${["''", "''", ...parts].join(', ')}))`;
}

/**
 * Reads a text by a format: error 0x2803 for a format without fields, 0x2806 when it does not match, 0x2807 when there is no such time, 0x2808 for days of a year
 * without a day of a month. A text may end before its format does.
 */
function toTimestamp(args: readonly Value[], env: Environment): string {
  const text = args[0] === undefined || args[0].role === 'null' ? "CAST(NULL, 'Nullable(String)')" : textSide(args[0]);
  const parts = formatArgument('TO_TIMESTAMP', args[1]);
  const groups = `extractGroups(assumeNotNull(${text}), ${quoteString(`^\\s*${patternOf(parts)}`)})`;
  const numbers = new Map<Part, string>();
  const read = parts.filter((part): part is Field => typeof part !== 'string');
  if (read.length === 0) throw wrongParameterValue('TO_TIMESTAMP');
  if (read.includes(dayOfYear) && !read.some((field) => field.read?.part === 'day')) {
    throw refuse(Codes.timestampFormatUnsupported, 'to_timestamp: DDD needs a day of a month beside it');
  }
  for (const [at, { read: reads }] of read.entries()) {
    const group = `arrayElement(g, ${at + 1})`;
    const earlier = reads === undefined ? undefined : (numbers.get(reads.part) ?? missing(reads.part));
    if (reads !== undefined) numbers.set(reads.part, `if(${group} = '', ${earlier}, ${reads.number(group)})`);
  }
  const ticks = `arrayElement(arrayMap(g -> ${assembled(numbers, env)}, [${groups}]), 1)`;
  const mismatch = `and(isNotNull(${text}), empty(${groups}))`;
  const checked = raiseIf(mismatch, Codes.timestampFormat, 'to_timestamp: the text does not match the format');
  return `if(isNull(${text}), NULL, if(${checked} = 0, ${ticks}, NULL))`;
}

/** The number of a part that a text leaves out is that of the epoch. */
function missing(part: Part): string {
  return part === 'year' ? '1970' : part === 'month' || part === 'day' ? '1' : '0';
}

/** Ticks from the parts of a time. */
function assembled(numbers: ReadonlyMap<Part, string>, env: Environment): string {
  const part = (name: Part): string => numbers.get(name) ?? missing(name);
  const date = `makeDate32(${part('year')}, ${part('month')}, ${part('day')})`;
  const isDay = `and(toYear(${date}) = ${part('year')}, toMonth(${date}) = ${part('month')}, toDayOfMonth(${date}) = ${part('day')})`;
  const isHour = numbers.has('half') ? `${part('hour')} <= 12` : `${part('hour')} < 24`;
  const sensible = `and(${isDay}, ${isHour}, ${part('minute')} < 60, ${part('second')} < 60)`;
  const wrong = raiseIf(`not(${sensible})`, Codes.timestampValue, 'to_timestamp: there is no such time');
  const perTick = 1e9 / ticksPerSecond(env.precision);
  const hour = numbers.has('half') ? `(modulo(${part('hour')}, 12) + ${part('half')})` : part('hour');
  const nanos = `(${part('ms')} + ${part('us')} + ${part('ns')})`;
  const zone = quoteString(numbers.has('offset') ? 'UTC' : env.context.connectionZone);
  const calendar = `makeDateTime64(toYear(${date}), toMonth(${date}), toDayOfMonth(${date}), ${hour}, ${part('minute')}, ${part('second')}, 0, ${fractionDigits(env.precision)}, ${zone})`;
  const moved = numbers.has('offset') ? ` - ${part('offset')} * ${60 * ticksPerSecond(env.precision)}` : '';
  return `if(${wrong} = 0, (${calendarToTicks(calendar, env.precision)}) + intDiv(${nanos}, ${perTick})${moved}, 0)`;
}

/** The regular expression of a format: each part stands in a group of its own behind the one before, and may be left out at the end of the text. */
function patternOf(parts: readonly (Field | string)[]): string {
  const patterns = parts.map((part, at) => {
    if (typeof part === 'string') return literalPattern(part);
    const next = parts[at + 1];
    const isClose = typeof next === 'object' && next.closePattern !== undefined;
    return `\\s*${(isClose ? part.closePattern : undefined) ?? part.pattern}`;
  });
  return patterns.reduceRight((rest, pattern) => (rest === '' ? pattern : `${pattern}(?:\\s*$|${rest})`), '');
}

/** Blanks match any number of blanks, punctuation any or none, and other characters themselves or another that is no letter or digit. */
function literalPattern(text: string): string {
  const characters = [...text].map((character) => {
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
