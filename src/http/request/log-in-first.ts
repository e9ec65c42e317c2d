import type { Credentials, Intake } from '../../model/exchange.js';
import type { Fault } from '../../model/fault.js';
import { isFault } from './auth.js';
import type { Reply } from './call.js';

/** What a request that is refused for what it asks gets: that its credentials are wrong, where they are. */
interface LateRefusal {
  /** Answers wrong credentials. */
  readonly unknown: (failure: Fault) => Reply;
  /** Answers what else is wrong. */
  readonly known: () => Reply;
}

/**
 * Refuses a request before it is carried out. A wrong password is told first: clients ask with requests that are not complete whether they
 * may log in.
 */
export async function refuseAfterLogIn(
  { authenticate }: Pick<Intake, 'authenticate'>,
  credentials: Credentials,
  { unknown, known }: LateRefusal,
): Promise<Reply> {
  const identity = await authenticate(credentials);
  return isFault(identity) ? unknown(identity) : known();
}
