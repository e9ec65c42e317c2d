import type { FastifyReply } from 'fastify';
import type { Credentials, Intake } from '../../model/exchange.js';
import type { Fault } from '../../model/fault.js';
import { isFault } from './auth.js';

/** What a request that is refused for what it asks gets: that its credentials are wrong, where they are. */
interface LateRefusal {
  /** Answers wrong credentials. */
  readonly unknown: (failure: Fault) => FastifyReply;
  /** Answers what else is wrong. */
  readonly known: () => FastifyReply;
}

/**
 * Refuses a request before it is carried out. A wrong password is told first: clients ask with requests that are not complete whether they
 * may log in.
 */
export async function refuseAfterLogIn(
  { authenticate }: Pick<Intake, 'authenticate'>,
  credentials: Credentials,
  { unknown, known }: LateRefusal,
): Promise<FastifyReply> {
  const identity = await authenticate(credentials);
  return isFault(identity) ? unknown(identity) : known();
}
