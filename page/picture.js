import { h, put, say } from './dom.js';
import { count } from './format.js';
import { plot } from './plot.js';
import { aligned, chooseLines, maxLines, readLines } from './series.js';

let serial = 0;

/**
 * The plot of rows, with a choice of lines where there are more of them than one plot shows. Undefined where there is
 * nothing to draw.
 * @param {import('./sql.js').Rows} rows
 * @param {string} statement that gave them
 * @param {import('./schema.js').KnownColumns} known columns of its tables
 * @returns {{ element: HTMLElement; stop: () => void } | undefined}
 */
export function picture(rows, statement, known) {
  const lines = readLines(rows, statement, known);
  if (lines === undefined) return undefined;
  const place = h('div', {});
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
  /** @type {() => void} */
  let stop = () => {};

  const draw = () => {
    const order = /** @type {import('./series.js').Rank} */ (rank.value);
    const { shown, matching } = chooseLines(lines, { holds: holds.value.trim(), rank: order });
    stop();
    const { names, data } = aligned(shown);
    const drawn = plot({
      lines: names.map((label) => ({ label })),
      heightPx: 320,
      points: true,
      label: `Time series: ${names.join(', ')}`,
    });
    stop = drawn.stop;
    put(place, drawn.element);
    drawn.set(data);
    const parts = [];
    if (shown.length < lines.length)
      parts.push(
        `${shown.length} of ${count(lines.length)} lines shown${matching < lines.length ? `, ${count(matching)} match` : ''}.`,
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
  draw();
  return { element: h('div', { class: 'picture' }, choice, place, note), stop: () => stop() };
}
