import { h } from './dom.js';
import { measureOf, tickWords } from './format.js';

/** Colours of the series, by their place; the style sheet has them for light and dark. */
const seriesColours = 10;

/** Longest name in the legend, in characters. */
const maxLabel = 80;

/** Room for the words of the axis of values, in pixels: at least, beside the words, and for each of their characters. */
const [leastRoom, besideWords, perCharacter] = [64, 24, 7];

/** A picture of less time than this, in seconds, has an axis of numbers: that of times knows nothing below milliseconds. */
const fineSpan = 0.01;

/**
 * @typedef {object} Line
 * @property {string} label
 * @property {string} [colour] name of a colour of the style sheet, in place of the next of the series
 * @property {boolean} [dashed]
 * @property {(value: number) => string} [format]
 */

/** @typedef {readonly [from: number | undefined, to: number | undefined]} Ends Unix seconds; undefined is where the points end */

/**
 * @typedef {object} TimePlotOptions
 * @property {readonly Line[]} lines
 * @property {number} [heightPx]
 * @property {Ends} [ends] of the axis of times; left out, and where a point lies beyond them, those of the points
 * @property {readonly [number, number] | 'bytes'} [range] of the values; bytes begin at 0; left out, the values'
 * @property {(value: number) => string} [format] of the values; left out, as exact as they differ
 * @property {boolean} [points] marks single values where they are few
 * @property {string} label what the plot shows, for those who do not see it
 */

/**
 * A time series plot that is as wide as its place and goes with the colours of the page. `set` takes the times in
 * seconds, then the values of each line, null where there is none.
 * @param {TimePlotOptions} options
 */
