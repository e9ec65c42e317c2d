import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { renderSettingsPage } from '../../src/config/settings-page.js';
import { parts } from '../../tools/deb.js';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('an image is built from all that the program is built from, and from nothing else in the directory', (t) => {
  const lines = read('.dockerignore').split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  t.is(rules[0], '*');
  const allowed = rules.slice(1).map((rule) => rule.replace(/^!/, ''));
  for (const path of allowed) t.true(existsSync(join(root, path)), path);
  const { include }: { include: string[] } = JSON.parse(read('tsconfig.json'));
  const built = parts.map((part) => part.split('/')[0] ?? '').filter((part) => part !== 'build');
  for (const path of [...include, ...built, 'package-lock.json', 'tsconfig.json']) t.true(allowed.includes(path), path);
});

test('an image names a setting that there is', (t) => {
  const [, variable] = /^ENV (\w+)=/m.exec(read('packaging/Dockerfile')) ?? [];
  t.true(renderSettingsPage().includes(`\`${variable}\``), variable);
});
