import test from 'ava';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import { type Document, type OpenAPIClient, OpenAPIClientAxios } from 'openapi-client-axios';
import type { Operation, Schema } from '../../src/http/api/description.js';
import { mismatches } from '../support/documents/schema-check.js';
import { Matcher, readBody, writeBody } from '../support/messages/remote-messages.js';
import { root, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

/** A rule, so that there is an event to read and to move. */
const rule = {
  name: 'hot',
  database: 'd',
  table: 'boilers',
  column: 'temp',
  comparison: '>',
  threshold: 90,
  resolve: false,
};
const { service, end } = await startService(
  '--smlAutoCreateDB=true',
  '--monitor.slowStatement=1ms',
  `--events.rules=${JSON.stringify([rule])}`,
);

/** The description as a client downloads it. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const base = `http://127.0.0.1:${service.port}`;
const told = await (await fetch(`${base}/openapi.json`)).text();
const definition: Document = JSON.parse(told);
const description: Description = JSON.parse(told);
const schemas = new Map(
  Object.entries(description.components.schemas).map(([name, schema]) => [`#/components/schemas/${name}`, schema]),
);
const operations = new Map(
  Object.values(description.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

/** A client that is generated from the description alone. */
const client: OpenAPIClient = await new OpenAPIClientAxios({ definition, withServer: { url: base } }).init();
test.after.always(end);

/** Somebody who may do nothing yet. */
const eve = { user: 'eve', password: 'eveSecret1!' } as const;

/** Names of the operations that were called. */
const called = new Set<string>();

interface More {
  readonly status?: number;
  readonly data?: unknown;
  /** False: without credentials; `eve` is no administrator. */
  readonly auth?: boolean | 'eve';
}

/**
 * Calls an operation by its name. Its answer must have the status that is asked for, which the description must know, with
 * the media type and the body that the description has for it.
 */
async function call(name: string, parameters: Record<string, string | number> = {}, more: More = {}): Promise<unknown> {
  const { status = 200, data, auth = true } = more;
  const { user: username, password } = auth === 'eve' ? eve : root;
  const operation = operations.get(name);
  const method = client[name];
  if (operation === undefined || method === undefined) throw new Error(`There is no operation ${name}.`);
  called.add(name);
  const config: AxiosRequestConfig = {
    validateStatus: () => true,
    responseType: 'arraybuffer',
    headers: { 'content-type': Object.keys(operation.requestBody?.content ?? {})[0] ?? 'text/plain' },
    ...(auth === false ? {} : { auth: { username, password } }),
  };
  const answer: AxiosResponse<Buffer> = await method(parameters, data, config);
  const text = answer.data.toString();
  if (answer.status !== status) throw new Error(`${name} answers ${answer.status}: ${text}`);
  const described = operation.responses[status];
  if (described === undefined) throw new Error(`${name} does not tell of status ${status}.`);
  if (described.content === undefined) {
    if (text !== '') throw new Error(`${name} answers a body that is not described: ${text}`);
    return undefined;
  }
  const type = String(answer.headers['content-type']).split(';')[0] ?? '';
  const content = described.content[type] ?? described.content['*/*'];
  if (content === undefined) throw new Error(`${name} answers ${type}, which is not described.`);
  if (type !== 'application/json') return text;
  const body: unknown = JSON.parse(text);
  const wrong = mismatches(body, content.schema ?? {}, schemas);
  if (wrong.length > 0) throw new Error(`${name}: ${wrong.join('; ')}\n${text}`);
  return body;
}

test.serial('paths of WebSocket answer requests that are no upgrade as they are described', async (t) => {
  for (const path of ['', 'Query', 'Binding', 'Schemaless', 'Topic']) {
    await call(`open${path}WebSocket`, {}, { status: 426, auth: false });
  }
  t.pass();
});

test.serial('statements and vgroups answer as they are described', async (t) => {
  await call('runSql', {}, { data: 'CREATE DATABASE d' });
  await call('runSql', { req_id: 7, row_with_meta: 'true' }, { data: 'SHOW DATABASES' });
  await call('runSqlIn', { db: 'd', tz: 'Europe/Paris' }, { data: 'CREATE TABLE t (ts TIMESTAMP, v INT)' });
  await call('runSqlIn', { db: 'd' }, { data: 'SELECT nothing FROM nowhere' });
  await call('runSql', { tz: 'Nowhere/City' }, { data: 'SELECT 1', status: 400 });
  await call('runSql', {}, { data: 'SELECT 1', status: 401, auth: false });
  await call('getVgroup', { db: 'd', table: 't' });
  await call('getVgroup', { db: 'nothing', table: 't' });
  await call('getVgroup', {}, { status: 400 });
  await call('getVgroups', { db: 'd' }, { data: ['t', 'u'] });
  await call('getVgroups', { db: 'd' }, { data: {}, status: 400 });
  t.pass();
});

test.serial('writes answer as they are described', async (t) => {
  await call('writeLines', { db: 'd', precision: 's' }, { data: 'm,a=b v=1 1700000000', status: 204 });
  await call('writeLines', { db: 'd' }, { data: 'bad', status: 400 });
  await call('writeLines', {}, { data: 'm v=1', status: 400 });
  await call('writeLines', { db: 'd' }, { data: 'm v=1', status: 401, auth: false });
  const point = { metric: 'cpu', timestamp: 1700000000, value: 1.5, tags: { host: 'a' } };
  await call('putJson', { db: 'd' }, { data: [point], status: 204 });
  await call('putJson', { db: 'd' }, { data: [{}], status: 400 });
  await call('putPoints', { db: 'd' }, { data: point, status: 204 });
  await call('putPoints', { db: 'd', details: 'true' }, { data: [point] });
  await call('putPoints', { db: 'd', summary: 'true' }, { data: [point, {}], status: 400 });
  await call('putPoints', { db: 'd' }, { data: {}, status: 400 });
  await call('putTelnet', { db: 'd' }, { data: 'cpu 1700000001 2 host=a', status: 204 });
  await call('putTelnet', { db: 'd', ttl: 'x' }, { data: 'cpu 1700000001 2 host=a', status: 400 });
  t.pass();
});

test.serial('the metrics system is answered as it is described', async (t) => {
  const labels = [{ name: '__name__', value: 'up' }];
  const samples = [{ value: 1, timestamp: 1_700_000_000_000 }];
  await call('remoteWrite', { db: 'd' }, { data: writeBody([{ labels, samples }]), status: 204 });
  await call('remoteWrite', { db: 'd' }, { data: Buffer.from('x'), status: 400 });
  const matchers = [{ type: Matcher.EQ, name: '__name__', value: 'up' }];
  const query = { start_timestamp_ms: 0, end_timestamp_ms: 2_000_000_000_000, matchers };
  t.true(String(await call('remoteRead', { db: 'd' }, { data: readBody([query]) })).includes('up'));
  await call('remoteRead', { db: 'nothing' }, { data: readBody([query]), status: 404 });
});

test.serial('the API of Prometheus answers as it is described', async (t) => {
  await service.run('CREATE DATABASE IF NOT EXISTS metricsdb');
  const query = { query: 'vector(1)' };
  const range = { ...query, start: '0', end: '60' };
  const endpoints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    Query: query,
    QueryRange: { ...range, step: '15' },
    Series: { 'match[]': 'up' },
    Labels: {},
    LabelValues: { name: 'job' },
    Metadata: {},
    Exemplars: { ...range, query: 'up' },
    Format: query,
    Parse: query,
    Tsdb: {},
    Rules: {},
    Alerts: {},
    Federate: { 'match[]': 'up' },
  };
  for (const [name, parameters] of Object.entries(endpoints)) {
    const { name: label, ...form } = parameters;
    const path = label === undefined ? {} : { name: label };
    for (const [ending, db] of Object.entries({ '': {}, In: { db: 'd' } })) {
      await call(`promql${name}${ending}`, { ...db, ...parameters });
      await call(`promql${name}Form${ending}`, { ...db, ...path }, { data: new URLSearchParams(form) });
    }
    await call(`promql${name}In`, { db: 'nothing', ...parameters }, { status: 404 });
    await call(`promql${name}`, parameters, { status: 401, auth: false });
  }
  for (const name of ['promqlBuildInfo', 'promqlConfig']) {
    await call(name, {});
    await call(`${name}In`, { db: 'd' });
  }
  await call('promqlQuery', { query: 'up{' }, { status: 400 });
  await call('promqlQuery', { query: 'up + on (a) group_left sum by (a) (up) > bool' }, { status: 400 });
  t.pass();
});

