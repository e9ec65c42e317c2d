/** How long to wait after a failed attempt, counted from 1: twice as long each time, up to a bound. */
export function backOffMs(attempt: number, firstMs: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** (attempt - 1));
}
