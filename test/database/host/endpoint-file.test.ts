import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { endpointDirectories, findEndpoint, publishEndpoint } from '../../../src/database/host/endpoint-file.js';
import { temporaryDirectory } from '../../support/engine/engine.js';

const directory = { path: '/dev/shm/sluice-of-a-host', maxBytes: 1_000 };
const engine = { url: 'http://127.0.0.1:60301', user: 'default', password: 'a secret', directory, pid: process.pid };

/** What the file of an engine says. */
function publishedAt(port: number, env: NodeJS.ProcessEnv) {
  const { directory: current, ...endpoint } = findEndpoint(port, env) ?? {};
  return { ...endpoint, directory: current?.(), pid: process.pid };
}
/** No process has it: above the largest id that kernels give. */
const nobody = 2 ** 30;

/** A runtime directory of its own for each test. */
function place(): { env: { XDG_RUNTIME_DIR: string }; directory: string; remove: () => void } {
  const [path, remove] = temporaryDirectory();
  return { env: { XDG_RUNTIME_DIR: path }, directory: join(path, 'sluice'), remove };
}

test('a published engine is found by its port until it is taken back', (t) => {
  const { env, remove } = place();
  const takeBack = publishEndpoint(60301, engine, env);
  t.deepEqual(publishedAt(60301, env), engine);
  t.is(findEndpoint(60302, env), undefined);
  takeBack();
  t.is(findEndpoint(60301, env), undefined);
  takeBack();
  remove();
});

test('nobody but the owner can enter the directory or read the file', (t) => {
  const { env, directory, remove } = place();
  publishEndpoint(60301, engine, env);
  t.is(statSync(directory).mode & 0o777, 0o700);
  t.is(statSync(join(directory, 'engine-60301.json')).mode & 0o777, 0o600);
  t.deepEqual(readdirSync(directory), ['engine-60301.json']);
  remove();
});

test('what killed engines have left is passed over, replaced or removed, and a new file is not removed by an old engine', (t) => {
  const { env, directory, remove } = place();
  const takeBackOld = publishEndpoint(60301, { ...engine, pid: nobody }, env);
  t.is(findEndpoint(60301, env), undefined);
  publishEndpoint(60302, { ...engine, pid: nobody }, env);
  t.deepEqual(readdirSync(directory), ['engine-60302.json']);
  publishEndpoint(60301, engine, env);
  t.deepEqual(readdirSync(directory), ['engine-60301.json']);
  t.deepEqual(publishedAt(60301, env), engine);
  takeBackOld();
  t.deepEqual(publishedAt(60301, env), engine);
  remove();
});

test('the directory of a restarted engine is found as soon as the socket of the old one is gone', (t) => {
  const { env, directory: parent, remove } = place();
  publishEndpoint(60301, engine, env);
  const hostOf = (name: string) => {
    const path = join(parent, name);
    mkdirSync(path);
    writeFileSync(join(path, 'engine.sock'), '');
    return { path, maxBytes: 1_000 };
  };
  const [old, restarted] = [hostOf('old'), hostOf('restarted')];
  publishEndpoint(60301, { ...engine, directory: old }, env);
  const endpoint = findEndpoint(60301, env);
  publishEndpoint(60301, { ...engine, directory: restarted }, env);
  t.deepEqual(endpoint?.directory?.(), old);
  rmSync(join(old.path, 'engine.sock'));
  t.deepEqual(endpoint?.directory?.(), restarted);
  remove();
});

test('a file or a directory that others may read is not trusted, and neither is a file without an engine in it', (t) => {
  const { env, directory, remove } = place();
  publishEndpoint(60301, engine, env);
  const file = join(directory, 'engine-60301.json');
  chmodSync(file, 0o644);
  t.is(findEndpoint(60301, env), undefined);
  chmodSync(file, 0o600);
  chmodSync(directory, 0o755);
  t.is(findEndpoint(60301, env), undefined);
  t.throws(() => publishEndpoint(60301, engine, env), { message: /owner alone/ });
  chmodSync(directory, 0o700);
  for (const text of ['', 'no JSON', '{"url":1}', '[]']) {
    writeFileSync(file, text);
    t.is(findEndpoint(60301, env), undefined, text);
  }
  remove();
});

test('without a runtime directory the files are in the temporary directory, under the name of the user', (t) => {
  t.is(endpointDirectories({}).length, 1);
  const [path, remove] = temporaryDirectory();
  mkdirSync(join(path, 'run'));
  t.deepEqual(endpointDirectories({ XDG_RUNTIME_DIR: join(path, 'run') }), [
    join(path, 'run', 'sluice'),
    ...endpointDirectories({}),
  ]);
  t.deepEqual(endpointDirectories({ XDG_RUNTIME_DIR: join(path, 'missing') }), endpointDirectories({}));
  remove();
});
