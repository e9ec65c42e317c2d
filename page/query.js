import { copyText } from './copy.js';
import { h, put, say } from './dom.js';
import { queryEditor } from './editor.js';
import { ago, zone } from './format.js';
import { forgetStatements, pastStatements, remember } from './history.js';
import { languageSwitch } from './language-switch.js';
import { linked, queryLink } from './links.js';
import { asWritten, quoted } from './names.js';
import { promqlPlaceOf } from './promql.js';
import { promqlCard } from './promql-result.js';
import { rangeHint, rangePicker, usesRange } from './range.js';
import { resultCard } from './result.js';
import { savedQueries } from './saved-queries.js';
import { forgetListings } from './schema.js';
import { Trouble } from './session.js';
import { onlyReads, placeOf, splitStatements } from './statement-text.js';
import { schemaTree } from './tree.js';

/** What the view keeps in this tab while others are looked at. */
const [databaseKey, rangeKey, languageKey] = ['sluice.database', 'sluice.range', 'sluice.language'];
/** The same of the text of each language. */
const textKeys = { sql: 'sluice.statement', promql: 'sluice.expression' };
const newestRows = 1000;

/**
 * An editor for statements of SQL and expressions of PromQL; rows come as a table, and drawn where they have times.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function queryView(context) {
  const asked = linked();
  const language =
    (asked.get('q') === null ? sessionStorage.getItem(languageKey) : asked.get('language')) === 'promql'
      ? 'promql'
      : 'sql';
  const first = {
    statement: asked.get('q') ?? sessionStorage.getItem(textKeys[language]) ?? '',
    database: asked.get('db') ?? sessionStorage.getItem(databaseKey) ?? '',
    range: asked.get('range') ?? sessionStorage.getItem(rangeKey) ?? '3600000',
  };
  const run = h('button', { class: 'primary', type: 'submit' }, 'Run');
  const explain = h('button', { type: 'button' }, 'Explain');
  const cancel = h('button', { type: 'button', hidden: true }, 'Cancel');
  const copy = h('button', { type: 'button' }, 'Copy link');
  const told = h('p', { class: 'muted', role: 'status' });
  const hint = h('p', { class: 'muted', id: 'statement-hint' });
  const results = h('div', { class: 'results' });
  /** @type {AbortController | undefined} */
  let running;
  /** @type {ReturnType<typeof resultCard>[]} */
  let cards = [];

  const tree = schemaTree({
    database: first.database,
    chosen: (name) => sessionStorage.setItem(databaseKey, name),
    open: (database, table, time) => {
      setLanguage('sql');
      editor.text = newestOf(database, table, time);
      range.set('all');
      start();
    },
    insert: (name) => editor.insert(asWritten(name)),
    failed: context.failed,
  });
  const showHint = () => {
    if (editor.language === 'sql') rangeHint(hint, editor.text);
    else say(hint, '');
  };
  const editor = queryEditor({
    text: first.statement,
    language,
    describedBy: 'statement-hint',
    database: () => tree.database,
    run: () => start(),
    typed: () => showHint(),
  });
  const keepText = () => {
    sessionStorage.setItem(textKeys[editor.language], editor.text);
    sessionStorage.setItem(languageKey, editor.language);
    sessionStorage.setItem(rangeKey, range.value);
  };
  /** Each language keeps its own text. @param {import('./editor.js').Language} wanted */
  const setLanguage = (wanted) => {
    if (wanted === editor.language) return;
    keepText();
    languages.value = wanted;
    editor.language = wanted;
    editor.text = sessionStorage.getItem(textKeys[wanted]) ?? '';
    explain.hidden = wanted !== 'sql';
    showHint();
  };
  const languages = languageSwitch(language, setLanguage);
  explain.hidden = language !== 'sql';
  const reads = () => (editor.language === 'promql' ? editor.text.trim() !== '' : onlyReads(editor.text));
  const range = rangePicker({
    value: first.range,
    changed: () => {
      if (reads() && (editor.language === 'promql' || usesRange(editor.text))) start();
    },
    due: () => {
      if (running === undefined && reads()) start();
    },
  });

  const start = async (prefix = '') => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    // A database that a link names may be listed later than its statement runs.
    const database = tree.database || first.database;
    const text = editor.selected ?? editor.text;
    const whole = editor.selected === undefined;
    const isPromql = editor.language === 'promql';
    const statements = isPromql ? wholeText(text) : splitStatements(text);
    if (statements.length === 0) return;
    keep(database);
    remember(text, database, editor.language);
    showHistory();
    editor.mark(undefined);
    for (const card of cards) card.stop();
    const ends = range.ends();
    cards = statements.map((statement) =>
      isPromql
        ? promqlCard(statement.text, database, range)
        : resultCard(prefix + range.fill(statement.text), database, statements.length === 1 ? '' : statement.text, {
            ...(ends !== undefined && usesRange(statement.text) ? { range: ends } : {}),
          }),
    );
    put(
      results,
      cards.map(({ element }) => element),
    );
    results.className = `results${cards.length > 1 ? ' several' : ''}`;
    cancel.hidden = false;
    run.disabled = true;
    let at = 0;
    try {
      // One after the other: a later statement may need what an earlier one made.
      for (; at < cards.length; at++) await cards[at]?.run(mine.signal);
      if (!reads()) forgetListings();
      if (/\b(?:CREATE|DROP)\s+DATABASE\b/i.test(text)) tree.show(tree.database);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      if (error.reason === 'password') return context.failed(error);
      for (const card of cards.slice(at + 1)) card.leave();
      const statement = statements[at];
      const sent = isPromql ? statement?.text : prefix + range.fill(statement?.text ?? '');
      const place = (isPromql ? promqlPlaceOf : placeOf)(error.message, sent ?? '');
      // A place behind `$from` is another one in what was sent.
      if (whole && statement !== undefined && place !== undefined && sent === statement.text) {
        editor.mark(statement.start + place, error.message);
      }
    } finally {
      if (running === mine) {
        running = undefined;
        cancel.hidden = true;
        run.disabled = false;
      }
    }
  };
  const keep = (/** @type {string} */ database) => {
    keepText();
    const { text: statement, language: of } = editor;
    history.replaceState(null, '', queryLink({ statement, language: of, database, range: range.value }));
  };
  cancel.addEventListener('click', () => running?.abort());
  explain.addEventListener('click', () => start('EXPLAIN '));
  copy.addEventListener('click', async () => {
    keep(tree.database);
    const isCopied = await copyText(location.href);
    say(
      told,
      isCopied ? 'The link is copied. It asks for a log-in, then shows this query.' : 'The link is in the address bar.',
    );
  });

  const past = h('div', {});
  const forget = () => {
    forgetStatements();
    showHistory();
  };
  const showHistory = () => {
    const entries = pastStatements();
    const take = (/** @type {import('./history.js').Past} */ entry) => {
      setLanguage(entry.language ?? 'sql');
      editor.text = entry.statement;
      if (entry.database !== tree.database) tree.show(entry.database);
    };
    put(
      past,
      entries.length === 0
        ? h('p', { class: 'muted' }, 'Queries that you run are listed here; this browser stores them.')
        : null,
      h(
        'ul',
        { class: 'past' },
        entries.map((entry) =>
          h(
            'li',
            {},
            h('button', { type: 'button', class: 'name', onclick: () => take(entry) }, entry.statement),
            h('span', { class: 'muted' }, [entry.database, ago(entry.at)].filter((part) => part !== '').join(', ')),
          ),
        ),
      ),
      entries.length === 0 ? null : h('button', { type: 'button', onclick: forget }, 'Clear history'),
    );
  };
  showHistory();
  showHint();
  const saved = savedQueries({
    current: () => ({
      language: editor.language,
      query: editor.text,
      database: tree.database,
      range: range.value,
    }),
    open: async ({ language: of, query, database, range: ends }) => {
      setLanguage(of);
      editor.text = query;
      if (ends !== undefined) range.set(ends);
      showHint();
      if (database !== tree.database) await tree.show(database);
      // In another database it would be another query.
      if (reads() && database === tree.database) start();
    },
    failed: context.failed,
  });

  const addPanels = h('button', { type: 'button' }, 'Add to dashboard…');
  addPanels.addEventListener('click', async () => {
    const { language: of, text } = editor;
    const statements = of === 'promql' ? wholeText(text) : splitStatements(text);
    const { openAddToDashboard } = await import('./add-to-dashboard.js');
    const queries = statements.map(({ text: query }) => ({ language: of, query, database: tree.database }));
    if (queries.length > 0) openAddToDashboard(element, queries, '');
  });

  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    start();
  };
  const element = h(
    'section',
    {},
    h('div', { class: 'head' }, h('h1', {}, 'Query'), h('p', { class: 'muted' }, `Times in ${zone}`)),
    h(
      'div',
      { class: 'workbench' },
      tree.element,
      h(
        'div',
        { class: 'bench' },
        h(
          'form',
          { class: 'query', onsubmit: submit },
          languages.element,
          editor.element,
          hint,
          h(
            'div',
            { class: 'query-foot' },
            range.elements,
            h('div', { class: 'actions' }, run, cancel, explain, copy, saved.buttons, addPanels),
          ),
          h('p', { class: 'muted' }, 'Ctrl + Enter runs the statements, or what is selected of them.'),
          told,
        ),
        saved.elements,
        h('details', { class: 'history' }, h('summary', {}, 'History'), past),
        results,
      ),
    ),
  );
  if (asked.get('q') !== null && reads()) start();
  return {
    element,
    stop: () => {
      keepText();
      running?.abort();
      range.stop();
      tree.stop();
      editor.stop();
      for (const card of cards) card.stop();
    },
  };
}

/**
 * A text of PromQL, which is one expression, as {@link splitStatements} gives those of SQL.
 * @param {string} text
 */
function wholeText(text) {
  return text.trim() === '' ? [] : [{ text, start: 0 }];
}

/**
 * The newest rows of a table; those of system tables, which have no time, are the first.
 * @param {string} database
 * @param {string} table
 * @param {string} time name of the first column
 */
function newestOf(database, table, time) {
  const from = `${quoted(database)}.${quoted(table)}`;
  if (database.endsWith('_schema')) return `SELECT * FROM ${from} LIMIT ${newestRows}`;
  return `SELECT * FROM ${from}\nWHERE ${quoted(time)} BETWEEN $from AND $to\nORDER BY ${quoted(time)} DESC LIMIT ${newestRows}`;
}
