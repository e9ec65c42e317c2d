import { literal } from './names.js';
import { Trouble } from './session.js';

/** @typedef {ReadonlyMap<string, string>} Values of variables by their names */

/** What stays as it is when a name is put in: texts, names, comments; then the two forms of a variable. */
const sqlTokens =
  /('(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"|`(?:[^`]|``)*`)|--[^\n]*|\/\*[\s\S]*?\*\/|\$(?:\{(\w+)\}|(\w+))/g;
const promqlTokens = /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`)|#[^\n]*|\$(?:\{(\w+)\}|(\w+))/g;
const inText = /\$(?:\{(\w+)\}|(\w+))/g;

/** A number or a duration: what stands in a query without quotes and is nothing else. */
const bare = /^(?:-?\d{1,15}(?:\.\d{1,15})?|(?:\d{1,9}(?:ms|[abusmhdwny]))+)$/;

/**
 * A query with the values of variables. `$name` is the value as a text in quotes, and within quotes a part of that text;
 * `${name}` outside of quotes is the value as it is, which must be a number or a duration. No value ends a text, or
 * becomes a word of the language. A `$name` that is no variable stays. Throws a Trouble that names the variable.
 * @param {string} query
 * @param {import('./editor.js').Language} language
 * @param {Values} values
 */
export function withVariables(query, language, values) {
  const tokens = language === 'promql' ? promqlTokens : sqlTokens;
  return query.replace(tokens, (/** @type {string} */ token, quoted, braced, plain) => {
    if (quoted !== undefined) return insideQuotes(token, language, values);
    const value = values.get(braced ?? plain ?? '');
    if (value === undefined) return token;
    if (braced === undefined) return language === 'promql' ? JSON.stringify(value) : literal(value);
    // A sign could begin a comment with one before it.
    if (bare.test(value)) return value.startsWith('-') ? ` ${value}` : value;
    throw new Trouble('refused', `The variable ${braced} must be a number or a duration, not "${value}".`);
  });
}

/**
 * @param {string} text with its quotes
 * @param {import('./editor.js').Language} language
 * @param {Values} values
 */
function insideQuotes(text, language, values) {
  const mark = text[0] ?? '';
  return text.replace(inText, (token, braced, plain) => {
    const value = values.get(braced ?? plain);
    if (value === undefined) return token;
    if (mark === '`') {
      if (language === 'sql') return value.replaceAll('`', '``');
      if (!value.includes('`')) return value;
      throw new Trouble(
        'refused',
        `The variable ${braced ?? plain} has a back-quote, which cannot stand in this text.`,
      );
    }
    if (language === 'promql') {
      const escaped = JSON.stringify(value).slice(1, -1);
      return mark === '"' ? escaped : escaped.replaceAll('\\"', '"').replaceAll("'", "\\'");
    }
    return value.replaceAll('\\', '\\\\').replaceAll(mark, mark + mark);
  });
}

/**
 * What is wrong with the name of a variable; undefined if it is right.
 * @param {string} name
 * @param {readonly string[]} others
 */
export function wrongName(name, others) {
  if (!/^[A-Za-z_]\w{0,63}$/.test(name))
    return 'A name of a variable has letters, digits and _, and begins with no digit.';
  if (name === 'from' || name === 'to') return `$${name} is an end of the time range.`;
  return others.includes(name) ? `There are two variables ${name}.` : undefined;
}
