import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { functionNames } from '../../../src/sql/functions/registry.js';
import { startService } from '../../support/service.js';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/sql.md'), 'utf8');
const { service, end } = await startService();
test.after.always(end);
const database = 'plant';

/** The statements of a block, which semicolons end. */
function statementsIn(block: string): string[] {
  return block.split(/;\s*(?:\n|$)/).filter((statement) => statement.trim() !== '');
}

test.serial('the examples of the page about the dialect give what stands below them', async (t) => {
  const blocks = [...page.matchAll(/```sql\n([\s\S]*?)```(?:\n\n```json\n([\s\S]*?)```)?/g)];
  t.true(blocks.length > 10);
  for (const [, text = '', shown] of blocks) {
    let rows: unknown;
    for (const statement of statementsIn(text)) {
      const { body, text: answer } = await service.sql(statement, { database });
      t.is(body.code, 0, `${statement}\n${answer}`);
      rows = body.data;
    }
    if (shown !== undefined) t.deepEqual(rows, JSON.parse(shown), text);
  }
});

test.serial('what the page calls refused is refused by name', async (t) => {
  const [, refused = ''] = page.split('## What is refused by name');
  const cases = [...refused.matchAll(/^\| `([^`]+)` /gm)].map((match) => match[1] ?? '');
  t.true(cases.length > 5);
  for (const statement of cases) {
    const { body, text } = await service.sql(statement, { database });
    t.deepEqual(
      [body.code, /Operation not supported: ./.test(body.desc ?? '')],
      [0x0100, true],
      `${statement}\n${text}`,
    );
  }
});

test('the page names every function there is', (t) => {
  const named = new Set(page.match(/\b[A-Z][A-Z0-9_]+\b/g));
  t.deepEqual(
    functionNames.filter((name) => !named.has(name)),
    [],
  );
});
