import test from 'ava';
import { LossLog } from '../../../src/sources/support/loss-log.js';
import { type LogLine, recordingLog } from '../../support/inputs/http-server.js';
import { until } from '../../support/until.js';

test('the first loss is said at once, those that follow as one sum after the interval', async (t) => {
  const lines: LogLine[] = [];
  const losses = new LossLog(recordingLog(lines), 30);
  losses.add('warn', 'Lost.', 1, 'a');
  losses.add('warn', 'Lost.', 2, 'b');
  losses.add('warn', 'Lost.', 3, 'c');
  losses.add('error', 'Gone.', 1, 'd');
  t.deepEqual(
    lines.map(({ level, fields, message }) => [level, fields, message]),
    [
      ['warn', { count: 1, reason: 'a' }, 'Lost.'],
      ['error', { count: 1, reason: 'd' }, 'Gone.'],
    ],
  );
  t.true(await until(() => lines.length > 2));
  t.deepEqual(lines[2], { level: 'warn', fields: { count: 5, reason: 'c' }, message: 'Lost.' });
});

test('a stop says what was not said yet', (t) => {
  const lines: LogLine[] = [];
  const losses = new LossLog(recordingLog(lines));
  losses.add('warn', 'Lost.', 1, 'a');
  losses.add('warn', 'Lost.', 1, 'b');
  losses.stop();
  t.deepEqual(
    lines.map(({ fields }) => fields),
    [
      { count: 1, reason: 'a' },
      { count: 1, reason: 'b' },
    ],
  );
});
