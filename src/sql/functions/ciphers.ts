import { type DataType, dataType } from '../../model/schema.js';
import { bytes, call, nullWord, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { isBinary, isText, type Value } from '../values/value.js';
import { sm4Decrypted, sm4Encrypted } from './sm4.js';
import { type ScalarFunction, scalar, wrongParameterType, wrongParameterValue } from './spec.js';

/** Longest text of a cipher. */
const longest = 65_517;
const keyBytes = 16;

/** A key as 16 bytes: longer ones are folded by XOR, shorter ones filled up with zeros, as MySQL does. */
function folded(key: string): Buffer {
  const filled = Buffer.alloc(keyBytes);
  Buffer.from(key).forEach((byte, at) => {
    filled[at % keyBytes] = (filled[at % keyBytes] ?? 0) ^ byte;
  });
  return filled;
}

interface Cipher {
  readonly key: Buffer;
  /** Of the CBC mode; without one the mode is ECB. */
  readonly vector: Buffer | undefined;
}

/**
 * Key and initialization vector, which must be literals; of the vector the first 16 bytes count, which it must have.
 */
function cipherOf(name: string, [, key, vector]: readonly Value[]): Cipher {
  if (typeof key?.constant !== 'string') throw wrongParameterType(name);
  if (vector === undefined) return { key: folded(key.constant), vector };
  if (typeof vector.constant !== 'string') throw wrongParameterType(name);
  const start = Buffer.from(vector.constant);
  if (start.length < keyBytes) throw wrongParameterValue(name);
  return { key: folded(key.constant), vector: start.subarray(0, keyBytes) };
}

function modeOf({ vector }: Cipher): 'cbc' | 'ecb' {
  return vector === undefined ? 'ecb' : 'cbc';
}

function checkedText(name: string, [arg]: readonly Value[]): Value {
  if (arg === undefined || (arg.role !== 'null' && !isText(arg.type) && !isBinary(arg.type))) {
    throw wrongParameterType(name);
  }
  return arg;
}

function cipher(name: string, encrypts: boolean, translate: ScalarFunction['translate']): ScalarFunction {
  const result = dataType(encrypts ? 'VARBINARY' : 'VARCHAR', longest);
  return scalar(name, ['any', 'text', 'text'], result, translate, { required: 2 });
}

function aes(name: string, engine: string): ScalarFunction['translate'] {
  return (args) => {
    const source = checkedText(name, args);
    if (source.role === 'null') return nullWord;
    const how = cipherOf(name, args);
    const vector = how.vector === undefined ? [] : [bytes(how.vector)];
    return call(engine, text(`aes-128-${modeOf(how)}`), source.sql, bytes(how.key), ...vector);
  };
}

function sm4(name: string, of: typeof sm4Encrypted, bytesOf: (type: DataType) => Expr): ScalarFunction['translate'] {
  return (args) => {
    const source = checkedText(name, args);
    const { key, vector } = cipherOf(name, args);
    if (source.role === 'null') return nullWord;
    const result = of(expr`assumeNotNull(${bytesOf(source.type)})`, key, vector);
    // Once in the text of the statement, however often it is needed: calls may be nested.
    return expr`arrayMap(x -> if(isNull(x), NULL, ${result}), [${source.sql}])[1]`;
  };
}

/** Bytes that hexadecimal digits stand for; none for text of another form. */
function ofDigits(type: DataType): Expr {
  return isBinary(type) ? expr`x` : expr`if(match(x, '^([0-9a-fA-F]{2})*$'), unhex(x), '')`;
}

/**
 * Ciphers with keys of 128 bits. What is encrypted is bytes, which print as hexadecimal digits; SM4_DECRYPT takes such
 * digits or the bytes, and AES_DECRYPT the bytes. What cannot be decrypted is NULL.
 */
export const cipherFunctions: readonly ScalarFunction[] = [
  cipher('AES_ENCRYPT', true, aes('AES_ENCRYPT', 'encrypt')),
  cipher('AES_DECRYPT', false, aes('AES_DECRYPT', 'tryDecrypt')),
  cipher(
    'SM4_ENCRYPT',
    true,
    sm4('SM4_ENCRYPT', sm4Encrypted, () => expr`x`),
  ),
  cipher('SM4_DECRYPT', false, sm4('SM4_DECRYPT', sm4Decrypted, ofDigits)),
];
