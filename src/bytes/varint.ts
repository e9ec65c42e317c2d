/** Bytes that a whole number takes as a base-128 number: seven bits each, the lowest first. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes a whole number below 2^53 as a base-128 number at `at` and returns the position after it. */
export function putVarint(out: Uint8Array, at: number, value: number): number {
  let to = at;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) out[to++] = (rest & 0x7f) | 0x80;
  out[to++] = rest;
  return to;
}
