import { Codes, type Fault, fault } from '../../model/fault.js';
import type { FieldName } from './point-collector.js';

/** Why a point is bad as a whole. */
export function badPoint(message: string): Fault {
  return fault('parameter', Codes.schemalessData, message);
}

/** The fault of a time that rows of the database cannot have. */
export function badTime(message: string): Fault {
  return fault('parameter', Codes.timestampOutOfRange, message);
}

/** The fault of a field with the name of its column before it. */
export function ofColumn({ text }: FieldName, problem: Fault): Fault;
export function ofColumn({ text }: FieldName, problem: Fault | undefined): Fault | undefined;
export function ofColumn({ text }: FieldName, problem: Fault | undefined): Fault | undefined {
  return problem && fault(problem.kind, problem.code, `column "${text}" ${problem.message}`);
}
