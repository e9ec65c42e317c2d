import test from 'ava';
import { RefusedLogins } from '../../../src/statements/users/refused-logins.js';
import { type LogLine, recordingLog } from '../../support/inputs/http-server.js';

test('every refused log-in is counted, and logged once for a user at an address', (t) => {
  const lines: LogLine[] = [];
  const refusals = new RefusedLogins(recordingLog(lines));
  for (let nth = 0; nth < 3; nth++) refusals.add('ann', '10.0.0.1');
  refusals.add('ann', '10.0.0.2');
  refusals.add(undefined, '');
  refusals.add('x'.repeat(1000), '10.0.0.1');
  t.is(refusals.metrics.adapter_refused_logins?.read(), 6);
  t.deepEqual(
    lines.map(({ fields }) => fields),
    [
      { user: 'ann', from: '10.0.0.1', times: 1 },
      { user: 'ann', from: '10.0.0.2', times: 1 },
      { from: '', times: 1 },
      { user: 'x'.repeat(64), from: '10.0.0.1', times: 1 },
    ],
  );
});
