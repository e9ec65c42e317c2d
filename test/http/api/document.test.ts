import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import test from 'ava';
import { createApiDocument } from '../../../src/http/api/document.js';
import { routes } from '../../../src/http/routes.js';
import { version } from '../../../src/model/version.js';
import { sourceKinds } from '../../../src/sources/kinds.js';
import { send, startServer } from '../../support/inputs/http-server.js';

/** The interfaces that are described. */
const described = routes.flatMap(({ method, path, operation }) =>
  operation === undefined ? [] : [{ method, path, operation }],
);
const document = createApiDocument(routes, version);
const text = JSON.stringify(document);

test('the description is valid OpenAPI 3.1', async (t) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(text));
  t.true(valid, JSON.stringify(errors, undefined, 2));
  t.is(validator.version, '3.1');
});

test('has a current description in docs', (t) => {
  const shipped = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');
  t.is(shipped, `${JSON.stringify(document, undefined, 2)}\n`, 'run npm run api-document');
});

test('the table of the README has a row for every interface and every source', (t) => {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split('## Ways in and out');
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const isTold = (words: readonly string[]): boolean => rows.some((row) => words.every((word) => row.includes(word)));
  for (const { path } of described) {
    if (path.startsWith('/page/')) continue;
    t.true(isTold(path.split('/').filter((segment) => !segment.startsWith(':'))), path);
  }
  for (const { name } of Object.values(sourceKinds)) t.true(isTold([`${name}.`]), name);
});

test('every schema that is referred to is there, and every one that is there is referred to', (t) => {
  const { components }: { components: { schemas: Record<string, unknown> } } = JSON.parse(text);
  const used = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
  t.deepEqual([...new Set(used)].toSorted(), Object.keys(components.schemas).toSorted());
});

test('operations have names of their own, and exactly the parameters of their paths', (t) => {
  const names = described.map(({ operation }) => operation.operationId);
  t.is(new Set(names).size, names.length);
  for (const { path, operation } of described) {
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    t.true(inPath.every(({ required }) => required === true));
    const written = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
    t.deepEqual(
      inPath.map(({ name }) => name),
      written,
      path,
    );
  }
});

test('the operations of the events have the names that generated clients use', (t) => {
  const events = described.filter(({ path }) => path.startsWith('/api/v1/events'));
  t.deepEqual(
    events.map(({ method, path, operation }) => [operation.operationId, method, path]),
    [
      ['apiV1EventsGet', 'GET', '/api/v1/events'],
      ['apiV1EventsIdGet', 'GET', '/api/v1/events/:id'],
      ['apiV1EventsIdAcknowledgePut', 'PUT', '/api/v1/events/:id/acknowledge'],
      ['apiV1EventsIdResolvePut', 'PUT', '/api/v1/events/:id/resolve'],
    ],
  );
  for (const { operation } of events) t.deepEqual(operation.tags, ['Event Resource']);
});

test('a service describes the interfaces that are switched on, to everybody', async (t) => {
  const server = await startServer(t, { settings: { tsdbwire: { enable: false, createDatabase: false, db: 'own' } } });
  const reply = await send(server, { method: 'GET', path: '/openapi.json', auth: false });
  t.is(reply.status, 200);
  t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
  const told: { paths: Record<string, unknown>; info: { version: string } } = JSON.parse(reply.text);
  t.is(told.info.version, '1.2.3');
  const all = described.map(({ path }) => path.replace(/:(\w+)/g, '{$1}'));
  const expected = all.filter((path) => !path.startsWith('/tsdbwire/') && path !== '/api/put');
  t.deepEqual(Object.keys(told.paths).toSorted(), [...new Set(expected)].toSorted());
});
