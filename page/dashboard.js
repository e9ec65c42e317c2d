import { copyText } from './copy.js';
import { draftOf, forgetDraft, keepDraft } from './dashboard-draft.js';
import { exportDashboard } from './dashboard-file.js';
import { h, put, say, toast } from './dom.js';
import { dashboardLink, linked, linkedValues, queryLink } from './links.js';
import { nameDialog } from './name-dialog.js';
import { panelCard } from './panel.js';
import { emptyPanel, panelDialog } from './panel-dialog.js';
import { rangePicker } from './range.js';
import { tellTrouble } from './session.js';
import { createStored, readStored, replaceStored, sightWords } from './stored.js';
import { variableBar } from './variable-bar.js';
import { withVariables } from './variables.js';
import { variablesDialog } from './variables-dialog.js';

/** @typedef {import('./panel.js').Panel} Panel */
/** @typedef {import('./variable-bar.js').Variable} Variable */
/** @typedef {{ panels: Panel[]; variables?: Variable[]; range?: string; refresh?: number }} Content */
/** @typedef {import('./stored.js').Whole<Content>} Dashboard */

/** Columns and rows that a panel takes, at least and at most. */
const [leastSize, mostSize] = [1, 12];

/**
 * One dashboard, once it is read.
 * @param {string} id
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function dashboard(id, context) {
  const told = h('p', { class: 'muted', role: 'status' });
  const element = h('section', {}, h('h1', {}, 'Dashboard'), told);
  let stopped = false;
  let stop = () => {};
  say(told, 'Reading…');
  /** @type {Promise<Dashboard>} */
  (readStored('dashboards', id)).then(
    (read) => {
      if (stopped) return;
      const board = boardOf(read, context);
      stop = board.stop;
      put(element, ...board.elements);
    },
    (error) => {
      if (!stopped) tellTrouble(error, told, context.failed);
    },
  );
  return {
    element,
    stop: () => {
      stopped = true;
      stop();
    },
  };
}

/**
 * @param {Dashboard} read
 * @param {import('./app.js').Context} context
 */
