import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';

interface Session {
  readonly request: (path: string, options: object, authorization: string) => Promise<Response>;
}

test('a statement about a user that is refused with 401 does not end the session, a wrong password does', async (t) => {
  const page = new URL('../../../page/session.js', import.meta.url).href;
  const { request }: Session = await import(page);
  const server = createServer((request, response) => {
    response.writeHead(401).end(JSON.stringify({ code: Number(request.url?.slice(1)), desc: 'User already exists' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const reasonOf = (code: number) => request(`http://127.0.0.1:${port}/${code}`, {}, 'Basic x');
  await t.throwsAsync(reasonOf(0x0350), { message: 'User already exists' });
  for (const code of [0x0357, 0x0315, 0x1105]) {
    await t.throwsAsync(reasonOf(code), { message: 'The user name or the password is wrong.' });
  }
});
