import { h, put, say } from './dom.js';
import { wrongName } from './variables.js';

/** @typedef {import('./variable-bar.js').Variable} Variable */

let serial = 0;

/** A dialog for the variables of a dashboard. */
export function variablesDialog() {
  /** @type {ReturnType<typeof variableRow>[]} */
  let rows = [];
  /** @type {(variables: Variable[]) => void} */
  let done = () => {};
  const list = h('div', { class: 'variables' });
  const wrong = h('p', { class: 'error', role: 'alert' });
  const add = (/** @type {Variable} */ variable) => {
    const row = variableRow(variable, () => {
      rows = rows.filter((other) => other !== row);
      row.element.remove();
    });
    rows.push(row);
    list.append(row.element);
    return row;
  };
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const variables = rows.map((row) => row.variable);
    const names = variables.map(({ name }) => name);
    const found = names.map((name, at) => wrongName(name, names.slice(0, at))).find((words) => words !== undefined);
    if (found !== undefined) return say(wrong, found);
    done(variables);
    element.close();
  };
  const element = h(
    'dialog',
    { class: 'card wide', 'aria-labelledby': 'variables-title' },
    h(
      'form',
      { onsubmit: submit },
      h('h2', { id: 'variables-title' }, 'Variables'),
      h('p', { class: 'muted' }, 'A query writes $name for the value as a text, in quotes or without.'),
      list,
      wrong,
      h(
        'p',
        {},
        h(
          'button',
          { type: 'button', onclick: () => add({ name: '', kind: 'text', value: '' }).focus() },
          'Add a variable',
        ),
      ),
      h(
        'div',
        { class: 'actions end' },
        h('button', { type: 'button', onclick: () => element.close() }, 'Cancel'),
        h('button', { class: 'primary', type: 'submit' }, 'Apply'),
      ),
    ),
  );
  return {
    element,
    /**
     * @param {readonly Variable[]} variables
     * @param {(variables: Variable[]) => void} apply
     */
    open: (variables, apply) => {
      rows = [];
      put(list);
      say(wrong, '');
      done = apply;
      for (const variable of variables) add(variable);
      element.showModal();
    },
  };
}

/**
 * @param {Variable} first
 * @param {() => void} gone
 */
function variableRow(first, gone) {
  const id = `variable-row-${serial++}`;
  const name = h('input', { id: `${id}-name`, value: first.name, maxlength: 64, size: 12, autocomplete: 'off' });
  const kind = h(
    'select',
    { id: `${id}-kind` },
    h('option', { value: 'text' }, 'Text'),
    h('option', { value: 'list' }, 'List by a query'),
  );
  kind.value = first.kind;
  const value = h('input', { id: `${id}-value`, value: first.value, maxlength: 1000, size: 12, autocomplete: 'off' });
  const query = h('textarea', { id: `${id}-query`, rows: 2, maxlength: 65_536, class: 'code', spellcheck: 'false' });
  query.value = first.query ?? '';
  const database = h('input', { id: `${id}-database`, value: first.database ?? '', maxlength: 64, size: 12 });
  const field = (/** @type {string} */ words, /** @type {HTMLElement} */ control) =>
    h('div', { class: 'field' }, h('label', { for: control.id }, words), control);
  const ofList = [field('Database', database), field('SQL whose first column is the list', query)];
  const show = () => {
    for (const each of ofList) each.hidden = kind.value !== 'list';
  };
  kind.addEventListener('change', show);
  show();
  const element = h(
    'fieldset',
    { class: 'query-foot' },
    field('Variable', name),
    field('Kind', kind),
    field('First value', value),
    ofList,
    h('button', { type: 'button', class: 'small', onclick: gone }, 'Remove'),
  );
  return {
    element,
    focus: () => name.focus(),
    /** @returns {Variable} */
    get variable() {
      const common = { name: name.value.trim(), value: value.value };
      if (kind.value === 'text') return { ...common, kind: 'text' };
      return { ...common, kind: 'list', query: query.value, database: database.value.trim() };
    },
  };
}
