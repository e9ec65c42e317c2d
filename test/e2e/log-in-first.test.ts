import test from 'ava';
import { basicOf, startService } from '../support/service/service.js';

// Its own: wrong passwords slow down others from the same address.
const { service, end } = await startService('--smlAutoCreateDB=true');
test.after.always(end);

test('a wrong password is told before anything else that is wrong with a request, on every path', async (t) => {
  await service.run('CREATE DATABASE log_in_first');
  const json = { 'content-type': 'application/json' };
  const wrong = basicOf('root', 'nope');
  for (const [method, path, body = '', headers = {}] of [
    ['GET', '/query'],
    ['GET', '/query?q=SELECT+1'],
    ['POST', '/query', 'q=%00'],
    ['POST', '/write', 'm v=1'],
    ['POST', '/write?db=log_in_first&precision=zz', 'm v=1'],
    ['POST', '/write?db=log_in_first', 'm v=1', { 'content-encoding': 'br' }],
    ['POST', '/write?db=log_in_first', 'm v='],
    ['POST', '/api/v2/write', 'm v=1'],
    ['POST', '/api/v3/write_lp', 'm v=1'],
    ['POST', '/api/v3/write_lp?db=log_in_first&accept_partial=x', 'm v=1'],
    ['POST', '/api/v3/query_sql', '{}', json],
    ['GET', '/api/v3/query_influxql'],
    ['POST', '/api/v2/buckets', 'nonsense', json],
    ['GET', '/api/v2/buckets/none'],
    ['PATCH', '/api/v2/buckets/none', 'nonsense', json],
    ['DELETE', '/api/v2/buckets/none'],
    ['GET', '/api/v2/orgs/none'],
    ['POST', '/lineproto/v1/write', 'm v=1'],
    ['POST', '/lineproto/v1/write?db=log_in_first&ttl=x', 'm v=1'],
    ['POST', '/lineproto/v1/write?db=log_in_first&req_id=x', 'm v=1'],
    ['POST', '/tsdbwire/v1/put/json/log_in_first?ttl=x', '[]'],
    ['POST', '/tsdbwire/v1/put/telnet/log_in_first?req_id=x', ''],
    ['POST', '/api/put', 'nonsense'],
    ['POST', '/metricsdb/v1/remote_write/log_in_first?ttl=x', ''],
    ['POST', '/metricsdb/v1/remote_read/log_in_first', 'nonsense'],
    ['POST', '/v1/metrics', '{}', { 'content-type': 'text/plain' }],
    ['POST', '/metrics/job/a/b', 'm 1\n'],
    ['POST', '/rest/sql?req_id=x', 'SELECT 1'],
    ['POST', '/rest/sql', ''],
    ['POST', '/rest/sql', 'SELECT', { 'content-encoding': 'br' }],
    ['GET', '/api/v1/events?limit=x'],
  ] as [string, string, string?, Record<string, string>?][]) {
    const reply = await service.request({ method, path, body, headers, auth: wrong });
    t.is(reply.status, 401, `${method} ${path} ${reply.status} ${reply.text}`);
  }
});
