import { Codes } from '../../model/fault.js';
import { dataType, ticksPerSecond } from '../../model/schema.js';
import { quoteString } from '../engine/quote.js';
import { raiseIf } from '../engine/raise.js';
import { calendarToTicks, fractionDigits, ticksToCalendar } from '../engine/storage.js';
import { textSide } from '../values/compare.js';
import type { Environment } from '../values/convert.js';
import { timestampType, type Value } from '../values/value.js';
import { type ScalarFunction, scalar, wrongParameterType, zoneArgument } from './spec.js';

/** Part of a time that a field sets when it is read. */
type Part = 'year' | 'month' | 'day' | 'dayOfYear' | 'hour' | 'half' | 'minute' | 'second' | 'fraction' | 'offset';

/** A field of a time format: how it is printed and read. */
interface Field {
  /** Engine SQL of its text; `time` is a point on the engine's calendar, `ticks` the same in ticks. */
  print(time: string, ticks: string, ticksPerSecond: number): string;
  /** Regular expression of its text. */
  readonly pattern: string;
  /** Engine SQL of its number from its text; undefined when it is read over. */
  readonly read?: { readonly part: Part; readonly number: (text: string) => string };
}

function format(specifier: string): (time: string) => string {
  return (time) => `formatDateTime(${time}, '${specifier}')`;
}

function digits(specifier: string, most: number, part?: Part, number = plainNumber): Field {
  const field = { print: format(specifier), pattern: `([0-9]{1,${most}})` };
  return part === undefined ? field : { ...field, read: { part, number } };
}

function plainNumber(text: string): string {
  return `toInt64OrZero(${text})`;
}

/** The last digits of a year. */
function shortYear(count: number): Field {
  const number = (text: string): string => `(${plainNumber(text)} + if(${plainNumber(text)} < 70, 2000, 1900))`;
  return {
    print: (time) => `substring(formatDateTime(${time}, '%Y'), ${5 - count})`,
    pattern: `([0-9]{1,${count}})`,
    read: { part: 'year', number: count === 2 ? number : (text) => `(${plainNumber(text)} + 2000)` },
  };
}

/** Digits of the second's fraction. */
function fraction(count: 3 | 6 | 9): Field {
  return {
    print: (_, ticks, perSecond) => {
      const nanos = `positiveModulo(${ticks}, ${perSecond}) * ${1e9 / perSecond}`;
      return `leftPad(toString(intDiv(${nanos}, ${10 ** (9 - count)})), ${count}, '0')`;
    },
    pattern: `([0-9]{1,${count}})`,
    read: { part: 'fraction', number: (text) => plainNumber(`rightPad(${text}, 9, '0')`) },
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
    print: (time) => {
      const text = format('%z')(time);
      return withMinutes ? `concat(${hours(text)}, ':', substring(${text}, 4, 2))` : hours(text);
    },
    pattern: withMinutes ? '([+-][0-9]{2}:?[0-9]{2})' : '([+-][0-9]{2})',
    read: {
      part: 'offset',
      number: (text) => {
        const minutes = withMinutes ? `toInt64OrZero(right(${text}, 2))` : '0';
        return `(if(startsWith(${text}, '-'), -1, 1) * (toInt64OrZero(substring(${text}, 2, 2)) * 60 + ${minutes}))`;
      },
    },
  };
}

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
  ['HH12', digits('%h', 2, 'hour', (text) => `modulo(${plainNumber(text)}, 12)`), true],
  ['MON', name('%b', (text) => `upper(${text})`, false, 'month')],
  ['Mon', name('%b', (text) => text, false, 'month')],
  ['mon', name('%b', (text) => `lower(${text})`, false, 'month')],
  ['DAY', name('%W', (text) => `upper(${text})`, true)],
  ['Day', name('%W', (text) => text, true)],
  ['day', name('%W', (text) => `lower(${text})`, true)],
  ['YYY', shortYear(3), true],
  ['DDD', digits('%j', 3, 'dayOfYear'), true],
  ['TZH', offset(false), true],
  ['TZ', offset(true), true],
  ['YY', shortYear(2), true],
  ['MM', digits('%m', 2, 'month'), true],
  ['DD', digits('%d', 2, 'day'), true],
  ['DY', name('%a', (text) => `upper(${text})`, false)],
  ['Dy', name('%a', (text) => text, false)],
  ['dy', name('%a', (text) => `lower(${text})`, false)],
  ['HH', digits('%h', 2, 'hour', (text) => `modulo(${plainNumber(text)}, 12)`), true],
  ['MI', digits('%i', 2, 'minute'), true],
  ['SS', digits('%S', 2, 'second'), true],
  ['MS', fraction(3), true],
  ['US', fraction(6), true],
  ['NS', fraction(9), true],
  ['AM', half(false)],
  ['PM', half(false)],
  ['am', half(true)],
  ['pm', half(true)],
  ['Y', shortYear(1), true],
  ['D', { print: (time) => `toString(toDayOfWeek(${time}) % 7 + 1)`, pattern: '([1-7])' }, true],
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
  const time = ticksToCalendar(ticks, env.precision, named);
  const parts = formatArgument('TO_CHAR', args[1]).map((part) =>
    typeof part === 'string' ? quoteString(part) : part.print(time, ticks, ticksPerSecond(env.precision)),
  );
  return `if(isNull(${ticks}), NULL, concat('', '', ${parts.join(', ')}))`;
}

