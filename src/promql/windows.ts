import type { Annotations } from './annotations.js';
import { nameLabel } from './label-set.js';
import type { Span } from './language/tree.js';
import type { Row } from './rows.js';
import type { SeriesData } from './samples.js';

/** The samples of one series that a range function sees at one step. Windows of later steps begin and end later. */
export class Window {
  readonly series: SeriesData;
  readonly rangeMs: number;
  /** Numbers that the function gets beside the window. */
  readonly scalars: number[];
  readonly notes: Notes;
  /** Numbers from the first index up to but without the second. */
  from = 0;
  to = 0;
  /** The same for native histograms. */
  histogramFrom = 0;
  histogramTo = 0;
  /** The step whose window it is. */
  step = 0;
  /** Index of the number that won in an earlier window, -1 before the first, and where that window ended. */
  winner = -1;
  winnerTo = 0;
  readonly #times: WindowTimes;
  #falls: readonly number[] | undefined;
  #firstFall = 0;

  constructor(series: SeriesData, times: WindowTimes, scalars: number, notes: Notes) {
    this.series = series;
    this.rangeMs = times.rangeMs;
    this.#times = times;
    this.scalars = new Array<number>(scalars).fill(0);
    this.notes = notes;
  }

  /** The window in Unix milliseconds: after `startMs`, up to `endMs`. */
  get startMs(): number {
    return this.#times.ends[this.step]! - this.rangeMs;
  }

  get endMs(): number {
    return this.#times.ends[this.step]!;
  }

  /** The time of the step. */
  get stepMs(): number {
    return this.#times.times[this.step]!;
  }

  /** Indexes of the numbers of the series that are less than the one before, and at the end the count of numbers. */
  get falls(): readonly number[] {
    this.#falls ??= fallsOf(this.series.values);
    return this.#falls;
  }

  /** The position in `falls` of the first one behind the first number of the window. */
  firstFall(): number {
    const { falls } = this;
    while (falls[this.#firstFall]! <= this.from) this.#firstFall++;
    return this.#firstFall;
  }
}

function fallsOf(values: Float64Array): readonly number[] {
  const falls: number[] = [];
  for (let i = 1; i < values.length; i++) if (values[i]! < values[i - 1]!) falls.push(i);
  falls.push(values.length);
  return falls;
}

/** Where a function over windows says what is strange. */
export class Notes {
  readonly annotations: Annotations;
  /** Where the range stands, and the first argument. */
  readonly span: Span;
  readonly firstSpan: Span;
  /** The name of the metric in quotes. */
  metric = '""';

  constructor(annotations: Annotations, span: Span, firstSpan: Span) {
    this.annotations = annotations;
    this.span = span;
    this.firstSpan = firstSpan;
  }

  /** Names the metric of the next windows. */
  setSeries({ labels }: SeriesData): void {
    this.metric = JSON.stringify(labels.get(nameLabel));
  }
}

/** A function over a window; it sets the sample of the step, or leaves it absent. */
export type RangeFunction = (window: Window, row: Row, step: number) => void;

/** How the windows of a selector lie: each ends at the time of its step. */
interface WindowTimes {
  /** Ends by step, in Unix milliseconds and ascending. */
  readonly ends: Float64Array;
  /** Times of the steps. */
  readonly times: Float64Array;
  readonly rangeMs: number;
}

/** The windows of one series, step by step. */
export class WindowWalk {
  readonly #window: Window;
  readonly #times: WindowTimes;
  readonly #scalars: readonly Float64Array[];

  constructor(series: SeriesData, times: WindowTimes, scalars: readonly Float64Array[], notes: Notes) {
    notes.setSeries(series);
    this.#times = times;
    this.#scalars = scalars;
    this.#window = new Window(series, times, scalars.length, notes);
  }

  /** Calls a function for the window of a step if it has samples, and gives how many it has. Steps ascend. */
  compute(step: number, compute: RangeFunction, row: Row): number {
    const window = this.#window;
    const { times, histogramTimes } = window.series;
    const end = this.#times.ends[step]!;
    const start = end - window.rangeMs;
    const from = firstAfter(times, start, window.from);
    const to = firstAfter(times, end, window.to);
    const histogramFrom = firstAfter(histogramTimes, start, window.histogramFrom);
    const histogramTo = firstAfter(histogramTimes, end, window.histogramTo);
    window.from = from;
    window.to = to;
    window.histogramFrom = histogramFrom;
    window.histogramTo = histogramTo;
    const size = to - from + histogramTo - histogramFrom;
    if (size === 0) return 0;
    window.step = step;
    for (let i = 0; i < this.#scalars.length; i++) window.scalars[i] = this.#scalars[i]![step]!;
    compute(window, row, step);
    return size;
  }
}

/** The first index from one on whose time is after another; the count of times where there is none. */
function firstAfter(times: ArrayLike<number>, afterMs: number, from: number): number {
  let index = from;
  while (index < times.length && times[index]! <= afterMs) index++;
  return index;
}
