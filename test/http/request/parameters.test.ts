import test from 'ava';
import {
  readBoolean,
  readPrecision,
  readRequestId,
  readTimeZone,
  readTtl,
  readWriteRequestId,
  requestIdOf,
} from '../../../src/http/request/parameters.js';
import { serverTimeZone } from '../../../src/text/time-zones.js';

function messageOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'message' in value ? value.message : value;
}

test('request ids are signed 64-bit decimals', (t) => {
  const good = [
    ['7', '0x7'],
    ['+7', '0x7'],
    ['-7', '0xfffffffffffffff9'],
    ['9223372036854775807', '0x7fffffffffffffff'],
    ['-9223372036854775808', '0x8000000000000000'],
    ['0', 'fresh'],
    ['', 'fresh'],
  ] as const;
  for (const [text, id] of good) t.is(readRequestId(text, 'fresh'), id);
  for (const text of [
    'abc',
    '1.5',
    '0x10',
    '9223372036854775808',
    '9f1c7a60-5b0e-4d11-8a53-0242ac120002',
    'x'.repeat(128),
  ]) {
    t.is(readRequestId(text, 'fresh'), text);
  }
  for (const text of [' 7', 'a b', 'a\nb', 'ü', 'x'.repeat(129)]) {
    t.regex(String(messageOf(readRequestId(text, 'fresh'))), /^illegal param, req_id must have at most 128 characters/);
  }
});

test('request ids of writes are unsigned 64-bit decimals', (t) => {
  t.is(readWriteRequestId('18446744073709551615', 'fresh'), '0xffffffffffffffff');
  for (const text of [null, '', '0']) t.is(readWriteRequestId(text, 'fresh'), 'fresh');
  for (const text of ['18446744073709551616', '99999999999999999999', '-1', '+1', '0x1']) {
    t.is(readWriteRequestId(text, 'fresh'), undefined);
  }
});

test('logs have the request id of a URL, and one of their own where it is none or has more than 64 bits', (t) => {
  t.is(requestIdOf('/rest/sql?db=d&req_id=18446744073709551615'), '0xffffffffffffffff');
  const own = ['/rest/sql', '/rest/sql?req_id=0', '/rest/sql?req_id=18446744073709551616', '/rest/sql?req_id=-1', ''];
  const ids = own.map(requestIdOf);
  for (const id of ids) t.regex(id, /^0x20[0-9a-f]{14}$/);
  t.is(new Set(ids).size, own.length);
});

test('time zones are IANA names in their exact spelling, legacy names included', (t) => {
  const good = [
    'UTC',
    'Asia/Tokyo',
    'Asia/Kolkata',
    'America/New_York',
    'EST',
    'CET',
    'GMT',
    'Etc/GMT+8',
    'Europe/Kyiv',
  ];
  for (const name of good) t.is(readTimeZone(name), name);
  t.is(readTimeZone(null), 'UTC');
  t.is(readTimeZone(''), 'UTC');
  t.is(readTimeZone('Local'), serverTimeZone());
  for (const name of ['Mars/Olympus', '+08:00', 'utc', 'asia/tokyo', 'local', 'Asia/Tokyo ', 'Factory']) {
    t.is(messageOf(readTimeZone(name)), `unknown time zone ${name}`);
  }
  for (const name of ['../etc/passwd', '/UTC', '\\UTC']) {
    t.is(messageOf(readTimeZone(name)), 'time: invalid location name');
  }
});

test('row_with_meta takes the usual words for true and false', (t) => {
  for (const word of ['1', 't', 'T', 'TRUE', 'true', 'True']) t.true(readBoolean('x', word, false));
  for (const word of ['0', 'f', 'F', 'FALSE', 'false', 'False', '', null]) t.false(readBoolean('x', word, false));
  t.true(readBoolean('x', null, true));
  for (const word of ['maybe', 'tRUE', 'yes', '2']) {
    t.regex(
      String(messageOf(readBoolean('row_with_meta', word, false))),
      /^illegal param, row_with_meta must be boolean/,
    );
  }
});

test('ttl is an integer, and below zero none', (t) => {
  t.is(readTtl(null), 0);
  t.is(readTtl('+30'), 30);
  t.is(readTtl('-1'), 0);
  t.is(readTtl('-99999999999'), 0);
  t.is(readTtl('2147483647'), 2147483647);
  for (const text of ['soon', '1.5', '+', '0x1']) t.is(readTtl(text), 'ttl must be numeric');
  for (const text of ['2147483648', '99999999999', '9'.repeat(1000)]) {
    t.is(readTtl(text), 'ttl must be at most 2147483647');
  }
});

test('precision words are exact', (t) => {
  t.is(readPrecision(null), 'ns');
  t.is(readPrecision('u'), 'us');
  t.is(readPrecision('US'), undefined);
});