/** Reads a text by a format: error 0x2806 when it does not match, 0x2807 when there is no such time. */
function toTimestamp(args: readonly Value[], env: Environment): string {
  const text = args[0] === undefined || args[0].role === 'null' ? "CAST(NULL, 'Nullable(String)')" : textSide(args[0]);
  const parts = formatArgument('TO_TIMESTAMP', args[1]);
  const pattern = parts.map((part) => (typeof part === 'string' ? literalPattern(part) : part.pattern)).join('');
  const groups = `extractGroups(assumeNotNull(${text}), ${quoteString(`^\\s*${pattern}`)})`;
  const numbers = new Map<Part, string>();
  const read = parts.filter((part): part is Field => typeof part !== 'string');
  for (const [at, field] of read.entries()) {
    if (field.read !== undefined) numbers.set(field.read.part, field.read.number(`arrayElement(g, ${at + 1})`));
  }
  const ticks = `arrayElement(arrayMap(g -> ${assembled(numbers, env)}, [${groups}]), 1)`;
  const mismatch = `and(isNotNull(${text}), ${read.length > 0 ? `empty(${groups})` : '1'})`;
  const checked = raiseIf(mismatch, Codes.timestampFormat, 'to_timestamp: the text does not match the format');
  return `if(isNull(${text}), NULL, if(${checked} = 0, ${ticks}, NULL))`;
}

/** Ticks from the parts of a time; what is missing is that of the epoch. */
function assembled(numbers: ReadonlyMap<Part, string>, env: Environment): string {
  const part = (name: Part, otherwise = '0'): string => numbers.get(name) ?? otherwise;
  const date = numbers.has('dayOfYear')
    ? `makeDate32(${part('year', '1970')}, ${part('dayOfYear')})`
    : `makeDate32(${part('year', '1970')}, ${part('month', '1')}, ${part('day', '1')})`;
  const hour = `(${part('hour')} + ${part('half')})`;
  const same = numbers.has('dayOfYear')
    ? `toDayOfYear(${date}) = ${part('dayOfYear')}`
    : `and(toMonth(${date}) = ${part('month', '1')}, toDayOfMonth(${date}) = ${part('day', '1')})`;
  const sensible = `and(${same}, ${hour} < 24, ${part('minute')} < 60, ${part('second')} < 60)`;
  const wrong = raiseIf(`not(${sensible})`, Codes.timestampValue, 'to_timestamp: there is no such time');
  const perTick = 1e9 / ticksPerSecond(env.precision);
  const clock = `${hour}, ${part('minute')}, ${part('second')}, intDiv(${part('fraction')}, ${perTick})`;
  const zone = quoteString(numbers.has('offset') ? 'UTC' : env.context.connectionZone);
  const calendar = `makeDateTime64(toYear(${date}), toMonth(${date}), toDayOfMonth(${date}), ${clock}, ${fractionDigits(env.precision)}, ${zone})`;
  const moved = numbers.has('offset') ? ` - ${part('offset')} * ${60 * ticksPerSecond(env.precision)}` : '';
  return `if(${wrong} = 0, ${calendarToTicks(calendar, env.precision)}${moved}, 0)`;
}

/** Blanks match any number of blanks. */
function literalPattern(text: string): string {
  return text.replace(/\s+|[\\^$.|?*+()[\]{}]/g, (match) => (/\s/.test(match) ? '\\s*' : `\\${match}`));
}

/** Times by formats with words such as YYYY and HH24. */
export const timeFormatFunctions: readonly ScalarFunction[] = [
  scalar('TO_CHAR', ['time', 'text', 'text'], dataType('VARCHAR', 192), toChar, { required: 2 }),
  scalar('TO_TIMESTAMP', ['text', 'text'], timestampType, toTimestamp),
];
