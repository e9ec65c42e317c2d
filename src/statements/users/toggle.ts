import { type Fault, FaultError } from '../../model/fault.js';
import { invalidParameters } from '../../model/refusals.js';

/**
 * Reads a switch of a user or token, which is 0 or 1; throws the fault of `refuse` for anything else, 0x0118 without
 * it.
 */
export function isToggle(
  option: string,
  value: string,
  refuse: (reason: string) => Fault = invalidParameters,
): boolean {
  if (value === '0' || value === '1') return value === '1';
  throw new FaultError(refuse(`${option} is 0 or 1`));
}
