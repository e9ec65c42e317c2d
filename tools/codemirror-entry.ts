// What the page uses of CodeMirror; `npm run page-bundles` writes page/codemirror.js from it.
export { autocompletion, closeBrackets, closeCompletion } from '@codemirror/autocomplete';
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
export { SQLDialect, sql } from '@codemirror/lang-sql';
export { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
export { setDiagnostics } from '@codemirror/lint';
export { EditorState } from '@codemirror/state';
export { EditorView, keymap, placeholder } from '@codemirror/view';
export { tags } from '@lezer/highlight';
