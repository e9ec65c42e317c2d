import type { Credentials, Intake } from '../../model/exchange.js';
import type { Fault } from '../../model/fault.js';
import { isFault } from './auth.js';
import type { Reply } from './call.js';

/** The replies to a refused request: the one of wrong credentials comes first. */
interface LateRefusal {
  /** Answers wrong credentials. */
  readonly unknown: (failure: Fault) => Reply;
  /** Answers what else is wrong. */
  readonly known: () => Reply;
}

/**
 * Refuses a request before it is carried out. A wrong password is reported first: clients test with incomplete requests
 * whether they may log in.
 */
export async function refuseAfterLogIn(
  { authenticate }: Pick<Intake, 'authenticate'>,
  credentials: Credentials,
  { unknown, known }: LateRefusal,
): Promise<Reply> {
  const identity = await authenticate(credentials);
  return isFault(identity) ? unknown(identity) : known();
}
