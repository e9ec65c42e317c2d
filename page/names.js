/**
 * A name as statements write it, whatever is in it.
 * @param {string} name
 */
export function quoted(name) {
  return `\`${name.replaceAll('`', '``')}\``;
}

/**
 * A text as statements write it.
 * @param {string} text
 */
export function literal(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/**
 * A name as a person writes it: without quotes where it needs none.
 * @param {string} name
 */
export function asWritten(name) {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : quoted(name);
}

/**
 * A pattern of LIKE for texts that hold this one.
 * @param {string} text
 */
export function holding(text) {
  return literal(`%${text.replace(/[\\_%]/g, '\\$&')}%`);
}
