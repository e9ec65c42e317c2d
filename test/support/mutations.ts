/** Pseudo-random numbers from a seed (mulberry32), so that a failure can be run again. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export type Random = ReturnType<typeof randomFrom>;

const huge = ['9'.repeat(400), '1e999', '-1e-999', '99999999999999999999i', '0x7fi', 'NaN', '1.7976931348623159e308'];
const pieces = ['\\'.repeat(2001), '\0\0\0', ',,,', '===', ' '.repeat(3000), '"', '\u2028', '#', '\t', '\r'];

function position(random: Random, text: Buffer): number {
  return random(text.length + 1);
}

function inserted(text: Buffer, at: number, piece: Uint8Array): Buffer {
  return Buffer.concat([text.subarray(0, at), piece, text.subarray(at)]);
}

/** Ways to spoil a text; the first three suit any bytes. */
export const mutations: readonly ((text: Buffer, random: Random) => Buffer)[] = [
  (text, random) => text.subarray(0, position(random, text)),
  (text, random) => text.subarray(position(random, text)),
  (text, random) => {
    const copy = Buffer.from(text);
    for (let i = random(8); i >= 0; i--) copy[random(copy.length)]! ^= 1 << random(8);
    return copy;
  },
  (text, random) => inserted(text, position(random, text), Buffer.from(huge[random(huge.length)]!)),
  (text, random) => inserted(text, position(random, text), Buffer.from(pieces[random(pieces.length)]!)),
  (text, random) => inserted(text, position(random, text), Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80, 0xff, 0xfe])),
  (text, random) => inserted(text, position(random, text), Buffer.alloc(random(5) + 1)),
  (text, random) => {
    const from = position(random, text);
    const to = from + random(text.length - from + 1);
    return inserted(text, position(random, text), text.subarray(from, to));
  },
  (text) => Buffer.from(text.toString().replaceAll(/\d+/g, '184467440737095516160')),
  (text) => Buffer.from(text.toString().replaceAll('=', '')),
];

/** A text or message after one to three mutations. */
export function mutated(text: string | Uint8Array, random: Random): Buffer {
  let result: Buffer = Buffer.from(text);
  for (let i = random(3); i >= 0; i--) {
    if (result.length > 0) result = mutations[random(mutations.length)]!(result, random);
  }
  return result;
}
