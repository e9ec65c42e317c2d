import test from 'ava';
import { renderTemplate, templateProblem } from '../../src/events/template.js';

const values = new Map([
  ['site', 'north'],
  ['tbname', 'oven-1'],
  ['a b', 'blank'],
]);

for (const [template, text] of [
  ['', ''],
  ['plain', 'plain'],
  ['{site}/{tbname}', 'north/oven-1'],
  ['{nothing}.', '.'],
  ['{a b}', 'blank'],
  ['{{site}} is {site}', '{site} is north'],
  ['{{{site}}}', '{north}'],
] as const) {
  test(`"${template}" becomes "${text}"`, (t) => {
    t.is(templateProblem(template), undefined);
    t.is(renderTemplate(template, values), text);
  });
}

for (const template of ['{', '}', 'a {site', 'site}', '{}', '{a{b}}']) {
  test(`"${template}" is no template`, (t) => {
    t.truthy(templateProblem(template));
  });
}

test('a long text is cut', (t) => {
  t.is(renderTemplate('{x}{x}', new Map([['x', 'y'.repeat(400)]])).length, 512);
});