function boardOf(read, { failed }) {
  const draft = draftOf(read);
  /** What is shown, with changes that are not saved. */
  let shown = draft ?? read;
  let isChanged = draft !== undefined;
  let isEdited = linked().get('edit') !== null || isChanged;
  const name = h('h1', {});
  const sight = h('p', { class: 'muted' });
  const told = h('p', { class: 'muted', role: 'status' });
  const grid = h('div', { class: 'dashboard-grid' });
  const variablePlace = h('div', { class: 'query-foot' });
  /** @type {{ panel: Panel; card: ReturnType<typeof panelCard> }[]} */
  let entries = [];
  let isStopped = false;

  const range = rangePicker({
    value: linked().get('range') ?? shown.content.range ?? '3600000',
    changed: () => runAll(true),
    due: () => {
      if (!document.hidden) runAll(false);
    },
  });
  range.refresh = Number(linked().get('refresh') ?? shown.content.refresh ?? 0);
  let bar = variableBar({
    variables: shown.content.variables ?? [],
    values: linkedValues(),
    range,
    changed: () => runAll(true),
  });

  /** Runs all panels; at a refresh not those that run still. */
  const runAll = (/** @type {boolean} */ again) => {
    const { values } = bar;
    if (again) history.replaceState(null, '', address());
    for (const { card } of entries) if (again || !card.isRunning) card.run(values);
  };
  const address = () =>
    dashboardLink({ id: read.id, range: range.value, refresh: range.refresh, values: bar.values, edit: isEdited });
  const guarded = (/** @type {() => Promise<void>} */ work) =>
    work().catch((error) => {
      if (!isStopped) tellTrouble(error, told, failed);
    });

  const panels = panelDialog();
  const variables = variablesDialog();
  const naming = nameDialog({ title: 'Name and sharing', button: 'Apply' });
  const copying = nameDialog({ title: 'Save a copy', button: 'Save' });
  const button = (/** @type {string} */ words, /** @type {() => void} */ onclick) =>
    h('button', { type: 'button', onclick }, words);

  const edit = h('button', { type: 'button' }, 'Edit');
  const saveButton = h('button', { type: 'button', class: 'primary' }, 'Save');
  const editing = h(
    'div',
    { class: 'actions' },
    button('Add panel', () => panels.open('New panel', emptyPanel, (panel) => add(panel))),
    button('Variables…', () => variables.open(currentVariables(), (list) => setVariables(list))),
    button('Name and sharing…', () =>
      naming.open(shown, async (named) => {
        change({ ...shown, ...named });
        showHead();
      }),
    ),
    saveButton,
    button('Save a copy…', () =>
      copying.open({ name: `${shown.name} (copy)`, shared: false }, async (named) => {
        const { id } = await createStored('dashboards', { ...named, content: content() });
        forgetDraft(read.id);
        location.hash = dashboardLink({ id });
      }),
    ),
    button('Discard changes', () => {
      forgetDraft(read.id);
      location.reload();
    }),
  );

  const showHead = () => {
    say(name, shown.name);
    const words = isChanged ? 'unsaved changes' : '';
    say(sight, [sightWords(shown), words].filter((part) => part !== '').join(', '));
    say(edit, isEdited ? 'Done' : 'Edit');
    edit.setAttribute('aria-pressed', String(isEdited));
    editing.hidden = !isEdited;
    saveButton.hidden = !read.mayChange;
    grid.classList.toggle('editing', isEdited);
  };
  const change = (/** @type {Dashboard} */ next) => {
    shown = next;
    isChanged = true;
    keepDraft(shown);
    showHead();
  };
  const currentVariables = () =>
    (shown.content.variables ?? []).map((variable) => ({
      ...variable,
      value: bar.values.get(variable.name) ?? variable.value,
    }));
  /** What Save stores: the range, the refresh and the values of variables are those of now. */
  const content = () => ({
    ...shown.content,
    panels: entries.map(({ panel }) => panel),
    variables: currentVariables(),
    range: range.value,
    refresh: range.refresh,
  });
  const changePanels = () => change({ ...shown, content: content() });

  const entryOf = (/** @type {Panel} */ panel) => {
    /** @type {{ panel: Panel; card: ReturnType<typeof panelCard> }} */
    const entry = {
      panel,
      card: panelCard(
        panel,
        range,
        failed,
        actionsOf(() => entry),
      ),
    };
    return entry;
  };
  const putGrid = () => {
    put(grid, entries.length === 0 ? h('p', { class: 'muted' }, 'This dashboard has no panel yet.') : null);
    grid.append(...entries.map(({ card }) => card.element));
  };
  const add = (/** @type {Panel} */ panel) => {
    const entry = entryOf(panel);
    entries.push(entry);
    putGrid();
    changePanels();
    entry.card.run(bar.values);
    entry.card.element.scrollIntoView({ block: 'nearest' });
  };
  /** @typedef {(typeof entries)[0]} Entry */
  const replacePanel = (/** @type {Entry} */ old, /** @type {Panel} */ panel) => {
    const entry = entryOf(panel);
    old.card.stop();
    old.card.element.replaceWith(entry.card.element);
    entries = entries.map((each) => (each === old ? entry : each));
    changePanels();
    entry.card.run(bar.values);
    return entry;
  };
  const remove = (/** @type {Entry} */ old) => {
    old.card.stop();
    entries = entries.filter((each) => each !== old);
    putGrid();
    changePanels();
  };
  const move = (/** @type {Entry} */ entry, /** @type {-1 | 1} */ by) => {
    const at = entries.indexOf(entry);
    const other = entries[at + by];
    if (other === undefined) return;
    entries[at + by] = entry;
    entries[at] = other;
    putGrid();
    changePanels();
  };
  /** The buttons of a panel; those that change it show while the dashboard is edited. @param {() => Entry} self */
  const actionsOf = (self) => {
    const small = (
      /** @type {string} */ sign,
      /** @type {string} */ words,
      /** @type {(event: MouseEvent) => void} */ onclick,
    ) => h('button', { type: 'button', class: 'small', title: words, 'aria-label': words, onclick }, sign);
    const size = (/** @type {'width' | 'height'} */ side, /** @type {-1 | 1} */ by, /** @type {string} */ words) =>
      small(words, words, () => {
        const { panel } = self();
        const next = Math.min(mostSize, Math.max(leastSize, panel[side] + by));
        if (next === panel[side]) return;
        const { card } = replacePanel(self(), { ...panel, [side]: next });
        /** @type {HTMLElement | null} */ (card.element.querySelector(`[aria-label="${words}"]`))?.focus();
      });
    const open = small('Open', 'Open in Query', () => {
      const { language, query, database } = self().panel;
      const statement = withVariables(query, language, bar.values);
      location.hash = queryLink({ statement, language, database, range: range.value });
    });
    return [
      h('span', { class: 'panel-actions' }, open),
      h(
        'span',
        { class: 'panel-actions edits' },
        small('Edit', 'Edit panel', () =>
          panels.open('Panel', self().panel, (panel) => {
            replacePanel(self(), panel);
          }),
        ),
        small('←', 'Move earlier', ({ currentTarget }) => {
          move(self(), -1);
          if (currentTarget instanceof HTMLElement) currentTarget.focus();
        }),
        small('→', 'Move later', ({ currentTarget }) => {
          move(self(), 1);
          if (currentTarget instanceof HTMLElement) currentTarget.focus();
        }),
        size('width', -1, 'Narrower'),
        size('width', 1, 'Wider'),
        size('height', -1, 'Shorter'),
        size('height', 1, 'Taller'),
        small('Remove', 'Remove panel', () => remove(self())),
      ),
    ];
  };
  const setVariables = (/** @type {Variable[]} */ list) => {
    change({ ...shown, content: { ...content(), variables: list } });
    bar = variableBar({ variables: list, values: new Map(), range, changed: () => runAll(true) });
    begin();
  };
  /** Shows the variables, reads their lists, then runs the panels. */
  const begin = async () => {
    put(variablePlace, bar.elements, range.elements);
    await bar.fill();
    if (!isStopped) runAll(true);
  };
  edit.addEventListener('click', () => {
    isEdited = !isEdited;
    showHead();
    history.replaceState(null, '', address());
  });
  saveButton.addEventListener('click', () =>
    guarded(async () => {
      const sent = content();
      const stored = await replaceStored('dashboards', shown, { ...shown, content: sent });
      shown = { ...shown, ...stored, content: sent };
      isChanged = false;
      forgetDraft(read.id);
      showHead();
      say(told, '');
      toast('The dashboard is saved.');
    }),
  );
  const share = async () => {
    history.replaceState(null, '', address());
    const isCopied = await copyText(location.href);
    toast(isCopied ? 'The link is copied, with the time range and the variables.' : 'The link is in the address bar.');
  };
  const wall = h('div', { class: 'wall' }, grid);
  const head = h(
    'div',
    { class: 'head' },
    h('div', {}, name, sight),
    h(
      'div',
      { class: 'actions' },
      edit,
      button('Copy link', share),
      button('Full screen', () => {
        wall.requestFullscreen().catch(() => toast('This browser does not show the dashboard on the full screen.'));
      }),
      button('Export', () => exportDashboard({ name: shown.name, content: content() })),
      h('a', { href: '#dashboards' }, 'All dashboards'),
    ),
  );
  entries = shown.content.panels.map(entryOf);
  putGrid();
  showHead();
  begin();
  return {
    elements: [
      head,
      variablePlace,
      editing,
      told,
      wall,
      panels.element,
      variables.element,
      naming.element,
      copying.element,
    ],
    stop: () => {
      isStopped = true;
      range.stop();
      for (const { card } of entries) card.stop();
    },
  };
}
