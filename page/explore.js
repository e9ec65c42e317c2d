import { combinedCard } from './combined-card.js';
import { copyText } from './copy.js';
import { h, put, say } from './dom.js';
import { queryEditor } from './editor.js';
import { choiceName, exploreStatement, functions, labelOf, measureName } from './explore-sql.js';
import { newestWords, periodOf, wholeSpan, youngNow, youth } from './extent.js';
import { filterRow, idOf } from './filter-row.js';
import { count } from './format.js';
import { narrowed } from './json-tags.js';
import { languageSwitch } from './language-switch.js';
import { linked, queryLink } from './links.js';
import { promqlName, promqlPlaceOf } from './promql.js';
import { promqlCard } from './promql-result.js';
import { rangePicker } from './range.js';
import { resultCard } from './result.js';
import { databases, fields, metricNames, metricSource, tables } from './schema.js';
import { Trouble, tellTrouble } from './session.js';
import { numberTypes } from './sql.js';
import { splitStatements } from './statement-text.js';
import { knownTags, tagValues } from './tags.js';

const stateKey = 'sluice.explore';
/** Tables that are offered while somebody types. */
const offered = 200;
/** Tags that are offered to group by. */
const mostGroups = 40;
/** Lines that the first picture of a table has at most. */
const firstLines = 20;
const pauseMs = 250;
/** Names of what only rises, as Prometheus gives them. */
const counterName = /_(?:total|bucket|count|sum)$/;
/** Whether a tag is the name of the metric, in a table that holds many. */
const isName = (/** @type {import('./explore-sql.js').Tag} */ { key }) => key === '__name__';

/** @typedef {import('./tags.js').KnownTag} KnownTag */
/** @typedef {import('./explore-sql.js').Choice} Choice */
/**
 * @typedef {object} State what an address of the view holds
 * @property {string} database
 * @property {string} table name of a table or of a metric
 * @property {string} column
 * @property {string} of
 * @property {string} range
 * @property {string[]} groups
 * @property {{ tag: string; comparison: string; value: string }[] | undefined} filters
 * @property {Choice[]} others metrics that are drawn in the same picture
 * @property {import('./editor.js').Language} language
 * @property {string} expression of PromQL
 */

/** @returns {State} */
function firstState() {
  const asked = linked().get('state');
  /** @type {State} */
  const first = {
    database: '',
    table: '',
    column: '',
    of: 'AVG',
    range: '3600000',
    groups: [],
    filters: undefined,
    others: [],
    language: 'sql',
    expression: '',
  };
  try {
    return { ...first, ...JSON.parse(asked ?? sessionStorage.getItem(stateKey) ?? '{}') };
  } catch {
    return first;
  }
}

