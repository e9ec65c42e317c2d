import test from 'ava';
import { resolveSettings } from '../../src/config/resolve.js';
import { readTomlFile } from '../../src/config/toml-file.js';
import { type EventsSettings, eventsOptions, readEventsSettings } from '../../src/events/options.js';

/** The settings that a list of rules gives, or the lines with which it is refused. */
function read(rules: unknown): EventsSettings | readonly string[] {
  const resolution = resolveSettings({
    program: 'sluice',
    version: '0',
    argv: [],
    env: { ADAPTER_EVENTS_RULES: JSON.stringify(rules) },
    tables: [eventsOptions],
    read: readEventsSettings,
  });
  if (resolution.outcome === 'settings') return resolution.settings;
  return resolution.outcome === 'refused' ? resolution.errors : [];
}

function errorsOf(...rules: readonly unknown[]): readonly string[] {
  const outcome = read(rules);
  return 'rules' in outcome ? [] : outcome;
}

const hot = { name: 'hot', database: 'plant', table: 'ovens', column: 'temp', comparison: '>', threshold: 80 };

test('a rule over values has sound defaults', (t) => {
  const outcome = read([hot]);
  t.deepEqual('rules' in outcome && outcome.rules, [
    {
      kind: 'value',
      ...hot,
      severity: 'warning',
      resolves: true,
      description: '',
      element: '{series}',
      title: '{table} {column} of {series} is {comparison} {threshold}',
      tags: new Map(),
      forMs: 0,
      clear: undefined,
    },
  ]);
});

test('rules are written as tables of the settings file, whatever the case of their keys', (t) => {
  const text = `
[[events.rules]]
name = "hot"
Database = "plant"
table = "ovens"
tags = { site = "north", line = ["1", "2"] }
column = "temp"
comparison = ">="
threshold = 80
for = "30s"
clear = 75.5
severity = "critical"
element = "{site}/{tbname}"
resolve = false

[[events.rules]]
name = "silent"
database = "plant"
table = "ovens"
absence = "5m"

[[events.rules]]
name = "many"
database = "plant"
sql = "SELECT site AS element FROM ovens"
interval = "2m"

[[events.rules]]
name = "slow"
database = "plant"
promql = "rate(loaves_total[5m]) < 1"
for = "5m"
`;
  const file = readTomlFile([eventsOptions], 'adapter.toml', text);
  t.deepEqual(file.errors, []);
  const outcome = read(file.values.get('events.rules')?.value);
  const rules = 'rules' in outcome ? outcome.rules : [];
  t.like(rules[0], { kind: 'value', comparison: '>=', threshold: 80, forMs: 30_000, clear: 75.5, resolves: false });
  t.deepEqual(rules[0]?.kind === 'value' && [...rules[0].tags], [
    ['site', ['north']],
    ['line', ['1', '2']],
  ]);
  t.like(rules[1], { kind: 'absence', name: 'silent', absenceMs: 300_000, element: '{series}' });
  t.like(rules[2], { kind: 'query', name: 'many', intervalMs: 120_000, element: '{element}', forMs: 0 });
  t.like(rules[3], { kind: 'query', language: 'promql', query: 'rate(loaves_total[5m]) < 1', forMs: 300_000 });
});

test('a section that is no list of tables is refused', (t) => {
  const { errors } = readTomlFile([eventsOptions], 'adapter.toml', '[events]\nrules = [1]');
  t.regex(
    errors[0] ?? '',
    /^events\.rules: the list "\[1\]" from adapter\.toml, \[events\] rules is refused; allowed: tables/,
  );
  t.regex(
    readTomlFile([eventsOptions], 'a.toml', '[events.rules]\nname = "x"').errors[0] ?? '',
    /events\.rules: a section/,
  );
});

const refusals: readonly (readonly [what: string, rule: unknown, line: RegExp])[] = [
  ['without a name', { ...hot, name: undefined }, /^events\.rules\[1\] name is not set; needed: a text/],
  ['without a database', { ...hot, database: '' }, /\[1\] database: "" from/],
  ['without a table', { ...hot, table: undefined }, /\[1\] table is not set/],
  ['without a column', { ...hot, column: 7 }, /\[1\] column: "7" from .*allowed: a text/],
  [
    'without a comparison',
    { ...hot, comparison: undefined },
    /comparison is not set; needed: one of >, >=, <, <=, =, !=/,
  ],
  ['with another comparison', { ...hot, comparison: '=>' }, /comparison: "=>" .*one of >, >=, <, <=, =, !=/],
  ['without a threshold', { ...hot, threshold: undefined }, /threshold is not set; needed: a number/],
  ['with a text as threshold', { ...hot, threshold: '80' }, /threshold: "80" .*a number/],
  ['with another severity', { ...hot, severity: 'high' }, /severity: "high" .*one of critical, warning, info/],
  ['with a number as duration', { ...hot, for: 30 }, /for: "30" .*a duration with units/],
  ['with a short absence', { ...hot, absence: '1ms' }, /absence: "1ms" .*at least 1s/],
  ['that clears where it fires', { ...hot, clear: 81 }, /clear: "81" .*does not break the rule, which is > 80/],
  ['that clears an equality', { ...hot, comparison: '=', clear: 1 }, /clear: "1" .*no clearing threshold/],
  [
    'with an unknown key',
    { ...hot, treshold: 1 },
    /^events\.rules\[1\]: "treshold" .*a key out of name, .*mean threshold/,
  ],
  ['with a key of another kind', { ...hot, interval: '1m' }, /interval: "1m" .*a rule over values has the keys table/],
  ['with tags that are texts', { ...hot, tags: 'site=north' }, /tags: "site=north" .*a table of tags/],
  ['with a number as tag', { ...hot, tags: { site: 1 } }, /tags\.site: "1" .*a table of tags/],
  ['with an open brace', { ...hot, title: 'oven {tbname' }, /title: "oven \{tbname" .*names in braces/],
  ['with an empty place', { ...hot, element: '{}' }, /element: "\{\}" .*names in braces/],
  ['with a name of the service', { ...hot, name: 'engine-down' }, /name: "engine-down" .*a name that no other rule/],
  ['whose sql writes', { name: 'q', database: 'd', sql: 'INSERT INTO t VALUES (1)' }, /sql: .*begins with SELECT/],
  ['with two languages', { name: 'q', database: 'd', sql: 'SELECT 1', promql: 'up' }, /promql: "up" .*sql or promql/],
  ['that resolves perhaps', { ...hot, resolve: 'yes' }, /resolve: "yes" .*true or false/],
];

for (const [what, rule, line] of refusals) {
  test(`a rule ${what} is refused with its number, its key and what is allowed`, (t) => {
    const errors = errorsOf(rule);
    t.true(
      errors.some((error) => line.test(error)),
      errors.join('\n'),
    );
  });
}

test('a second rule of one name is refused', (t) => {
  t.regex(errorsOf(hot, hot).join(), /events\.rules\[2\] name: "hot" .*a name that no other rule/);
});

test('a value that is not a list of objects is an error', (t) => {
  for (const rules of [{}, [1], 'x', [[]]])
    t.regex([read(rules)].flat().join(), /events\.rules: .* is refused; allowed: tables/);
});

test('all mistakes of all rules are reported at once', (t) => {
  t.is(errorsOf({ ...hot, threshold: 'x', severity: 'y' }, { name: 'other' }).length >= 5, true);
});
