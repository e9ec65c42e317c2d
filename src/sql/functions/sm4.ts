import { text } from '../engine/build.js';
import { type Expr, Lambda, Member, Tuple } from '../engine/nodes.js';
import { castTo } from '../engine/storage.js';
import { expr } from '../engine/template.js';

/**
 * SM4 (GB/T 32907-2016, https://datatracker.ietf.org/doc/html/draft-ribose-cfrg-sm4-10) as expressions of the engine,
 * which has no such cipher: the round keys and the table of the rounds are worked out here, and the rounds are a fold
 * in the engine.
 */

const blockBytes = 16;
const rounds = 32;
const systemKey = [0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc];
/** Of the field in which the substitution inverts, and of the affine steps before and after. */
const polynomial = 0x1f5;
const affine = 0xd3;

function product(a: number, b: number): number {
  let result = 0;
  for (let [left, right] = [a, b]; right > 0; right >>= 1) {
    if ((right & 1) === 1) result ^= left;
    left <<= 1;
    if (left > 0xff) left ^= polynomial;
  }
  return result;
}

/** Rows of the matrix are {@link affine}, each turned by one bit more. */
function affineStep(byte: number): number {
  let result = 0;
  for (let row = 0; row < 8; row++) {
    let bits = ((affine >>> row) | (affine << (8 - row))) & byte & 0xff;
    for (bits ^= bits >> 4, bits ^= bits >> 2, bits ^= bits >> 1; bits > 1; ) bits &= 1;
    result |= bits << (7 - row);
  }
  return result ^ affine;
}

function inverse(byte: number): number {
  for (let other = 1; other < 256; other++) if (product(byte, other) === 1) return other;
  return 0;
}

const substitution = Array.from({ length: 256 }, (_, byte) => affineStep(inverse(affineStep(byte))));

function turned(word: number, bits: number): number {
  return ((word << bits) | (word >>> (32 - bits))) >>> 0;
}

/** Result of a round for the first byte of a word; that of a later byte is the same, turned to its place. */
const table = substitution.map((byte) => {
  const word = byte << 24;
  return (word ^ turned(word, 2) ^ turned(word, 10) ^ turned(word, 18) ^ turned(word, 24)) >>> 0;
});

const tableWords = wordList(table);

function substituted(word: number): number {
  let result = 0;
  for (const shift of [0, 8, 16, 24]) result |= substitution[(word >>> shift) & 0xff]! << shift;
  return result;
}

/** The keys of the rounds in the order of encryption; decryption takes them from the last to the first. */
function roundKeys(key: Buffer): number[] {
  const words = systemKey.map((word, at) => (word ^ key.readUInt32BE(4 * at)) >>> 0);
  return Array.from({ length: rounds }, (_, round) => {
    let constant = 0;
    for (let byte = 0; byte < 4; byte++) constant = (constant << 8) | (((4 * round + byte) * 7) & 0xff);
    const [a = 0, b = 0, c = 0, d = 0] = words.slice(-4);
    const mixed = substituted(b ^ c ^ d ^ constant);
    const next = (a ^ mixed ^ turned(mixed, 13) ^ turned(mixed, 23)) >>> 0;
    words.push(next);
    return next;
  });
}

/** An array of words, as one text: the array is long, and stands in every call. */
function wordList(words: readonly number[]): Expr {
  return castTo(text(`[${words}]`), 'Array(UInt32)');
}

/** An expression in which `name` stands for `value`, which is worked out once. */
function withValue(name: string, value: Expr, body: Expr): Expr {
  return expr`arrayMap(${new Lambda([name], body)}, [${value}])[1]`;
}

/** A tuple of four words. */
function words(wordAt: (at: number) => Expr): Expr {
  return new Tuple([1, 2, 3, 4].map(wordAt));
}

/** The words of a block that begins behind `from` bytes of a text. */
function blockAt(source: Expr, from: Expr): Expr {
  return words((at) => expr`reinterpretAsUInt32(reverse(substring(${source}, ${from} + ${4 * at - 3}, 4)))`);
}

