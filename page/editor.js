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
import { fields, tables } from './schema.js';
import { request } from './session.js';

/** Tables that are offered while somebody types. */
const offeredTables = 50;

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
    const completion = autocompletion({ override: [(context) => complete(context, database())], icons: false });
    return [sql({ dialect, upperCaseKeywords: true }), completion, example];
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

/**
 * Names of tables, of the columns of the tables that the statement names, of functions and words. A word that is written in full is
 * offered only when somebody asks, so that Enter behind it is a new line.
 * @param {import('@codemirror/autocomplete').CompletionContext} context
 * @param {string} current
 */
async function complete(context, current) {
  const word = context.matchBefore(/[\w$`]+/);
  if (word === null && !context.explicit) return null;
  const text = context.state.doc.toString();
  const [names, columns] = await Promise.all([offeredNames(word?.text ?? '', current), offeredColumns(text, current)]);
  /** @type {readonly import('@codemirror/autocomplete').Completion[]} */
  const options = [...columns, ...names, ...words];
  /** @param {string} typed */
  const isComplete = (typed) => options.some(({ label, apply = label }) => apply === typed);
  if (!context.explicit && isComplete(word?.text ?? '')) return null;
  /** @param {string} typed */
  const validFor = (typed) => /^[\w$`]*$/.test(typed) && !isComplete(typed);
  return { from: word?.from ?? context.pos, options, validFor };
}

/**
 * @param {string} word
 * @param {string} database
 */
async function offeredNames(word, database) {
  if (database === '') return [];
  const found = await tables(database, { holds: word.replaceAll('`', ''), limit: offeredTables }).catch(() => []);
  return found.map(({ name, isSuper }) => ({
    label: name,
    apply: asWritten(name),
    type: 'class',
    detail: isSuper ? 'super table' : 'table',
  }));
}

/**
 * @param {string} text
 * @param {string} database
 */
async function offeredColumns(text, database) {
  const named = [...text.matchAll(/\b(?:FROM|JOIN)\s+(?:`?([^\s`.,()]+)`?\s*\.\s*)?`?([^\s`.,();]+)`?/gi)].slice(0, 4);
  const lists = await Promise.all(
    named.map(([, owner = database, table = '']) => (owner === '' ? [] : fields(owner, table).catch(() => []))),
  );
  return lists.flat().map(({ name, type, isTag }) => ({
    label: name,
    apply: asWritten(name),
    type: 'property',
    detail: isTag ? `tag, ${type}` : type,
    boost: 2,
  }));
}
