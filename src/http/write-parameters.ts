import { Codes, type Fault, fault } from '../model/fault.js';
import type { Call } from './call.js';
import { readTtl } from './parameters.js';

const badTtl = fault('parameter', Codes.free, 'illegal param, ttl must be numeric');

/** `ttl` of a write in days, for the routes that refuse it in the same words. */
export function readWriteTtl({ query }: Call): number | Fault {
  return readTtl(query.get('ttl')) ?? badTtl;
}
