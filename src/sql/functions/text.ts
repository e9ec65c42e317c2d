import { invalidParameters } from '../../model/refusals.js';
import { type DataType, dataType } from '../../model/schema.js';
import { call, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { raiseIf } from '../engine/raise.js';
import { ticksToCalendar } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { checkPattern, patternText, textSide } from '../values/compare.js';
import { castValue, type Environment, textLength } from '../values/convert.js';
import { bigintType, isBinary, isText, nullValue, type Value } from '../values/value.js';
import { countArgument, nullText, plainArgument, textArgument } from './arguments.js';
import { integerArgument, type ScalarFunction, scalar, wrongParameterType, wrongParameterValue } from './spec.js';

function likeFirst(args: readonly Value[]): DataType {
  const type = args[0]?.type;
  return type?.name === 'NCHAR' || type?.name === 'VARCHAR' ? type : dataType('VARCHAR', 256);
}

function joined(args: readonly Value[]): DataType {
  const name = args.some(({ type }) => type.name === 'NCHAR') ? 'NCHAR' : 'VARCHAR';
  return dataType(
    name,
    args.reduce((sum, { type }) => sum + textLength(type), 0),
  );
}

function oneText(name: string, result: ScalarFunction['result'], engine: (sql: Expr) => Expr): ScalarFunction {
  return scalar(name, ['text'], result, (args) => engine(textArgument(args[0])));
}

/** Bytes for VARCHAR; every character of NCHAR counts four. */
function byteLength(args: readonly Value[]): Expr {
  const sql = textArgument(args[0]);
  return args[0]?.type.name === 'NCHAR' ? expr`toInt64(4 * lengthUTF8(${sql}))` : expr`toInt64(length(${sql}))`;
}

/**
 * The text before the nth delimiter, or behind the nth from the right for a negative n: then delimiters are looked for
 * from the right, too. With an empty delimiter it is ''.
 */
function substringIndex(args: readonly Value[]): Expr {
  const delimiter = args[1]?.constant;
  if (typeof delimiter !== 'string') throw wrongParameterValue('SUBSTRING_INDEX');
  const [whole, count] = [textArgument(args[0]), expr`assumeNotNull(${countArgument(args, 2)})`];
  const first = (source: Expr, mark: string, words: Expr): Expr => {
    const between = text(mark);
    return expr`arrayStringConcat(arraySlice(splitByString(${between}, assumeNotNull(${source})), 1, ${words}), ${between})`;
  };
  const fromRight = first(
    expr`reverseUTF8(${whole})`,
    [...delimiter].reverse().join(''),
    expr`-greatest(${count}, -4294967295)`,
  );
  const counted = expr`if(${count} >= 0, ${first(whole, delimiter, count)}, reverseUTF8(${fromRight}))`;
  const counting = delimiter === '' ? text('') : counted;
  return expr`if(or(isNull(${whole}), isNull(${plainArgument(args, 2)})), NULL, ${counting})`;
}

/** Positions count from 1, from the right when negative; position 0 and lengths below 1 give an empty text. */
function substring(args: readonly Value[]): Expr {
  const position = countArgument(args, 1);
  const source = textArgument(args[0]);
  if (args[2] === undefined) return expr`if(equals(${position}, 0), '', substringUTF8(${source}, ${position}))`;
  const length = countArgument(args, 2);
  const part = expr`substringUTF8(${source}, ${position}, greatest(${length}, 1))`;
  return expr`if(or(equals(${position}, 0), less(${length}, 1)), '', ${part})`;
}

function sha2(args: readonly Value[]): Expr {
  const bits = args[1]?.constant;
  const name = { '224': 'SHA224', '256': 'SHA256', '384': 'SHA384', '512': 'SHA512', '0': 'SHA256' }[String(bits)];
  if (name === undefined) throw wrongParameterValue('SHA2');
  return expr`lower(hex(${call(name, textArgument(args[0]))}))`;
}

/** The position of the first word of a list that a text equals or matches; 0 when there is none. */
function inSet(
  name: string,
  search: (words: Expr, sought: Expr, literal: readonly string[] | undefined) => Expr,
): ScalarFunction {
  return scalar(
    name,
    ['text', 'text', 'text'],
    bigintType,
    (args) => {
      const delimiter = args[2]?.constant ?? ',';
      if (typeof delimiter !== 'string') throw wrongParameterValue(name);
      const words = expr`splitByString(${text(delimiter)}, assumeNotNull(${textArgument(args[1])}))`;
      const missing = expr`or(isNull(${textArgument(args[0])}), isNull(${textArgument(args[1])}))`;
      const list = args[1]?.constant;
      const literal = typeof list === 'string' ? list.split(delimiter) : undefined;
      return expr`if(${missing}, NULL, toInt64(${search(words, expr`assumeNotNull(${textArgument(args[0])})`, literal)}))`;
    },
    { required: 2 },
  );
}

/** Longest expression of a list that is no literal, in bytes; such expressions have no counts of three digits. */
const longestPattern = 1000;

/**
 * The first regular expression of a list that a text matches. Expressions that the engine would take too long to
 * compile are refused.
 */
function firstMatch(words: Expr, sought: Expr, literal: readonly string[] | undefined): Expr {
  const first = (pattern: Expr): Expr => expr`arrayFirstIndex(p -> match(${sought}, ${pattern}), ${words})`;
  if (literal === undefined) {
    const isCostly = expr`or(length(p) > ${longestPattern}, match(p, '[{,][0-9]{3}'))`;
    const problem = `the regular expression is longer than ${longestPattern} bytes, or repeats hundreds of times`;
    const { code, message } = invalidParameters(problem);
    const refused = raiseIf(expr`arrayExists(p -> ${isCostly}, ${words})`, code, message);
    return expr`${first(expr`if(${isCostly}, '', p)`)} + ${refused}`;
  }
  for (const pattern of literal) checkPattern(pattern);
  return first(expr`p`);
}

/** Highest number of a group of REGEXP_EXTRACT. */
const maxGroup = 512n;

/**
 * What a group of a regular expression matches first, by default the first group; 0 is the whole match. NULL without a
 * match.
 */
function regexpExtract(args: readonly Value[]): Expr {
  const [source, pattern, group] = args;
  if (args.some(({ role }) => role === 'null')) return nullText;
  if (source === undefined || typeof pattern?.constant !== 'string') throw wrongParameterType('REGEXP_EXTRACT');
  const groupNumber = group === undefined ? 1n : integerArgument('REGEXP_EXTRACT', group, 0n, maxGroup);
  checkPattern(pattern.constant);
  const groups = expr`extractGroups(assumeNotNull(${textSide(source)}), ${text(`(?s)(${pattern.constant})`)})`;
  const matched = expr`arrayElement(${groups}, ${groupNumber + 1n})`;
  // The engine gives an empty text for a group that has no part in the match, too.
  const taken = /\||\)[?*{]/.test(pattern.constant) && groupNumber > 0n ? expr`nullIf(${matched}, '')` : matched;
  return expr`if(or(isNull(${textSide(source)}), length(${groups}) <= ${groupNumber}), NULL, ${taken})`;
}

/** TRIM(s, mode, rem) of whole copies of a text from one end or both; the engine's own trims a set of characters. */
function trim(args: readonly Value[]): Expr {
  const [source, where] = [textArgument(args[0]), args[1]?.constant];
  const removed = args[2] === undefined ? text(' ') : textArgument(args[2]);
  if (args[2]?.constant === '') return source;
  const copies = (start: string, end: string): Expr =>
    expr`concat(${text(`${start}(?:`)}, regexpQuoteMeta(toValidUTF8(${removed})), ${text(`)+${end}`)})`;
  const start = where === 'TRAILING' ? source : expr`replaceRegexpOne(${source}, ${copies('^', '')}, '')`;
  return where === 'LEADING' ? start : expr`replaceRegexpOne(${start}, ${copies('', '$')}, '')`;
}

/** Functions on text of one row. */
export const textFunctions: readonly ScalarFunction[] = [
  scalar('LENGTH', ['text'], bigintType, byteLength),
  oneText('CHAR_LENGTH', bigintType, (sql) => expr`toInt64(lengthUTF8(${sql}))`),
  scalar('CONCAT', ['text'], joined, (args) => expr`concat(${args.map(textArgument)})`, {
    required: 2,
    atMost: 8,
  }),
  scalar(
    'CONCAT_WS',
    ['text'],
    joined,
    (args) => {
      const present = expr`arrayFilter(x -> isNotNull(x), [${args.slice(1).map(textArgument)}])`;
      const separator = textArgument(args[0]);
      if (args[0]?.constant !== undefined) return expr`arrayStringConcat(${present}, ${separator})`;
      // The engine joins with a literal only.
      const joints = expr`arrayMap((x, n) -> if(n = 1, x, concat(${separator}, x)), ${present}, arrayEnumerate(${present}))`;
      return expr`if(isNull(${separator}), NULL, arrayStringConcat(${joints}))`;
    },
    { required: 3, atMost: 9 },
  ),
  oneText('LOWER', likeFirst, (sql) => expr`lower(${sql})`),
  oneText('UPPER', likeFirst, (sql) => expr`upper(${sql})`),
  oneText('LTRIM', likeFirst, (sql) => expr`trimLeft(${sql})`),
  oneText('RTRIM', likeFirst, (sql) => expr`trimRight(${sql})`),
  scalar('TRIM', ['text', 'text', 'text'], likeFirst, trim, { required: 1 }),
  ...['SUBSTRING', 'SUBSTR'].map(
    (name): ScalarFunction => scalar(name, ['text', 'number', 'number'], likeFirst, substring, { required: 2 }),
  ),
  scalar('SUBSTRING_INDEX', ['text', 'text', 'integer'], likeFirst, substringIndex),
  scalar(
    'REPLACE',
    ['text', 'text', 'text'],
    likeFirst,
    (args) => expr`replaceAll(${textArgument(args[0])}, ${textArgument(args[1])}, ${textArgument(args[2])})`,
  ),
  scalar(
    'REPEAT',
    ['text', 'integer'],
    (args) => dataType(args[0]?.type.name === 'NCHAR' ? 'NCHAR' : 'VARCHAR', repeatLength(args)),
    (args) => expr`repeat(${textArgument(args[0])}, greatest(${countArgument(args, 1)}, 0))`,
  ),
  scalar(
    'POSITION',
    ['text', 'text'],
    bigintType,
    (args) => expr`toInt64(positionUTF8(${textArgument(args[1])}, ${textArgument(args[0])}))`,
  ),
  inSet('FIND_IN_SET', (words, sought) => expr`indexOf(${words}, ${sought})`),
  inSet(
    'LIKE_IN_SET',
    (words, sought) => expr`arrayFirstIndex(p -> like(${sought}, ${patternText(expr`p`)}), ${words})`,
  ),
  inSet('REGEXP_IN_SET', firstMatch),
  scalar('REGEXP_EXTRACT', ['text', 'text', 'integer'], likeFirst, regexpExtract, { required: 2 }),
  oneText('ASCII', bigintType, (sql) => expr`toInt64(ascii(${sql}))`),
  scalar(
    'CHAR',
    ['any'],
    (args) => dataType('VARCHAR', args.length * 4),
    (args, env) => expr`concat('', ${args.map((arg) => bytesOfNumber(arg, env))})`,
    { required: 1, atMost: 64 },
  ),
  oneText('MD5', dataType('VARCHAR', 32), (sql) => expr`lower(hex(MD5(${sql})))`),
  oneText('SHA', dataType('VARCHAR', 40), (sql) => expr`lower(hex(SHA1(${sql})))`),
  oneText('SHA1', dataType('VARCHAR', 40), (sql) => expr`lower(hex(SHA1(${sql})))`),
  scalar('SHA2', ['text', 'integer'], dataType('VARCHAR', 128), sha2),
  scalar(
    'TO_BASE64',
    ['any'],
    (args) => dataType('VARCHAR', Math.ceil(textLength(args[0]?.type ?? bigintType) / 3) * 4),
    (args, env) => expr`base64Encode(${spelling(args[0] ?? nullValue, env, fullInstant)})`,
  ),
  scalar(
    'CRC32',
    ['any'],
    dataType('INT UNSIGNED'),
    (args, env) => expr`CRC32(${spelling(args[0] ?? nullValue, env, localSecond)})`,
  ),
  scalar('TO_JSON', ['text'], dataType('JSON'), (args) => textArgument(args[0])),
  oneText('FROM_BASE64', likeFirst, (sql) => expr`if(${sql} = '', '', nullIf(tryBase64Decode(${sql}), ''))`),
];

/** The bytes of a number, the highest first and without those that are 0 before it; nothing for NULL. */
function bytesOfNumber(value: Value, env: Environment): Expr {
  return expr`ifNull(unhex(hex(toUInt32(${castValue(value, bigintType, env).sql}))), '')`;
}

/** A value of any type as text: truths as 1 and 0, and times as `ofTime` prints them. */
function spelling(value: Value, env: Environment, ofTime: typeof fullInstant): Expr {
  const { type, sql } = value;
  if (value.role === 'null') return nullText;
  if (isText(type) || isBinary(type)) return value.member === undefined ? sql : textSide(value);
  if (type.name === 'TIMESTAMP') return ofTime(value, env);
  return castValue(type.name === 'BOOL' ? castValue(value, bigintType, env) : value, dataType('VARCHAR', 64), env).sql;
}

/** A time in UTC with all its digits. */
function fullInstant({ sql, precision }: Value, _: Environment): Expr {
  return expr`formatDateTime(${ticksToCalendar(sql, precision, 'UTC')}, '%Y-%m-%d %H:%i:%S.%f+00')`;
}

/** A time in the zone of the request, without a fraction. */
function localSecond({ sql, precision }: Value, { context }: Environment): Expr {
  return expr`formatDateTime(${ticksToCalendar(sql, precision, context.connectionZone)}, '%Y-%m-%d %H:%i:%S')`;
}

function repeatLength(args: readonly Value[]): number {
  const count = args[1]?.constant;
  return likeFirst(args).length * (typeof count === 'bigint' ? Math.max(0, Number(count)) : 1);
}
