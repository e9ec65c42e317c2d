import type { Credentials } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { notSupported } from '../../model/refusals.js';
import type { Arguments } from './arguments.js';
import type { SocketLink } from './protocol.js';

const noUser = fault('auth', Codes.authenticationFailure, 'Authentication failure');

/** The credentials in the arguments of a log-in. Throws a FaultError where there are none. */
export function readCredentials(args: Arguments, { from, foreignPage }: SocketLink): Credentials {
  if (args.text('totp_code', '') !== '') throw new FaultError(notSupported('TOTP codes'));
  const token = args.text('bearer_token', '');
  if (token !== '') return { scheme: 'token', token, from };
  const [user, password] = [args.text('user', ''), args.text('password', '')];
  if (user === '' || password === '') throw new FaultError(noUser);
  const page = foreignPage === undefined ? {} : { foreignPage };
  return { scheme: 'password', user, password, from, ...page };
}
