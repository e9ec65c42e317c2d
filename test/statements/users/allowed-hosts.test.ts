import test from 'ava';
import type { UserDef } from '../../../src/database/catalogue/principals.js';
import { isAllowedFrom, normalizedHost } from '../../../src/statements/users/allowed-hosts.js';

function isAllowed(hosts: readonly string[], address: string): boolean {
  const switches = { enabled: true, sysinfo: true, createDatabase: false };
  const user: UserDef = { name: 'ann', passwordHash: '', hosts, created: 0, revision: 1, ...switches };
  return isAllowedFrom(user, address);
}

test('an address or network has one way to be written', (t) => {
  const same = {
    '10.0.0.1': '10.0.0.1',
    ' 10.0.0.0/8 ': '10.0.0.0/8',
    '0:0:0:0:0:0:0:1': '::1',
    'FE80::A/64': 'fe80::a/64',
    '::ffff:10.0.0.1': '10.0.0.1',
    '::FFFF:a00:1': '10.0.0.1',
    '::ffff:10.0.0.0/104': '10.0.0.0/8',
  };
  for (const [written, host] of Object.entries(same)) t.is(normalizedHost(written), host, written);
  for (const bad of [
    '',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.0/33',
    '::1/129',
    '::ffff:10.0.0.0/95',
    'host',
    '1::2::3',
    '/8',
  ]) {
    t.is(normalizedHost(bad), undefined, bad);
  }
});

test('a user calls from the addresses and networks of its list, and from everywhere without one', (t) => {
  const cases: readonly (readonly [hosts: string, address: string, isAllowed: boolean])[] = [
    ['', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['10.0.0.1', '::ffff:10.0.0.1', true],
    ['10.1.2.3/8', '10.200.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.1/32', '10.0.0.1', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fe80::1', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '::1', true],
    ['::/0', '203.0.113.9', false],
    ['10.0.0.1 ::1', '::1', true],
    ['10.0.0.1', 'unknown', false],
    // What earlier versions took for an address lets nobody in.
    ['1.2', '1.2.0.0', false],
  ];
  for (const [hosts, address, expected] of cases) {
    t.is(isAllowed(hosts.split(' ').filter(Boolean), address), expected, `${hosts} ${address}`);
  }
});
