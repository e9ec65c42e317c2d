/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. Texts become text nodes, never markup. Of `props`, functions become listeners (`onclick`), true and
 * false set or leave out an attribute, and everything else is an attribute's text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  put(made, ...children);
  return made;
}

/**
 * Puts children into an element in place of those that are there.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function put(parent, ...children) {
  const nodes = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  parent.replaceChildren(...nodes.map((child) => (child instanceof Node ? child : String(child))));
}

/**
 * Sets an element's text, where it is another one: what is selected or read aloud is left alone otherwise.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The rows of a list, by key: rows that stay keep their elements, and with them focus and what is unfolded.
 * @template V
 * @template {{ element: HTMLElement; show: (value: V) => void }} R
 * @param {Element} parent
 * @param {readonly V[]} values
 * @param {(value: V) => string} keyOf
 * @param {(value: V) => R} make
 * @param {Map<string, R>} rows kept between calls
 */
export function putRows(parent, values, keyOf, make, rows) {
  const wanted = new Set(values.map(keyOf));
  for (const [key, row] of rows) {
    if (wanted.has(key)) continue;
    row.element.remove();
    rows.delete(key);
  }
  let before = parent.firstElementChild;
  for (const value of values) {
    const key = keyOf(value);
    const row = rows.get(key) ?? make(value);
    rows.set(key, row);
    row.show(value);
    if (row.element === before) before = before.nextElementSibling;
    else parent.insertBefore(row.element, before);
  }
}

/**
 * Tells something in the corner of the page for some seconds.
 * @param {string} text
 */
export function toast(text) {
  const place = document.querySelector('#toasts');
  const made = h('p', { class: 'toast' }, text);
  place?.append(made);
  setTimeout(() => made.remove(), 6000);
}

/**
 * Metrics by their names, those that are bad marked.
 * @param {HTMLElement} place
 * @param {readonly (readonly [what: string, value: string, isBad?: boolean])[]} totals
 */
export function putTotals(place, totals) {
  put(
    place,
    totals.map(([what, value, isBad = false]) =>
      h('div', {}, h('dt', {}, what), h('dd', { class: isBad ? 'bad' : '' }, value)),
    ),
  );
}
