import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { InfluxDB as InfluxDB2, Point, setLogger } from '@influxdata/influxdb-client';
import test, { type ExecutionContext } from 'ava';
import { FieldType, InfluxDB as InfluxDB1 } from 'influx';
import { root } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

// It makes no databases as data arrives.
const { neighbour, end } = await sharedService();
const service = await neighbour();
test.after.always(end);

// Its failures are looked at here, and need not be printed.
setLogger({ error: () => undefined, warn: () => undefined });

const execute = promisify(execFile);

/** Whether a program is installed; says so where it is not. */
async function isInstalled(t: ExecutionContext, program: string, ...args: readonly string[]): Promise<boolean> {
  const runs = await execute(program, args).then(
    () => true,
    () => false,
  );
  if (!runs) {
    t.log(`Skipped: ${program} ${args.join(' ')} does not run (see .ci/install-agents).`);
    t.pass();
  }
  return runs;
}

test('the JavaScript client of version 1 makes its database, writes, is told of bad points and drops it', async (t) => {
  const influx = new InfluxDB1({
    host: '127.0.0.1',
    port: service.port,
    username: root.user,
    password: root.password,
    database: 'express_response_db',
    schema: [
      {
        measurement: 'response_times',
        fields: { path: FieldType.STRING, duration: FieldType.INTEGER },
        tags: ['host'],
      },
    ],
  });
  const [pinged] = await influx.ping(5000);
  t.like(pinged, { online: true, version: '1.8.10' });
  if (!(await influx.getDatabaseNames()).includes('express_response_db'))
    await influx.createDatabase('express_response_db');
  t.true((await influx.getDatabaseNames()).includes('express_response_db'));
  await influx.writePoints([
    {
      measurement: 'response_times',
      tags: { host: 'a' },
      fields: { duration: 12, path: '/x' },
      timestamp: new Date(1_700_000_000_000),
    },
  ]);
  t.deepEqual(await service.rows('SELECT host, path, duration FROM express_response_db.response_times'), [
    ['a', '/x', 12],
  ]);
  await t.throwsAsync(influx.writePoints([{ measurement: 'm', fields: { a: 1 } }], { database: 'none' }), {
    message: /database not found/,
  });
  const stranger = new InfluxDB1({
    host: '127.0.0.1',
    port: service.port,
    username: 'root',
    password: 'no',
    database: 'd',
  });
  await t.throwsAsync(stranger.getDatabaseNames(), { message: /authorization failed/ });
  await t.throwsAsync(influx.query('select * from response_times'), { message: /POST \/rest\/sql/ });
  await influx.createRetentionPolicy('7d', { duration: '7d', replication: 1, isDefault: true });
  await influx.dropDatabase('express_response_db');
  t.false((await influx.getDatabaseNames()).includes('express_response_db'));
});

test('the JavaScript client of version 2 writes with a token or user and password, gzipped or not', async (t) => {
  await service.run("CREATE DATABASE bucket2 PRECISION 'ns'");
  const created = await service.rows('CREATE TOKEN influx_token FROM USER root');
  const url = `http://127.0.0.1:${service.port}`;
  for (const [nth, token] of [String(created[0]?.[0]), `${root.user}:${root.password}`].entries()) {
    const api = new InfluxDB2({ url, token }).getWriteApi('my-org', 'bucket2/autogen', 'ns', {
      gzipThreshold: nth * 1000,
      maxRetries: 0,
    });
    api.useDefaultTags({ host: `h${nth}` });
    api.writePoint(
      new Point('mem').floatField('used_percent', 23.5 + nth).timestamp(1_700_000_000_000_000_000n.toString()),
    );
    await api.close();
  }
  const rows = await service.rows('SELECT host, used_percent FROM bucket2.mem ORDER BY host');
  t.deepEqual(rows, [
    ['h0', 23.5],
    ['h1', 24.5],
  ]);
  const stranger = new InfluxDB2({ url, token: 'no' }).getWriteApi('o', 'bucket2', 'ns', { maxRetries: 0 });
  stranger.writeRecord('m v=1');
  await t.throwsAsync(stranger.flush(), { message: /401|nauthorized|Authentication/ });
  await stranger.close().catch(() => undefined);
});

