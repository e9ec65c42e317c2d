const durationUnitsNs: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
};

/**
 * Milliseconds of a sequence of decimal numbers with units, such as `1h30m`; undefined when it is none. Only 0 may
 * stand without a unit: 5 could mean anything.
 */
export function readDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^((\d+(\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns))+$/.test(text)) return undefined;
  let ns = 0n;
  // Numbers and units alternate.
  const parts = text.match(/[\d.]+|[^\d.]+/g) ?? [];
  for (let at = 0; at < parts.length; at += 2) {
    const [whole = '', decimals = ''] = (parts[at] ?? '').split('.');
    const unitNs = durationUnitsNs[parts[at + 1] ?? 'ns'] ?? 1n;
    ns += (BigInt(`${whole}${decimals}`) * unitNs) / 10n ** BigInt(decimals.length);
  }
  return durationMs(ns);
}

/** One division while the count is exact as a double, so that the result is the double nearest to the written value. */
function durationMs(ns: bigint): number | undefined {
  const ms = ns <= Number.MAX_SAFE_INTEGER ? Number(ns) / 1e6 : Number(ns / 1_000_000n);
  return ms <= Number.MAX_SAFE_INTEGER ? ms : undefined;
}

/** How long to wait after a failed attempt, counted from 1: twice as long each time, up to a bound. */
export function backOffMs(attempt: number, firstMs: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** (attempt - 1));
}
