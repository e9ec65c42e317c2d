import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { HttpService } from '../../../src/load/destination/http-service.js';
import { httpStatements } from '../../../src/load/destination/http-statements.js';
import { FaultError } from '../../../src/model/fault.js';

type Answer = (response: http.ServerResponse) => void;

/** Responses by statement. */
const answers = new Map<string, Answer>();
const server = http.createServer((request, response) => {
  let statement = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    statement += piece;
  });
  request.on('end', () => answers.get(statement)?.(response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address: AddressInfo | string | null = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
const service = new HttpService({ host: '127.0.0.1', port, user: 'root', password: 'secret', connections: 1 });
const run = httpStatements(service);
test.after.always(() => {
  service.close();
  server.close();
});

/** Asks what is answered so; gives the lines of its rows. */
async function linesOf(statement: string, answer: Answer): Promise<string> {
  answers.set(statement, answer);
  const { kind, ...rest } = await run(statement);
  if (kind !== 'rows' || !('lines' in rest)) throw new Error('There are no rows.');
  let text = '';
  for await (const chunk of rest.lines) text += Buffer.from(chunk).toString();
  return text;
}

async function faultOf(work: Promise<unknown>): Promise<FaultError['fault'] | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
}

const head = '{"code":0,"column_meta":[["v","INT",4]],"data":[';

test.serial('rows come in whatever pieces the answer has, and the connection is used again', async (t) => {
  const pieces: Answer = (response) => {
    for (const piece of [head.slice(0, 30), `${head.slice(30)}[`, '1],', '[2', ']', '],"ro', 'ws":2}'])
      response.write(piece);
    response.end();
  };
  for (let time = 0; time < 3; time++) t.is(await linesOf('pieces', pieces), '[1]\n[2]\n');
  t.is(await linesOf('none', (response) => response.end(`${head}],"rows":0}`)), '');
});

test.serial('an answer that breaks off is an outage, and rows that nobody wants any more are given up', async (t) => {
  const broken = linesOf('broken', (response) => response.write(`${head}[1],`, () => response.destroy()));
  t.is((await faultOf(broken))?.kind, 'network');
  const short = linesOf('short', (response) => response.end(`${head}[1],[2]`));
  t.is((await faultOf(short))?.kind, 'network');
  let isClosed = Promise.resolve();
  answers.set('endless', (response) => {
    isClosed = once(response, 'close').then(() => undefined);
    response.write(`${head}[1],`);
  });
  const endless = await run('endless');
  if (endless.kind === 'rows') for await (const _ of endless.lines) break;
  await isClosed;
  t.is(await linesOf('after', (response) => response.end(`${head}[3]],"rows":1}`)), '[3]\n');
});

for (const [status, body, kind, message] of [
  [200, '{"code":9730,"desc":"Invalid column name"}', 'database', /^Invalid column name$/],
  [401, '{"code":855,"desc":"Authentication failure"}', 'auth', /^Authentication failure$/],
  [401, '', 'auth', /^HTTP status 401$/],
  [503, '{"code":65535,"desc":"paused"}', 'resource', /^paused$/],
  [502, '<html>no gateway</html>', 'resource', /no gateway/],
  [404, '404 page not found', 'database', /^HTTP status 404: 404 page not found; this is not the HTTP service/],
  [200, '', 'database', /^HTTP status 200/],
] as const) {
  test.serial(`an answer of ${status} with ${JSON.stringify(body)} is a fault of kind ${kind}`, async (t) => {
    answers.set('refused', (response) => response.writeHead(status).end(body));
    const failure = await faultOf(run('refused'));
    t.is(failure?.kind, kind);
    t.regex(failure?.message ?? '', message);
  });
}

test.serial('affected rows are a number', async (t) => {
  const body = '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[[12]],"rows":1}';
  answers.set('write', (response) => response.end(body));
  t.deepEqual(await run('write'), { kind: 'affected', rows: 12 });
});

test.serial(
  'over an open connection that is dead a query is sent again, and a definition is not carried out twice',
  async (t) => {
    let arrived = 0;
    const dead: Answer = (response) => {
      arrived++;
      // The first one finds the connection closed; a repetition would be answered.
      if (arrived === 1) response.destroy();
      else response.end('{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[[0]],"rows":1}');
    };
    for (const [statement, expected] of [
      ['CREATE DATABASE d', 1],
      ['insert into t values (1, 2)', 2],
    ] as const) {
      t.is(await linesOf('warm', (response) => response.end(`${head}[3]],"rows":1}`)), '[3]\n');
      arrived = 0;
      answers.set(statement, dead);
      const refused = await faultOf(run(statement));
      t.is(refused?.kind, expected === 1 ? 'network' : undefined);
      t.is(arrived, expected);
    }
  },
);