/**
 * A picture without SQL: one or more metrics, each with what becomes of its values, filters and groups of tags. The statements
 * are below the picture, to take along. Or a picture of an expression of PromQL.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function exploreView(context) {
  const state = firstState();
  const database = h('select', { id: 'explore-database' });
  const names = h('datalist', { id: 'metrics' });
  const table = h('input', {
    id: 'metric',
    type: 'search',
    list: 'metrics',
    placeholder: 'Name of a metric or table',
    autocapitalize: 'none',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const column = h('select', { id: 'column' });
  const of = h(
    'select',
    { id: 'function' },
    Object.entries(functions).map(([words, name]) => h('option', { value: name }, words)),
  );
  const groups = h('div', { class: 'choices' });
  const filters = h('div', { class: 'filter-rows' });
  const add = h('button', { type: 'button', class: 'small' }, 'Add a filter');
  const choices = h(
    'div',
    { class: 'narrowing', hidden: true },
    h('fieldset', {}, h('legend', {}, 'Filter'), filters, add),
    h('fieldset', {}, h('legend', {}, 'Group by'), groups),
  );
  const another = h('button', { type: 'button', class: 'small', hidden: true }, 'Add a metric');
  const drawnBefore = h('ul', { class: 'metrics', 'aria-label': 'Other metrics in the plot' });
  const draws = h('button', { type: 'submit', class: 'primary', hidden: true }, 'Run');
  const told = h('p', { class: 'muted', role: 'status' });
  const result = h('div', { class: 'results' });
  const sql = h('pre', { class: 'sql card', tabindex: 0 });
  const take = h('button', { type: 'button' }, 'Open in Query');
  const addPanels = h('button', { type: 'button', class: 'small' }, 'Add to dashboard…');
  const share = h('button', { type: 'button' }, 'Copy SQL');
  const below = h(
    'div',
    { class: 'taken', hidden: true },
    h('h2', {}, 'SQL query'),
    sql,
    h('p', { class: 'actions' }, take, share),
  );
  /** @type {KnownTag[]} */
  let tags = [];
  /** @type {ReturnType<typeof filterRow>[]} */
  let rows = [];
  /** @type {ReturnType<typeof resultCard> | undefined} */
  let card;
  /** @type {AbortController | undefined} */
  let running;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Awaited<ReturnType<typeof youth>>} */
  let young;
  /** The metric whose labels are offered. */
  let metric = '';
  /** The table of the metric that the field names; empty while there is none. */
  let source = '';
  let others = state.others;
  let statement = '';
  let stopped = false;

  const guarded = async (/** @type {() => Promise<void>} */ work) => {
    try {
      await work();
    } catch (error) {
      if (stopped) return;
      tellTrouble(error, told, context.failed);
    }
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => guarded(draw), pauseMs);
  };
  const keep = () => {
    const { column: field, groups: lines, filters: narrowing } = state;
    // As long as the columns and tags of a metric are not known, what an address has said of them stays.
    const known =
      source === ''
        ? { column: field, groups: lines, filters: narrowing }
        : {
            column: column.value,
            groups: chosenGroups().map(idOf),
            filters: rows.map((row) => row.state),
          };
    /** @type {State} */
    const kept = {
      database: database.value,
      table: table.value,
      of: of.value,
      range: range.value,
      ...known,
      others,
      language: editor.language,
      expression: editor.text,
    };
    const text = JSON.stringify(kept);
    sessionStorage.setItem(stateKey, text);
    history.replaceState(null, '', `#explore?${new URLSearchParams({ state: text })}`);
  };
  const range = rangePicker({ value: state.range, changed: soon, due: () => guarded(draw) });
  const chosenGroups = () => {
    const checked = new Set([...groups.querySelectorAll('input')].flatMap((box) => (box.checked ? [box.value] : [])));
    return tags.filter((tag) => checked.has(idOf(tag)));
  };

  const filtersOf = () => rows.flatMap((row) => row.filter ?? []);
  /** The metric of a table that holds many, as the filters have it. */
  const metricOf = () => filtersOf().find(({ tag, comparison }) => isName(tag) && comparison === '=')?.value ?? '';
  /** After a filter has changed: another metric is first seen by labels of its own. */
  const narrow = () => {
    const now = metricOf();
    const isKnown = tags.some((tag) => isName(tag) && tag.values?.some(({ value }) => value === now));
    if (now !== metric && isKnown) chooseLines(now);
    else state.groups = chosenGroups().map(idOf);
    showTags();
    soon();
  };

  /** What the fields say; none while they name no metric. @returns {Choice[]} */
  const chosenMetric = () => {
    if (source === '' || column.value === '') return [];
    const from = { database: database.value, table: source, column: column.value, of: of.value };
    const filters = filtersOf().map((filter) => ({ ...filter, tag: bareTag(filter.tag) }));
    return [{ ...from, filters, groups: chosenGroups().map(bareTag) }];
  };
  /** The card of what is chosen, with the statements in place. @param {readonly Choice[]} choices */
  const cardOf = async (choices) => {
    const spans = range.span() === undefined ? await Promise.all(choices.map(wholeSpan)) : [];
    const spanMs = range.span() ?? Math.max(...spans);
    const isOne = choices.length === 1;
    const periods = await Promise.all(
      choices.map((choice) => (choice.of === 'RATE' ? periodOf(choice, range.fill) : undefined)),
    );
    const ageMs = isOne ? youngNow(young) : undefined;
    const statements = choices.map((choice, at) => exploreStatement(choice, spanMs, { ageMs, periodMs: periods[at] }));
    statement = statements.join(';\n\n');
    const ends = range.ends();
    if (isOne) return resultCard(range.fill(statement), '', '', { folded: true, ...(ends && { range: ends }) });
    const parts = choices.map((choice, at) => ({
      statement: range.fill(statements[at] ?? ''),
      name: choiceName(choice, choices),
      measure: measureName(choice, choices),
    }));
    return combinedCard(parts, ends);
  };
  const draw = async () => {
    const isPromql = editor.language === 'promql';
    const choices = [...others, ...chosenMetric()];
    if (isPromql ? editor.text.trim() === '' : choices.length === 0) return;
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const next = isPromql ? promqlCard(editor.text, database.value, range) : await cardOf(choices);
    if (running !== mine || stopped) return;
    keep();
    editor.mark(undefined);
    say(sql, isPromql ? '' : statement);
    below.hidden = isPromql;
    say(told, '');
    if (card === undefined) put(result, next.element);
    try {
      await next.run(mine.signal);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      if (error.reason === 'password') return context.failed(error);
      if (error.reason === 'aborted') return next.stop();
      if (isPromql && running === mine) editor.mark(promqlPlaceOf(error.message, editor.text), error.message);
    }
    if (running !== mine || stopped) return next.stop();
    card?.stop();
    card = next;
    put(result, next.element);
    const [only] = choices;
    if (isPromql || only === undefined || choices.length > 1 || !next.isEmpty || range.value === 'all') return;
    const newest = await newestWords(only, showAll);
    if (running === mine && !stopped) put(told, newest);
  };
  const showAll = () => {
    range.set('all');
    soon();
  };

  const showTags = () => {
    const left = narrowed(tags, filtersOf());
    const shown = left.slice(0, mostGroups);
    put(
      groups,
      shown.map((tag) => {
        const box = h('input', { type: 'checkbox', value: idOf(tag), onchange: soon });
        box.checked = state.groups.includes(idOf(tag));
        const values = `${count(tag.distinct)}${tag.isSample ? '+' : ''}`;
        return h('label', {}, box, labelOf(tag), h('span', { class: 'muted' }, ` ${values}`));
      }),
      shown.length === 0 ? h('span', { class: 'muted' }, 'This table has no tags.') : null,
      left.length > shown.length ? h('span', { class: 'muted' }, `and ${left.length - shown.length} more`) : null,
    );
    add.hidden = tags.length === 0;
    choices.hidden = false;
  };
  const addFilter = (/** @type {{ tag: string; comparison: string; value: string }} */ first) => {
    const row = filterRow({
      tags,
      first,
      changed: narrow,
      values: (tag) => tagValues(database.value, source, tag).catch(() => []),
      gone: () => {
        rows = rows.filter((other) => other !== row);
        row.element.remove();
        narrow();
      },
    });
    rows.push(row);
    filters.append(row.element);
    return row;
  };
  add.addEventListener('click', () => addFilter({ tag: '', comparison: '=', value: '' }).focus());

  const offer = () =>
    guarded(async () => {
      const of = database.value;
      if (of === '') return;
      const holds = table.value.trim();
      const [found, metrics] = await Promise.all([
        editor.language === 'promql' ? [] : tables(of, { holds, limit: offered }),
        metricNames(of),
      ]);
      if (of !== database.value || stopped) return;
      const words = holds.toLowerCase().split(/\s+/);
      const matching = metrics.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
      put(
        names,
        [...new Set([...found.map(({ name }) => name), ...matching])]
          .slice(0, offered)
          .map((name) => h('option', { value: name })),
      );
      if (editor.language === 'promql') return;
      if (table.value === '') {
        say(told, found.length === 0 ? 'There are no tables in this database yet.' : 'Choose a metric to draw it.');
      }
      // The only table is what somebody wants to see.
      if (found.length === 1 && table.value === '') {
        table.value = found[0]?.name ?? '';
        await chooseTable();
      }
    });
  const chooseTable = async () => {
    const chosen = [database.value, table.value];
    if (chosen.includes('')) return;
    say(told, '');
    if (editor.language === 'promql') return chooseExpression();
    const named = await metricSource(database.value, table.value);
    // A metric of several columns, such as the buckets of a histogram, is drawn by PromQL alone.
    if (named === undefined && (await metricNames(database.value)).includes(table.value)) {
      takeLanguage('promql');
      return chooseExpression();
    }
    const found = named && (await described(database.value, named));
    if (chosen[0] !== database.value || chosen[1] !== table.value || stopped) return;
    if (found === undefined) {
      put(result);
      forget();
      below.hidden = true;
      return say(told, `There is no table or metric ${table.value} in ${database.value}, or you may not read it.`);
    }
    const [columns, known, begun] = found;
    young = begun;
    source = named?.table ?? '';
    another.hidden = false;
    if (state.column === '') state.column = named?.column ?? '';
    const drawable = columns.filter(({ type, isTag }) => !isTag && numberTypes.test(type));
    put(
      column,
      drawable.map(({ name }) => h('option', { value: name }, name)),
    );
    if (drawable.some(({ name }) => name === state.column)) column.value = state.column;
    tags = known;
    rows = [];
    put(filters);
    if (state.filters === undefined) await chooseFirst(named?.metric);
    for (const kept of state.filters ?? []) addFilter(kept);
    metric = metricOf();
    showTags();
    if (drawable.length === 0) {
      below.hidden = true;
      put(result);
      return say(told, 'This table has no column of numbers to draw.');
    }
    await draw();
  };
  /**
   * What a table is first seen by: a metric by its name, or the one with most series that is no bucket of a histogram.
   * @param {string} [named]
   */
  const chooseFirst = async (named) => {
    const name = tags.find(isName);
    const values = name === undefined || named !== undefined ? [] : await tagValues(database.value, source, name);
    const first = named ?? (values.find(({ value }) => !value.endsWith('_bucket')) ?? values[0])?.value ?? '';
    state.filters = name === undefined || first === '' ? [] : [{ tag: idOf(name), comparison: '=', value: first }];
    chooseLines(first);
  };
  /**
   * A line for each value of the narrowest tags, and the rate of a counter, which says little by itself.
   * @param {string} chosen the metric, where the table holds many
   */
  const chooseLines = (chosen) => {
    metric = chosen;
    // Scraped counters have a column of that name, others a name that ends so.
    const isCounter = column.value === 'counter' || counterName.test(chosen === '' ? table.value : chosen);
    if (isCounter) of.value = 'RATE';
    else if (of.value === 'RATE') of.value = 'AVG';
    const name = tags.find(isName);
    const own = narrowed(tags, name === undefined ? [] : [{ tag: name, comparison: '=', value: chosen }]);
    let lines = 1;
    state.groups = [];
    for (const tag of own.filter((known) => !isName(known) && known.distinct > 1).reverse()) {
      lines *= tag.distinct;
      if (lines > firstLines) break;
      state.groups.push(idOf(tag));
    }
  };
  /** Forgets all of a metric, before another is chosen. */
  const forget = () => {
    Object.assign(state, { groups: [], filters: undefined, column: '' });
    source = '';
    put(column);
    choices.hidden = true;
    another.hidden = true;
  };
  /** An expression of a metric: the rate of a counter, else its values. */
  const chooseExpression = async () => {
    const name = promqlName(table.value);
    editor.text = counterName.test(table.value) ? `rate(${name}[5m])` : name;
    await draw();
  };
  const showOthers = () => {
    put(
      drawnBefore,
      others.map((choice) => {
        const name = choiceName(choice, others);
        const remove = () => {
          others = others.filter((other) => other !== choice);
          showOthers();
          soon();
        };
        const button = h('button', { type: 'button', class: 'small', onclick: remove }, 'Remove');
        button.setAttribute('aria-label', `Remove ${name}`);
        return h('li', { class: 'line' }, h('code', {}, name), button);
      }),
    );
    drawnBefore.hidden = others.length === 0 || editor.language === 'promql';
  };
  another.addEventListener('click', () => {
    others = [...others, ...chosenMetric()];
    showOthers();
    table.value = '';
    forget();
    say(told, 'Choose a metric to draw with these.');
    table.focus();
    offer();
  });
  const editor = queryEditor({
    id: 'expression',
    label: 'PromQL expression',
    text: state.expression,
    language: state.language,
    database: () => database.value,
    run: () => guarded(draw),
  });
  /** @param {import('./editor.js').Language} language */
  const takeLanguage = (language) => {
    languages.value = language;
    editor.language = language;
    showLanguage();
    offer();
  };
  const languages = languageSwitch(state.language, (language) => {
    takeLanguage(language);
    const isNew = language === 'promql' ? editor.text === '' : source === '';
    guarded(isNew ? chooseTable : draw);
  });
  const showLanguage = () => {
    const isPromql = editor.language === 'promql';
    for (const part of [columnField, functionField]) part.hidden = isPromql;
    for (const part of [choices, another]) part.hidden = isPromql || source === '';
    for (const part of [expressionField, draws]) part.hidden = !isPromql;
    showOthers();
  };

  database.addEventListener('change', () => {
    table.value = '';
    forget();
    offer();
  });
  table.addEventListener('input', (event) => {
    clearTimeout(timer);
    // A name that is taken from the list comes without letters typed.
    if (event instanceof InputEvent && event.inputType !== 'insertReplacementText') timer = setTimeout(offer, pauseMs);
  });
  table.addEventListener('change', () => {
    forget();
    guarded(chooseTable);
  });
  column.addEventListener('change', soon);
  of.addEventListener('change', soon);
  of.value = state.of;
  if (of.selectedIndex < 0) of.value = 'AVG';
  take.addEventListener('click', () => {
    location.hash = queryLink({ statement, range: range.value });
  });
  addPanels.addEventListener('click', async () => {
    const isPromql = editor.language === 'promql';
    const texts = isPromql ? [editor.text.trim()] : splitStatements(statement).map(({ text }) => text);
    const { openAddToDashboard } = await import('./add-to-dashboard.js');
    const language = isPromql ? /** @type {const} */ ('promql') : /** @type {const} */ ('sql');
    const queries = texts.flatMap((query) =>
      query === '' ? [] : [{ language, query, database: isPromql ? database.value : '' }],
    );
    if (queries.length === 0) return say(told, 'Choose a metric first, or write an expression.');
    openAddToDashboard(element, queries, isPromql ? '' : table.value);
  });
  share.addEventListener('click', async () => {
    const isCopied = await copyText(range.fill(statement));
    if (!isCopied) getSelection()?.selectAllChildren(sql);
    say(told, isCopied ? 'The SQL query is copied, with its time range.' : 'The SQL query is selected.');
  });
  guarded(async () => {
    const all = await databases();
    const own = all.filter((name) => !name.endsWith('_schema'));
    put(
      database,
      own.map((name) => h('option', { value: name }, name)),
    );
    database.disabled = own.length === 0;
    if (own.length === 0) return put(told, 'There is no database yet. ', h('a', { href: '#start' }, 'First steps'));
    if (own.includes(state.database)) database.value = state.database;
    table.value = state.table;
    await Promise.all([offer(), editor.language === 'promql' && editor.text !== '' ? draw() : chooseTable()]);
  });

  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (editor.language === 'promql') guarded(draw);
  };
  // The editor sets how it is displayed itself, so that only what is around it can be hidden.
  const expressionField = h('div', { class: 'expression' }, editor.element);
  const columnField = h('div', { class: 'field' }, h('label', { for: 'column' }, 'Column'), column);
  const functionField = h('div', { class: 'field' }, h('label', { for: 'function' }, 'Function'), of);
  showLanguage();

  const element = h(
    'section',
    { class: 'explore' },
    h(
      'div',
      { class: 'head' },
      h('h1', {}, 'Explore'),
      h('a', { href: '#series' }, 'Cardinality: tables and tags with the most series'),
    ),
    h(
      'form',
      { class: 'card panel', onsubmit: submit },
      languages.element,
      h(
        'div',
        { class: 'query-foot' },
        h('div', { class: 'field' }, h('label', { for: 'explore-database' }, 'Database'), database),
        h('div', { class: 'field wide' }, h('label', { for: 'metric' }, 'Metric'), table, names),
        columnField,
        functionField,
        range.elements,
      ),
      expressionField,
      drawnBefore,
      choices,
      h('p', { class: 'actions' }, draws, another, addPanels),
      told,
    ),
    result,
    below,
  );
  return {
    element,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      running?.abort();
      range.stop();
      editor.stop();
      card?.stop();
    },
  };
}

/**
 * A tag without what is known of its values.
 * @param {import('./explore-sql.js').Tag} tag
 * @returns {import('./explore-sql.js').Tag}
 */
function bareTag({ name, key, type }) {
  return key === undefined ? { name, type } : { name, key, type };
}

/**
 * The columns and tags of a table, of one metric where it holds many, and what is known of a young one.
 * @param {string} database
 * @param {{ table: string; metric?: string }} source
 */
function described(database, { table, metric }) {
  return Promise.all([fields(database, table), knownTags(database, table, metric), youth({ database, table })]).catch(
    (error) => {
      if (error instanceof Trouble && error.reason === 'refused') return undefined;
      throw error;
    },
  );
}
