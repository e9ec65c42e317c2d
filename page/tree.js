import { h, put, say } from './dom.js';
import { tailLink } from './links.js';
import { databases, fields, tables } from './schema.js';
import { tellTrouble } from './session.js';

/** Tables that are listed at first, and with each further step. */
const step = 200;
const searchPauseMs = 250;

/**
 * The databases with their tables, columns and tags, to look through and to search.
 * @param {{ database: string; chosen: (database: string) => void; open: (database: string, table: string, time: string) => void; insert: (name: string) => void; failed: (trouble: unknown) => void }} options
 *   `chosen`: another database is looked at; `open`: rows of a table are wanted; `insert`: a name is
 */
export function schemaTree({ database, chosen, open, insert, failed }) {
  const select = h('select', { id: 'database' }, h('option', { value: '' }, '(none)'));
  const search = h('input', {
    id: 'search',
    type: 'search',
    placeholder: 'Table, column or tag',
    autocapitalize: 'none',
    spellcheck: 'false',
  });
  const list = h('ul', { class: 'tree' });
  const more = h('button', { type: 'button', hidden: true }, 'Show more');
  const state = h('p', { class: 'muted', role: 'status' });
  let asked = 0;
  let listed = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const load = async (/** @type {boolean} */ further) => {
    const mine = ++asked;
    if (!further) listed = 0;
    if (select.value === '') {
      put(list);
      more.hidden = true;
      const isEmpty = [...select.options].every(({ value }) => value === '' || value.endsWith('_schema'));
      if (!isEmpty) return say(state, 'Choose a database.');
      return put(state, 'There is no database yet. ', h('a', { href: '#start' }, 'First steps'));
    }
    try {
      const found = await tables(select.value, { holds: search.value.trim(), limit: step, offset: listed });
      if (mine !== asked) return;
      const rows = found.slice(0, step).map((table) => tableRow(select.value, table, open, insert));
      if (!further) put(list);
      list.append(...rows);
      listed += rows.length;
      more.hidden = found.length <= step;
      const none = search.value.trim() === '' ? 'There are no tables yet.' : 'Nothing matches.';
      say(state, listed === 0 ? none : '');
    } catch (error) {
      if (mine !== asked) return;
      // The list is a help: who may not read it can write statements all the same.
      tellTrouble(error, state, failed);
    }
  };
  select.addEventListener('change', () => {
    chosen(select.value);
    // Tables of another database are not there to be opened meanwhile.
    put(list);
    load(false);
  });
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => load(false), searchPauseMs);
  });
  more.addEventListener('click', () => load(true));
  const fill = async (/** @type {string} */ wanted) => {
    try {
      const names = await databases();
      put(
        select,
        h('option', { value: '' }, '(none)'),
        names.map((name) => h('option', { value: name }, name)),
      );
      const own = names.filter((name) => !name.endsWith('_schema'));
      select.value = names.includes(wanted) ? wanted : own.length === 1 ? (own[0] ?? '') : '';
      chosen(select.value);
      await load(false);
    } catch (error) {
      failed(error);
    }
  };
  fill(database);

  const element = h(
    'aside',
    { class: 'schema card', 'aria-label': 'Databases and tables' },
    h('div', { class: 'field' }, h('label', { for: 'database' }, 'Database'), select),
    h('div', { class: 'field' }, h('label', { for: 'search' }, 'Find'), search),
    h('div', { class: 'tree-place', tabindex: 0, role: 'region', 'aria-label': 'Tables' }, list, more),
    state,
  );
  return {
    element,
    get database() {
      return select.value;
    },
    /** Looks at a database, also one that was made meanwhile. @param {string} wanted */
    show: (wanted) => fill(wanted),
    stop: () => clearTimeout(timer),
  };
}

/**
 * @param {string} database
 * @param {import('./schema.js').TableName} table
 * @param {(database: string, table: string, time: string) => void} open
 * @param {(name: string) => void} insert
 */
function tableRow(database, { name, isSuper }, open, insert) {
  const columns = h('ul', {});
  const look = h('button', { type: 'button', class: 'small' }, 'Newest rows');
  look.setAttribute('aria-label', `Newest rows of ${name}`);
  look.addEventListener('click', async () => open(database, name, (await fields(database, name))[0]?.name ?? ''));
  const live = h('a', { href: tailLink(database, name), 'aria-label': `Live rows of ${name}` }, 'Live');
  const actions = h('p', { class: 'line' }, look, live);
  const details = h(
    'details',
    {},
    h('summary', { title: isSuper ? 'super table' : 'table' }, breakable(name)),
    actions,
    columns,
  );
  details.addEventListener('toggle', async () => {
    if (!details.open || columns.childElementCount > 0) return;
    const found = await fields(database, name).catch(() => []);
    put(
      columns,
      found.map((field) =>
        h(
          'li',
          {},
          h('button', { type: 'button', class: 'name', onclick: () => insert(field.name) }, field.name),
          h('span', { class: 'muted' }, ` ${field.isTag ? 'tag, ' : ''}${field.type.toLowerCase()}`),
        ),
      ),
    );
  });
  return h('li', {}, details);
}

/**
 * A long name, which breaks behind the signs that part its words.
 * @param {string} name
 */
function breakable(name) {
  return name.split(/(?<=[_.:/-])/).flatMap((part, at) => (at === 0 ? [part] : [h('wbr'), part]));
}
