import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readRuleText } from '../../../src/config/rule-text.js';
import type { Rule } from '../../../src/events/rule.js';
import type { EventOperation } from '../../../src/model/event-log.js';
import { endOrphans, type OrphanContext, RuleMemory } from '../../../src/pipelines/events/rule-memory.js';
import { silentLog } from '../../support/engine/engine.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-rule-memory-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

function ruleOf(name: string, table: string): Rule {
  const rule = readRuleText(`name = "${name}"\ndatabase = "d"\ntable = "${table}"\nabsence = "1h"`);
  if (!('kind' in rule)) throw new Error(rule.join('\n'));
  return rule;
}

/** Ends orphans over events of rules by their slots, and gives the slots that were ended. */
async function ended(memory: RuleMemory, rules: readonly Rule[], events: Readonly<Record<string, string>>) {
  const recorded: Promise<readonly EventOperation[]>[] = [];
  const open = async (names: readonly string[]) =>
    Object.entries(events).flatMap(([slot, rule]) =>
      names.includes(rule) ? [{ slot, source: slot.startsWith('system') ? 'system' : 'rule' }] : [],
    );
  const store = { open } as unknown as OrphanContext['store'];
  const recorder = { add: (make: () => Promise<readonly EventOperation[]>) => void recorded.push(make()) };
  await endOrphans({ store, recorder, memory, log: silentLog }, memory.read(), rules);
  return (await Promise.all(recorded)).flat().map(({ op, slot }) => `${op} ${slot}`);
}

test('events of a rule that an earlier run had end at the start, and those of other services stay', async (t) => {
  const memory = new RuleMemory(join(folder, 'new', 'rules.json'));
  const events = { a: 'hot', b: 'silent', c: "another service's", system: 'hot' };
  t.deepEqual(await ended(memory, [ruleOf('hot', 'ovens'), ruleOf('silent', 'beats')], events), []);
  t.deepEqual(await ended(memory, [ruleOf('silent', 'beats')], events), ['clear a']);
  t.deepEqual(await ended(memory, [ruleOf('silent', 'others')], events), ['clear b']);
  t.deepEqual(await ended(memory, [ruleOf('silent', 'others')], events), []);
});

test('a file that cannot be read remembers nothing, and one that cannot be written stops nothing', async (t) => {
  const path = join(folder, 'spoilt.json');
  for (const text of ['', '{', '{}', '[1, null, {"name": 7}]']) {
    writeFileSync(path, text);
    t.deepEqual(new RuleMemory(path).read(), []);
  }
  const inFile = new RuleMemory(join(path, 'rules.json'));
  t.deepEqual(await ended(inFile, [ruleOf('hot', 'ovens')], {}), []);
});
