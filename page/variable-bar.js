import { h, put } from './dom.js';
import { readingStatement } from './panel.js';
import { Trouble } from './session.js';
import { runSql } from './sql.js';

/** Values that a list offers. */
const mostValues = 1_000;

/**
 * @typedef {object} Variable a value that queries of a dashboard name as `$name`
 * @property {string} name
 * @property {'text' | 'list'} kind
 * @property {string} value
 * @property {string} [query] SQL whose first column is the list
 * @property {string} [database]
 */

/**
 * The choices of the values of variables.
 * @param {object} options
 * @param {readonly Variable[]} options.variables
 * @param {import('./variables.js').Values} options.values first values, which win over those of the variables
 * @param {import('./panel.js').Range} options.range
 * @param {() => void} options.changed a person has chosen
 */
export function variableBar({ variables, values: first, range, changed }) {
  const controls = variables.map((variable) => {
    const value = first.get(variable.name) ?? variable.value;
    const id = `variable-${variable.name}`;
    const control =
      variable.kind === 'text' ? h('input', { id, value, maxlength: 1000, autocomplete: 'off' }) : h('select', { id });
    const wrong = h('span', { class: 'error', role: 'status' });
    if (control instanceof HTMLSelectElement) putChoices(control, [], value);
    control.addEventListener('change', async () => {
      await fill();
      changed();
    });
    return { variable, control, wrong };
  });
  let filled = 0;
  const values = (/** @type {number} */ before = controls.length) =>
    new Map(controls.slice(0, before).map(({ variable, control }) => [variable.name, control.value]));

  /** Reads the lists, each with the values of the variables before it. */
  const fill = async () => {
    const mine = ++filled;
    for (const [at, { variable, control, wrong }] of controls.entries()) {
      if (!(control instanceof HTMLSelectElement)) continue;
      try {
        const statement = readingStatement(variable.query ?? '', range, values(at));
        const { data } = await runSql(statement, variable.database ?? '');
        if (mine !== filled) return;
        const list = data.flatMap(([value]) => (value === null || value === undefined ? [] : [String(value)]));
        putChoices(control, [...new Set(list)].slice(0, mostValues), control.value);
        put(wrong);
      } catch (error) {
        if (mine !== filled) return;
        if (!(error instanceof Trouble)) throw error;
        put(wrong, error.message);
      }
    }
  };
  return {
    elements: controls.map(({ variable, control, wrong }) =>
      h('div', { class: 'field' }, h('label', { for: control.id }, variable.name), control, wrong),
    ),
    fill,
    get values() {
      return values();
    },
  };
}

/**
 * A value that is not in the list stays chosen, and says so; without a value the first one is chosen.
 * @param {HTMLSelectElement} select
 * @param {readonly string[]} list
 * @param {string} value
 */
function putChoices(select, list, value) {
  const isMissing = value !== '' && !list.includes(value);
  put(
    select,
    isMissing ? h('option', { value }, list.length === 0 ? value : `${value} (not in the list)`) : null,
    list.map((each) => h('option', { value: each }, each)),
  );
  if (isMissing || list.includes(value)) select.value = value;
}
