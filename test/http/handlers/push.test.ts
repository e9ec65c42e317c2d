import { text } from 'node:stream/consumers';
import test from 'ava';
import { delivered } from '../../../src/model/delivery.js';
import type { WriteRequest } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { type ServerOptions, send, startServer } from '../../support/inputs/http-server.js';

interface Seen {
  readonly request: WriteRequest;
  readonly body: string;
}

function recording(seen: Seen[], answer = delivered(1)): ServerOptions {
  return {
    write: (exchange) => {
      const { request } = exchange;
      void text(request.body).then((body) => {
        seen.push({ request, body });
        exchange.answer(answer);
      });
    },
  };
}

test('a push says its labels in the path, an import in its parameters', async (t) => {
  const seen: Seen[] = [];
  const server = await startServer(t, recording(seen));
  const cases = [
    ['POST', '/metrics/job/backup', 200, 'text {"job":"backup"}'],
    ['PUT', '/metrics/job/backup/instance/a%2Fb?db=other', 200, 'text {"job":"backup","instance":"a/b"}'],
    ['PUT', '/metrics/job@base64/L3Zhci90bXA/path@base64/', 200, 'text {"job":"/var/tmp","path":""}'],
    ['POST', '/metrics/job/backup/', 200, 'text {"job":"backup"}'],
    ['PUT', '/metrics/job/backup/instance/a/', 200, 'text {"job":"backup","instance":"a"}'],
    ['PUT', '/metrics/job/backup/instance/', 200, 'text {"job":"backup","instance":""}'],
    ['GET', '/api/v1/import/prometheus?extra_label=a%3Db', 204, 'text {"a":"b"}'],
    ['POST', '/api/v1/import/prometheus?extra_label=a%3Db%3Dc&extra_label=d=', 204, 'text {"a":"b=c","d":""}'],
  ] as const;
  for (const [method, path, status, head] of cases) {
    const reply = await send(server, { method, path, body: 'm 1\n', headers: { 'content-length': '4' } });
    t.deepEqual([reply.status, reply.text], [status, ''], path);
    const { request, body } = seen.pop()!;
    t.is(body, `${head}\nm 1\n`);
    t.like(request, { format: 'exposition', length: Buffer.byteLength(body), maxMessageBytes: 1_048_576 });
    t.is(request.target.database, path.includes('db=') ? 'other' : 'metricsdb');
  }
  const headers = { 'content-type': 'application/openmetrics-text; version=1.0.0' };
  await send(server, { path: '/metrics/job/x', headers, body: '# EOF\n' });
  t.regex(seen.pop()?.body ?? '', /^openmetrics /);
  t.is((await send(server, { method: 'DELETE', path: '/metrics/job/x' })).status, 202);
});

test('what is wrong with a push is said in plain text', async (t) => {
  const bad = fault('parameter', Codes.lineSyntax, '"m" has no value');
  const server = await startServer(t, recording([], delivered(3, 1, [{ row: 1, fault: bad }])));
  const cases = [
    ['/metrics/job/x', 400, 'line 2: [0x21b] "m" has no value (1 rejected, 3 written)'],
    ['/metrics/job/x/instance', 400, 'label instance in the path has no value'],
    ['/metrics/job/x/job/y', 400, 'label job occurs twice in the path'],
    ['/metrics/job/x/9/y', 400, '"9" in the path is not the name of a label'],
    ['/metrics/job/x//y', 400, '"" in the path is not the name of a label'],
    ['/metrics/job/x/__name__/y', 400, 'label "__name__" in the path: names of labels must not begin with __'],
    ['/metrics/job/x/__a@base64/eQ', 400, 'label "__a" in the path: names of labels must not begin with __'],
    [
      '/api/v1/import/prometheus?extra_label=__name__=y',
      400,
      'label "__name__" in extra_label: names of labels must not begin with __',
    ],
    ['/api/v1/import/prometheus?extra_label=a=1&extra_label=a=2', 400, 'label a occurs twice in extra_label'],
    ['/api/v1/import/prometheus?extra_label=x', 400, 'extra_label must be name=value, not "x"'],
    ['/api/v1/import/prometheus?timestamp=1', 400, 'parameter timestamp is not taken; write it behind the value'],
  ] as const;
  for (const [path, status, said] of cases) {
    const reply = await send(server, { path, body: 'm\n' });
    t.deepEqual([reply.status, reply.text], [status, said], path);
  }
  t.is((await send(server, { path: '/metrics/job/x', auth: false })).status, 401);
});