test('clients of version 2 that look for their bucket first find it, or make it', async (t) => {
  const path = '/api/v2/buckets';
  const asked = async (query: string, auth?: string): Promise<unknown> => {
    const { status, text } = await service.request({
      method: 'GET',
      path: `${path}?${query}`,
      ...(auth === undefined ? {} : { auth }),
    });
    t.is(status, 200, text);
    return (JSON.parse(text) as { buckets: unknown }).buckets;
  };
  const make = (bucket: unknown, auth?: string) =>
    service.request({
      path,
      body: typeof bucket === 'string' ? bucket : JSON.stringify(bucket),
      ...(auth === undefined ? {} : { auth }),
    });
  const days30 = 30 * 86_400;
  const rules = [{ type: 'expire', everySeconds: days30 }];
  const bucket = {
    id: 'found_or_made',
    orgID: 'acme',
    type: 'user',
    name: 'found_or_made',
    retentionRules: rules,
    labels: [],
  };
  const organization = await service.request({ method: 'GET', path: '/api/v2/orgs?org=acme' });
  t.deepEqual(JSON.parse(organization.text), { orgs: [{ id: 'acme', name: 'acme' }] });
  t.deepEqual(await asked('name=found_or_made&org=acme'), []);
  const reply = await make({ name: 'found_or_made', orgID: 'acme', retentionRules: rules });
  t.deepEqual([reply.status, JSON.parse(reply.text)], [201, bucket]);
  for (const query of ['name=found_or_made', 'name=found_or_made/autogen', 'id=found_or_made']) {
    t.deepEqual(await asked(`${query}&org=acme`), [bucket], query);
  }
  const [first, second] = ['after=found_or_madd&limit=1', 'after=found_or_made&limit=1'];
  t.deepEqual(await asked(`${first}&org=acme`), [bucket]);
  t.notRegex(JSON.stringify(await asked(second)), /"found_or_made"/);
  t.is((await service.request({ path: `/api/v2/write?org=acme&bucket=${bucket.id}`, body: 'm v=1' })).status, 204);
  t.deepEqual(await service.rows('SELECT v FROM found_or_made.m'), [[1]]);
  t.like(JSON.parse((await make({ name: 'found_or_made', orgID: 'acme' })).text), { code: 'conflict' });
  const shortest = await make({ name: 'kept_a_day', retentionRules: [{ everySeconds: 3600 }] });
  t.is((JSON.parse(shortest.text) as typeof bucket).retentionRules[0]?.everySeconds, 86_400);
  const bad = [
    '',
    '[]',
    '{"name":',
    {},
    { name: '' },
    { name: '/autogen' },
    { name: 'x'.repeat(65) },
    { name: 'x', retentionRules: [{ everySeconds: '1d' }] },
  ];
  for (const wrong of bad) t.is((await make(wrong)).status, 400, JSON.stringify(wrong));
  await service.run("CREATE USER guest PASS 'Guest-12345' CREATEDB 0");
  const guest = `Basic ${Buffer.from('guest:Guest-12345').toString('base64')}`;
  t.is((await make({ name: 'of_guest' }, guest)).status, 403);
  t.deepEqual(await asked('', guest), []);
  const nobody = `Basic ${Buffer.from('guest:no').toString('base64')}`;
  t.is((await make({ name: 'of_nobody' }, nobody)).status, 401);
  for (const route of [path, '/api/v2/orgs'])
    t.is((await service.request({ method: 'GET', path: route, auth: nobody })).status, 401, route);
});

const python = `
import sys
from influxdb import InfluxDBClient
from influxdb.exceptions import InfluxDBClientError
port, user, password = int(sys.argv[1]), sys.argv[2], sys.argv[3]
body = [{"measurement": "cpu_load_short", "tags": {"host": "server01", "region": "us-west"},
         "time": "2009-11-10T23:00:00Z", "fields": {"value": 0.64}}]
client = InfluxDBClient('127.0.0.1', port, user, password, 'py_example')
print(client.ping())
client.create_database('py_example')
print([d['name'] for d in client.get_list_database() if d['name'] == 'py_example'])
print(client.get_list_retention_policies('py_example')[0]['name'])
print(client.write_points([dict(body[0], time="2024-11-10T23:00:00Z")]))
try:
    client.write_points(body, database='none')
except InfluxDBClientError as error:
    print(error.code, error.content)
`;

test('the Python client goes through its quick start', async (t) => {
  // The one that Debian's packages belong to.
  const program = '/usr/bin/python3';
  if (!(await isInstalled(t, program, '-c', 'import influxdb'))) return;
  const { stdout } = await execute(program, ['-c', python, String(service.port), root.user, root.password]);
  t.deepEqual(stdout.trim().split('\n'), [
    '1.8.10',
    "['py_example']",
    'autogen',
    'True',
    '404 {"error":"database not found: \\"none\\"","code":904,"desc":"database not found: \\"none\\""}',
  ]);
  const rows = await service.rows('SELECT host, region, `value` FROM py_example.cpu_load_short');
  t.deepEqual(rows, [['server01', 'us-west', 0.64]]);
});

test('the shell of version 1 connects, makes a database and inserts', async (t) => {
  if (!(await isInstalled(t, 'influx', '-version'))) return;
  const login = ['-host', '127.0.0.1', '-port', `${service.port}`, '-username', root.user, '-password', root.password];
  await execute('influx', [...login, '-execute', 'CREATE DATABASE shell_example']);
  const { stdout } = await execute('influx', [...login, '-execute', 'SHOW DATABASES']);
  t.regex(stdout, /shell_example/);
  const insert = 'INSERT cpu,host=serverA value=0.64 1700000000000000000';
  await execute('influx', [...login, '-database', 'shell_example', '-execute', insert]);
  t.deepEqual(await service.rows('SELECT host, `value` FROM shell_example.cpu'), [['serverA', 0.64]]);
});
