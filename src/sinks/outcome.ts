import { engineCodeOf } from '../database/engine/engine-faults.js';
import type { Delivery } from '../model/delivery.js';
import { expectedFault, type Fault, mayPass } from '../model/fault.js';

/** True for faults that may pass: statements for the engine are made here, so its refusal is never the fault of the sender. */
function isTransient(failure: Fault): boolean {
  return mayPass(failure) || engineCodeOf(failure) !== undefined;
}

/** How a write ended that a fault broke off: it may be tried again, or it is refused for good. */
export function endedWith(failure: Fault): Delivery {
  return { outcome: isTransient(failure) ? 'failed' : 'rejected', fault: failure };
}

/** The delivery of a write; the fault that it throws is an ending too. */
export async function deliveryOf(write: Promise<Delivery>): Promise<Delivery> {
  try {
    return await write;
  } catch (error) {
    return endedWith(expectedFault(error));
  }
}
