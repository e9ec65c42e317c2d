import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { readAlertFile } from '../../src/commands/alert-file.js';
import { readRuleText, ruleText } from '../../src/config/rule-text.js';
import { directoryFor } from '../support/service/processes.js';

const file = `
groups:
  - name: shop
    interval: 30s
    rules:
      - alert: OrdersStopped
        expr: |
          sum by (site) (rate(orders_total[10m])) == 0
        for: 1d2h
        labels: { severity: critical }
        annotations:
          summary: no orders at {{ $labels.site }}
          description: "{{- .Labels.site -}}: {{ $value }} of {all}"
      - record: site:orders:rate5m
        expr: sum by (site) (rate(orders_total[5m]))
`;

test('an alert becomes a rule with its expression, times, severity and templates', (t) => {
  const { rules, notes, errors } = readAlertFile(file, 'shop');
  t.deepEqual(errors, []);
  t.deepEqual(rules, [
    {
      kind: 'query',
      name: 'OrdersStopped',
      database: 'shop',
      language: 'promql',
      query: 'sum by (site) (rate(orders_total[10m])) == 0\n',
      severity: 'critical',
      resolves: true,
      element: '{element}',
      title: 'no orders at {site}',
      description: '{site}: {value} of {{all}}',
      intervalMs: 30_000,
      forMs: 26 * 3_600_000,
    },
  ]);
  t.deepEqual(notes, ['Group shop: the recording rule site:orders:rate5m is left out; a stream can replace it.']);
  t.deepEqual(readRuleText(ruleText(rules[0]!)), rules[0]);
});

/** The sentences about one alert with these lines. */
function sentencesOf(...lines: readonly string[]) {
  const alert = lines.map((line, at) => `      ${at === 0 ? '- ' : '  '}${line}`).join('\n');
  return readAlertFile(`groups:\n  - name: g\n    rules:\n${alert}\n`, 'd');
}

test('what a rule cannot have is named, and left out', (t) => {
  const { rules, notes, errors } = sentencesOf(
    'alert: A',
    'expr: up == 0',
    'keep_firing_for: 5m',
    'labels: { severity: page, team: db }',
    "annotations: { summary: '{{ $value | humanize }} {{ query \"x\" }} {{ open', runbook_url: 'http://r' }",
  );
  t.deepEqual(errors, []);
  t.like(rules[0], { name: 'A', severity: 'warning', title: '{value}  {{{{ open', forMs: 0, intervalMs: 60_000 });
  t.deepEqual(notes, [
    'Alert A: keep_firing_for is left out.',
    'Alert A, labels: team is left out.',
    'Alert A, annotations: runbook_url is left out.',
    'Alert A: the severity page becomes warning.',
    'Alert A, title: {{ $value | humanize }} becomes {value}.',
    'Alert A, title: {{ query "x" }} becomes nothing.',
  ]);
});

test('alerts of one name become rules of different names', (t) => {
  const { rules, notes } = readAlertFile(
    JSON.stringify({
      groups: [
        { name: 'a', rules: [1, 2].map((bound) => ({ alert: 'Full', expr: `disk < ${bound}` })) },
        { name: 'b', rules: [{ alert: 'Full', expr: 'disk < 3' }] },
      ],
    }),
    'd',
  );
  t.deepEqual(
    rules.map(({ name }) => name),
    ['Full', 'Full 2', 'Full 3'],
  );
  t.is(notes[0], 'Alert Full: there is one of this name already; the rule is called Full 2.');
});

test('an alert that cannot be a rule is named with the place, and costs no other alert', (t) => {
  const { rules, errors } = readAlertFile(
    JSON.stringify({
      groups: [
        {
          name: 'a',
          rules: [
            { alert: 'Bad', expr: 'sum(' },
            { alert: 'Late', expr: 'up == 0', for: '100d' },
            { alert: 'Odd', expr: 'up == 0', for: 'soon' },
            { expr: 'up' },
            { alert: 'Good', expr: 'up == 0' },
          ],
        },
        { name: 'empty' },
      ],
    }),
    'd',
  );
  t.deepEqual(
    rules.map(({ name }) => name),
    ['Good'],
  );
  t.is(errors.length, 5);
  t.regex(errors[0]!, /^Alert Bad: 1:5: parse error: /);
  t.regex(errors[1]!, /^Alert Late: for "8640000000ms" is refused; allowed: a duration .*, at most 24 days\.$/);
  t.regex(errors[2]!, /^Alert Odd: for "soon" is refused; /);
  t.is(errors[3], 'Group a: rule 4 has no "alert" and no "record".');
  t.is(errors[4], 'Group 2 has no list "rules".');
});

test('every alert of the package becomes a rule', (t) => {
  const alerts = readFileSync(new URL('../../../packaging/monitoring/alerts.yml', import.meta.url), 'utf8');
  const { rules, notes, errors } = readAlertFile(alerts, 'service');
  t.is(rules.length, alerts.split('- alert:').length - 1);
  t.deepEqual([...notes, ...errors], []);
});

test('a text that is no alert file is refused', (t) => {
  t.throws(() => readAlertFile('a: [', 'd'), { message: /at line 1/ });
  t.throws(() => readAlertFile('scrape_configs: []', 'd'), { message: /no list "groups"/ });
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x, x]\n${'bcdefg'
    .split('')
    .map((name, at) => `${name}: &${name} [${`*${'abcdef'[at]}, `.repeat(10)}]`)
    .join('\n')}\n`;
  t.throws(() => readAlertFile(bomb, 'd'), { message: /[Ee]xcessive alias count/ });
});

test('the command prints rules that the settings file takes', (t) => {
  const directory = directoryFor(t);
  const path = join(directory, 'alerts.yml');
  writeFileSync(path, file);
  const sluice = (...args: readonly string[]) =>
    spawnSync(process.execPath, [fileURLToPath(new URL('../../src/adapter.js', import.meta.url)), ...args], {
      encoding: 'utf8',
    });
  const { stdout, stderr, status } = sluice('import-rules', path, 'shop');
  t.is(status, 0, stderr);
  t.is(stderr, 'sluice: Group shop: the recording rule site:orders:rate5m is left out; a stream can replace it.\n');
  t.deepEqual(readRuleText(stdout), readAlertFile(file, 'shop').rules[0]);
  t.is(sluice('import-rules', path).status, 2);
  t.is(sluice('import-rules', join(directory, 'none.yml'), 'shop').status, 1);
  t.is(sluice('import-rules', '--help').status, 0);
});
