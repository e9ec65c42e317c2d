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
 * @property {Scale} [scale] of its values; left out, `y`
 * @property {'line' | 'steps' | 'points' | 'bars' | 'area' | 'none'} [shape] left out, a line; an area reaches down to that of the
 *   line before it; of none only the legend tells
 * @property {readonly (number | null | undefined)[]} [values] that the legend shows where others are drawn
 * @property {(value: number) => string} [format]
 */

/** @typedef {'y' | 'right' | 'truth'} Scale its axis is on the left, on the right, or says true and false */

/** @typedef {readonly [from: number | undefined, to: number | undefined]} Ends Unix seconds; undefined is where the points end */

/**
 * @typedef {object} TimePlotOptions
 * @property {readonly Line[]} lines
 * @property {number} [heightPx]
 * @property {Ends} [ends] of the axis of times; left out, and where a point lies beyond them, those of the points
 * @property {readonly [number, number] | 'bytes'} [range] of the values; bytes begin at 0; left out, the values'
 * @property {Readonly<Partial<Record<Scale, string>>>} [units] of the axes
 * @property {boolean} [log] whether axes of numbers are logarithmic
 * @property {number} [barSeconds] from the begin of a bar to that of the next
 * @property {readonly string[]} [rows] names of the rows of a heat map, whose cells are the values of the lines
 * @property {(value: number) => string} [format] of the values; left out, as exact as they differ
 * @property {boolean} [points] marks single values where they are few
 * @property {string} label what the plot shows, for those who do not see it
 */

/**
 * A time series plot that is as wide as its place and goes with the colours of the page. `set` takes the times in
 * seconds, then the values of each line, null where there is none.
 * @param {TimePlotOptions} options
 */
