import { h, put, say } from './dom.js';
import { ago, count, dateAndTime, measureOf } from './format.js';
import { queryLink } from './links.js';
import { literal, quoted } from './names.js';

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

/**
 * One event.
 * @param {(event: Event) => Promise<void>} acknowledge
 * @param {(event: Event) => Promise<void>} resolve
 * @param {(event: Event, isChosen: boolean) => void} choose for what is done with several events
 */
export function eventRow(acknowledge, resolve, choose) {
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
  const box = h('input', { type: 'checkbox', onchange: () => choose(event, box.checked) });
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
    h('div', { class: 'event-head' }, box, severity, title, status),
    meta,
    h('details', {}, h('summary', {}, 'Details'), describes, facts, draw),
    h('div', { class: 'actions' }, take, close),
  );

  return {
    element,
    choose: (/** @type {boolean} */ isChosen) => {
      box.checked = isChosen;
    },
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
      box.hidden = now.status === 'resolved';
      box.setAttribute('aria-label', `Select: ${now.title}`);
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
  if (event.value !== null && event.value !== undefined) add('Value', measureOf([event.value])(event.value));
  if (event.threshold !== null && event.threshold !== undefined)
    add('Threshold', measureOf([event.threshold])(event.threshold));
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