test.serial('events are listed, read and moved as they are described', async (t) => {
  await call('writeLines', { db: 'd' }, { data: 'boilers,boiler=b1 temp=95', status: 204 });
  const ids = async (): Promise<readonly string[]> => {
    const page = await call('apiV1EventsGet', { status: 'active', severity: 'warning', pageNum: 1, pageSize: 5 });
    return [...JSON.stringify(page).matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id ?? '');
  };
  t.true(await until(async () => (await ids()).length === 1, 60_000));
  const [id = ''] = await ids();
  await call('apiV1EventsIdGet', { id });
  await call('apiV1EventsIdAcknowledgePut', { id });
  await call('apiV1EventsIdAcknowledgePut', { id }, { data: { comment: 'again' } });
  await call('apiV1EventsIdResolvePut', { id }, { data: { comment: 'over' } });
  await call('apiV1EventsIdResolvePut', { id });
  await call('apiV1EventsIdAcknowledgePut', { id }, { status: 409 });
  await call('apiV1EventsIdResolvePut', { id }, { data: { word: 1 }, status: 400 });
  await call('apiV1EventsGet', { pageSize: 1001 }, { status: 400 });
  for (const name of ['apiV1EventsIdGet', 'apiV1EventsIdAcknowledgePut', 'apiV1EventsIdResolvePut']) {
    await call(name, { id: 'nothing' }, { status: 404 });
    await call(name, { id }, { status: 401, auth: false });
  }
});

