import { session } from './session.js';

/** Statements that are remembered, and the longest one. */
const [maxEntries, maxCharacters] = [50, 20_000];

/** @typedef {{ statement: string; language?: import('./editor.js').Language; database: string; at: number }} Past `language` is SQL where it is left out */

function key() {
  return `sluice.history.${session()?.user ?? ''}`;
}

/**
 * The statements that the user ran in this browser, newest first.
 * @returns {Past[]}
 */
export function pastStatements() {
  try {
    const kept = JSON.parse(localStorage.getItem(key()) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/**
 * Remembers a statement. One that may hold a password is not kept.
 * @param {string} statement
 * @param {string} database
 * @param {import('./editor.js').Language} language
 */
export function remember(statement, database, language) {
  if (/\b(?:PASS|PASSWORD|TOKEN)\b/i.test(statement) || statement.length > maxCharacters) return;
  const others = pastStatements().filter((past) => past.statement !== statement || past.database !== database);
  const kept = [{ statement, language, database, at: Date.now() }, ...others].slice(0, maxEntries);
  try {
    localStorage.setItem(key(), JSON.stringify(kept));
  } catch {
    // The browser keeps nothing: the history is a convenience.
  }
}

export function forgetStatements() {
  localStorage.removeItem(key());
}
