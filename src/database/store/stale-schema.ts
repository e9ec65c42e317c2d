import { Codes, type Fault, fault } from '../../model/fault.js';
import { engineCodeOf } from '../engine/engine-faults.js';

/**
 * Work that was planned with definitions that another process has dropped meanwhile. Nothing is wrong with it: planned
 * again, with the catalogue as it is now, it may succeed.
 */
export const staleSchema: Fault = fault('resource', Codes.free, 'The table was dropped meanwhile; try again');

/** UNKNOWN_TABLE, UNKNOWN_DATABASE, TABLE_IS_DROPPED in the engine's list of errors. */
const missingCodes: ReadonlySet<number | undefined> = new Set([60, 81, 218]);

/**
 * True when a fault says that the engine lacks a table or database of the catalogue, or is {@link staleSchema} itself:
 * the catalogue as known is out of date.
 */
export function isStaleSchema(value: Fault): boolean {
  return value === staleSchema || missingCodes.has(engineCodeOf(value));
}
