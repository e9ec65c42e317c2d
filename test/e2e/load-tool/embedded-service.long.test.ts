import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { findEndpoint } from '../../../src/database/host/endpoint-file.js';
import { openEmbeddedService } from '../../../src/load/destination/embedded-service.js';
import type { LoadConnection } from '../../../src/load/model/scenario.js';
import { Codes, FaultError } from '../../../src/model/fault.js';
import { temporaryDirectory } from '../../support/engine/engine.js';
import { connectionTo } from '../../support/load/load-tool.js';
import { startService } from '../../support/service/service.js';

const { service, end } = await startService();
test.after.always(end);

const enginePort = Number(new URL(service.engineUrl).port);
const context = { version: '0', log: { debug() {} }, stop: new AbortController().signal };
const limits = { statements: 16, connections: 4, creditBytes: 1 << 25 };
const connection = connectionTo(service);

const open = (more: Partial<LoadConnection> = {}) => openEmbeddedService({ ...connection, ...more }, context, limits);

async function refusal(more: Partial<LoadConnection>): Promise<FaultError['fault'] | undefined> {
  try {
    await (await open(more)).stop();
    return undefined;
  } catch (error) {
    return error instanceof FaultError ? error.fault : undefined;
  }
}

test('a process of the same user finds the engine by its port, runs statements and writes text', async (t) => {
  const embedded = await open();
  await embedded.run('CREATE DATABASE load_embedded');
  await embedded.run('CREATE TABLE n (ts TIMESTAMP, v INT)', { database: 'load_embedded' });
  t.like(await embedded.run('INSERT INTO n VALUES (1700000000000, 7)', { database: 'load_embedded' }), { rows: 1 });
  const text = Buffer.from('m,a=1 x=1i32 1700000000000\nm,a=1 x=2i32 1700000000001\n');
  const lines = { database: 'load_embedded', format: 'lineproto', precision: 'ms', text } as const;
  t.like(await embedded.writeLines(lines), { outcome: 'delivered', rows: 2 });
  const answer = await embedded.run('SELECT v FROM n', { database: 'load_embedded' });
  t.is(answer.kind, 'rows');
  if (answer.kind === 'rows') t.is(String(await buffer(Readable.from(answer.lines))), '[7]\n');
  await embedded.stop();
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM load_embedded.m'), [[2]]);
});

test('a defect while text is written reaches who writes it, and does not end the tool', async (t) => {
  const embedded = await open();
  const text = Buffer.from('m,a=1 x=1i32 1700000000000\n');
  const lines = { database: 'not_there', format: 'lineproto', precision: 'ms', text } as const;
  const defect = new TypeError('a defect');
  Object.defineProperty(embedded.catalogue, 'sync', { value: () => Promise.reject(defect), configurable: true });
  await t.throwsAsync(embedded.writeLines(lines), { instanceOf: FaultError });
  const fail = () => {
    throw defect;
  };
  Object.defineProperty(embedded.catalogue, 'database', { value: fail, configurable: true });
  t.is(await t.throwsAsync(embedded.writeLines(lines)), defect);
  for (const name of ['sync', 'database']) Reflect.deleteProperty(embedded.catalogue, name);
  await t.throwsAsync(embedded.writeLines(lines), { instanceOf: FaultError, message: /not_there|database/i });
  await embedded.stop();
});

test('an engine that has stopped is not found any more', async (t) => {
  const other = await startService();
  const port = Number(new URL(other.service.engineUrl).port);
  t.is(findEndpoint(port)?.url, other.service.engineUrl);
  await other.service.stop();
  t.is(findEndpoint(port), undefined);
  await other.end();
});

test('the rights of the user of the run count', async (t) => {
  await service.run("CREATE USER reader PASS 'a Password1'");
  await service.run('CREATE DATABASE load_rights');
  await service.run('CREATE TABLE load_rights.n (ts TIMESTAMP, v INT)');
  await service.run('GRANT READ ON load_rights.* TO reader');
  const embedded = await open({ user: 'reader', password: 'a Password1' });
  const refused = await t.throwsAsync(embedded.run('INSERT INTO load_rights.n VALUES (NOW, 1)'), {
    instanceOf: FaultError,
  });
  t.is(refused?.fault.code, Codes.permissionDenied);
  await embedded.stop();
});

test('a wrong password, an unknown user, an unknown host and an address without a database have a clear line each', async (t) => {
  t.like(await refusal({ password: 'wrong' }), { kind: 'auth', code: Codes.authenticationFailure });
  t.like(await refusal({ user: 'nobody' }), { kind: 'auth', code: Codes.authenticationFailure });
  const unknown = await refusal({ host: 'no.such.host.invalid' });
  t.is(unknown?.code, Codes.networkUnavailable);
  t.regex(unknown?.message ?? '', /no\.such\.host\.invalid.*(no such host|cannot be resolved)/);
  const silent = await refusal({ port: 1 });
  t.is(silent?.code, Codes.networkUnavailable);
  t.regex(silent?.message ?? '', /:1: nothing listens there/);
});

test('settings of the directory say how the engine is reached, and an engine that wants another password says so', async (t) => {
  const [path, remove] = temporaryDirectory();
  const directory = (name: string, password: string): string => {
    const folder = join(path, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'adapter.toml'), `[database]\nport = ${enginePort}\npassword = "${password}"\n`);
    return folder;
  };
  const embedded = await open({ port: 6030, configDirectory: directory('right', 'e2e-secret') });
  await embedded.run('SELECT 1');
  await embedded.stop();
  const refused = await refusal({ port: 6030, configDirectory: directory('wrong', 'another') });
  t.is(refused?.code, Codes.authenticationFailure);
  t.regex(refused?.message ?? '', /ADAPTER_DATABASE_PASSWORD/);
  writeFileSync(join(path, 'adapter.toml'), '[database]\nprot = 1\n');
  t.regex((await refusal({ configDirectory: path }))?.message ?? '', /prot/);
  remove();
});
