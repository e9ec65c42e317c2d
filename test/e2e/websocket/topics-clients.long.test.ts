import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { repository } from '../../support/documents/documents.js';
import { directoryFor } from '../../support/service/processes.js';
import { sharedService } from '../../support/service/shared-service.js';
import { skipped } from '../../support/skipped.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(async () => {
  await service.run('CREATE DATABASE plant KEEP 36500');
  await service.run('CREATE STABLE plant.meters (ts TIMESTAMP, v DOUBLE, s NCHAR(9)) TAGS (site VARCHAR(16))');
  await service.run("INSERT INTO plant.d1 USING plant.meters TAGS ('a') VALUES (1000, 21.5, 'é') (1001, 22.5, NULL)");
  const others = [2, 3, 4, 5].map((n) => `plant.d${n} USING plant.meters TAGS ('b') VALUES (1000, ${n}.5, 'x')`);
  await service.run(`INSERT INTO ${others.join(' ')}`);
  await service.run('CREATE TOPIC warm AS SELECT ts, v, s FROM plant.meters');
  await service.run('CREATE TOPIC hot AS SELECT ts, v, s FROM plant.meters WHERE v > 22');
});

/** Time for each step of fetching and building a client, in ms; what takes longer is skipped. */
const stepMs = 150_000;

/** What a program prints; undefined where it fails. */
function output(cwd: string, command: string, ...rest: readonly string[]): string[] | undefined {
  const { status, stdout } = spawnSync(command, rest, { cwd, timeout: stepMs, encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n') : undefined;
}

test.serial('the connector for Go consumes a topic, commits and seeks', async (t) => {
  t.timeout(3 * stepMs, 'the module may have to be fetched');
  const directory = directoryFor(t);
  copyFileSync(join(repository, 'fixtures/drivers/consume.go'), join(directory, 'consume.go'));
  const isThere =
    output(directory, 'go', 'mod', 'init', 'consume') !== undefined &&
    output(directory, 'go', 'get', 'github.com/taosdata/driver-go/v3/ws/tmq@v3.7.8') !== undefined &&
    output(directory, 'go', 'build', '-o', 'consume', '.') !== undefined;
  if (!isThere) return skipped(t, 'there is no Go compiler, or its module cannot be fetched');
  const rows = '[d1 [21.5 é] d1 [22.5 <nil>] d2 [2.5 x] d3 [3.5 x] d4 [4.5 x] d5 [5.5 x]]';
  t.deepEqual(output(directory, join(directory, 'consume'), String(service.port)), [
    `rows ${rows}`,
    'vgroups 2',
    `again ${rows}`,
  ]);
});

test.serial('the connector for Java consumes a topic, commits and seeks', async (t) => {
  t.timeout(3 * stepMs, 'the driver may have to be fetched');
  const directory = directoryFor(t);
  const artifact = '-Dartifact=com.taosdata.jdbc:taos-jdbcdriver:3.7.8:jar:dist';
  const path = 'taos-jdbcdriver-3.7.8-dist.jar:.';
  copyFileSync(join(repository, 'fixtures/drivers/Consume.java'), join(directory, 'Consume.java'));
  const isThere =
    output(directory, 'mvn', '-q', 'dependency:copy', artifact, '-DoutputDirectory=.') !== undefined &&
    output(directory, 'javac', '-encoding', 'UTF-8', '-cp', path, 'Consume.java') !== undefined;
  if (!isThere) return skipped(t, 'there is no Java compiler, or its driver cannot be fetched');
  const rows = '[2.5 x, 21.5 é, 22.5 null, 3.5 x, 4.5 x, 5.5 x]';
  const utf8 = ['-Dfile.encoding=UTF-8', '-Dstdout.encoding=UTF-8', '-Dsun.stdout.encoding=UTF-8'];
  t.deepEqual(output(directory, 'java', ...utf8, '-cp', path, 'Consume', String(service.port)), [
    `rows ${rows}`,
    'vgroups 2',
    `again ${rows}`,
  ]);
});

test.serial('the connector for Python runs the example of the page on topics', async (t) => {
  t.timeout(3 * stepMs, 'the package may have to be fetched');
  const directory = directoryFor(t);
  const python = join(directory, 'bin/python');
  const isThere =
    output(directory, 'python3', '-m', 'venv', directory) !== undefined &&
    output(directory, python, '-m', 'pip', '-q', 'install', 'taos-ws-py==0.7.0') !== undefined;
  if (!isThere) return skipped(t, 'there is no Python with pip, or its package cannot be fetched');
  const page = readFileSync(join(repository, 'docs/topics.md'), 'utf8');
  const [, example = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
  const own = example.replace('localhost:6041', `127.0.0.1:${service.port}`).replace("'warm'", "'hot'");
  t.deepEqual(output(directory, python, '-c', own), ['hot 22.5']);
});
