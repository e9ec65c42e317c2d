/** The quantile of numbers, which it sorts; NaN counts as the smallest. Outside 0 to 1 it is infinite. */
export function quantileOf(quantile: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(quantile)) return Number.NaN;
  if (quantile < 0) return Number.NEGATIVE_INFINITY;
  if (quantile > 1) return Number.POSITIVE_INFINITY;
  values.sort();
  moveNaNFirst(values);
  const rank = quantile * (values.length - 1);
  const lower = Math.max(0, Math.floor(rank));
  const upper = Math.min(values.length - 1, lower + 1);
  const weight = rank - Math.floor(rank);
  return values[lower]! * (1 - weight) + values[upper]! * weight;
}

function moveNaNFirst(values: Float64Array): void {
  let end = values.length;
  while (end > 0 && Number.isNaN(values[end - 1])) end--;
  const count = values.length - end;
  if (count === 0 || end === 0) return;
  values.copyWithin(count, 0, end);
  values.fill(Number.NaN, 0, count);
}
