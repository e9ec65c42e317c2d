import test from 'ava';
import { checkJson } from '../../../src/http/api/check-json.js';
import { documentBodies } from '../../../src/http/api/documents.js';

const panel = { title: 'T', language: 'sql', query: 'SELECT 1', database: '', graph: 'lines', width: 6, height: 4 };
const dashboard = { name: 'D', content: { panels: [panel] } };

/** The panel with other values, in a dashboard. */
function withPanel(change: object): object {
  return { name: 'D', content: { panels: [panel, { ...panel, ...change }] } };
}

function wrong(body: unknown, kind: keyof typeof documentBodies = 'dashboard'): string | undefined {
  return checkJson(body, documentBodies[kind].create, 'body');
}

test('a body that is right passes', (t) => {
  t.is(wrong(dashboard), undefined);
  const variables = [{ name: 'host', kind: 'list', value: 'a', query: 'SELECT DISTINCT host FROM t', database: 'd' }];
  t.is(
    wrong({ name: 'D', shared: true, content: { panels: [], variables, range: '3600000', refresh: 10 } }),
    undefined,
  );
  t.is(wrong({ name: 'Q', content: { language: 'promql', query: 'up', database: 'd' } }, 'saved-query'), undefined);
});

const refused: readonly (readonly [body: unknown, message: string])[] = [
  [[], 'body must be an object, not a list'],
  [null, 'body must be an object, not null'],
  ['D', 'body must be an object, not "D"'],
  [{ name: 'D' }, 'body must have the key content'],
  [{ ...dashboard, name: '' }, 'body.name must be a text of 1 to 200 characters, not ""'],
  [{ ...dashboard, name: 7 }, 'body.name must be a text of 1 to 200 characters, not 7'],
  [{ ...dashboard, shared: 'yes' }, 'body.shared must be true or false, not "yes"'],
  [{ ...dashboard, owner: 'ann' }, 'body has the key "owner"; allowed are name, shared, content'],
  [
    JSON.parse('{"name": "D", "content": {"panels": []}, "__proto__": 1}'),
    'body has the key "__proto__"; allowed are name, shared, content',
  ],
  [{ name: 'D', content: { panels: {} } }, 'body.content.panels must be a list of at most 100, not an object'],
  [
    { name: 'D', content: { panels: Array.from({ length: 101 }, () => panel) } },
    'body.content.panels must be a list of at most 100, not 101',
  ],
  [withPanel({ width: 13 }), 'body.content.panels[1].width must be a whole number from 1 to 12, not 13'],
  [withPanel({ width: 2.5 }), 'body.content.panels[1].width must be a whole number from 1 to 12, not 2.5'],
  [
    withPanel({ graph: 'pie' }),
    'body.content.panels[1].graph must be one of lines, bars, areas, values, heat, table, not "pie"',
  ],
  [
    withPanel({ title: 'x'.repeat(201) }),
    `body.content.panels[1].title must be a text of 0 to 200 characters, not a text of 201 characters, "${'x'.repeat(64)}…"`,
  ],
];

for (const [body, message] of refused) {
  test(`it names the place: ${message.slice(0, 90)}`, (t) => {
    t.is(wrong(body), message);
  });
}
