import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { DocumentWorld } from '../support/documents/document-service.js';
import { blocksOf, statementsIn, textOf } from '../support/documents/documents.js';
import { directoryFor, run } from '../support/service/processes.js';
import { skipped } from '../support/skipped.js';

/** Readers of docs/readers.md that are not scripts, with the code that stands there. */
const world = await DocumentWorld.start();
const { service } = world;
test.after.always(() => world.end());

const page = blocksOf('docs/readers.md');
const version = '3.2.7';
const driver = join(
  homedir(),
  `.m2/repository/com/taosdata/jdbc/taos-jdbcdriver/${version}/taos-jdbcdriver-${version}-dist.jar`,
);

test.before(async () => {
  for (const statement of statementsIn(page[0]?.text ?? '')) await service.run(statement);
  const lines = 'cpu,host=web01 busy=17.5 1700000060\ncpu,host=web02 busy=50 1700000000';
  await service.write(lines, { db: 'metrics', precision: 's' });
});

/** What a table of the page says of a query of Grafana, by the name of the field. */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  const [, table = ''] = /^\| Field [^\n]*\n\|[^\n]*\n((?:\|[^\n]*\n)+)/m.exec(text) ?? [];
  const rows = table.trimEnd().split('\n');
  return new Map(rows.map((row) => row.split(/ *\| */).slice(1, 3) as [string, string]));
}

test('the request of a data source of Grafana has the columns that its query names', async (t) => {
  const source = world.here(page.find(({ text }) => text.includes('infinity'))?.text ?? '');
  const setting = (name: string): string => new RegExp(`${name}: (\\S+)`).exec(source)?.[1] ?? '';
  const fields = fieldsOf(textOf('docs/readers.md'));
  const quotedIn = (name: string): string[] =>
    [...(fields.get(name) ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  const [path = ''] = quotedIn('Method, URL');
  const [statement = ''] = quotedIn('Body, raw, text');
  const [root = ''] = quotedIn('Rows, root');
  // As the plug-in sends it: its base address, its headers, and the ends of the time range in ms.
  const answer = await fetch(`${setting('url')}${path}`, {
    method: 'POST',
    headers: {
      accept: 'application/json;q=0.9,text/plain',
      'content-type': 'text/plain',
      authorization: `Basic ${btoa(`${setting('basicAuthUser')}:${setting('basicAuthPassword')}`)}`,
    },
    body: statement.replace(/\$\{__from\}/, '1700000000000').replace(/\$\{__to\}/, '1700000120000'),
  });
  t.is(answer.status, 200);
  const rows = ((await answer.json()) as Record<string, Record<string, unknown>[]>)[root] ?? [];
  t.true(rows.length > 0);
  for (const row of rows) {
    t.deepEqual(Object.keys(row), quotedIn('Columns'));
    t.false(Number.isNaN(Date.parse(String(row.time))));
    t.is(typeof row.busy, 'number');
  }
});

test('a JDBC driver reads over HTTP', async (t) => {
  t.timeout(300_000, 'the driver may have to be fetched');
  const artifact = `com.taosdata.jdbc:taos-jdbcdriver:${version}:jar:dist`;
  if (!existsSync(driver)) spawnSync('mvn', ['-q', 'dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false']);
  if (!existsSync(driver) || spawnSync('javac', ['-version']).status !== 0) {
    skipped(t, 'there is no Java compiler, or its driver cannot be fetched');
    return;
  }
  const file = join(directoryFor(t), 'Newest.java');
  writeFileSync(file, world.here(page.find(({ language }) => language === 'java')?.text ?? ''));
  const program = run(t, 'java', ['-cp', driver, file]);
  t.is((await program.ended).code, 0, program.stderr());
  t.is(program.stdout(), 'web01 17.5\nweb02 50.0\n');
});
