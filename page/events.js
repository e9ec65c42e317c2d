import { h, put, putRows, say, toast } from './dom.js';
import { bulkMoves, doneWords, moveEvent } from './event-moves.js';
import { eventRow } from './event-row.js';
import { count } from './format.js';
import { poll } from './polling.js';
import { resolveDialog } from './resolve-dialog.js';
import { requestJson, Trouble } from './session.js';
import { firstSteps } from './start.js';

/** @typedef {import('./event-row.js').Event} Event */

/** @typedef {{ total: number; records: Event[] }} Page */

const eventsMs = 1000;
const pageSize = 50;
/** Spans of time to choose from, in milliseconds. */
const spans = { 'Any time': 0, 'Last hour': 3_600_000, 'Last 24 hours': 86_400_000, 'Last 7 days': 604_800_000 };

/**
 * The events: filtered, live, and what a person does with them.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function eventsView(context) {
  const status = choice('status', {
    Open: 'open',
    Active: 'active',
    Acknowledged: 'acknowledged',
    Resolved: 'resolved',
    All: '',
  });
  const severity = choice('severity', { Any: '', Critical: 'critical', Warning: 'warning', Info: 'info' });
  const span = choice('span', spans);
  const element = h('input', {
    id: 'element',
    type: 'search',
    placeholder: 'any',
    autocapitalize: 'none',
    spellcheck: 'false',
  });
  const list = h('ul', { class: 'events', 'aria-label': 'Events' });
  const none = h('p', { class: 'empty', hidden: true });
  const heading = h('h1', { tabindex: -1 }, 'Events');
  const summary = h('p', { class: 'muted' });
  const pager = h('nav', { class: 'pager', 'aria-label': 'Pages', hidden: true });
  const dialog = resolveDialog();
  const steps = firstSteps(context);
  /** @type {Map<string, ReturnType<typeof eventRow>>} */
  const rows = new Map();
  const bulk = bulkMoves({
    mark: (isChosen) => {
      for (const [id, row] of rows) row.choose(isChosen(id));
    },
    moved: (event) => rows.get(event.id)?.show(event),
    prompt: (title) => dialog.prompt(title),
    failed: context.failed,
    done: () => polling.now(),
  });
  let pageNum = 1;
  let words = '';

  const filters = () => {
    const query = new URLSearchParams();
    if (severity.value !== '') query.set('severity', severity.value);
    if (element.value.trim() !== '') query.set('elementId', element.value.trim());
    if (Number(span.value) > 0) query.set('from', String(Date.now() - Number(span.value)));
    return query;
  };
  const isDefault = () => status.value === 'open' && filters().size === 0;
  const load = async () => {
    const query = filters();
    try {
      const page = status.value === 'open' ? await openEvents(query) : await eventsIn(status.value, query, pageNum);
      if (isDefault()) context.kept.events = page;
      if (query.toString() === filters().toString() || Number(span.value) > 0) show(page);
      context.went();
    } catch (error) {
      if (error instanceof Trouble && error.reason === 'refused') say(summary, error.message);
      else {
        if (words !== '') say(summary, `${words}; not live at the moment`);
        context.failed(error);
      }
    }
  };
  const move = async (
    /** @type {Event} */ event,
    /** @type {import('./event-moves.js').Move} */ to,
    /** @type {string} */ comment = '',
  ) => {
    try {
      const moved = await moveEvent(event, to, comment);
      toast(moved.changed ? `${doneWords[to]}: ${event.title}` : `Somebody was faster: ${event.title}`);
      rows.get(event.id)?.show(moved);
    } catch (error) {
      if (error instanceof Trouble && error.reason !== 'password') toast(`Nothing has changed. ${error.message}`);
      else context.failed(error);
    }
    await polling.now();
  };
  const resolve = async (/** @type {Event} */ event) => {
    const comment = await dialog.prompt(event.title);
    if (comment === undefined) return;
    await move(event, 'resolve', comment);
    if (!document.activeElement || document.activeElement === document.body) heading.focus();
  };

  const show = (/** @type {Page} */ { total, records }) => {
    putRows(
      list,
      records,
      ({ id }) => id,
      () => eventRow((event) => move(event, 'acknowledge'), resolve, bulk.choose),
      rows,
    );
    bulk.list(records);
    none.hidden = records.length > 0;
    say(none, isDefault() ? 'Nothing needs your attention.' : 'No event matches.');
    const shown = total > records.length ? `${count(records.length)} of ${count(total)}` : count(total);
    words = `${shown} ${total === 1 ? 'event' : 'events'}, newest first`;
    say(summary, `${words}; live`);
    showPager(total);
  };
  const showPager = (/** @type {number} */ total) => {
    const pages = Math.max(1, Math.ceil(total / pageSize));
    pager.hidden = status.value === 'open' || pages < 2;
    if (pager.hidden || pager.dataset.shown === `${pageNum}/${pages}`) return;
    pager.dataset.shown = `${pageNum}/${pages}`;
    const turnTo = (/** @type {number} */ to) => () => {
      pageNum = to;
      polling.now();
    };
    put(
      pager,
      h('button', { disabled: pageNum <= 1, onclick: turnTo(pageNum - 1) }, 'Newer'),
      h('span', {}, `Page ${pageNum} of ${pages}`),
      h('button', { disabled: pageNum >= pages, onclick: turnTo(pageNum + 1) }, 'Older'),
    );
  };
  const changed = () => {
    pageNum = 1;
    polling.now();
  };

  const view = h(
    'section',
    {},
    h('div', { class: 'head' }, heading, summary, h('a', { href: '#rules' }, 'Rules and notifications')),
    h(
      'form',
      {
        class: 'filters',
        oninput: changed,
        onsubmit: (/** @type {globalThis.Event} */ event) => event.preventDefault(),
      },
      field('Status', status),
      field('Severity', severity),
      field('Seen', span),
      field('Element', element),
    ),
    bulk.element,
    list,
    none,
    pager,
    steps.element,
    dialog.element,
  );
  if (context.kept.events === undefined) say(none, 'Waiting for the database…');
  else show(context.kept.events);
  none.hidden = list.childElementCount > 0;
  const polling = poll(eventsMs, load);
  return {
    element: view,
    stop: () => {
      polling.stop();
      steps.stop();
    },
  };
}

/**
 * @param {string} status
 * @param {URLSearchParams} query
 * @param {number} pageNum
 */
function eventsIn(status, query, pageNum) {
  const asked = new URLSearchParams(query);
  if (status !== '') asked.set('status', status);
  asked.set('pageNum', String(pageNum));
  asked.set('pageSize', String(pageSize));
  return requestJson(`/api/v1/events?${asked}`);
}

/**
 * What is not resolved: two lists in one, as the interface has one status a list.
 * @param {URLSearchParams} query
 */
async function openEvents(query) {
  const lists = await Promise.all([eventsIn('active', query, 1), eventsIn('acknowledged', query, 1)]);
  const records = lists.flatMap((list) => list.records);
  records.sort((a, b) => b.startTime - a.startTime || (a.id < b.id ? 1 : -1));
  return { total: lists.reduce((sum, { total }) => sum + total, 0), records };
}

/**
 * @param {string} id
 * @param {Readonly<Record<string, string | number>>} options value by what is shown
 */
function choice(id, options) {
  return h(
    'select',
    { id },
    Object.entries(options).map(([words, value]) => h('option', { value }, words)),
  );
}

/**
 * @param {string} label
 * @param {HTMLElement} control with an id
 */
function field(label, control) {
  return h('div', { class: 'field' }, h('label', { for: control.id }, label), control);
}
