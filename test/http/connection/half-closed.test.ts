import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import type { Exchange, SqlAnswer, SqlRequest } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { basic, connect, startServer } from '../../support/inputs/http-server.js';
import { until } from '../../support/until.js';

for (const version of ['1.0', '1.1']) {
  const select = `POST /rest/sql HTTP/${version}\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`;

  test(`a client of HTTP/${version} that is gone behind a statement ends it`, async (t) => {
    const open: Exchange<SqlRequest, SqlAnswer>[] = [];
    const server = await startServer(t, { sql: (exchange) => open.push(exchange) });
    const { socket } = connect(server);
    socket.write(select);
    t.true(await until(() => open.length === 1));
    socket.destroy();
    t.true(await until(() => open[0]?.aborted.aborted === true));
    await server.server.drain();
  });

  test(`a client of HTTP/${version} that closes its half behind a statement ${version === '1.0' ? 'ends it' : 'gets its answer'}`, async (t) => {
    const open: Exchange<SqlRequest, SqlAnswer>[] = [];
    const server = await startServer(t, { sql: (exchange) => open.push(exchange) });
    const { socket, received } = connect(server);
    socket.end(select);
    t.true(await until(() => open.length === 1));
    if (version === '1.0') {
      t.true(await until(() => open[0]?.aborted.aborted === true));
      return;
    }
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    t.false(open[0]?.aborted.aborted);
    open[0]?.refuse(fault('database', Codes.tableNotExist, 'no such table'));
    t.regex(await received, /^(?:HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 OK\r\n.*no such table"}$/s);
    await server.server.drain();
  });
}
