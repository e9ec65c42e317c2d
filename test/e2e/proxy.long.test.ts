import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import test from 'ava';
import { blocksOf } from '../support/documents/documents.js';
import { freePort } from '../support/service/free-ports.js';
import { directoryFor, run } from '../support/service/processes.js';
import { basic, startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

/** The service behind a proxy, with the configuration that docs/operations.md shows. */
const name = 'sluice.example.org';
const { service, end } = await startService(`--cors.allowHosts=${name}`);
test.after.always(end);

test('writes, statements and the page go through nginx, which ends TLS', async (t) => {
  if (spawnSync('/usr/sbin/nginx', ['-v']).status !== 0) {
    skipped(t, 'the program `nginx` is not installed (see .ci/install-agents)');
    return;
  }
  const directory = directoryFor(t);
  const [key, certificate] = [join(directory, 'sluice.key'), join(directory, 'sluice.crt')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', certificate];
  await promisify(execFile)('openssl', options);
  const port = await freePort();
  const shown = blocksOf('docs/operations.md').find((block) => block.text.startsWith('server {'))?.text ?? '';
  const server = shown
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('/etc/ssl', directory)
    .replace('127.0.0.1:6041', `127.0.0.1:${service.port}`);
  const settings = `daemon off;
pid ${directory}/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  ${server}
}
`;
  writeFileSync(join(directory, 'nginx.conf'), settings);
  run(t, '/usr/sbin/nginx', ['-c', join(directory, 'nginx.conf')]);
  const ca = readFileSync(certificate);
  const query = (method: string, path: string, body = ''): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const headers = { host: name, authorization: basic, 'content-length': Buffer.byteLength(body) };
      const options = { host: '127.0.0.1', port, method, path, ca, servername: name, headers, agent: false };
      const request = https.request(options, (response) => {
        text(response).then((answer) => resolve([response.statusCode ?? 0, answer]), reject);
      });
      request.once('error', reject);
      request.end(body);
    });
  const status = (...parts: Parameters<typeof query>): Promise<number> =>
    query(...parts).then(
      ([code]) => code,
      () => 0,
    );
  t.true(await until(async () => (await status('GET', '/-/ping')) === 200));
  t.is(await status('POST', '/rest/sql', 'CREATE DATABASE demo'), 200);
  const lines = Array.from(
    { length: 100_000 },
    (_, at) => `oven,line=${at % 100} temp=${at % 300} ${1_700_000_000 + at}`,
  );
  t.is(await status('POST', '/lineproto/v1/write?db=demo&precision=s', lines.join('\n')), 204);
  const [code, rows] = await query('POST', '/rest/sql/demo', 'SELECT COUNT(*) FROM oven');
  t.deepEqual([code, JSON.parse(rows).data], [200, [[100_000]]]);
  const [pageCode, page] = await query('GET', '/');
  t.is(pageCode, 200);
  t.regex(page, /<title>Sluice/);
});
