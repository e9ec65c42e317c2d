import test from 'ava';
import { basic } from '../support/service/service.js';
import { startInProcess } from '../support/service/service-in-process.js';
import { until } from '../support/until.js';

let percent = 10;
/** How often the guard has looked. */
let looks = 0;
const readMemoryPercent = (): number => {
  looks++;
  return percent;
};
const { service, end } = await startInProcess({ readMemoryPercent }, '--monitor.collectDuration=5ms');
test.after.always(end);

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

async function query(method: string, path: string, body?: string, authorization = basic): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method,
    headers: { authorization },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get('retry-after') };
}

/** Lets the guard see so much memory in use. */
async function use(next: number): Promise<void> {
  percent = next;
  const before = looks;
  await until(() => looks > before + 1);
}

const queryRefusal = { status: 503, text: 'query memory exceeds threshold', retryAfter: '120' };
const refusal = { status: 503, text: 'memory exceeds threshold', retryAfter: '120' };

const queries = ['SELECT 1', ' show databases', '(select 1)', 'DESCRIBE guard.m', '/* x */ select 1', '-- x\nselect 1'];
/** A message of remote write or remote read without anything in it, compressed. */
const nothing = '\0';
const writes: readonly (readonly [string, string])[] = [
  ['/rest/sql', 'CREATE DATABASE IF NOT EXISTS guard'],
  ['/lineproto/v1/write?db=guard', 'm v=1 1700000000000000000'],
  ['/tsdbwire/v1/put/json/guard', '{"metric":"j","timestamp":1700000000,"value":1,"tags":{"a":"b"}}'],
  ['/tsdbwire/v1/put/telnet/guard', 'put n 1700000000 1 a=b'],
  ['/metricsdb/v1/remote_write/guard', nothing],
];
const read = '/metricsdb/v1/remote_read/guard';

async function expectNormal(t: import('ava').ExecutionContext): Promise<void> {
  for (const [path, body] of writes) t.true((await query('POST', path, body)).status < 300, path);
  for (const sql of queries.slice(0, 3)) t.is((await query('POST', '/rest/sql', sql)).status, 200, sql);
  t.is((await query('POST', read, nothing)).status, 200);
  t.is((await query('GET', '/rest/vgid?db=guard&table=m')).status, 200);
  t.is((await query('GET', '/-/ping')).status, 200);
  t.is((await query('GET', '/-/ping?action=query')).status, 200);
}

async function expectQueryPaused(t: import('ava').ExecutionContext): Promise<void> {
  for (const [path, body] of writes) t.true((await query('POST', path, body)).status < 300, path);
  for (const sql of queries) t.deepEqual(await query('POST', '/rest/sql', sql), queryRefusal, sql);
  t.deepEqual(await query('POST', read, nothing), queryRefusal);
  t.is((await query('GET', '/-/ping')).status, 200);
  t.is((await query('GET', '/-/ping?action=query')).status, 503);
  t.is((await query('GET', '/-/ping?action=other')).status, 200);
}

async function expectAllPaused(t: import('ava').ExecutionContext): Promise<void> {
  for (const [path, body] of writes) {
    t.deepEqual(await query('POST', path, body), refusal, path);
    // Remote write asks for credentials first.
    if (!path.startsWith('/metricsdb')) t.deepEqual(await query('POST', path, body, ''), refusal, `${path}, unknown`);
  }
  for (const sql of queries) t.deepEqual(await query('POST', '/rest/sql', sql), refusal, sql);
  t.deepEqual(await query('POST', read, nothing), refusal);
  t.deepEqual(await query('GET', '/rest/vgid?db=guard&table=m'), refusal);
  t.deepEqual(await query('GET', '/rest/login/root/taosdata'), refusal);
  t.is((await query('GET', '/-/ping')).status, 503);
  t.is((await query('GET', '/-/ping?action=query')).status, 503);
  t.is((await query('GET', '/metrics')).status, 200);
}

test('every transition of the guard, on every input of HTTP', async (t) => {
  const states = { 10: expectNormal, 75: expectQueryPaused, 85: expectAllPaused };
  await expectNormal(t);
  for (const next of [75, 85, 75, 10, 85, 10, 75, 10] as const) {
    await use(next);
    await states[next](t);
  }
  const { text } = await query('GET', '/metrics');
  t.regex(text, /adapter_refusals_total\{reason="all-paused"\} [1-9]/);
  t.regex(text, /adapter_refusals_total\{reason="query-paused"\} [1-9]/);
  t.regex(text, /adapter_memory_guard_state 0\n/);
  t.regex(text, /adapter_system_mem_percent 10\n/);
});
