/** The shortest text that parses to the same number of its type. */
export function realText(value: number, type: 'FLOAT' | 'DOUBLE'): string {
  if (type === 'DOUBLE') return String(value);
  const single = Math.fround(value);
  for (let digits = 1; digits <= 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return String(shorter);
  }
  return String(single);
}
