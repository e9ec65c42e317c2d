import { readdirSync } from 'node:fs';
import test from 'ava';

/** Tests of SQL that do not run on a cluster, and why not. */
const apart: Readonly<Record<string, string>> = {
  cancel: 'is about services with settings of their own',
  'dialect-page': 'is about a page',
  explain: 'plans of a cluster differ',
  hosts: 'is about who is let in, before any engine is asked',
  injection: 'is about texts, which are the same for every engine',
  limits: 'is about one service with settings of its own',
  tokens: 'reads the catalogue of the embedded engine',
};

const namesIn = (folder: string): string[] =>
  readdirSync(folder).map((name) => name.replace(/(?:\.long|\.rare)?\.test\.ts$/, ''));

test('every test of SQL runs on a cluster, too, or is named with a reason', (t) => {
  const onCluster = new Set(namesIn('test/e2e/cluster/suites'));
  const known = (name: string): boolean => onCluster.has(name) || name in apart;
  t.deepEqual(
    namesIn('test/e2e/dialect').filter((name) => !known(name)),
    [],
  );
});
