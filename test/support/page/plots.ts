import type { Page } from 'playwright-core';
import { comesTrue } from '../until.js';

/** What a plot of a page shows, as it is drawn. */
export interface DrawnPlot {
  /** Ends of the axis of times, in Unix seconds. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly DrawnLine[];
  /** Cells that are painted behind the lines: from, to, and the values at their bottom and top. */
  readonly cells: readonly (readonly [from: number, to: number, bottom: number, top: number, colour: string])[];
  /** Words of the marks of each axis that is shown: of times, then of values. */
  readonly marks: readonly (readonly string[])[];
}

/** A line of a plot. */
export interface DrawnLine {
  readonly label: string;
  /** Name of the scale of its values. */
  readonly scale: string;
  readonly isLog: boolean;
  /** Corners of what is drawn, in Unix seconds and values; a bar has two of them. */
  readonly path: readonly (readonly [time: number, value: number])[];
  /** What the legend shows at each point. */
  readonly words: readonly string[];
  /** Times in Unix seconds, and values. */
  readonly points: readonly (readonly [time: number, value: number])[];
  /** Where nothing is drawn between points, in Unix seconds. */
  readonly gaps: readonly (readonly [from: number, to: number])[];
  /** Times of points that have a mark. */
  readonly marked: readonly number[];
}

/** Keeps the plots that the library of a page makes, for {@link plotsOf}; runs in the page before its own scripts. */
export const keepPlots = `(() => {
  const plots = (globalThis.keptPlots = []);
  for (const name of ['moveTo', 'lineTo', 'rect']) {
    const original = Path2D.prototype[name];
    Path2D.prototype[name] = function (...places) {
      (this.corners ??= []).push(places);
      return original.apply(this, places);
    };
  }
  const { fillRect, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...places) {
    this.cells = [];
    return clearRect.apply(this, places);
  };
  CanvasRenderingContext2D.prototype.fillRect = function (...places) {
    (this.cells ??= []).push([...places, this.fillStyle]);
    return fillRect.apply(this, places);
  };
  let library;
  Object.defineProperty(globalThis, 'uPlot', {
    configurable: true,
    get: () => library,
    set: (original) => {
      library = new Proxy(original, {
        construct: (target, options) => {
          const plot = new target(...options);
          plots.push(plot);
          return plot;
        },
      });
    },
  });
})()`;

const read = `keptPlots.filter(({ root }) => root.isConnected).map((plot) => {
  const { scales, series, data, axes } = plot;
  const time = (pixels) => plot.posToVal(pixels, 'x', true);
  const y = (pixels) => plot.posToVal(pixels, 'y', true);
  return {
    from: scales.x.min,
    to: scales.x.max,
    cells: (plot.ctx.cells ?? []).map(([left, top, width, height, colour]) =>
      [time(left), time(left + width), y(top + height), y(top), colour]),
    marks: axes.filter((axis) => axis.show).map((axis) => axis._values ?? []),
    lines: series.slice(1).map((line, at) => {
      const points = [...data[0]].flatMap((seconds, place) => {
        const value = data[at + 1][place];
        return value === null || value === undefined ? [] : [[seconds, value]];
      });
      const shown = line.points.show(plot, at + 1);
      const marked = shown === true ? points.map(([seconds]) => seconds)
        : (line.points.filter(plot, at + 1, false, line._paths?.gaps) ?? []).map((place) => data[0][place]);
      const gaps = (line._paths?.gaps ?? []).map(([from, to]) => [time(from), time(to)]);
      const value = (pixels) => plot.posToVal(pixels, line.scale, true);
      const path = ((line._paths?.stroke ?? line._paths?.fill)?.corners ?? []).flatMap(([left, top, width, height]) => [
        [time(left), value(top)],
        ...(width === undefined ? [] : [[time(left + width), value(top + height)]]),
      ]);
      const isLog = scales[line.scale].distr === 3;
      const words = points.map(([seconds, number]) => line.value(plot, number, at + 1, data[0].indexOf(seconds)));
      return { label: line.label, scale: line.scale, isLog, points, path, words, gaps, marked };
    }),
  };
})`;

/** The plots that a page shows now, in the order in which they were made. */
export function plotsOf(page: Page): Promise<readonly DrawnPlot[]> {
  return page.evaluate(read);
}

/** The only plot of a page, once it is as a test needs it. */
export async function plotOf(page: Page, isRight: (plot: DrawnPlot) => boolean = () => true): Promise<DrawnPlot> {
  let plots: readonly DrawnPlot[] = [];
  await comesTrue(async () => {
    plots = await plotsOf(page);
    return plots.length === 1 && plots.every((plot) => plot.marks.length > 0 && isRight(plot));
  });
  const [plot] = plots;
  if (plot === undefined) throw new Error('There is no plot.');
  return plot;
}
