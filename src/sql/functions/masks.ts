import { type DataType, dataType } from '../../model/schema.js';
import { text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { textLength } from '../values/convert.js';
import type { Value } from '../values/value.js';
import { textArgument } from './arguments.js';
import { integerArgument, type ScalarFunction, scalar, wrongParameterType, wrongParameterValue } from './spec.js';

const maxMasked = 65_535n;

/** The type of a text like an argument; `growth`: how many times the bytes of a VARCHAR it may have. */
function textLike(arg: Value | undefined, growth = 1): DataType {
  const length = arg === undefined ? 0 : textLength(arg.type);
  return arg?.type.name === 'NCHAR' ? dataType('NCHAR', length) : dataType('VARCHAR', length * growth);
}

/** Replaces the first and the last characters of a text; a text that is shorter is replaced altogether. */
function maskPartial(args: readonly Value[]): Expr {
  const [source, mask] = [args[0], args[3]?.constant];
  const ends = [args[1], args[2]].map((arg) => integerArgument('MASK_PARTIAL', arg, 0n, maxMasked));
  const [prefix = 0n, suffix = 0n] = ends;
  if (typeof mask !== 'string') throw wrongParameterType('MASK_PARTIAL');
  if ([...mask].length !== 1) throw wrongParameterValue('MASK_PARTIAL');
  const sql = textArgument(source);
  const length = expr`toInt64(lengthUTF8(${sql}))`;
  const visible = expr`greatest(${length} - ${prefix + suffix}, 0)`;
  const masked = [
    expr`repeat(${text(mask)}, least(${length}, ${prefix}))`,
    expr`substringUTF8(${sql}, ${prefix + 1n}, ${visible})`,
    expr`repeat(${text(mask)}, least(greatest(${length} - ${prefix}, 0), ${suffix}))`,
  ];
  return expr`concat(${masked})`;
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
    (args) => expr`if(isNull(${textArgument(args[0])}), NULL, ${textArgument(args[1])})`,
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
    (args) => textArgument(args[0]),
  ),
];
