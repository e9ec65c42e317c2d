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
