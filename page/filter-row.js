import { h, put } from './dom.js';
import { comparisons, labelOf } from './explore-sql.js';
import { count } from './format.js';

/** @typedef {import('./tags.js').KnownTag} KnownTag */

/**
 * What tells a tag, or a key of a JSON tag, from others.
 * @param {KnownTag} tag
 */
export function idOf({ name, key }) {
  return key === undefined ? name : `${name}->${key}`;
}

let serial = 0;

/**
 * One filter: a tag, how it compares, and a value, of which the most frequent are offered.
 * @param {{ tags: readonly KnownTag[]; first: { tag: string; comparison: string; value: string }; changed: () => void; gone: () => void; values: (tag: KnownTag) => Promise<import('./tags.js').TagValue[]> }} options
 */
export function filterRow({ tags, first, changed, gone, values }) {
  const id = `filter-${serial++}`;
  const tag = h(
    'select',
    { 'aria-label': 'Tag' },
    tags.map((known) => h('option', { value: idOf(known) }, labelOf(known))),
  );
  const comparison = h(
    'select',
    { 'aria-label': 'Comparison' },
    Object.entries(comparisons).map(([sign, words]) => h('option', { value: sign }, words)),
  );
  const list = h('datalist', { id });
  const value = h('input', {
    list: id,
    'aria-label': 'Value',
    autocapitalize: 'none',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const remove = h('button', { type: 'button', class: 'small', onclick: gone }, 'Remove');
  const known = () => tags.find((one) => idOf(one) === tag.value);
  const offer = async () => {
    const chosen = known();
    if (chosen === undefined) return;
    const found = await values(chosen);
    if (chosen === known()) {
      put(
        list,
        found.map(({ value: text, series }) => h('option', { value: text }, `${count(series)} series`)),
      );
    }
  };
  if (tags.some((one) => idOf(one) === first.tag)) tag.value = first.tag;
  comparison.value = first.comparison;
  value.value = first.value;
  tag.addEventListener('change', () => {
    value.value = '';
    offer();
    changed();
  });
  comparison.addEventListener('change', changed);
  value.addEventListener('input', changed);
  offer();
  return {
    element: h('div', { class: 'filter-row' }, tag, comparison, value, list, remove),
    focus: () => tag.focus(),
    get state() {
      return { tag: tag.value, comparison: comparison.value, value: value.value };
    },
    /** What the row says, where it is complete. @returns {import('./explore-sql.js').Filter[] | undefined} */
    get filter() {
      const chosen = known();
      if (chosen === undefined || value.value === '') return undefined;
      return [{ tag: chosen, comparison: /** @type {'='} */ (comparison.value), value: value.value }];
    },
  };
}
