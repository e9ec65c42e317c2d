/** How far the monotonic clock may be from the system's before it is set anew. */
const maxClockErrorMs = 2;
let clockOriginMs = performance.timeOrigin;

/** Unix microseconds: the fine steps of the monotonic clock, which alone would not follow when the system's is set. */
export function nowMicros(): bigint {
  const elapsedMs = performance.now();
  const systemMs = Date.now();
  if (Math.abs(clockOriginMs + elapsedMs - systemMs) > maxClockErrorMs) clockOriginMs = systemMs - elapsedMs;
  return BigInt(Math.round((clockOriginMs + elapsedMs) * 1000));
}
