import test from 'ava';
import { encodeSubscribePage } from '../../../src/load/report/subscribe-report.js';

test('the page has what each consumer has read', (t) => {
  const page = encodeSubscribePage({
    version: '1.2.3',
    startedMs: 1_700_000_000_000,
    endedMs: 1_700_000_003_500,
    outcome: 'completed',
    failure: undefined,
    environment: [],
    settings: [{ name: 'topic', value: 'select * from "a" where b < 3' }],
    messages: 12,
    rows: 480,
    consumers: [{ number: 0, group: 'g<1>', messages: 12, rows: 480, failed: false }],
  });
  t.true(page.includes('<title>Subscription of 2023-11-14 22:13:20 UTC</title>'));
  t.true(page.includes('<td>0</td><td>g&lt;1&gt;</td><td>12</td><td>480</td><td>no</td>'));
  t.true(page.includes('<dd>3.50</dd>'));
  t.true(page.includes('select * from &quot;a&quot; where b &lt; 3'));
});
