import { h, say } from './dom.js';
import { count } from './format.js';
import { graphTypes, plot } from './plot.js';
import { maxLines } from './series.js';

let serial = 0;

/**
 * What somebody has chosen for rows of a kind, by their columns: a refresh shows the same.
 * @type {Map<string, Choice>}
 */
const choices = new Map();

/** Kinds of rows whose choices are kept. */
const keptChoices = 50;

/** @typedef {Pick<import('./plot.js').PlotOptions, 'type' | 'log' | 'axes' | 'holds' | 'rank'>} Choice */

/** Orders of lines, by the name that is shown. */
const ranks = {
  name: 'name',
  maximum: 'largest',
  'last value': 'latest',
  'range (max − min)': 'range',
};

/**
 * The plot of rows, with a choice of types of graphs, and of lines where there are more of them than one plot shows. Undefined
 * where there is nothing to draw.
 * @param {import('./sql.js').Rows} rows
 * @param {import('./plot.js').PlotOptions} options
 * @returns {{ element: HTMLElement; stop: () => void } | undefined}
 */
export function picture({ columns, data }, options) {
  const key = JSON.stringify(columns);
  /** @type {Choice} */
  let choice = choices.get(key) ?? {};
  const place = h('div', {});
  const first = plot(place, columns, data, { ...options, ...choice });
  if (first === undefined) return undefined;
  const { lines } = first;
  const note = h('p', { class: 'muted', role: 'status' });
  const id = `lines-${serial++}`;
  let drawn = first;

  const change = (/** @type {Choice} */ changed) => {
    choice = { ...choice, ...changed };
    choices.delete(key);
    choices.set(key, { ...choice, holds: '' });
    for (const old of [...choices.keys()].slice(0, -keptChoices)) choices.delete(old);
    drawn.stop();
    drawn = plot(place, columns, data, { ...options, ...choice }) ?? drawn;
    tell();
  };
  /**
   * A field that chooses one of some values.
   * @template {string} T
   * @param {string} name
   * @param {string} label
   * @param {Readonly<Record<string, T>>} values by what is shown
   * @param {T} chosen
   * @param {(value: T) => Choice} changed
   */
  const field = (name, label, values, chosen, changed) => {
    const select = h(
      'select',
      { id: `${id}-${name}` },
      Object.entries(values).map(([words, value]) => h('option', { value, selected: value === chosen }, words)),
    );
    select.addEventListener('change', () => change(changed(/** @type {T} */ (select.value))));
    return h('div', { class: 'field' }, h('label', { for: select.id }, label), select);
  };
  const types = Object.fromEntries(
    Object.entries(graphTypes).filter(([, type]) => type !== 'heat' || first.isHistogram),
  );
  const isMany = new Set(lines.flatMap(({ column, isTruth }) => (isTruth ? [] : [column]))).size > 1;
  const graph = h(
    'div',
    { class: 'choice' },
    field('type', 'Graph', types, choice.type ?? 'lines', (type) => ({
      type: /** @type {import('./plot.js').GraphType} */ (type),
    })),
    field('scale', 'Scale', { Linear: 'linear', Logarithmic: 'log' }, choice.log ? 'log' : 'linear', (scale) => ({
      log: scale === 'log',
    })),
    isMany
      ? field(
          'axes',
          'Axes of values',
          { Automatic: 'auto', One: 'one', Two: 'two' },
          choice.axes ?? 'auto',
          (axes) => ({ axes: /** @type {'auto' | 'one' | 'two'} */ (axes) }),
        )
      : null,
  );
  const holds = h('input', {
    id: `${id}-holds`,
    type: 'search',
    placeholder: 'any',
    autocapitalize: 'none',
    spellcheck: 'false',
  });
  holds.addEventListener('input', () => change({ holds: holds.value.trim() }));
  const which = h(
    'div',
    { class: 'choice', hidden: lines.length <= maxLines },
    h('div', { class: 'field' }, h('label', { for: `${id}-holds` }, 'Search lines'), holds),
    field('rank', 'Sort by', ranks, choice.rank ?? 'name', (rank) => ({
      rank: /** @type {import('./series.js').Rank} */ (rank),
    })),
  );
  const tell = () => {
    const { shown, matching, notes } = drawn;
    const few = matching < lines.length ? `, ${count(matching)} match` : '';
    const parts = [
      ...(shown < lines.length ? [`${shown} of ${count(lines.length)} lines shown${few}.`] : []),
      ...notes,
      ...(choice.type === 'values'
        ? []
        : ['Drag to zoom in, double click to zoom out, click a name to hide its line.']),
    ];
    say(note, parts.join(' '));
  };
  tell();
  return { element: h('div', { class: 'picture' }, graph, which, place, note), stop: () => drawn.stop() };
}
