import type { Fault } from '../../model/fault.js';
import { headerText } from '../answer/reply.js';
import type { Call } from '../request/call.js';
import { parameterFault, readTtl } from '../request/parameters.js';

/** `ttl` of a write in days, for the routes that refuse it in the same words. */
export function readWriteTtl({ query }: Call): number | Fault {
  const ttl = readTtl(query.get('ttl'));
  return typeof ttl === 'string' ? parameterFault(`illegal param, ${ttl}`) : ttl;
}

/** Header, or metadata of gRPC, that names the database. */
export const databaseHeader = 'x-sluice-db';

/** The database that a request names by parameter or header, or the one of the settings. */
export function namedDatabase({ request, query }: Call, fallback: string): string {
  return query.get('db') || headerText(request.headers[databaseHeader]) || fallback;
}