test.serial('rules and notifications answer as they are described', async (t) => {
  const list = JSON.parse(JSON.stringify(await call('getRules')));
  await call('tryRule', {}, { data: list.records[0].toml });
  await call('tryRule', {}, { data: 'nonsense', status: 400 });
  await call('reloadRules');
  await call('getNotifications');
  await call('testNotifications');
  const text = 'name = "stored"\ndatabase = "d"\ntable = "s"\nabsence = "1h"';
  const { stored } = JSON.parse(JSON.stringify(await call('createRule', {}, { data: text, status: 201 })));
  const { id } = stored;
  await call('createRule', {}, { data: text, status: 400 });
  await call('replaceRule', { id, version: 1 }, { data: text });
  await call('replaceRule', { id, version: 1 }, { data: text, status: 409 });
  const silence = { rule: 'stored', untilTime: Date.now() + 60_000, reason: 'repair' };
  await call('silenceRule', {}, { data: silence, status: 201 });
  await call('silenceRule', {}, { data: { ...silence, untilTime: 1 }, status: 400 });
  await call('getRules');
  await call('endSilence', { rule: 'stored' }, { status: 204 });
  await call('endSilence', { rule: 'stored' }, { status: 400 });
  await call('deleteRule', { id, version: 1 }, { status: 409 });
  await call('deleteRule', { id, version: 2 }, { status: 204 });
  await call('deleteRule', { id, version: 2 }, { status: 404 });
  const reading = ['getRules', 'reloadRules', 'tryRule', 'getNotifications', 'testNotifications'];
  for (const name of [...reading, 'createRule', 'silenceRule']) await call(name, {}, { status: 401, auth: false });
  t.is(list.records.length, 1);
});

test.serial('dashboards and saved queries answer as they are described', async (t) => {
  const panel = { title: 'T', language: 'sql', query: 'SELECT 1', database: '', graph: 'lines', width: 6, height: 4 };
  const query = { language: 'promql', query: 'up', database: 'd', range: '3600000' };
  for (const [one, many, content] of [
    ['Dashboard', 'Dashboards', { panels: [panel], variables: [{ name: 'a', kind: 'text', value: '' }], refresh: 5 }],
    ['SavedQuery', 'SavedQueries', query],
  ] as const) {
    const body = { name: 'N', shared: true, content };
    const created = JSON.parse(JSON.stringify(await call(`create${one}`, {}, { data: body, status: 201 })));
    const id = String(created.id);
    await call(`create${one}`, {}, { data: { name: 'N' }, status: 400 });
    await call(`get${many}`);
    await call(`get${one}`, { id });
    await call(`get${one}`, { id: 'nothing' }, { status: 404 });
    await call(`replace${one}`, { id }, { data: { ...body, version: 1 } });
    await call(`replace${one}`, { id }, { data: { ...body, version: 1 }, status: 409 });
    await call(`delete${one}`, { id, version: 1 }, { status: 409 });
    await call(`delete${one}`, { id, version: 2 }, { status: 204 });
    for (const name of [`get${many}`, `create${one}`]) await call(name, {}, { status: 401, auth: false, data: body });
  }
  t.pass();
});

