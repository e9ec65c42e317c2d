import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { LossLog } from '../../../src/sources/support/loss-log.js';
import { type LogLine, recordingLog } from '../../support/http-room.js';

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
  const waiting = setInterval(() => {}, 5);
  await sleep(60);
  clearInterval(waiting);
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
