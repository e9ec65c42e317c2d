import { hasDraft } from './dashboard-draft.js';
import { h, put, say } from './dom.js';
import { dashboardLink } from './links.js';
import { emptyPanel } from './panel-dialog.js';
import { createStored, listStored, readStored, replaceStored } from './stored.js';

/** @typedef {Pick<import('./panel.js').Panel, 'language' | 'query' | 'database'>} PanelQuery */

/** In place of the id of a dashboard. */
const newOne = '';

/**
 * Opens a dialog that adds queries to a dashboard, a panel each; it says where they are then.
 * @param {Element} place
 * @param {readonly PanelQuery[]} queries
 * @param {string} firstTitle
 */
export function openAddToDashboard(place, queries, firstTitle) {
  const title = h('input', { id: 'add-title', value: firstTitle, maxlength: 180, autocomplete: 'off' });
  const dashboard = h('select', { id: 'add-dashboard' }, h('option', { value: newOne }, 'New dashboard'));
  const name = h('input', { id: 'add-name', maxlength: 200, autocomplete: 'off' });
  const nameField = h('div', { class: 'field' }, h('label', { for: 'add-name' }, 'Name of the new dashboard'), name);
  const told = h('p', { role: 'status' });
  const add = h('button', { class: 'primary', type: 'submit' }, 'Add');
  const showName = () => {
    nameField.hidden = dashboard.value !== newOne;
    name.required = dashboard.value === newOne;
  };
  dashboard.addEventListener('change', showName);
  const panels = () =>
    queries.map((query, at) => ({
      ...emptyPanel,
      ...query,
      title: queries.length === 1 ? title.value.trim() : `${title.value.trim()} ${at + 1}`.trim(),
    }));
  const store = async () => {
    const id = dashboard.value;
    if (id === newOne) {
      return createStored('dashboards', { name: name.value.trim(), shared: false, content: { panels: panels() } });
    }
    if (hasDraft(id))
      throw new Error('The dashboard has changes in this tab that are not saved: save or discard them first.');
    /** @type {import('./dashboard.js').Dashboard} */
    const read = await readStored('dashboards', id);
    const content = { ...read.content, panels: [...read.content.panels, ...panels()] };
    return replaceStored('dashboards', read, { ...read, content });
  };
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    add.disabled = true;
    told.className = '';
    try {
      const stored = await store();
      put(told, 'Added to ', h('a', { href: dashboardLink({ id: stored.id }) }, stored.name), '.');
      add.hidden = true;
    } catch (error) {
      told.className = 'error';
      say(told, error instanceof Error ? error.message : String(error));
      add.disabled = false;
    }
  };
  const element = h(
    'dialog',
    { class: 'card', 'aria-labelledby': 'add-heading', onclose: () => element.remove() },
    h(
      'form',
      { onsubmit: submit },
      h('h2', { id: 'add-heading' }, 'Add to dashboard'),
      h('div', { class: 'field' }, h('label', { for: 'add-title' }, 'Title'), title),
      h('div', { class: 'field' }, h('label', { for: 'add-dashboard' }, 'Dashboard'), dashboard),
      nameField,
      told,
      h('div', { class: 'actions end' }, h('button', { type: 'button', onclick: () => element.close() }, 'Close'), add),
    ),
  );
  place.append(element);
  showName();
  element.showModal();
  listStored('dashboards').then(
    (all) => {
      const own = all.filter(({ mayChange }) => mayChange);
      dashboard.append(...own.map(({ id, name: words }) => h('option', { value: id }, words)));
    },
    (error) => {
      told.className = 'error';
      say(told, error instanceof Error ? error.message : String(error));
    },
  );
}
