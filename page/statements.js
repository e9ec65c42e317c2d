import { h, putRows, say } from './dom.js';
import { ago, dateAndTime, duration } from './format.js';
import { poll } from './polling.js';
import { requestJson, Trouble } from './session.js';
import { ownMark } from './sql.js';

const statementsMs = 2000;

/**
 * @typedef {object} Statement
 * @property {number} id
 * @property {string} user
 * @property {string | null} database
 * @property {string} sql
 * @property {'running' | 'done' | 'failed'} state
 * @property {number} startTime
 * @property {number} durationMs
 * @property {number} waitedMs
 * @property {{ code: number; desc: string } | null} error
 */

/** @typedef {{ thresholdMs: number; records: Statement[] }} SlowList */

/**
 * Statements that take, or took, long.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function statementsView(context) {
  const summary = h('p', { class: 'muted' });
  const list = h('ul', { class: 'statements', 'aria-label': 'Slow statements' });
  const none = h('p', { class: 'empty', hidden: true });
  const rows = new Map();
  const own = h('input', { type: 'checkbox', onchange: () => show(context.kept.statements) });
  const ownWords = h('span', {});
  const ownChoice = h('label', { class: 'line', hidden: true }, own, ownWords);
  const element = h(
    'section',
    {},
    h('div', { class: 'head' }, h('h1', {}, 'Slow statements'), summary),
    ownChoice,
    list,
    none,
  );

  const show = (/** @type {SlowList | undefined} */ shown) => {
    if (shown === undefined) return;
    const { thresholdMs, records: all } = shown;
    const others = all.filter(({ sql }) => !sql.startsWith(ownMark));
    const records = own.checked ? all : others;
    ownChoice.hidden = false;
    say(ownWords, `Show the queries of this page (${all.length - others.length})`);
    const isOff = thresholdMs === 0;
    putRows(list, records, ({ id }) => String(id), statementRow, rows);
    none.hidden = records.length > 0;
    say(none, isOff ? 'The service keeps no list (monitor.slowStatement is 0s).' : 'No statement was slow.');
    say(summary, isOff ? '' : `Those of ${duration(thresholdMs)} and more, the newest first; live`);
  };
  show(context.kept.statements);
  const polling = poll(statementsMs, async () => {
    try {
      context.kept.statements = await requestJson('/api/v1/statements');
      show(context.kept.statements);
      context.went();
    } catch (error) {
      if (!(error instanceof Trouble) || error.reason !== 'denied') return context.failed(error);
      none.hidden = false;
      say(none, 'Only administrators may see what others run.');
    }
  });
  return { element, stop: polling.stop };
}

function statementRow() {
  const took = h('strong', { class: 'took' });
  const meta = h('p', { class: 'meta' });
  const sql = h('pre', { tabindex: 0 });
  const error = h('p', { class: 'error', hidden: true });
  const element = h('li', { class: 'card statement' }, h('div', { class: 'statement-head' }, took, meta), sql, error);
  return {
    element,
    show: (/** @type {Statement} */ statement) => {
      const { user, database, state, startTime, durationMs, waitedMs } = statement;
      element.className = `card statement ${state}`;
      say(took, state === 'running' ? `${duration(durationMs)}, running` : duration(durationMs));
      const waited = waitedMs > 0 ? `waited ${duration(waitedMs)}` : null;
      say(meta, [user, database, `began ${ago(startTime)}`, waited].filter((part) => part !== null).join(' · '));
      meta.title = dateAndTime(startTime);
      say(sql, statement.sql.replace(ownMark, ''));
      sql.setAttribute('aria-label', 'Statement');
      error.hidden = statement.error === null;
      if (statement.error !== null)
        say(error, `${statement.error.desc} (0x${statement.error.code.toString(16).padStart(4, '0')})`);
    },
  };
}
