import { Codes, type Fault, fault } from '../../model/fault.js';
import { headerText } from '../answer/reply.js';
import type { Call } from '../request/call.js';
import { readTtl } from '../request/parameters.js';

const badTtl = fault('parameter', Codes.free, 'illegal param, ttl must be numeric');

/** `ttl` of a write in days, for the routes that refuse it in the same words. */
export function readWriteTtl({ query }: Call): number | Fault {
  return readTtl(query.get('ttl')) ?? badTtl;
}

/** Header, or metadata of gRPC, that names the database. */
export const databaseHeader = 'x-sluice-db';

/** The database that a request names by parameter or header, or the one of the settings. */
export function namedDatabase({ request, query }: Call, fallback: string): string {
  return query.get('db') || headerText(request.headers[databaseHeader]) || fallback;
}
