import test from 'ava';
import { functionNames } from '../../../src/sql/functions/registry.js';
import { blocksOf, statementsIn, textOf } from '../../support/documents/documents.js';
import { sharedService } from '../../support/service/shared-service.js';

const page = textOf('docs/sql.md');
const { service, end } = await sharedService();
test.after.always(end);
const database = 'plant';

test.before(async () => {
  const [first] = blocksOf('docs/sql.md');
  for (const statement of statementsIn(first?.text ?? '')) await service.run(statement, { database });
});

test('what the page calls unsupported is refused by name', async (t) => {
  const [, refused = ''] = page.split('## Unsupported statements');
  const cases = [...refused.matchAll(/^\| `([^`]+)` /gm)].map((match) => match[1] ?? '');
  t.true(cases.length > 2);
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