export function timePlot(options) {
  const { lines, heightPx = 260, ends = [undefined, undefined], label } = options;
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
    drawn = new uPlot(
      {
        width: element.clientWidth,
        height: heightPx,
        padding: [null, lines.some(({ scale }) => scale === 'right') ? null : 44, null, null],
        cursor: { y: false, points: { size: 7 } },
        legend: { show: true, live: true },
        scales: { x: { range: timesOf(ends), time: !isFine(data[0] ?? [], ends) }, ...scalesOf(options) },
        axes: axesOf(options, colour),
        series: [
          { label: 'Time', value: (_plot, seconds) => timeWords(seconds) },
          ...lines.map((_, at) => seriesOf(options, at, data[at + 1] ?? [], colour)),
        ],
        bands: bandsOf(lines),
        ...(options.rows === undefined ? {} : { hooks: { drawClear: [paintCells(colour('series-1'), options)] } }),
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

/**
 * Each area with the one below it, which it reaches down to.
 * @param {readonly Line[]} lines
 * @returns {import('uplot').Band[]}
 */
function bandsOf(lines) {
  const areas = lines.flatMap(({ shape }, at) => (shape === 'area' ? [at + 1] : []));
  return areas.slice(1).map((upper, at) => ({ series: [upper, areas[at] ?? 0] }));
}

/**
 * A line as the library takes it.
 * @param {TimePlotOptions} options
 * @param {number} at place of the line
 * @param {(number | null)[]} drawn its values
 * @param {(name: string) => string} colour
 * @returns {import('uplot').Series}
 */
function seriesOf({ lines, format, points = false, barSeconds = 60 }, at, drawn, colour) {
  const { label, scale = 'y', shape = 'line', values = drawn, dashed = false, ...line } = lines[at] ?? { label: '' };
  const words = line.format ?? format ?? (scale === 'truth' ? truthWords : measureOf(values));
  const stroke = colour(line.colour ?? `series-${(at % seriesColours) + 1}`);
  const isFilled = shape === 'bars' || shape === 'area';
  const all = lines.flatMap((other, place) => (other.shape === 'bars' ? [place] : []));
  return {
    value: (_plot, _value, _series, place) => valueWords(words, place === null ? null : values[place]),
    label: shortened(label),
    scale,
    stroke,
    width: shape === 'bars' ? 0 : 2,
    // The colours come twice: the second time dashed.
    ...(at >= seriesColours ? { dash: [8, 4] } : {}),
    ...(isFilled ? { fill: `${stroke}${shape === 'bars' ? 'cc' : '66'}` } : {}),
    ...pathsOf(shape, barSeconds, all.indexOf(at), all.length),
    points: { show: false, ...(shape === 'line' || shape === 'area' ? { filter: lonePoints } : {}), size: 6 },
    spanGaps: false,
    ...(dashed ? { dash: [6, 4], width: 1.5 } : {}),
    ...(shape === 'points' || (shape === 'line' && points && isFew(drawn)) ? { points: { show: true, size: 6 } } : {}),
  };
}

/**
 * How the library draws a shape; bars of several lines stand side by side.
 * @param {NonNullable<Line['shape']>} shape
 * @param {number} barSeconds
 * @param {number} place of a bar among those of its time
 * @param {number} bars of a time
 * @returns {Pick<import('uplot').Series, 'paths'>}
 */
function pathsOf(shape, barSeconds, place, bars) {
  const { stepped, bars: barsOf } = uPlot.paths;
  if (shape === 'steps' && stepped !== undefined) return { paths: stepped({ align: 1 }) };
  if (shape === 'points' || shape === 'none') return { paths: () => null };
  if (shape !== 'bars' || barsOf === undefined) return {};
  const width = (barSeconds * filledPart) / bars;
  return {
    paths: barsOf({
      disp: {
        x0: { unit: 1, values: ({ data: [times] }) => Array.from(times, (time) => time + place * width) },
        size: { unit: 1, values: () => [width] },
      },
    }),
  };
}

/** Part of the distance between bars that they fill. */
const filledPart = 0.9;

/**
 * The axes: that of times, and one for each scale that a line has; truth values share the place with numbers.
 * @param {TimePlotOptions} options
 * @param {(name: string) => string} colour
 * @returns {import('uplot').Axis[]}
 */
function axesOf({ lines, range, format, units = {}, log = false, rows }, colour) {
  const axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
    font: '12px system-ui, sans-serif',
    size: (/** @type {unknown} */ _plot, /** @type {readonly string[] | null} */ words) => roomFor(words),
  };
  /** @type {import('uplot').Axis} */
  const times = {
    ...axis,
    size: 50,
    space: 84,
    values: (_plot, ticks, _axis, _space, step) => timeTicks(ticks, step),
  };
  if (rows !== undefined) {
    const names = ['', ...rows];
    const splits = names.map((_, at) => at);
    return [times, { ...axis, splits: () => splits, values: () => names, grid: { show: false } }];
  }
  const scales = new Set(lines.map(({ scale = 'y' }) => scale));
  if (scales.size === 1 && scales.has('truth')) {
    return [times, { ...axis, scale: 'truth', splits: () => [0, 1], values: () => ['false', 'true'] }];
  }
  const isBytes = (/** @type {Scale} */ scale) => units[scale] === 'bytes' || range === 'bytes';
  /** @type {(scale: 'y' | 'right') => import('uplot').Axis} */
  const ofNumbers = (scale) => ({
    ...axis,
    scale,
    side: scale === 'y' ? 3 : 1,
    ...(scale === 'right' && scales.has('y') ? { grid: { show: false } } : {}),
    values: (_plot, ticks, _axis, _space, step) => {
      if (format !== undefined) return ticks.map(format);
      if (log) return ticks.flatMap((tick) => tickWords([tick], tick ?? 1, units[scale]));
      return tickWords(ticks, step, units[scale]);
    },
    ...(isBytes(scale) ? { incrs: byteSteps } : {}),
  });
  return [times, ...(scales.has('y') ? [ofNumbers('y')] : []), ...(scales.has('right') ? [ofNumbers('right')] : [])];
}

/** @param {number} value */
function truthWords(value) {
  return value === 1 ? 'true' : 'false';
}

/**
 * Paints the cells of a heat map: the more, the darker. Each reaches from its time to the next.
 * @param {string} colour `#` and six digits
 * @param {TimePlotOptions} options
 * @returns {(drawn: import('uplot')) => void}
 */
function paintCells(colour, { rows = [], barSeconds = 60 }) {
  return (drawn) => {
    const { ctx, data, bbox } = drawn;
    const [times] = data;
    const values = data.slice(1);
    let most = 0;
    for (const row of values) for (const value of row) if (typeof value === 'number' && value > most) most = value;
    const clamped = (/** @type {number} */ pixels) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, pixels));
    for (const [at, time] of times.entries()) {
      const left = clamped(drawn.valToPos(time, 'x', true));
      const right = clamped(drawn.valToPos(time + barSeconds, 'x', true));
      if (right <= left) continue;
      for (const place of rows.keys()) {
        const value = values[place]?.[at];
        if (typeof value !== 'number' || value <= 0) continue;
        const top = drawn.valToPos(place + 1, 'y', true);
        // A root, so that few are seen beside many.
        const strength = Math.round(40 + 215 * Math.sqrt(value / most));
        ctx.fillStyle = `${colour}${strength.toString(16).padStart(2, '0')}`;
        ctx.fillRect(left, top, right - left, drawn.valToPos(place, 'y', true) - top);
      }
    }
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
    const isSingle = first !== null && first === times[0] && first === times.at(-1);
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
 * @param {TimePlotOptions} options
 * @returns {import('uplot').Scales}
 */
function scalesOf({ lines, range, log = false, rows }) {
  if (rows !== undefined) return { y: { range: [0, rows.length] } };
  const isFilled = lines.some(({ shape }) => shape === 'bars' || shape === 'area');
  /** @type {import('uplot').Scale} */
  const numbers = log
    ? { distr: 3, log: 10 }
    : isFilled
      ? { range: (_plot, least, most) => withZero(least ?? 0, most ?? 0) }
      : {};
  return { truth: { range: [-0.05, 1.05] }, right: numbers, y: yScale(range) ?? numbers };
}

/**
 * @param {TimePlotOptions['range']} range
 * @returns {import('uplot').Scale | undefined}
 */
function yScale(range) {
  if (range === undefined) return undefined;
  if (range === 'bytes') return { range: (_plot, _least, most) => [0, (most ?? 1) * 1.1] };
  return { range: [range[0], range[1]] };
}

/**
 * The ends of an axis on which bars and areas stand.
 * @param {number} least
 * @param {number} most
 * @returns {[number, number]}
 */
function withZero(least, most) {
  const [bottom, top] = [Math.min(0, least) * 1.1, Math.max(0, most) * 1.1];
  return bottom === top ? [0, 1] : [bottom, top];
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
 * @param {number | null | undefined} value
 */
function valueWords(format, value) {
  return value === null || value === undefined ? '–' : format(value);
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
