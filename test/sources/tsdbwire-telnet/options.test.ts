import test from 'ava';
import { resolveAdapterSettings } from '../../../src/config/adapter-settings.js';

function telnetSettings(...args: readonly string[]) {
  return resolveAdapterSettings('sluice', ['--dbConfigDir=/nonexistent', '--tsdbwire_telnet.enable', ...args], {});
}

function databases(...args: readonly string[]): readonly string[] {
  const resolution = telnetSettings(...args);
  return resolution.outcome === 'settings' ? resolution.settings.sources.tsdbwireTelnet.dbs : [];
}

function mistake(...args: readonly string[]): string {
  const resolution = telnetSettings(...args);
  return resolution.outcome === 'refused' ? resolution.errors.join() : '';
}

test('fewer telnet ports than default databases use the first of those', (t) => {
  t.deepEqual(databases('--tsdbwire_telnet.ports=7001'), ['tsdbwire_telnet']);
  t.deepEqual(databases('--tsdbwire_telnet.ports=7001,7002'), ['tsdbwire_telnet', 'agentd_tsdb']);
});

test('more telnet ports than databases, and fewer than named ones, are refused', (t) => {
  t.regex(mistake('--tsdbwire_telnet.ports=1,2,3,4,5'), /one database for each of the 5 ports .* found 4/);
  t.regex(mistake('--tsdbwire_telnet.ports=1', '--tsdbwire_telnet.dbs=a,b'), /the 1 ports .* found 2/);
});
