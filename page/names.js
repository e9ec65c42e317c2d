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

/**
 * Names made distinct by `_2`, `_3` and so on in their order, as `row_with_meta=true` names columns.
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function uniqueNames(names) {
  const taken = new Set(names);
  const seen = new Set();
  return names.map((name) => {
    let unique = name;
    for (let copy = 2; seen.has(unique) || (unique !== name && taken.has(unique)); copy++) unique = `${name}_${copy}`;
    seen.add(unique);
    return unique;
  });
}
