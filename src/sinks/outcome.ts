import { engineCodeOf } from '../database/engine/engine-faults.js';
import type { Delivery } from '../model/delivery.js';
import { expectedFault, type Fault, isTransient } from '../model/fault.js';

/**
 * True for faults after which a retry can succeed: statements for the engine are made here, so its refusal is never the
 * fault of the sender.
 */
function mayRetry(failure: Fault): boolean {
  return isTransient(failure) || engineCodeOf(failure) !== undefined;
}

/** The delivery of a write that a fault ended: it can be retried, or it is rejected. */
export function endedWith(failure: Fault): Delivery {
  return { outcome: mayRetry(failure) ? 'failed' : 'rejected', fault: failure };
}

/** The delivery of a write; a fault that it throws becomes one, too. */
export async function deliveryOf(write: Promise<Delivery>): Promise<Delivery> {
  try {
    return await write;
  } catch (error) {
    return endedWith(expectedFault(error));
  }
}
