import type { Delivery } from '../../model/delivery.js';
import type { Outcome } from '../../model/exchange.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import type { Refusal } from '../request/call.js';
import { refusalOf as refusalOfFault } from './refusal.js';

/** Why a write was not stored, or not all of it; undefined when it was. `rowWord` is what its format calls a row. */
export function refusalOfOutcome(outcome: Outcome<Delivery>, rowWord: string): Refusal | undefined {
  if (outcome.kind === 'refused') return refusalOf(outcome.fault);
  const delivery = outcome.answer;
  switch (delivery.outcome) {
    case 'delivered':
      return delivery.rejectedRows === 0 ? undefined : rejectedRows(delivery, rowWord);
    case 'shed':
      return refusalOfFault(shedFaults[delivery.reason]);
    case 'failed':
      return refusalOf(delivery.fault);
    case 'rejected':
      return rejection(delivery.fault);
  }
}

const shedFaults = {
  'queue-full': fault('resource', Codes.free, 'write queue is full'),
  draining: fault('resource', Codes.free, 'service is shutting down'),
  memory: fault('resource', Codes.free, 'memory exceeds threshold'),
} as const;

type Delivered = Extract<Delivery, { outcome: 'delivered' }>;

/** Some rows were bad: the first of those described is named, and how many went either way. */
function rejectedRows({ rows, rejectedRows: rejected, rejects: unsorted, isCut }: Delivered, rowWord: string): Refusal {
  const rejects = unsorted.toSorted((a, b) => a.row - b.row);
  const [first] = rejects;
  const row = first === undefined ? 0 : first.row + 1;
  const rest = isCut === true ? ', the rest was not read' : '';
  const counts = `${rejected} rejected, ${rows} written${rest}`;
  const message = first === undefined ? counts : `${rowWord} ${row}: ${faultText(first.fault)} (${counts})`;
  const failure = fault('parameter', first?.fault.code ?? Codes.schemalessData, message);
  return {
    status: 400,
    message,
    cause: 'rows',
    row,
    rejectedRows: rejected,
    writtenRows: rows,
    rejects,
    fault: failure,
  };
}

function faultText(fault: Fault): string {
  return `[0x${fault.code.toString(16)}] ${fault.message}`;
}

function refusalOf(failure: Fault): Refusal {
  return { ...refusalOfFault(failure), message: faultText(failure) };
}

/** Trying again is useless, so a rejection is never a status that makes senders try again. */
function rejection(fault: Fault): Refusal {
  const refusal = refusalOf(fault);
  return refusal.status < 500 ? refusal : { ...refusal, status: 400 };
}
