import { h, put, say } from './dom.js';
import { languageSwitch } from './language-switch.js';
import { graphTypes } from './plot.js';
import { databases } from './schema.js';

/** What a panel may show, by the name that is shown. */
const graphs = /** @type {Readonly<Record<string, import('./panel.js').Graph>>} */ ({ ...graphTypes, Table: 'table' });

/** @typedef {import('./panel.js').Panel} Panel */

/** @type {Panel} */
export const emptyPanel = {
  title: '',
  language: 'sql',
  query: '',
  database: '',
  graph: 'lines',
  width: 6,
  height: 4,
};

/** A dialog for what a panel shows. */
export function panelDialog() {
  const title = h('input', { id: 'panel-title', maxlength: 200, autocomplete: 'off' });
  const query = h('textarea', {
    id: 'panel-query',
    rows: 8,
    maxlength: 65_536,
    spellcheck: 'false',
    class: 'code',
    'aria-describedby': 'panel-help',
  });
  const database = h('select', { id: 'panel-database' });
  const graph = h(
    'select',
    { id: 'panel-graph' },
    Object.entries(graphs).map(([words, value]) => h('option', { value }, words)),
  );
  const unit = h('input', { id: 'panel-unit', maxlength: 32, size: 6 });
  const number = (/** @type {string} */ id) =>
    h('input', { id, type: 'number', min: 1, max: 12, step: 1, required: true });
  const log = h('input', { id: 'panel-log', type: 'checkbox' });
  const width = number('panel-width');
  const height = number('panel-height');
  const languages = languageSwitch('sql', () => {});
  const heading = h('h2', { id: 'panel-dialog-title' });
  const wrong = h('p', { class: 'error', role: 'alert' });
  /** @type {(panel: Panel) => void} */
  let done = () => {};
  /** @type {Panel} */
  let first = emptyPanel;
  const field = (/** @type {string} */ words, /** @type {HTMLElement} */ control) =>
    h('div', { class: 'field' }, h('label', { for: control.id }, words), control);
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const kind = Object.values(graphs).find((value) => value === graph.value) ?? first.graph;
    done({
      ...first,
      title: title.value.trim(),
      language: languages.value,
      query: query.value,
      database: database.value,
      graph: kind,
      unit: unit.value.trim(),
      log: log.checked,
      width: Number(width.value),
      height: Number(height.value),
    });
    element.close();
  };
  const element = h(
    'dialog',
    { class: 'card wide', 'aria-labelledby': 'panel-dialog-title' },
    h(
      'form',
      { onsubmit: submit },
      heading,
      field('Title', title),
      languages.element,
      h('div', { class: 'field' }, h('label', { for: 'panel-query' }, 'Query'), query),
      h(
        'p',
        { class: 'muted', id: 'panel-help' },
        h('code', {}, '$from'),
        ' and ',
        h('code', {}, '$to'),
        ' are the ends of the time range, ',
        h('code', {}, '$name'),
        ' is a variable as a text, ',
        h('code', {}, '$', '{name}'),
        ' as a number or a duration.',
      ),
      h(
        'div',
        { class: 'query-foot' },
        field('Database', database),
        field('Graph', graph),
        field('Unit', unit),
        field('Logarithmic', log),
        field('Width (of 12)', width),
        field('Height (of 12)', height),
      ),
      wrong,
      h(
        'div',
        { class: 'actions end' },
        h('button', { type: 'button', onclick: () => element.close() }, 'Cancel'),
        h('button', { class: 'primary', type: 'submit' }, 'Apply'),
      ),
    ),
  );
  const fill = async (/** @type {string} */ wanted) => {
    const show = (/** @type {string[]} */ names) => {
      const all = names.includes(wanted) || wanted === '' ? names : [wanted, ...names];
      put(
        database,
        h('option', { value: '' }, '(none)'),
        all.map((name) => h('option', { value: name }, name)),
      );
      database.value = wanted;
    };
    show([]);
    try {
      const names = await databases();
      wanted = database.value;
      show(names);
    } catch (error) {
      say(wrong, error instanceof Error ? error.message : String(error));
    }
  };
  return {
    element,
    /**
     * @param {string} words
     * @param {Panel} panel
     * @param {(panel: Panel) => void} apply
     */
    open: (words, panel, apply) => {
      first = panel;
      done = apply;
      say(heading, words);
      say(wrong, '');
      title.value = panel.title;
      languages.value = panel.language;
      query.value = panel.query;
      graph.value = panel.graph;
      unit.value = panel.unit ?? '';
      log.checked = panel.log ?? false;
      width.value = String(panel.width);
      height.value = String(panel.height);
      fill(panel.database);
      element.showModal();
      title.focus();
    },
  };
}
