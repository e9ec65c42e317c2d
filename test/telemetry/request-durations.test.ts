import test from 'ava';
import { Registry } from 'prom-client';
import { DurationHistogram, DurationSummary, RouteDurations } from '../../src/telemetry/request-durations.js';

const labels = { request_method: 'GET', request_uri: '/x' };

test('quantiles are right to two digits, and 0 without recent requests', (t) => {
  const durations = new RouteDurations(labels, 60_000);
  t.deepEqual(
    durations.quantiles().map(([, value]) => value),
    [0, 0, 0, 0, 0],
  );
  for (let i = 1; i <= 1000; i++) durations.add(i / 1000);
  for (const [quantile, milliseconds] of durations.quantiles()) {
    t.true(Math.abs(milliseconds / (quantile * 1000) - 1) < 0.02, `${quantile}: ${milliseconds}`);
  }
  t.deepEqual([durations.count, Math.round(durations.seconds)], [1000, 501]);
});

test.serial('quantiles drop durations before their window', (t) => {
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  let time = 1_000_000;
  Date.now = () => time;
  const durations = new RouteDurations(labels, 3000);
  const highest = () => Math.round(durations.quantiles().at(-1)?.[1] ?? -1);
  durations.add(10);
  time += 1500;
  durations.add(0.1);
  t.true(highest() > 9_900);
  time += 2000;
  t.true(Math.abs(highest() - 100) <= 1);
  time += 1_000_000;
  t.is(highest(), 0);
});

test('buckets are summed up, the last holds all, and durations of every length are taken', async (t) => {
  const registry = new Registry();
  const durations = new RouteDurations(labels, 60_000);
  for (const seconds of [0, 0.001, 0.0011, 29, 31, 1e6]) durations.add(seconds);
  new DurationHistogram('h', registry, () => [durations]);
  new DurationSummary('s', registry, () => [durations]);
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    '# TYPE h histogram',
    'h_bucket{le="0.001",request_method="GET",request_uri="/x"} 2',
    'h_bucket{le="0.0025",request_method="GET",request_uri="/x"} 3',
    'h_bucket{le="30",request_method="GET",request_uri="/x"} 4',
    'h_bucket{le="+Inf",request_method="GET",request_uri="/x"} 6',
    'h_count{request_method="GET",request_uri="/x"} 6',
    '# TYPE s summary',
    's_count{request_method="GET",request_uri="/x"} 6',
  ]) {
    t.true(lines.includes(line), line);
  }
  t.is(lines.filter((line) => line.startsWith('s{quantile=')).length, 5);
});
