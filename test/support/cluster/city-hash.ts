/** Two numbers of 64 bits: a hash, or the seed of one. */
type Pair = readonly [low: bigint, high: bigint];

/** The engine hashes a file in blocks of this many bytes, each with the hash of those before it as its seed. */
const blockBytes = 2_048;

const [k0, k1, k2, k3] = [0xc3a5c85c97cb3127n, 0xb492b66fbe98f273n, 0x9ae16a3b2f90404fn, 0xc949d7c7509e6557n] as const;
const mix = 0x9ddfea08eb382d69n;

/**
 * The hash of a file by which the engine checks what it fetches: CityHash 1.0.2 of 128 bits, block by block, as 16 bytes. Some MB per
 * second: numbers of 64 bits are slow here. See https://github.com/google/cityhash.
 */
export function fileHash(file: Buffer): Buffer {
  let state: Pair = [0n, 0n];
  for (let at = 0; at < file.length; at += blockBytes) state = hashOf(file.subarray(at, at + blockBytes), state);
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(state[0]);
  bytes.writeBigUInt64LE(state[1], 8);
  return bytes;
}

function hashOf(block: Buffer, seed: Pair): Pair {
  if (block.length < 128) return shortHash(block, seed);
  const word = (at: number): bigint => block.readBigUInt64LE(at);
  let left = block.length;
  let [x, y] = seed;
  let z = times(BigInt(left), k1);
  let [v0, w0] = [sum(times(turned(y ^ k1, 49n), k1), word(0)), sum(times(turned(sum(y, z), 35n), k1), x)];
  let [v1, w1] = [sum(times(turned(v0, 42n), k1), word(8)), times(turned(sum(x, word(88)), 53n), k1)];
  let at = 0;
  for (; left >= 128; left -= 128) {
    for (let half = 0; half < 2; half++) {
      x = times(turned(sum(x, y, v0, word(at + 16)), 37n), k1) ^ w1;
      y = times(turned(sum(y, v1, word(at + 48)), 42n), k1) ^ v0;
      z = turned(z ^ w0, 33n);
      [v0, v1] = quarter(block, at, times(v1, k1), sum(x, w0));
      [w0, w1] = quarter(block, at + 32, sum(z, w1), y);
      [x, z] = [z, x];
      at += 64;
    }
  }
  y = sum(y, times(turned(w0, 37n), k0), z);
  x = sum(x, times(turned(sum(v0, z), 49n), k0));
  for (let done = 32; done - 32 < left; done += 32) {
    y = sum(times(turned(sum(y, -x), 42n), k0), v1);
    w0 = sum(w0, word(at + left - done + 16));
    x = sum(times(turned(x, 49n), k0), w0);
    w0 = sum(w0, v0);
    [v0, v1] = quarter(block, at + left - done, v0, v1);
  }
  x = joined(x, v0);
  y = joined(y, w0);
  return [sum(joined(sum(x, v1), w1), y), joined(sum(x, w1), sum(y, v1))];
}

/** The same of less than 128 bytes. */
function shortHash(block: Buffer, [low, high]: Pair): Pair {
  const { length } = block;
  const word = (at: number): bigint => block.readBigUInt64LE(at);
  let [a, b, c, d] = [low, high, 0n, 0n];
  if (length <= 16) {
    a = times(shifted(times(a, k1)), k1);
    c = sum(times(b, k1), tinyHash(block));
    d = shifted(sum(a, length >= 8 ? word(0) : c));
  } else {
    c = joined(sum(word(length - 8), k1), a);
    d = joined(sum(b, BigInt(length)), sum(c, word(length - 16)));
    a = sum(a, d);
    for (let at = 0; at < length - 16; at += 16) {
      a = times(a ^ times(shifted(times(word(at), k1)), k1), k1);
      b ^= a;
      c = times(c ^ times(shifted(times(word(at + 8), k1)), k1), k1);
      d ^= c;
    }
  }
  a = joined(a, c);
  b = joined(d, b);
  return [a ^ b, joined(b, a)];
}

/** A hash of 64 bits of up to 16 bytes. */
function tinyHash(block: Buffer): bigint {
  const { length } = block;
  const size = BigInt(length);
  if (length > 8) {
    const last = block.readBigUInt64LE(length - 8);
    return joined(block.readBigUInt64LE(0), turned(sum(last, size), size)) ^ last;
  }
  if (length >= 4)
    return joined(sum(size, BigInt(block.readUInt32LE(0)) << 3n), BigInt(block.readUInt32LE(length - 4)));
  if (length === 0) return k2;
  const [first = 0, middle = 0, last = 0] = [block[0], block[length >> 1], block[length - 1]];
  const mixed = times(BigInt(first + (middle << 8)), k2) ^ times(BigInt(length + (last << 2)), k3);
  return times(shifted(mixed), k2);
}

/** Mixes 32 bytes into two numbers. */
function quarter(block: Buffer, at: number, a: bigint, b: bigint): Pair {
  const [w, x, y, z] = [0, 8, 16, 24].map((offset) => block.readBigUInt64LE(at + offset));
  const first = sum(a, w!);
  const all = sum(first, x!, y!);
  return [sum(all, z!), sum(turned(sum(b, first, z!), 21n), turned(all, 44n), first)];
}

function joined(high: bigint, low: bigint): bigint {
  const once = shifted(times(high ^ low, mix));
  return times(shifted(times(low ^ once, mix)), mix);
}

function shifted(value: bigint): bigint {
  return value ^ (value >> 47n);
}

function turned(value: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, (value >> bits) | (value << (64n - bits)));
}

function times(a: bigint, b: bigint): bigint {
  return BigInt.asUintN(64, a * b);
}

function sum(...values: readonly bigint[]): bigint {
  let all = 0n;
  for (const value of values) all += value;
  return BigInt.asUintN(64, all);
}
