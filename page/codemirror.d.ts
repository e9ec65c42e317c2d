export * from '../tools/codemirror-entry.js';
