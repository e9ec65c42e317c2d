import type { Annotations } from './annotations.js';
import { nameLabel } from './label-set.js';
import type { Span } from './language/tree.js';
import type { Row } from './rows.js';
import type { SeriesData } from './samples.js';

/** The samples of one series that a range function sees at one step. */
export interface Window {
  readonly series: SeriesData;
  /** Numbers from the first index up to but without the second. */
  from: number;
  to: number;
  /** The same for native histograms. */
  histogramFrom: number;
  histogramTo: number;
  /** The window in Unix milliseconds: after `startMs`, up to `endMs`. */
  startMs: number;
  endMs: number;
  readonly rangeMs: number;
  /** The time of the step. */
  stepMs: number;
  /** Numbers that the function gets beside the window. */
  readonly scalars: number[];
  readonly notes: Notes;
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
    this.#window = {
      series,
      from: 0,
      to: 0,
      histogramFrom: 0,
      histogramTo: 0,
      startMs: 0,
      endMs: 0,
      rangeMs: times.rangeMs,
      stepMs: 0,
      scalars: scalars.map(() => 0),
      notes,
    };
  }

  /** Calls a function for the window of a step if it has samples, and gives how many it has. Steps ascend. */
  compute(step: number, compute: RangeFunction, row: Row): number {
    const window = this.#window;
    const { times, histogramTimes } = window.series;
    const end = this.#times.ends[step]!;
    const start = end - window.rangeMs;
    while (window.to < times.length && times[window.to]! <= end) window.to++;
    while (window.from < window.to && times[window.from]! <= start) window.from++;
    while (window.histogramTo < histogramTimes.length && histogramTimes[window.histogramTo]! <= end)
      window.histogramTo++;
    while (window.histogramFrom < window.histogramTo && histogramTimes[window.histogramFrom]! <= start)
      window.histogramFrom++;
    const size = window.to - window.from + window.histogramTo - window.histogramFrom;
    if (size === 0) return 0;
    window.startMs = start;
    window.endMs = end;
    window.stepMs = this.#times.times[step]!;
    for (let i = 0; i < this.#scalars.length; i++) window.scalars[i] = this.#scalars[i]![step]!;
    compute(window, row, step);
    return size;
  }
}
