const seed = Number(process.env.PROPERTY_SEED ?? 20261121);

/** Numbers from 0 to below 1; the same ones in every run, unless PROPERTY_SEED is `random` or another number. */
function* randomNumbers(): Generator<number, never, void> {
  let state = Number.isNaN(seed) ? Math.floor(Math.random() * 2 ** 32) : seed;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Copies of some bytes, cut at all lengths in turn, each with three of its bytes overwritten. */
export function* spoiltCopies(bytes: Uint8Array, count: number): Generator<Buffer, void, void> {
  const random = randomNumbers();
  for (let i = 0; i < count; i++) {
    const copy = Buffer.from(bytes.subarray(0, 1 + ((i * 7919) % bytes.length)));
    for (let k = 0; k < 3; k++) {
      const at = Math.floor(random.next().value * copy.length);
      copy[at] = Math.floor(random.next().value * 256);
    }
    yield copy;
  }
}