test.serial('writes by the paths of other products answer as they are described', async (t) => {
  await call('influxWrite', { db: 'd', precision: 's' }, { data: 'other v=1 1700000000', status: 204 });
  await call('influxWrite', { db: 'd' }, { data: 'bad', status: 400 });
  await call('influxBucketWrite', { bucket: 'd', precision: 's' }, { data: 'other v=2 1700000001', status: 204 });
  await call('influxBucketWrite', { bucket: 'd' }, { data: 'other v=3', status: 401, auth: false });
  await call('influxLinesWrite', { db: 'd', precision: 'second' }, { data: 'other v=4 1700000002', status: 204 });
  await call('influxQuery', { q: 'SHOW DATABASES' });
  await call('influxQueryForm', {}, { data: 'q=SHOW%20DATABASES' });
  await call('influxBuckets', { name: 'd' });
  await call('influxNewBucket', {}, { data: { name: 'bucket' }, status: 201 });
  await call('influxNewBucket', {}, { data: { name: 'bucket' }, status: 422 });
  await call('influxBucket', { id: 'bucket' });
  await call('influxChangeBucket', { id: 'bucket' }, { data: { retentionRules: [] } });
  await call('influxDropBucket', { id: 'bucket' }, { status: 204 });
  await call('influxOrganizations', { org: 'any' });
  await call('influxOrganization', { id: 'any' });
  await call('influxPing', {}, { status: 204, auth: false });
  await call('influxHealth', {}, { auth: false });
  await call('influxReady', {}, { auth: false });
  await call('otlpWrite', { db: 'd' }, { data: Buffer.alloc(0) });
  await call('importText', { db: 'd' }, { data: 'jobs_total 1\n', status: 204 });
  await call('pushAdd', { job: 'nightly', db: 'd' }, { data: 'rows_read 5\n' });
  await call('pushAll', { job: 'nightly', db: 'd' }, { data: 'rows_read 6\n' });
  await call('pushDelete', { job: 'nightly' }, { status: 202 });
  t.pass();
});

test.serial('the service itself answers as it is described', async (t) => {
  await call('login', { user: root.user, password: root.password }, { auth: false });
  await call('login', { user: root.user, password: 'wrong' }, { status: 401, auth: false });
  await call('ping', { action: 'query' }, { auth: false });
  t.regex(String(await call('getMetrics', {}, { auth: false })), /^adapter_build_info\{/m);
  await call('getMetricsHistory', {}, { auth: false });
  t.regex(JSON.stringify(await call('getSlowStatements')), /CREATE DATABASE d/);
  await call('getSlowStatements', {}, { status: 401, auth: false });
  await call('runSql', {}, { data: `CREATE USER ${eve.user} PASS '${eve.password}'` });
  await call('getSlowStatements', {}, { status: 403, auth: 'eve' });
  await call('apiV1EventsGet', {}, { auth: 'eve' });
  await call('writeLines', { db: 'd' }, { data: 'm v=1', status: 403, auth: 'eve' });
  await call('getDescription', {}, { auth: false });
  for (const name of ['getPage', 'getSwaggerUi']) t.regex(String(await call(name, {}, { auth: false })), /^<!doctype/);
  await call('getPageFile', { file: 'app.js' }, { auth: false });
  await call('getPageFile', { file: 'nothing.js' }, { status: 404, auth: false });
});

test.serial('no operation was left out', (t) => {
  t.deepEqual([...called].toSorted(), [...operations.keys()].toSorted());
});
