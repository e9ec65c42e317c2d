import test from 'ava';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const { service, end } = await startService(
  '--monitor.writeToDB=true',
  '--monitor.writeInterval=300ms',
  '--monitor.collectDuration=100ms',
  '--monitor.identity=edge-1',
  '--monitor.disableCollectClientIP=true',
);
test.after.always(end);

test('the figures are there as text and, by SQL, as rows of intervals', async (t) => {
  for (let i = 0; i < 3; i++) await service.rows('SELECT 1');
  t.is(await service.code('SELECT * FROM nowhere.nothing'), 0x388);
  const count = async (table: string): Promise<number> => {
    const { body } = await service.sql(
      `SELECT SUM(gauge) FROM log.${table} WHERE endpoint = 'edge-1' AND request_uri = '/rest/sql' AND client_ip = 'invisible'`,
    );
    return body.code === 0 ? Number(body.data[0]?.[0] ?? 0) : 0;
  };
  let total = 0;
  let failed = 0;
  await until(async () => {
    total = await count('adapter_restful_http_request_total');
    failed = await count('adapter_restful_http_request_fail');
    return total >= 4 && failed >= 1;
  });
  t.true(total >= 4, `${total} requests are stored`);
  t.true(failed >= 1, `${failed} failures are stored`);
  const [[memory] = []] = await service.rows('SELECT LAST(gauge) FROM log.adapter_system_mem_percent');
  t.true(typeof memory === 'number' && memory > 0 && memory < 100, String(memory));
  const text = (await service.ask({ method: 'GET', path: '/metrics', auth: false })).text;
  t.regex(text, /adapter_restful_http_request_total\{[^}]*request_uri="\/rest\/sql"[^}]*client_ip="invisible"\} \d+/);
  t.regex(text, /adapter_rows_total\{pipeline="own-figures",outcome="stored"\} \d+/);
  t.true(text.endsWith('# EOF\n'));
});

test('the type of the figures follows what the reader takes', async (t) => {
  const type = async (accept: string | undefined) =>
    (
      await service.ask({
        method: 'GET',
        path: '/metrics',
        auth: false,
        headers: accept === undefined ? {} : { accept },
      })
    ).headers['content-type'];
  const open = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
  t.is(await type(undefined), open);
  t.is(await type('*/*'), open);
  t.is(await type('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5'), open);
  t.is(await type('text/plain;version=0.0.4'), 'text/plain; version=0.0.4; charset=utf-8');
});
