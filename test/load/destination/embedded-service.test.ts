import test from 'ava';
import { connectionFault } from '../../../src/load/destination/embedded-service.js';
import { Codes, fault } from '../../../src/model/fault.js';

const url = 'http://127.0.0.1:6030';

test('the message about a refused password names where it came from', (t) => {
  const refused = fault('auth', Codes.authenticationFailure, 'Authentication failure', { engineCode: 516 });
  const at = { url, user: 'default' };
  const refusal = connectionFault(refused, { ...at, password: 'secret', directory: () => undefined });
  t.regex(refusal.message, /another engine on that port/);
  t.regex(
    connectionFault(refused, { ...at, password: 'secret' }).message,
    /ADAPTER_DATABASE_PASSWORD .* is not its own/,
  );
  t.regex(connectionFault(refused, { ...at, password: '' }).message, /name its password/);
});
