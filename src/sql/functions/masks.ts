import { type DataType, dataType } from '../../model/schema.js';
import { quoteString } from '../engine/quote.js';
import { textSide } from '../values/compare.js';
import { textLength } from '../values/convert.js';
import type { Value } from '../values/value.js';
import { integerArgument, type ScalarFunction, scalar, wrongParameterType, wrongParameterValue } from './spec.js';

const nullText = "CAST(NULL, 'Nullable(String)')";
const maxMasked = 65_535n;

function text(arg: Value | undefined): string {
  return arg === undefined || arg.role === 'null' ? nullText : textSide(arg);
}

/** The type of a text like an argument; `growth`: how many times the bytes of a VARCHAR it may have. */
function textLike(arg: Value | undefined, growth = 1): DataType {
  const length = arg === undefined ? 0 : textLength(arg.type);
  return arg?.type.name === 'NCHAR' ? dataType('NCHAR', length) : dataType('VARCHAR', length * growth);
}

/** Replaces the first and the last characters of a text; a text that is shorter is replaced altogether. */
function maskPartial(args: readonly Value[]): string {
  const [source, mask] = [args[0], args[3]?.constant];
  const ends = [args[1], args[2]].map((arg) => integerArgument('MASK_PARTIAL', arg, 0n, maxMasked));
  const [prefix = 0n, suffix = 0n] = ends;
  if (typeof mask !== 'string') throw wrongParameterType('MASK_PARTIAL');
  if ([...mask].length !== 1) throw wrongParameterValue('MASK_PARTIAL');
  const sql = text(source);
  const length = `toInt64(lengthUTF8(${sql}))`;
  const visible = `greatest(${length} - ${prefix + suffix}, 0)`;
  const masked = [
    `repeat(${quoteString(mask)}, least(${length}, ${prefix}))`,
    `substringUTF8(${sql}, ${prefix + 1n}, ${visible})`,
    `repeat(${quoteString(mask)}, least(greatest(${length} - ${prefix}, 0), ${suffix}))`,
  ];
  return `concat(${masked.join(', ')})`;
}

/**
 * Functions that hide text: all of it behind another text, its ends behind a character, or nothing. NULL stays NULL.
 * Lengths count characters.
 */
export const maskFunctions: readonly ScalarFunction[] = [
  scalar(
    'MASK_FULL',
    ['text', 'text'],
    (args) => textLike(args[1]),
    (args) => `if(isNull(${text(args[0])}), NULL, ${text(args[1])})`,
  ),
  scalar(
    'MASK_PARTIAL',
    ['text', 'integer', 'integer', 'text'],
    (args) => textLike(args[0], Buffer.byteLength(String(args[3]?.constant ?? '*'))),
    maskPartial,
  ),
  scalar(
    'MASK_NONE',
    ['text'],
    (args) => textLike(args[0]),
    (args) => text(args[0]),
  ),
];
