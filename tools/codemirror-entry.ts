// What the page and page/codemirror-promql.js use of CodeMirror; `npm run page-bundles` writes page/codemirror.js from it.
export { autocompletion, closeBrackets, closeCompletion, snippet } from '@codemirror/autocomplete';
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
export { SQLDialect, sql } from '@codemirror/lang-sql';
export { bracketMatching, HighlightStyle, LRLanguage, syntaxHighlighting, syntaxTree } from '@codemirror/language';
export { linter, setDiagnostics } from '@codemirror/lint';
export { Compartment, EditorState } from '@codemirror/state';
export { EditorView, keymap, placeholder } from '@codemirror/view';
export { styleTags, tags } from '@lezer/highlight';
export { LRParser } from '@lezer/lr';
