import test from 'ava';
import fc from 'fast-check';
import { readRuleText, ruleText } from '../../src/config/rule-text.js';
import { cases } from '../support/cases.js';

const text = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }).filter((value) => value.trim() !== '');
const template = text.map((value) => value.replaceAll('{', '{{').replaceAll('}', '}}'));
const head = { name: text, database: text, severity: fc.constantFrom('critical', 'warning', 'info'), title: template };
const tags = fc.dictionary(text, fc.array(text, { minLength: 1, maxLength: 2 }), { maxKeys: 2 });
const record = fc.oneof(
  fc.record({
    ...head,
    table: text,
    tags,
    column: text,
    comparison: fc.constantFrom('>', '!='),
    threshold: fc.integer(),
  }),
  fc.record({ ...head, table: text, tags, absence: fc.constantFrom('5m', '1500ms') }),
  fc.record({ ...head, sql: text.map((value) => `SELECT ${value}`), interval: fc.constantFrom('1m', '1h') }),
);

test('a rule that is shown is read as the same rule, whatever is in its texts', (t) => {
  fc.assert(
    fc.property(record, (fields) => {
      const first = readRuleText(
        Object.entries(fields)
          .map(([key, value]) => {
            const inline =
              key === 'tags' ? `{ ${Object.entries(value).map(([k, v]) => `${quote(k)} = [${v.map(quote)}]`)} }` : '';
            return `${key} = ${inline === '' ? (typeof value === 'string' ? quote(value) : value) : inline}`;
          })
          .join('\n'),
      );
      if (!('kind' in first)) return t.fail(first.join());
      t.deepEqual(readRuleText(ruleText(first)), first);
    }),
    { numRuns: cases(50, 1000) },
  );
});

function quote(value: string): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

test('what is no rule is told in sentences', (t) => {
  t.regex(String(readRuleText('')), /One rule is tried at a time, not|name is not set/);
  t.regex(String(readRuleText('[port]\nx = 1')), /unknown section/);
  t.regex(String(readRuleText('name = "x"\ndatabase = "d"\nsql = "DROP"')), /sql: "DROP" is refused/);
});
