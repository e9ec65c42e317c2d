import { Codes } from '../../../model/fault.js';
import type { Expr } from '../../engine/nodes.js';
import { expr } from '../../engine/template.js';
import { refuse } from '../../values/context.js';
import type { Environment } from '../../values/convert.js';
import { bigintType, type TimeBounds, ticksValue, timestampType, Uses, type Value } from '../../values/value.js';

/** Where a window begins and ends, as engine SQL. */
export interface WindowEnds {
  readonly start: Expr;
  readonly end: Expr;
}

/** A pseudo column of windows: limits of the window, or of the time range of WHERE. Error 0x2658 without windows. */
export function windowColumn(
  name: string,
  window: WindowEnds | undefined,
  bounds: TimeBounds | undefined,
  { precision }: Environment,
): Value {
  const low = bounds?.low ?? -(2n ** 63n);
  const high = bounds?.high ?? 2n ** 63n - 1n;
  if (window === undefined) {
    throw refuse(Codes.windowPseudoColumn, '_WSTART, _WEND and _WDURATION can only be used in window query');
  }
  if (name === '_qstart') return ticksValue(low, precision);
  if (name === '_qend') return ticksValue(high, precision);
  if (name === '_qduration') return { ...ticksValue(BigInt.asIntN(64, high - low), precision), type: bigintType };
  const base = { type: timestampType, precision, nullable: false, uses: Uses.key };
  const { start, end } = window;
  if (name === '_wstart') return { ...base, sql: start };
  return name === '_wend' ? { ...base, sql: end } : { ...base, sql: expr`(${end} - ${start})`, type: bigintType };
}
