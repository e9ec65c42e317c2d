import { FaultError } from '../../model/fault.js';
import { invalidParameters } from '../../model/refusals.js';

/** Reads a switch of a user or token, which is 0 or 1; throws 0x0118 for anything else. */
export function isToggle(option: string, value: string): boolean {
  if (value === '0' || value === '1') return value === '1';
  throw new FaultError(invalidParameters(`${option} is 0 or 1`));
}
