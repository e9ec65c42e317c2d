import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readRuleText } from '../../../src/config/rule-text.js';
import type { Rule } from '../../../src/events/rule.js';
import type { EventOperation } from '../../../src/model/event-log.js';
import { type OrphanContext, RulesFile, resolveOrphans } from '../../../src/pipelines/events/rules-file.js';
import { silentLog } from '../../support/engine/engine.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-rule-rulesFile-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

function ruleOf(name: string, table: string): Rule {
  const rule = readRuleText(`name = "${name}"\ndatabase = "d"\ntable = "${table}"\nabsence = "1h"`);
  if (!('kind' in rule)) throw new Error(rule.join('\n'));
  return rule;
}

/** Ends orphans over events of rules by their slots, and gives the slots that were ended. */
async function ended(rulesFile: RulesFile, rules: readonly Rule[], events: Readonly<Record<string, string>>) {
  const recorded: Promise<readonly EventOperation[]>[] = [];
  const open = async (names: readonly string[]) =>
    Object.entries(events).flatMap(([slot, rule]) =>
      names.includes(rule) ? [{ slot, source: slot.startsWith('system') ? 'system' : 'rule' }] : [],
    );
  const store = { open } as unknown as OrphanContext['store'];
  const queue = { add: (make: () => Promise<readonly EventOperation[]>) => void recorded.push(make()) };
  await resolveOrphans({ store, queue, rulesFile, log: silentLog }, rulesFile.read(), rules);
  return (await Promise.all(recorded)).flat().map(({ op, slot }) => `${op} ${slot}`);
}

test('events of a removed rule end at the start, and events of other services stay', async (t) => {
  const rulesFile = new RulesFile(join(folder, 'new', 'rules.json'));
  const events = { a: 'hot', b: 'silent', c: "another service's", system: 'hot' };
  t.deepEqual(await ended(rulesFile, [ruleOf('hot', 'ovens'), ruleOf('silent', 'beats')], events), []);
  t.deepEqual(await ended(rulesFile, [ruleOf('silent', 'beats')], events), ['clear a']);
  t.deepEqual(await ended(rulesFile, [ruleOf('silent', 'others')], events), ['clear b']);
  t.deepEqual(await ended(rulesFile, [ruleOf('silent', 'others')], events), []);
});

test('an unreadable file counts as empty, and an unwritable one does not stop the service', async (t) => {
  const path = join(folder, 'spoilt.json');
  for (const text of ['', '{', '{}', '[1, null, {"name": 7}]']) {
    writeFileSync(path, text);
    t.deepEqual(new RulesFile(path).read(), []);
  }
  const inFile = new RulesFile(join(path, 'rules.json'));
  t.deepEqual(await ended(inFile, [ruleOf('hot', 'ovens')], {}), []);
});
