import test from 'ava';
import { resolveAdapterSettings } from '../../src/config/adapter-settings.js';
import { idleSettings } from '../../src/config/idle-settings.js';

function idle(...args: readonly string[]): readonly string[] {
  const resolution = resolveAdapterSettings('sluice', ['--dbConfigDir=/nonexistent', ...args], {});
  if (resolution.outcome !== 'settings') throw new Error(JSON.stringify(resolution));
  return idleSettings(resolution.settings, resolution.listing).map(({ flag, why }) => `${flag} ${why}`);
}

test('settings that are given and do nothing are named with the reason', (t) => {
  t.deepEqual(idle(), []);
  t.deepEqual(idle('--debug=false'), ['debug it has no effect']);
  t.regex(idle('--tmq.releaseIntervalMultiplierForAutocommit=3')[0] ?? '', /no effect on the service; .* load tool$/);
  t.regex(idle('--cors.allowOrigins=http://a')[0] ?? '', /^cors\.allowOrigins every page may call/);
  t.deepEqual(idle('--cors.allowOrigins=http://a', '--cors.allowAllOrigins=false'), []);
});

test('settings of monitoring that is off are named, those of the memory guard are not', (t) => {
  const settings = [
    '--monitor.writeToDB',
    '--monitor.user=ann',
    '--monitor.statsd=a:1',
    '--monitor.collectDuration=1s',
  ];
  t.deepEqual(idle(...settings), []);
  const flags = idle('--monitor.disable', ...settings).map((line) => line.split(' ')[0]);
  t.deepEqual(flags, ['monitor.statsd', 'monitor.writeToDB', 'monitor.user']);
});

test('settings of what is off by default are named, those of what the operator has switched off are not', (t) => {
  const why = 'it has no effect while';
  t.deepEqual(idle('--ssl.certFile=/c.pem', '--ssl.keyFile=/k.pem'), [
    `ssl.certFile ${why} ssl.enable is false`,
    `ssl.keyFile ${why} ssl.enable is false`,
  ]);
  t.deepEqual(idle('--graphite.port=2004'), [`graphite.port ${why} graphite.enable is false`]);
  t.deepEqual(idle('--otlp.grpcPort=4318'), [`otlp.grpcPort ${why} otlp.grpc is false`]);
  t.deepEqual(idle('--database.urls=http://a:8123'), [`database.urls ${why} database.mode is embedded`]);
  for (const used of [
    ['--graphite.enable', '--graphite.port=2004'],
    ['--graphite.enable=false', '--graphite.port=2004'],
    ['--otlp.grpc', '--otlp.grpcPort=4318'],
    ['--otlp.enable=false', '--otlp.db=x'],
    ['--cors.allowWebSockets'],
    ['--statsgw.port=6050', '--metricsdb.db=x', '--write.batchSize=10'],
  ]) {
    t.deepEqual(idle(...used), [], used.join(' '));
  }
});
