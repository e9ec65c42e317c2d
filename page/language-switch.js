import { h } from './dom.js';

/** @typedef {import('./editor.js').Language} Language */

/** @type {readonly (readonly [Language, string])[]} */
const languages = [
  ['sql', 'SQL'],
  ['promql', 'PromQL'],
];

let serial = 0;

/**
 * A choice between SQL and PromQL.
 * @param {Language} first
 * @param {(language: Language) => void} changed when a person chooses
 */
export function languageSwitch(first, changed) {
  const name = `language-${serial++}`;
  const boxes = languages.map(([value]) =>
    h('input', { type: 'radio', name, value, onchange: () => changed(value), checked: value === first }),
  );
  return {
    element: h(
      'fieldset',
      { class: 'switch', 'aria-label': 'Query language' },
      boxes.map((box, at) => h('label', {}, box, languages[at]?.[1])),
    ),
    /** @param {Language} wanted */
    set value(wanted) {
      for (const box of boxes) box.checked = box.value === wanted;
    },
    get value() {
      return boxes.find(({ checked }) => checked)?.value === 'promql' ? 'promql' : 'sql';
    },
  };
}
