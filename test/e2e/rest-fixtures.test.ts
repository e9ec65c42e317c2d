import { readFileSync } from 'node:fs';
import test from 'ava';
import { basic, basicOf, root } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

/** Requests of a connector as they were sent, and how it reads the answer it was given. */
interface Recording {
  readonly exchanges: readonly {
    readonly request: {
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };
    readonly reply_given: { readonly status: number; readonly body: string };
  }[];
}

const file = new URL('../../../fixtures/rest/rest-connector-node-3.0.3.json', import.meta.url);
const { exchanges }: Recording = JSON.parse(readFileSync(file, 'utf8'));

const { service, end } = await sharedService();
test.after.always(end);

const rows = (from: string, until: string): string =>
  `{"code":0,"column_meta":[["ts","TIMESTAMP",8],["v","DOUBLE",8]],"data":[${from},${until}],"rows":2}`;

/** What the recorded statements mean here, by URL and body: the world that the connector's test did not have. */
const answers: Readonly<Record<string, { readonly status: number; readonly body: string; readonly auth?: string }>> = {
  '/rest/sql show databases': {
    status: 200,
    body: `{"code":0,"column_meta":[["name","VARCHAR",64]],"data":[${['information_schema', 'performance_schema', 'a', 'db2', 'testdb'].map((name) => `["${name}"]`)}],"rows":5}`,
  },
  '/rest/sql insert into a.b values(now,1)': {
    status: 200,
    body: '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[[1]],"rows":1}',
  },
  '/rest/sql bad sql': {
    status: 200,
    body: '{"code":9728,"desc":"syntax error near \\"bad sql\\" at line 1, column 1"}',
  },
  '/rest/sql e401': {
    status: 401,
    body: '{"code":855,"desc":"Authentication failure"}',
    auth: basicOf(root.user, 'wrong'),
  },
  '/rest/sql/testdb?tz=Asia/Shanghai&req_id=17&row_with_meta=true select * from t': {
    status: 200,
    body: rows('{"ts":"2026-01-01T08:00:00.000+08:00","v":1.5}', '{"ts":"2026-01-01T08:00:01.000+08:00","v":null}'),
  },
  '/rest/sql/db2?tz=UTC select * from t': {
    status: 200,
    body: rows('["2026-01-01T00:00:00.000Z",1.5]', '["2026-01-01T00:00:01.000Z",null]'),
  },
};

test.before(async () => {
  for (const database of ['a', 'db2', 'testdb']) {
    await service.run(`CREATE DATABASE ${database}`);
    await service.run('CREATE TABLE t (ts TIMESTAMP, v DOUBLE)', { database });
    await service.run("INSERT INTO t VALUES ('2026-01-01T00:00:00Z', 1.5) ('2026-01-01T00:00:01Z', NULL)", {
      database,
    });
  }
  await service.run('CREATE TABLE a.b (ts TIMESTAMP, v INT)');
});

for (const { request, reply_given: recorded } of exchanges) {
  const called = `${request.url} ${request.body}`;

  test(`a recorded request is answered: ${called}`, async (t) => {
    const expected = answers[called];
    if (expected === undefined) return t.fail('No answer is known.');
    t.is(expected.status, recorded.status);
    // The recording hides the credentials. What is compressed would have to be inflated first.
    const { 'Accept-Encoding': _, ...headers } = request.headers;
    const { auth = basic } = expected;
    const { method, url: path, body } = request;
    const reply = await service.request({
      method,
      path,
      headers: { ...headers, Authorization: auth },
      body,
      auth: false,
    });
    t.deepEqual([reply.status, reply.text], [expected.status, expected.body]);
    t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
    // The connector reads the same members in the same order.
    t.deepEqual(Object.keys(JSON.parse(reply.text)), Object.keys(JSON.parse(recorded.body)));
  });
}

test('every recorded request has its answer here', (t) => {
  t.deepEqual(exchanges.map(({ request }) => `${request.url} ${request.body}`).sort(), Object.keys(answers).sort());
});
