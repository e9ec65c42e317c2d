import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import test from 'ava';
import { EngineClient } from '../../src/database/engine/client.js';
import { FaultError } from '../../src/model/fault.js';
import { certificates } from '../support/certificates.js';
import { sharedEngine } from '../support/engine/shared-engine.js';
import { skipped } from '../support/skipped.js';

const { endpoint, end } = await sharedEngine();
test.after.always(end);

test('an https:// engine is spoken to when an authority that is known vouches for it, and not otherwise', async (t) => {
  const { make, remove } = certificates();
  t.teardown(remove);
  const certificate = make('engine');
  if (certificate === undefined) return skipped(t, 'there is no openssl');
  const [cert, key] = [readFileSync(certificate.certFile, 'utf8'), readFileSync(certificate.keyFile, 'utf8')];
  // What ends TLS in front of an engine.
  const front = createServer({ cert, key }, (asked, answer) => {
    const { method, url, headers } = asked;
    const passed = request(endpoint.url + url, { method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(answer);
    });
    asked.pipe(passed);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  t.teardown(() => front.close());
  const address = front.address();
  const url = `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const open = (ca?: string): EngineClient => {
    const { user, password } = endpoint;
    const client = new EngineClient({ url, user, password, ca });
    t.teardown(() => client.close());
    return client;
  };
  t.deepEqual(await open(cert).rows('SELECT 1'), [[1]]);
  const refused = await t.throwsAsync(open().rows('SELECT 1'), { instanceOf: FaultError });
  t.is(refused?.fault.kind, 'network');
  t.regex(refused?.message ?? '', /certificate/);
  t.false(await open().ping());
});
