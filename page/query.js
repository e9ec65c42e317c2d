import { h, put, say } from './dom.js';
import { count, duration, measure } from './format.js';
import { plot } from './plot.js';
import { readSeries } from './series.js';
import { Trouble } from './session.js';
import { runSql } from './sql.js';

/** Rows that the table shows; all of them are drawn. */
const shownRows = 500;
/** Tables that are offered. */
const listedTables = 500;
const [statementKey, databaseKey, runKey] = ['sluice.statement', 'sluice.database', 'sluice.run'];

/**
 * Opens the view of queries and runs a statement there.
 * @param {string} statement with the names of its databases
 */
export function openQuery(statement) {
  sessionStorage.setItem(statementKey, statement);
  sessionStorage.setItem(databaseKey, '');
  sessionStorage.setItem(runKey, 'yes');
  location.hash = '#query';
}

/**
 * A box for a statement; rows come as a table, and drawn where they have times.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function queryView(context) {
  const database = h('select', { id: 'database' }, h('option', { value: '' }, '(none)'));
  const table = h('select', { id: 'table', disabled: true }, h('option', { value: '' }, 'Choose one to look into'));
  const text = h('textarea', {
    id: 'statement',
    rows: 5,
    spellcheck: 'false',
    autocapitalize: 'none',
    placeholder: 'SELECT _wstart, city, AVG(temp) FROM weather PARTITION BY city INTERVAL(10m)',
    'aria-describedby': 'statement-hint',
  });
  const run = h('button', { class: 'primary', type: 'submit' }, 'Run');
  const cancel = h('button', { type: 'button', hidden: true }, 'Cancel');
  const outcome = h('p', { class: 'outcome', role: 'status' });
  const result = h('div', { class: 'result' });
  text.value = sessionStorage.getItem(statementKey) ?? '';
  /** @type {AbortController | undefined} */
  let running;
  /** @type {() => void} */
  let stopPlot = () => {};

  const show = (/** @type {import('./sql.js').Rows} */ rows) => {
    stopPlot();
    stopPlot = () => {};
    const { series, note } = readSeries(rows);
    const parts = [];
    if (series !== undefined) {
      const lines = series.names.map((label) => ({ label }));
      const drawn = plot({
        lines,
        heightPx: 320,
        format: measure,
        points: true,
        label: `Time series: ${series.names.join(', ')}`,
      });
      stopPlot = drawn.stop;
      parts.push(drawn.element, note === '' ? null : h('p', { class: 'muted' }, note));
      put(result, parts);
      drawn.set(series.data);
    }
    put(result, parts, tableOf(rows));
  };
  const start = async () => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    sessionStorage.setItem(statementKey, text.value);
    sessionStorage.setItem(databaseKey, database.value);
    cancel.hidden = false;
    run.disabled = true;
    outcome.className = 'outcome';
    say(outcome, 'Running…');
    const began = performance.now();
    try {
      const rows = await runSql(text.value, database.value, mine.signal);
      const took = duration(performance.now() - began);
      const cut = rows.data.length > shownRows ? `; the table shows the first ${count(shownRows)}` : '';
      say(outcome, `${count(rows.data.length)} ${rows.data.length === 1 ? 'row' : 'rows'} in ${took}${cut}`);
      show(rows);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      if (error.reason === 'password') return context.failed(error);
      stopPlot();
      put(result);
      outcome.className = 'outcome error';
      say(outcome, error.message);
    } finally {
      if (running === mine) {
        cancel.hidden = true;
        run.disabled = false;
      }
    }
  };
  cancel.addEventListener('click', () => running?.abort());
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (text.value.trim() !== '') start();
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  const listTables = () => fillTables(table, database.value);
  database.addEventListener('change', listTables);
  table.addEventListener('change', () => {
    if (table.value === '') return;
    text.value = `SELECT * FROM ${quoted(table.value)} LIMIT 1000`;
    start();
  });
  fillDatabases(database, context).then(listTables);
  if (sessionStorage.getItem(runKey) !== null) {
    sessionStorage.removeItem(runKey);
    start();
  }

  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const element = h(
    'section',
    {},
    h('div', { class: 'head' }, h('h1', {}, 'Query'), h('p', { class: 'muted' }, `Times in ${zone}`)),
    h(
      'form',
      { class: 'query', onsubmit: submit, onkeydown: keys },
      h('label', { for: 'statement' }, 'Statement'),
      text,
      h(
        'div',
        { class: 'query-foot' },
        h('div', { class: 'field' }, h('label', { for: 'database' }, 'Database'), database),
        h('div', { class: 'field' }, h('label', { for: 'table' }, 'Table'), table),
        h('div', { class: 'actions' }, run, cancel),
        h('p', { class: 'muted', id: 'statement-hint' }, 'Ctrl + Enter runs it'),
      ),
    ),
    outcome,
    result,
  );
  return {
    element,
    stop: () => {
      running?.abort();
      stopPlot();
    },
  };
}

/**
 * @param {HTMLSelectElement} select
 * @param {import('./app.js').Context} context
 */
async function fillDatabases(select, context) {
  try {
    const { data } = await runSql('SHOW DATABASES', '');
    const kept = sessionStorage.getItem(databaseKey) ?? '';
    for (const [name] of data) select.append(h('option', { value: String(name) }, String(name)));
    select.value = data.some(([name]) => name === kept) ? kept : '';
  } catch (error) {
    context.failed(error);
  }
}

/**
 * Lists the tables of a database, without the sub-tables, of which there may be any number.
 * @param {HTMLSelectElement} select
 * @param {string} database may be empty
 */
async function fillTables(select, database) {
  const names = database === '' ? [] : await tablesOf(database);
  put(
    select,
    h('option', { value: '' }, 'Choose one to look into'),
    names.map((name) => h('option', { value: name }, name)),
  );
  select.disabled = names.length === 0;
}

/**
 * @param {string} database
 * @returns {Promise<string[]>}
 */
async function tablesOf(database) {
  const of = `FROM information_schema.ins_tables WHERE db_name = '${database.replaceAll("'", "''")}'`;
  try {
    const [supers, tables] = await Promise.all([
      runSql(`SHOW ${quoted(database)}.STABLES`, ''),
      runSql(`SELECT table_name ${of} AND type = 'NORMAL_TABLE' LIMIT ${listedTables}`, ''),
    ]);
    const names = [...supers.data, ...tables.data].map(([name]) => String(name));
    return names.sort().slice(0, listedTables);
  } catch (error) {
    // The list is a help; whoever may not read it can write a statement all the same.
    if (error instanceof Trouble) return [];
    throw error;
  }
}

/**
 * A name as statements write it, whatever is in it.
 * @param {string} name
 */
export function quoted(name) {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** @param {import('./sql.js').Rows} rows */
function tableOf({ columns, data }) {
  const numeric = columns.map(({ isNumber }) => (isNumber ? 'number' : ''));
  const cell = (/** @type {unknown} */ value, /** @type {number} */ at) =>
    value === null ? h('td', { class: 'null' }, 'NULL') : h('td', { class: numeric[at] ?? '' }, textOf(value));
  return h(
    'div',
    { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': 'Rows' },
    h(
      'table',
      { class: 'rows' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          columns.map(({ name, type }, at) => h('th', { scope: 'col', title: type, class: numeric[at] ?? '' }, name)),
        ),
      ),
      h(
        'tbody',
        {},
        data.slice(0, shownRows).map((row) => h('tr', {}, row.map(cell))),
      ),
    ),
  );
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