export function timePlot({
  lines,
  heightPx = 260,
  ends = [undefined, undefined],
  range,
  format,
  points = false,
  label,
}) {
  const element = h('div', { class: 'plot', role: 'img', 'aria-label': label });
  /** @type {(number | null)[][]} */
  let data = [[], ...lines.map(() => [])];
  /** @type {import('uplot') | undefined} */
  let drawn;

  const draw = () => {
    drawn?.destroy();
    drawn = undefined;
    if (element.clientWidth === 0) return;
    const style = getComputedStyle(element);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    const axis = {
      stroke: colour('muted'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { stroke: colour('line'), width: 1 },
      font: '12px system-ui, sans-serif',
    };
    drawn = new uPlot(
      {
        width: element.clientWidth,
        height: heightPx,
        padding: [null, 44, null, null],
        cursor: { y: false, points: { size: 7 } },
        legend: { show: true, live: true },
        scales: { x: { range: timesOf(ends), time: !isFine(data[0] ?? [], ends) }, ...scalesOf(range) },
        axes: [
          { ...axis, space: 84, values: (_plot, ticks, _axis, _space, step) => timeTicks(ticks, step) },
          {
            ...axis,
            size: (_plot, words) => roomFor(words),
            values: (_plot, ticks, _axis, _space, step) =>
              format === undefined ? tickWords(ticks, step) : ticks.map(format),
            ...(range === 'bytes' ? { incrs: byteSteps } : {}),
          },
        ],
        series: [
          { label: 'Time', value: (_plot, seconds) => timeWords(seconds) },
          ...lines.map((line, at) => ({
            value: valueWords(line.format ?? format ?? measureOf(data[at + 1] ?? [])),
            label: shortened(line.label),
            stroke: colour(line.colour ?? `series-${(at % seriesColours) + 1}`),
            width: 2,
            // The colours come twice: the second time dashed.
            ...(at >= seriesColours ? { dash: [8, 4] } : {}),
            points: { show: false, filter: lonePoints, size: 6 },
            spanGaps: false,
            ...(line.dashed ? { dash: [6, 4], width: 1.5 } : {}),
            ...(points && isFew(data[at + 1] ?? []) ? { points: { show: true, size: 6 } } : {}),
          })),
        ],
      },
      /** @type {import('uplot').AlignedData} */ (data),
      element,
    );
  };
  const watcher = new ResizeObserver(() => {
    const width = element.clientWidth;
    if (drawn === undefined) draw();
    else if (width > 0 && width !== drawn.width) drawn.setSize({ width, height: heightPx });
  });
  watcher.observe(element);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', draw);

  return {
    element,
    /** @param {(number | null)[][]} values */
    set: (values) => {
      data = values;
      if (drawn === undefined) draw();
      else drawn.setData(/** @type {import('uplot').AlignedData} */ (data));
    },
    stop: () => {
      watcher.disconnect();
      scheme.removeEventListener('change', draw);
      drawn?.destroy();
    },
  };
}

/** Steps of an axis of bytes: 1, 2, 5, 10 and so on of each unit. */
const byteSteps = [1, 1024, 1024 ** 2, 1024 ** 3, 1024 ** 4].flatMap((unit) =>
  [1, 2, 5, 10, 20, 50, 100, 200, 500].map((step) => step * unit),
);

/**
 * What gives the ends of the axis of times, unless somebody has zoomed in: those that are set, as far as no point lies beyond
 * them. A single point without ends stands in the middle of some minutes.
 * @param {Ends} ends
 * @returns {(drawn: import('uplot'), first: number | null, last: number | null) => [number | null, number | null]}
 */
export function timesOf([from, to]) {
  return ({ data: [times] }, first, last) => {
    // Of a single point the library's own end is years away.
    const isSingle = first !== null && times.length === 1 && first === times[0];
    const isWhole = first !== null && first === times[0] && (isSingle || last === times.at(-1));
    if (!isWhole || last === null) return [first, last];
    const least = Math.min(first, from ?? first);
    const most = Math.max(isSingle ? first : last, to ?? first);
    return least === most ? [least - 150, most + 150] : [least, most];
  };
}

/**
 * True where the axis covers so short a span that one of times would have no marks.
 * @param {readonly (number | null)[]} times seconds
 * @param {Ends} ends
 */
function isFine(times, [from, to]) {
  const [first, last] = [Number(times[0]), Number(times.at(-1))];
  const span = Math.max(last, to ?? last) - Math.min(first, from ?? first);
  return span > 0 && span < fineSpan;
}

/**
 * Room for the words of the axis of values, in pixels.
 * @param {readonly string[] | null | undefined} words
 */
function roomFor(words) {
  const longest = Math.max(0, ...(words ?? []).map(({ length }) => length));
  return Math.max(leastRoom, besideWords + perCharacter * longest);
}

/**
 * @param {TimePlotOptions['range']} range
 * @returns {import('uplot').Scales}
 */
function scalesOf(range) {
  if (range === undefined) return {};
  if (range === 'bytes') return { y: { range: (_plot, _least, most) => [0, (most ?? 1) * 1.1] } };
  return { y: { range: [range[0], range[1]] } };
}

/**
 * A name that leaves room for others, with both its ends: the last part may be all that tells it apart.
 * @param {string} name
 */
function shortened(name) {
  if (name.length <= maxLabel) return name;
  return `${name.slice(0, maxLabel / 2 - 1)}…${name.slice(-maxLabel / 2)}`;
}

/**
 * Words for points in time on an axis: the date where it changes, and as much of the time as the step asks for.
 * @param {readonly number[]} ticks seconds
 * @param {number} step seconds
 */
export function timeTicks(ticks, step) {
  const digits = step >= 1 ? 0 : Math.min(6, Math.max(3, Math.ceil(-Math.log10(step))));
  let dateBefore = '';
  return ticks.map((seconds) => {
    const { date, minutes, exact } = clockWords(seconds, digits);
    const isNew = date !== dateBefore;
    dateBefore = date;
    if (step >= 86_400) return date;
    const words = step >= 60 ? minutes : exact;
    return isNew ? `${words}\n${date}` : words;
  });
}

/**
 * A value as the legend shows it.
 * @param {(value: number) => string} format
 * @returns {(plot: unknown, value: number | null) => string}
 */
function valueWords(format) {
  return (_plot, value) => (value === null ? '–' : format(value));
}

/**
 * An instant as the legend shows it.
 * @param {number | null} seconds
 */
function timeWords(seconds) {
  if (seconds === null) return '--';
  const { date, exact } = clockWords(seconds, Number.isInteger(seconds) ? 0 : Number.isInteger(seconds * 1000) ? 3 : 6);
  return `${date} ${exact}`;
}

/**
 * The date and the time of an instant in the zone of the browser.
 * @param {number} seconds
 * @param {number} digits of the second
 */
function clockWords(seconds, digits) {
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const [whole, fraction = ''] = seconds.toFixed(digits).split('.');
  const time = new Date(Number(whole) * 1000);
  const minutes = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return {
    date: `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`,
    minutes,
    exact: `${minutes}:${two(time.getSeconds())}${fraction === '' ? '' : `.${fraction}`}`,
  };
}

/**
 * Points that are marked, because no line leads to them.
 * @param {import('uplot')} drawn
 * @param {number} series
 * @returns {number[]} places of the points
 */
function lonePoints({ data }, series) {
  /** @type {number[]} */
  const lone = [];
  /** @type {number | null | undefined} the place of the last point, as long as no gap follows it; null once a line leads on from it */
  let before;
  for (const [at, value] of (data[series] ?? []).entries()) {
    if (value === undefined) continue;
    if (value === null) {
      if (before != null) lone.push(before);
      before = undefined;
    } else before = before === undefined ? at : null;
  }
  if (before != null) lone.push(before);
  return lone;
}

/**
 * True when there are so few points that each is worth a mark.
 * @param {(number | null)[]} values
 */
function isFew(values) {
  return values.length <= 40;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/**
 * A small line without axes.
 * @param {readonly { at: number; value: number }[]} rates at times in ms
 */
export function sparkline(rates) {
  const [width, height] = [160, 36];
  const picture = document.createElementNS(svgNamespace, 'svg');
  picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
  picture.setAttribute('preserveAspectRatio', 'none');
  picture.setAttribute('class', 'sparkline');
  picture.setAttribute('aria-hidden', 'true');
  const most = Math.max(...rates.map(({ value }) => value), 1e-9);
  const [first, last] = [rates[0]?.at ?? 0, rates.at(-1)?.at ?? 0];
  const points = rates.map(({ at, value }) => {
    const x = ((at - first) * width) / Math.max(1, last - first);
    return `${x.toFixed(1)},${(height - 2 - (value / most) * (height - 5)).toFixed(1)}`;
  });
  const path = (/** @type {string} */ name, /** @type {string} */ d) => {
    const made = document.createElementNS(svgNamespace, 'path');
    made.setAttribute('class', name);
    made.setAttribute('d', d);
    picture.append(made);
  };
  if (points.length > 1) {
    path('area', `M0,${height} L${points.join(' L')} L${width},${height} Z`);
    path('stroke', `M${points.join(' L')}`);
  }
  return picture;
}
