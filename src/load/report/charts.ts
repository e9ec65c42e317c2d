import { type DelayBucket, type DelayFigures, joinedSample, type RateSample } from '../model/insert-report.js';
import { perSecond } from '../model/run-report.js';

/** Size of a chart in its own units; pages scale it. */
const width = 720;
const height = 240;
/** Room for the axes. */
const left = 64;
const right = 12;
const top = 12;
const bottom = 36;
const plotWidth = width - left - right;
const plotHeight = height - top - bottom;
/** Points that a line of this width can tell apart. */
const maxPoints = 720;
const maxBars = 60;
const wantedTicks = 5;

/** Figures per second (`Rows written`) over time as an SVG element; its colours come from the page. */
export function drawRates(samples: readonly RateSample[], what: string): string {
  return drawSteps(
    samples,
    ({ rows, seconds }) => perSecond(rows, seconds),
    `${what} per second over the time of the run`,
  );
}

/** The mean delay of what was answered, in milliseconds, over time. */
export function drawDelaysOverTime(samples: readonly RateSample[], what: string): string {
  const meanDelay = ({ answered, delaysMs }: RateSample): number => (answered > 0 ? delaysMs / answered : 0);
  return drawSteps(samples, meanDelay, `Mean delay of ${what} in milliseconds over the time of the run`);
}

/** A value of each sample as a line of steps, each from the beginning to the end of its span of time. */
function drawSteps(samples: readonly RateSample[], heightOf: (sample: RateSample) => number, title: string): string {
  const points = thinned(samples);
  const last = points[points.length - 1]?.atSeconds ?? 0;
  const ticks = ticksUpTo(Math.max(0, ...points.map(heightOf)));
  const most = ticks[ticks.length - 1] ?? 1;
  const x = (seconds: number): number => left + (last === 0 ? 0 : (seconds / last) * plotWidth);
  const y = (value: number): number => top + plotHeight - (value / most) * plotHeight;
  const steps = points.flatMap((sample) => {
    const at = y(heightOf(sample)).toFixed(1);
    return [
      `${x(Math.max(0, sample.atSeconds - sample.seconds)).toFixed(1)},${at}`,
      `${x(sample.atSeconds).toFixed(1)},${at}`,
    ];
  });
  const base = y(0).toFixed(1);
  const parts = [
    gridLines(ticks, y),
    steps.length === 0
      ? ''
      : `<path class="area" d="M${x(0).toFixed(1)},${base} L${steps.join(' L')} L${x(last).toFixed(1)},${base} Z"/><polyline class="line" points="${steps.join(' ')}"/>`,
    ...ticksUpTo(last)
      .filter((tick) => tick <= last)
      .map((tick) => label(x(tick), height - bottom + 18, `${shortNumber(tick)} s`, 'middle')),
  ];
  return chart(title, parts.join(''));
}

/** How many `requests` took how long, as an SVG element, with marks at the percentiles. */
export function drawDelays(delays: DelayFigures, requests: string): string {
  const bars = merged(delays);
  const ticks = ticksUpTo(Math.max(0, ...bars.map(({ count }) => count)));
  const most = ticks[ticks.length - 1] ?? 1;
  const y = (count: number): number => top + plotHeight - (count / most) * plotHeight;
  const barWidth = plotWidth / Math.max(1, bars.length);
  const drawn = bars.map(({ upToMs, count }, i) => {
    const x = (left + i * barWidth).toFixed(1);
    const at = y(count);
    const size = `width="${Math.max(1, barWidth - 1).toFixed(1)}" height="${(top + plotHeight - at).toFixed(1)}"`;
    const title = `<title>up to ${shortNumber(upToMs)} ms: ${count} ${requests}</title>`;
    return `<rect class="bar" x="${x}" y="${at.toFixed(1)}" ${size}>${title}</rect>`;
  });
  const marks = (['p50', 'p99'] as const).map((name) => {
    const at = bars.findIndex(({ upToMs }) => upToMs >= delays[name]);
    if (at < 0) return '';
    const x = left + (at + shareOf(delays[name], lowerOf(bars, at, delays.min), bars[at]?.upToMs ?? 0)) * barWidth;
    const line = `<line class="mark" x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${top}" y2="${top + plotHeight}"/>`;
    return line + label(x + 4, top + 10, name, 'start');
  });
  const parts = [gridLines(ticks, y), ...drawn, ...barLabels(bars, barWidth), ...marks];
  return chart(`Delays: ${requests} by the time they took`, parts.join(''));
}

/** The delay that a bar begins with: the end of the one before. */
function lowerOf(bars: readonly DelayBucket[], at: number, min: number): number {
  return bars[at - 1]?.upToMs ?? Math.min(min, bars[at]?.upToMs ?? min);
}

/** Where a delay lies between two bounds, 0 to 1; bounds grow by factors, and so does the axis. */
function shareOf(ms: number, lower: number, upper: number): number {
  if (!(lower > 0 && upper > lower)) return 1;
  return Math.min(1, Math.max(0, Math.log(ms / lower) / Math.log(upper / lower)));
}

/** Names the bounds of some of the bars, each at the edge where it is; the last one always. */
function barLabels(bars: readonly DelayBucket[], barWidth: number): string[] {
  const every = Math.max(1, Math.ceil(bars.length / 8));
  const last = bars.length - 1;
  return bars.map(({ upToMs }, i) => {
    const text = `${shortNumber(upToMs)} ms`;
    if (i === last) return label(width - right, height - bottom + 18, text, 'end');
    if ((i + 1) % every !== 0 || last - i < every) return '';
    return label(left + (i + 1) * barWidth, height - bottom + 18, text, 'middle');
  });
}

/** A number with three significant digits and a unit prefix: `1.23 M`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${threeDigits(value / 1e9)} G`;
  if (size >= 1e6) return `${threeDigits(value / 1e6)} M`;
  if (size >= 1e4) return `${threeDigits(value / 1e3)} k`;
  return threeDigits(value);
}

function threeDigits(value: number): string {
  return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));
}

/** As many samples as can be seen: neighbours are joined. */
function thinned(samples: readonly RateSample[]): RateSample[] {
  const size = Math.ceil(samples.length / maxPoints);
  if (size <= 1) return [...samples];
  const count = Math.ceil(samples.length / size);
  return Array.from({ length: count }, (_, i) => joinedSample(samples.slice(i * size, (i + 1) * size)));
}

/** As many buckets as can be seen: neighbours are joined. */
function merged({ buckets }: DelayFigures): DelayBucket[] {
  const size = Math.max(1, Math.ceil(buckets.length / maxBars));
  const joined: { upToMs: number; count: number }[] = [];
  for (let from = 0; from < buckets.length; from += size) {
    const group = buckets.slice(from, from + size);
    const count = group.reduce((sum, bucket) => sum + bucket.count, 0);
    joined.push({ upToMs: group[group.length - 1]?.upToMs ?? 0, count });
  }
  return joined;
}

/** Round numbers from 0 to the first one that is not below `most`. */
function ticksUpTo(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / wantedTicks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

function gridLines(ticks: readonly number[], y: (value: number) => number): string {
  return ticks
    .map((tick) => {
      const at = y(tick).toFixed(1);
      const line = `<line class="grid" x1="${left}" x2="${width - right}" y1="${at}" y2="${at}"/>`;
      return line + label(left - 8, Number(at) + 4, shortNumber(tick), 'end');
    })
    .join('');
}

function label(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${text}</text>`;
}

function chart(title: string, content: string): string {
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}"><title>${title}</title>${content}</svg>`;
}
