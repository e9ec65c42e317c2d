import { refusalOf } from '../answer/refusal.js';
import type { AdmittedCall, HandlerContext, Refusal, Reply } from '../request/call.js';
import { refuseAfterLogIn } from '../request/log-in-first.js';

/** Refuses a write because of its options, unless its credentials are wrong: `refused` makes the reply. */
export function refuseWrite(
  { credentials }: AdmittedCall,
  { intake }: HandlerContext,
  refused: (refusal: Refusal) => Reply,
  known: () => Reply,
): Promise<Reply> {
  const unknown = (failure: Parameters<typeof refusalOf>[0]) => refused(refusalOf(failure, 'credentials'));
  return refuseAfterLogIn(intake, credentials, { unknown, known });
}
