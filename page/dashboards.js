import { dashboard } from './dashboard.js';
import { exportDashboard, importDashboard } from './dashboard-file.js';
import { h, put, say, toast } from './dom.js';
import { ago } from './format.js';
import { dashboardLink, linked } from './links.js';
import { nameDialog } from './name-dialog.js';
import { tellTrouble } from './session.js';
import { createStored, deleteStored, listStored, readStored, sightWords } from './stored.js';

/**
 * The dashboards that the user may see, or the one that the address names.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function dashboardsView(context) {
  const id = linked().get('id');
  return id === null ? dashboardList(context) : dashboard(id, context);
}

/**
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
function dashboardList({ failed }) {
  const list = h('ul', { class: 'past dashboards' });
  const told = h('p', { class: 'muted', role: 'status' });
  const naming = nameDialog({ title: 'New dashboard', button: 'Make it' });
  const file = h('input', { type: 'file', accept: '.json,application/json', hidden: true });
  let stopped = false;
  /** @param {() => Promise<void>} work */
  const guarded = (work) =>
    work().catch((error) => {
      if (!stopped) tellTrouble(error, told, failed);
    });
  const show = () =>
    guarded(async () => {
      const all = await listStored('dashboards');
      if (stopped) return;
      say(told, all.length === 0 ? 'There is no dashboard yet.' : '');
      put(
        list,
        all.map((stored) =>
          h(
            'li',
            {},
            h('a', { href: dashboardLink({ id: stored.id }) }, stored.name),
            h('span', { class: 'muted' }, `${sightWords(stored)}, changed ${ago(stored.updatedTime)}`),
            small('Export', stored, () => exportStored(stored)),
            stored.mayChange ? small('Delete', stored, () => remove(stored)) : null,
          ),
        ),
      );
    });
  const small = (
    /** @type {string} */ words,
    /** @type {import('./stored.js').Stored} */ { name },
    /** @type {() => void} */ onclick,
  ) => h('button', { type: 'button', class: 'small', 'aria-label': `${words} ${name}`, onclick }, words);
  const exportStored = (/** @type {import('./stored.js').Stored} */ { id }) =>
    guarded(async () => exportDashboard(await readStored('dashboards', id)));
  const remove = (/** @type {import('./stored.js').Stored} */ stored) =>
    guarded(async () => {
      if (!confirm(`Delete the dashboard ${stored.name}?`)) return;
      await deleteStored('dashboards', stored);
      await show();
    });
  const make = () =>
    naming.open({ name: '', shared: false }, async (named) => {
      const { id } = await createStored('dashboards', { ...named, content: { panels: [] } });
      location.hash = dashboardLink({ id, edit: true });
    });
  file.addEventListener('change', () =>
    guarded(async () => {
      const text = (await file.files?.[0]?.text()) ?? '';
      file.value = '';
      const { id, name } = await importDashboard(text);
      toast(`The dashboard ${name} is imported.`);
      location.hash = dashboardLink({ id });
    }),
  );
  show();
  const element = h(
    'section',
    {},
    h(
      'div',
      { class: 'head' },
      h('h1', {}, 'Dashboards'),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', class: 'primary', onclick: make }, 'New dashboard'),
        h('button', { type: 'button', onclick: () => file.click() }, 'Import…'),
      ),
    ),
    file,
    told,
    list,
    naming.element,
  );
  return {
    element,
    stop: () => {
      stopped = true;
    },
  };
}
