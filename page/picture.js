import { h, say } from './dom.js';
import { count } from './format.js';
import { plot } from './plot.js';
import { maxLines } from './series.js';

let serial = 0;

/**
 * The plot of rows, with a choice of lines where there are more of them than one plot shows. Undefined where there is
 * nothing to draw.
 * @param {import('./sql.js').Rows} rows
 * @param {import('./plot.js').PlotOptions} options
 * @returns {{ element: HTMLElement; stop: () => void } | undefined}
 */
export function picture({ columns, data }, options) {
  const place = h('div', {});
  const first = plot(place, columns, data, options);
  if (first === undefined) return undefined;
  const { lines } = first;
  const note = h('p', { class: 'muted', role: 'status' });
  const id = `lines-${serial++}`;
  const holds = h('input', {
    id: `${id}-holds`,
    type: 'search',
    placeholder: 'any',
    autocapitalize: 'none',
    spellcheck: 'false',
  });
  const rank = h(
    'select',
    { id: `${id}-rank` },
    h('option', { value: 'name' }, 'by name'),
    h('option', { value: 'largest' }, 'largest value'),
    h('option', { value: 'latest' }, 'largest last value'),
    h('option', { value: 'range' }, 'widest range'),
  );
  const choice = h(
    'div',
    { class: 'choice', hidden: lines.length <= maxLines },
    h('div', { class: 'field' }, h('label', { for: `${id}-holds` }, 'Lines that hold'), holds),
    h('div', { class: 'field' }, h('label', { for: `${id}-rank` }, 'First those with'), rank),
  );
  let drawn = first;

  const draw = () => {
    const rankOf = /** @type {import('./series.js').Rank} */ (rank.value);
    drawn.stop();
    drawn = plot(place, columns, data, { ...options, holds: holds.value.trim(), rank: rankOf }) ?? drawn;
    tell();
  };
  const tell = () => {
    const { shown, matching } = drawn;
    const parts = [];
    if (shown < lines.length)
      parts.push(
        `${shown} of ${count(lines.length)} lines shown${matching < lines.length ? `, ${count(matching)} match` : ''}.`,
      );
    if (lines.some(({ repeated }) => repeated)) {
      parts.push(
        'Some times come more than once on a line, and the last value is drawn: select the tag that tells them apart too.',
      );
    }
    parts.push('Drag to zoom in, double click to zoom out, click a name to hide its line.');
    say(note, parts.join(' '));
  };
  holds.addEventListener('input', draw);
  rank.addEventListener('change', draw);
  tell();
  return { element: h('div', { class: 'picture' }, choice, place, note), stop: () => drawn.stop() };
}
