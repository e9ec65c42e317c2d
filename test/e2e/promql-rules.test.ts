import test from 'ava';
import { eventsSoon } from '../support/events/events.js';
import { startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const rules = [
  {
    name: 'idle',
    database: 'd',
    promql: 'rate_of_loaves < 5',
    interval: '1s',
    for: '2s',
    severity: 'critical',
    title: 'only {value} at {site}',
  },
  { name: 'everywhere', database: 'd', promql: 'vector(1)', interval: '1s' },
];

const { service, end } = await startService('--smlAutoCreateDB=true', `--events.rules=${JSON.stringify(rules)}`);
test.after.always(end);

interface Group {
  readonly interval: number;
  readonly rules: readonly {
    readonly name: string;
    readonly state: string;
    readonly duration: number;
    readonly alerts: readonly {
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
      readonly value: string;
    }[];
  }[];
}

async function groups(): Promise<readonly Group[]> {
  const { text } = await service.request({ method: 'GET', path: '/prometheus/d/api/v1/rules' });
  return JSON.parse(text).data.groups;
}

const write = (value: number, site: string): Promise<unknown> =>
  service.write(`rate_of_loaves,site=${site} value=${value}`, { db: 'd', ack: 'stored' });

test('an expression opens an event for each series once it has held for the time of the rule, and ends it', async (t) => {
  await write(9, 'south');
  const startedMs = Date.now();
  await write(1, 'north');
  const events = await eventsSoon(service, (all) => all.some(({ rule }) => rule === 'idle'));
  const event = events.find(({ rule }) => rule === 'idle');
  t.true(Date.now() - startedMs >= 2_000, 'not before the time of the rule');
  t.like(event, { status: 'active', severity: 'critical', title: 'only 1 at north', value: 1 });
  t.like(event?.attributes, { site: 'north' });
  const [
    {
      interval,
      rules: [rule],
    } = { interval: 0, rules: [] },
  ] = await groups();
  t.is(interval, 1);
  t.like(rule, { name: 'idle', state: 'firing', duration: 2 });
  t.is(rule?.alerts.length, 1);
  t.like(rule?.alerts[0], { annotations: { summary: 'only 1 at north' }, value: '1' });
  t.like(rule?.alerts[0]?.labels, { alertname: 'idle', severity: 'critical', site: 'north' });
  await write(6, 'north');
  t.true(await until(async () => (await groups())[0]?.rules.find(({ name }) => name === 'idle')?.state === 'inactive'));
});

test('an expression that cannot be read stops the start, with its name', async (t) => {
  const bad = [{ name: 'half', database: 'd', promql: 'up{' }];
  const error = await t.throwsAsync(startService(`--events.rules=${JSON.stringify(bad)}`));
  t.regex(error?.message ?? '', /The promql of the events rule "half" cannot be read: 1:4: parse error/);
});
