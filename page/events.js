import { h, put, putRows, say, toast } from './dom.js';
import { ago, count, dateAndTime, measure } from './format.js';
import { queryLink } from './links.js';
import { literal, quoted } from './names.js';
import { poll } from './polling.js';
import { askJson, Trouble } from './session.js';
import { firstSteps } from './start.js';

/**
 * @typedef {object} Event
 * @property {string} id
 * @property {'active' | 'acknowledged' | 'resolved'} status
 * @property {'critical' | 'warning' | 'info'} severity
 * @property {string} elementId
 * @property {string} title
 * @property {string} description
 * @property {string} source
 * @property {string | null} rule
 * @property {number | null} value
 * @property {number | null} threshold
 * @property {number} count
 * @property {number} startTime
 * @property {number} lastSeenTime
 * @property {number | null} endTime
 * @property {string | null} acknowledgedBy
 * @property {number | null} acknowledgedAt
 * @property {string | null} resolvedBy
 * @property {number | null} resolvedAt
 * @property {string | null} comment
 * @property {Record<string, string>} attributes
 */

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
  const rows = new Map();
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
    /** @type {'acknowledge' | 'resolve'} */ to,
    /** @type {string} */ comment = '',
  ) => {
    const body = comment === '' ? null : JSON.stringify({ comment });
    try {
      const moved = await askJson(`/api/v1/events/${encodeURIComponent(event.id)}/${to}`, { method: 'PUT', body });
      const done = to === 'resolve' ? 'Resolved' : 'Acknowledged';
      toast(moved.changed ? `${done}: ${event.title}` : `Somebody was faster: ${event.title}`);
      rows.get(event.id)?.show(moved);
    } catch (error) {
      if (error instanceof Trouble && error.reason !== 'password') toast(`Nothing has changed. ${error.message}`);
      else context.failed(error);
    }
    await polling.now();
  };
  const resolve = async (/** @type {Event} */ event) => {
    const comment = await dialog.ask(event.title);
    if (comment === undefined) return;
    await move(event, 'resolve', comment);
    if (!document.activeElement || document.activeElement === document.body) heading.focus();
  };

  const show = (/** @type {Page} */ { total, records }) => {
    putRows(
      list,
      records,
      ({ id }) => id,
      () => eventRow((event) => move(event, 'acknowledge'), resolve),
      rows,
    );
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
  return askJson(`/api/v1/events?${asked}`);
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
 * One event.
 * @param {(event: Event) => Promise<void>} acknowledge
 * @param {(event: Event) => Promise<void>} resolve
 */
function eventRow(acknowledge, resolve) {
  /** @type {Event} */
  let event;
  let shown = '';
  const severity = h('span', { class: 'severity' });
  const title = h('h2');
  const meta = h('p', { class: 'meta' });
  const status = h('span', { class: 'status' });
  const facts = h('dl', { class: 'facts' });
  const describes = h('p', { class: 'description' });
  const take = h('button', {}, 'Acknowledge');
  const close = h('button', {}, 'Resolve…');
  const openValues = () => {
    location.hash = queryLink({ statement: statementAround(event) });
  };
  const draw = h('button', { onclick: openValues }, 'Draw the values around it');
  take.addEventListener('click', async () => {
    take.disabled = true;
    await acknowledge(event);
    take.disabled = false;
    // The button is gone, and with it the place of somebody who goes by keys.
    if (take.hidden) close.focus();
  });
  close.addEventListener('click', () => resolve(event));
  const element = h(
    'li',
    { class: 'event' },
    h('div', { class: 'event-head' }, severity, title, status),
    meta,
    h('details', {}, h('summary', {}, 'Details'), describes, facts, draw),
    h('div', { class: 'actions' }, take, close),
  );

  return {
    element,
    show: (/** @type {Event} */ now) => {
      say(meta, metaWords(now));
      const text = JSON.stringify(now);
      if (text === shown) return;
      shown = text;
      event = now;
      element.className = `event ${now.severity} ${now.status}`;
      element.dataset.id = now.id;
      say(severity, now.severity);
      say(title, now.title);
      say(status, now.status);
      say(describes, now.description);
      draw.hidden = now.attributes?.database === undefined || now.attributes.column === undefined;
      take.hidden = now.status !== 'active';
      close.hidden = now.status === 'resolved';
      take.setAttribute('aria-label', `Acknowledge: ${now.title}`);
      close.setAttribute('aria-label', `Resolve: ${now.title}`);
      put(
        facts,
        factsOf(now).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
      );
    },
  };
}

/** How much of the time before and after an event is drawn, in milliseconds. */
const [aroundBefore, aroundAfter] = [1_800_000, 300_000];

/**
 * The query for the values that an event is about.
 * @param {Event} event with a database, a table and a column
 */
function statementAround({ attributes, startTime, endTime }) {
  const { database = '', table = '', column = '', tbname = table } = attributes;
  const instant = (/** @type {number} */ time) => literal(new Date(time).toISOString());
  const one = tbname === table ? '' : `tbname = ${literal(tbname)} AND `;
  const [from, to] = [instant(startTime - aroundBefore), instant((endTime ?? Date.now()) + aroundAfter)];
  return [
    `SELECT _rowts, ${quoted(column)} FROM ${quoted(database)}.${quoted(table)}`,
    `WHERE ${one}_rowts BETWEEN ${from} AND ${to}`,
    'ORDER BY _rowts LIMIT 100000',
  ].join('\n');
}

/** @param {Event} event */
function metaWords({ elementId, startTime, endTime, count: times, lastSeenTime }) {
  const repeats = times > 1 ? `seen ${count(times)} times, last ${ago(lastSeenTime)}` : '';
  const began = `began ${ago(startTime)}`;
  const ended = endTime === null ? '' : `over ${ago(endTime)}`;
  return [elementId, began, repeats, ended].filter((part) => part !== '').join(' · ');
}

/**
 * @param {Event} event
 * @returns {[string, string][]}
 */
function factsOf(event) {
  /** @type {[string, string][]} */
  const facts = [['Element', event.elementId]];
  const add = (/** @type {string} */ name, /** @type {string | null | undefined} */ value) => {
    if (value !== null && value !== undefined && value !== '') facts.push([name, value]);
  };
  const when = (/** @type {number | null} */ time) => (time === null ? '' : dateAndTime(time));
  add('Raised by', event.rule ?? (event.source === 'system' ? 'the service' : ''));
  if (event.value !== null && event.value !== undefined) add('Value', measure(event.value));
  if (event.threshold !== null && event.threshold !== undefined) add('Threshold', measure(event.threshold));
  add('Began', when(event.startTime));
  add('Last seen', when(event.lastSeenTime));
  add('Times seen', count(event.count));
  add('Over', when(event.endTime ?? null));
  if (event.acknowledgedBy) add('Acknowledged', `${event.acknowledgedBy}, ${when(event.acknowledgedAt)}`);
  if (event.resolvedBy) add('Resolved', `${event.resolvedBy}, ${when(event.resolvedAt)}`);
  add('Comment', event.comment);
  for (const [name, value] of Object.entries(event.attributes ?? {})) add(name, value);
  return facts;
}

/** Asks for the comment of a resolution; undefined when it is called off. */
function resolveDialog() {
  const what = h('p', { class: 'muted' });
  const comment = h('textarea', { id: 'comment', rows: 4, maxlength: 2000 });
  /** @type {(comment: string | undefined) => void} */
  let answer = () => {};
  const cancel = () => element.close();
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    answer(comment.value.trim());
    element.close();
  };
  const element = h(
    'dialog',
    { class: 'card', 'aria-labelledby': 'resolve-title', onclose: () => answer(undefined) },
    h(
      'form',
      { onsubmit: submit },
      h('h2', { id: 'resolve-title' }, 'Resolve the event'),
      what,
      h('label', { for: 'comment' }, 'Comment ', h('span', { class: 'muted' }, '(may be left empty)')),
      comment,
      h(
        'div',
        { class: 'actions end' },
        h('button', { type: 'button', onclick: cancel }, 'Cancel'),
        h('button', { class: 'primary', type: 'submit' }, 'Resolve'),
      ),
    ),
  );
  return {
    element,
    ask: (/** @type {string} */ title) => {
      say(what, title);
      comment.value = '';
      element.showModal();
      comment.focus();
      return new Promise((/** @type {(comment: string | undefined) => void} */ resolve) => {
        answer = resolve;
      });
    },
  };
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
