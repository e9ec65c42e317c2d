import type { Fault } from '../../model/fault.js';
import type { Refusal } from '../request/call.js';
import { statusOf } from './status.js';

/** The refusal that a fault stands for. */
export function refusalOf(failure: Fault, cause: Refusal['cause'] = 'call'): Refusal {
  return {
    status: statusOf(failure),
    message: failure.message,
    cause,
    row: 0,
    rejectedRows: 0,
    writtenRows: 0,
    rejects: [],
    fault: failure,
  };
}