/** The bytes of four words. */
function bytesOf(block: Expr): Expr {
  const byteValues = [1, 2, 3, 4].flatMap((at) => {
    return [24, 16, 8, 0].map((shift) => expr`bitShiftRight(${new Member(block, at)}, ${shift})`);
  });
  return expr`char(${byteValues})`;
}

/** Four words after all rounds. */
function ciphered(block: Expr, keys: readonly number[]): Expr {
  const mixed = expr`bitXor(bitXor(s.2, s.3), bitXor(s.4, k))`;
  const looked = expr`arrayElement(${tableWords}, bitAnd(bitShiftRight(${mixed}, 24 - h), 255) + 1)`;
  const results = expr`arrayMap(h -> bitRotateRight(${looked}, h), [0, 8, 16, 24])`;
  const step = expr`(s.2, s.3, s.4, bitXor(s.1, arrayReduce('groupBitXor', ${results})))`;
  const folded = expr`arrayFold((s, k) -> ${step}, ${wordList(keys)}, ${block})`;
  return withValue(
    'r',
    folded,
    words((at) => new Member(expr`r`, 5 - at)),
  );
}

function xored(a: Expr, b: Expr): Expr {
  return words((at) => expr`bitXor(${new Member(a, at)}, ${new Member(b, at)})`);
}

/** The words of a vector as a literal. */
function literal(vector: Buffer): Expr {
  return words((at) => expr`toUInt32(${vector.readUInt32BE(4 * at - 4)})`);
}

/** Where the blocks of a text begin. */
function starts(source: Expr): Expr {
  return expr`range(0, length(${source}), ${blockBytes})`;
}

/**
 * The bytes of a text, filled up to whole blocks as PKCS #7 does, encrypted: in the mode CBC with a vector, else in
 * ECB.
 */
export function sm4Encrypted(source: Expr, key: Buffer, vector: Buffer | undefined): Expr {
  const keys = roundKeys(key);
  const padding = expr`toUInt8(${blockBytes} - length(t) % ${blockBytes})`;
  const filled = withValue('t', source, expr`concat(t, repeat(char(${padding}), ${padding}))`);
  const own = blockAt(expr`p`, expr`b`);
  if (vector === undefined) {
    const block = withValue('c', ciphered(own, keys), bytesOf(expr`c`));
    return withValue('p', filled, expr`arrayStringConcat(arrayMap(b -> ${block}, ${starts(expr`p`)}))`);
  }
  const mixed = xored(expr`a.2`, own);
  const chained = withValue('c', ciphered(mixed, keys), expr`(concat(a.1, ${bytesOf(expr`c`)}), c)`);
  return withValue('p', filled, expr`arrayFold((a, b) -> ${chained}, ${starts(expr`p`)}, ('', ${literal(vector)})).1`);
}

/** Text that was encrypted into bytes; NULL for bytes that are no whole blocks or do not end as encrypted ones do. */
export function sm4Decrypted(encrypted: Expr, key: Buffer, vector: Buffer | undefined): Expr {
  const keys = roundKeys(key).reverse();
  const plain = ciphered(blockAt(expr`p`, expr`b`), keys);
  const block = withValue('c', plain, vector === undefined ? bytesOf(expr`c`) : unchained(vector));
  const all = withValue('p', encrypted, expr`arrayStringConcat(arrayMap(b -> ${block}, ${starts(expr`p`)}))`);
  const last = expr`reinterpretAsUInt8(right(t, 1))`;
  const isFilled = expr`length(t) > 0 AND length(t) % ${blockBytes} = 0 AND ${last} BETWEEN 1 AND ${blockBytes}
    AND right(t, ${last}) = repeat(right(t, 1), ${last})`;
  return withValue('t', all, expr`if(${isFilled}, left(t, length(t) - ${last}), NULL)`);
}

/** The bytes of the block `c` in the mode CBC: the block before it, at first the vector, is taken out of it. */
function unchained(vector: Buffer): Expr {
  const before = expr`if(b = 0, ${literal(vector)}, ${blockAt(expr`p`, expr`b - ${blockBytes}`)})`;
  return withValue('e', before, bytesOf(xored(expr`c`, expr`e`)));
}
