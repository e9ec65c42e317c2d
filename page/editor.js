import {
  autocompletion,
  bracketMatching,
  Compartment,
  closeBrackets,
  closeCompletion,
  defaultKeymap,
  EditorState,
  EditorView,
  HighlightStyle,
  history,
  historyKeymap,
  keymap,
  placeholder,
  SQLDialect,
  setDiagnostics,
  sql,
  syntaxHighlighting,
  tags,
} from './codemirror.js';
import { functionNames, keywords, typeNames } from './dialect.js';
import { asWritten } from './names.js';
import { prometheusPath } from './promql.js';
import { fields, listedColumns, listedTags } from './schema.js';
import { request } from './session.js';
import { typedOver } from './typed-over.js';

const dialect = SQLDialect.define({
  keywords: keywords.toLowerCase(),
  types: typeNames.toLowerCase(),
  builtin: functionNames.toLowerCase(),
  identifierQuotes: '`',
  backslashEscapes: true,
  doubleQuotedStrings: true,
  // Places that the page fills in: $from and $to.
  specialVar: '$',
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], class: 'cm-word' },
  { tag: [tags.standard(tags.name), tags.function(tags.variableName)], class: 'cm-function' },
  { tag: [tags.typeName, tags.labelName], class: 'cm-type' },
  { tag: [tags.string, tags.special(tags.string)], class: 'cm-text' },
  { tag: [tags.number, tags.bool, tags.null, tags.special(tags.name)], class: 'cm-number' },
  { tag: tags.comment, class: 'cm-comment' },
]);

/** @typedef {'sql' | 'promql'} Language */

/** What an empty editor shows, by language. */
const hints = {
  sql: 'SELECT _wstart, city, AVG(temp) FROM weather WHERE _rowts BETWEEN $from AND $to PARTITION BY city INTERVAL(10m)',
  promql: 'sum by (city) (rate(requests_total[5m]))',
};

/**
 * What the editor knows of a language: words, completion, an example. The part for PromQL is loaded the first time.
 * @param {Language} language
 * @param {() => string} database
 */
async function extensionOf(language, database) {
  const example = placeholder(hints[language]);
  if (language === 'sql') {
    const sources = [completeWords, completeNames, completeTags];
    const override = sources.map((source) => (/** @type {CompletionContext} */ context) => source(context, database()));
    // The names of the database are there before the first letter.
    const ahead = EditorView.domEventHandlers({
      focus: () => {
        namesOf(database());
      },
    });
    return [sql({ dialect, upperCaseKeywords: true }), autocompletion({ override, icons: false }), ahead, example];
  }
  const { newCompleteStrategy, PromQLExtension } = await import('./codemirror-promql.js');
  /** @type {string | undefined} */
  let current;
  let strategy = newCompleteStrategy();
  // Metrics and labels are cached per database.
  const strategyOf = (/** @type {string} */ name) => {
    if (name === current) return strategy;
    strategy.destroy?.();
    current = name;
    const fetchFn = (/** @type {RequestInfo} */ path, /** @type {RequestInit} */ init = {}) =>
      request(String(path), init);
    strategy = newCompleteStrategy({ remote: { url: prometheusPath(name), fetchFn } });
    return strategy;
  };
  const completeStrategy = {
    promQL: (/** @type {import('@codemirror/autocomplete').CompletionContext} */ context) =>
      strategyOf(database()).promQL(context),
  };
  return [
    new PromQLExtension().setComplete({ completeStrategy }).activateLinter(false).asExtension(),
    autocompletion({ icons: false }),
    example,
  ];
}

/**
 * An editor for statements of SQL or expressions of PromQL that completes names, and that can mark mistakes.
 * @param {{ id?: string; text: string; language?: Language; label?: string; describedBy?: string; database: () => string; run: () => void; typed?: () => void }} options
 */
export function queryEditor({
  id = 'statement',
  text,
  language = 'sql',
  label = 'Statement',
  describedBy,
  database,
  run,
  typed = () => {},
}) {
  const runs = () => {
    closeCompletion(view);
    run();
    return true;
  };
  const languagePart = new Compartment();
  let chosen = language;
  const load = async () => {
    const wanted = chosen;
    const extension = await extensionOf(wanted, database);
    if (wanted === chosen) view.dispatch({ effects: languagePart.reconfigure(extension) });
  };
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        bracketMatching(),
        typedOver,
        closeBrackets(),
        languagePart.of([]),
        syntaxHighlighting(colours),
        keymap.of([
          { key: 'Mod-Enter', run: runs },
          ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
          ...historyKeymap,
        ]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          id,
          'aria-label': label,
          ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
          autocapitalize: 'none',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) typed();
        }),
      ],
    }),
  });
  load();
  return {
    element: view.dom,
    get language() {
      return chosen;
    },
    /** Takes another language; the text stays. @param {Language} wanted */
    set language(wanted) {
      if (wanted === chosen) return;
      chosen = wanted;
      load();
    },
    get text() {
      return view.state.doc.toString();
    },
    set text(wanted) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: wanted } });
    },
    /** The part that is selected, or else undefined. */
    get selected() {
      const { from, to } = view.state.selection.main;
      return from === to ? undefined : view.state.sliceDoc(from, to);
    },
    /** Writes a text where the cursor is. @param {string} added */
    insert: (added) => {
      view.dispatch(view.state.replaceSelection(added));
      view.focus();
    },
    /**
     * Marks a mistake from a place on, and takes the mark away where there is none.
     * @param {number | undefined} start
     * @param {string} [message]
     */
    mark: (start, message = '') => {
      const { doc } = view.state;
      const from = Math.min(start ?? 0, doc.length);
      const word = /^[\w`]+|^./.exec(doc.sliceString(from, from + 200))?.[0] ?? '';
      const diagnostic = { from, to: from + word.length, severity: /** @type {const} */ ('error'), message };
      view.dispatch(setDiagnostics(view.state, start === undefined ? [] : [diagnostic]));
    },
    stop: () => view.destroy(),
  };
}

const words = [
  ...keywords.split(' ').map((label) => ({ label, type: 'keyword' })),
  ...functionNames.split(' ').map((label) => ({ label: label.toLowerCase(), apply: `${label}(`, type: 'function' })),
  ...['_rowts', '_wstart', '_wend', '_wduration', 'tbname', '$from', '$to'].map((label) => ({
    label,
    type: 'variable',
  })),
];

/** @typedef {import('@codemirror/autocomplete').Completion} Completion */
/** @typedef {import('@codemirror/autocomplete').CompletionContext} CompletionContext */

/**
 * Completions of the word before the cursor. A word that is written in full is offered only when a person asks for it, so that
 * Enter behind it is a new line.
 * @param {CompletionContext} context
 * @param {readonly Completion[]} options
 * @param {ReadonlySet<string>} [names] further words that may be written in full
 */
function completion(context, options, names = new Set()) {
  const word = context.matchBefore(/[\w$`]+/);
  const isComplete = (/** @type {string} */ typed) =>
    names.has(typed) || options.some(({ label, apply = label }) => apply === typed);
  if (!context.explicit && isComplete(word?.text ?? '')) return null;
  const validFor = (/** @type {string} */ typed) => /^[\w$`]*$/.test(typed) && !isComplete(typed);
  return { from: word?.from ?? context.pos, options, validFor };
}

/** @param {CompletionContext} context */
function isAsked(context) {
  return context.explicit || context.matchBefore(/[\w$`]+/) !== null;
}

/**
 * Words and functions of the dialect, which need no request.
 * @param {CompletionContext} context
 * @param {string} database
 */
function completeWords(context, database) {
  return isAsked(context) ? completion(context, words, loadedNames.get(database)) : null;
}

/**
 * Names of tables and columns: of the tables that the statement names, or of all as long as it names none.
 * @param {CompletionContext} context
 * @param {string} database
 */
async function completeNames(context, database) {
  if (!isAsked(context)) return null;
  const named = namedTables(context.state.doc.toString(), database);
  const [{ tables, columns }, lists] = await Promise.all([
    namesOf(database),
    Promise.all(named.map(([owner, table]) => (owner === '' ? [] : fields(owner, table).catch(() => [])))),
  ]);
  const own = lists.flat().map(({ name, type, isTag }) => columnOption(name, isTag ? `tag, ${type}` : type));
  return completion(context, [...(named.length === 0 ? columns : own), ...tables]);
}

/**
 * Tags of all tables, as long as the statement names none. They are listed apart, because a database of very many series
 * takes longer for them.
 * @param {CompletionContext} context
 * @param {string} database
 */
async function completeTags(context, database) {
  if (!isAsked(context) || database === '' || namedTables(context.state.doc.toString(), database).length > 0)
    return null;
  return completion(context, columnOptions(await listedTags(database).catch(() => [])));
}

/** Names of a database as they are written, once they are listed. @type {Map<string, ReadonlySet<string>>} */
const loadedNames = new Map();

/**
 * The tables and columns of a database, from one listing.
 * @param {string} database
 * @returns {Promise<{ tables: Completion[]; columns: Completion[] }>}
 */
async function namesOf(database) {
  const listed = database === '' ? [] : await listedColumns(database).catch(() => []);
  const kinds = new Map(listed.map(({ table, isSuper }) => [table, isSuper]));
  const tables = [...kinds].map(([name, isSuper]) => ({
    label: name,
    apply: asWritten(name),
    type: 'class',
    detail: isSuper ? 'super table' : 'table',
  }));
  const columns = columnOptions(listed);
  loadedNames.set(database, new Set([...tables, ...columns].map(({ apply }) => apply)));
  return { tables, columns };
}

/**
 * Columns or tags by name, one for all tables that have it.
 * @param {readonly import('./schema.js').ListedField[]} listed
 */
function columnOptions(listed) {
  /** @type {Map<string, { first: import('./schema.js').ListedField; tables: number }>} */
  const byName = new Map();
  for (const field of listed) {
    const known = byName.get(field.name);
    if (known === undefined) byName.set(field.name, { first: field, tables: 1 });
    else known.tables++;
  }
  return [...byName].map(([name, { first, tables }]) => {
    const where = tables === 1 ? first.table : `${tables} tables`;
    return columnOption(name, `${first.isTag ? 'tag' : first.type} of ${where}`);
  });
}

/**
 * @param {string} name
 * @param {string} detail
 */
function columnOption(name, detail) {
  return { label: name, apply: asWritten(name), type: 'property', detail, boost: 2 };
}

/**
 * The tables behind FROM and JOIN, with their databases.
 * @param {string} text
 * @param {string} database of tables that are named without one
 * @returns {[database: string, table: string][]}
 */
function namedTables(text, database) {
  const named = text.matchAll(/\b(?:FROM|JOIN)\s+(?:`?([^\s`.,()]+)`?\s*\.\s*)?`?([^\s`.,();]+)`?/gi);
  return [...named].slice(0, 4).map(([, owner = database, table = '']) => [owner, table]);
}
