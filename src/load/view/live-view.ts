import cliProgress from 'cli-progress';
import type { Watch, WatchedWork } from '../model/ports.js';

/** A stream for a person, or for a file. */
export type ViewStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Where a run is shown. */
interface ViewOutput {
  readonly stream: ViewStream;
  readonly errors: ViewStream;
  /** Writes a plain line of the run, for those who have no terminal. */
  readonly line: (text: string) => void;
  /** Time between two plain lines. */
  readonly lineIntervalMs?: number;
}

/** The common side of a terminal and a pipe. */
interface LiveView {
  readonly watch: Watch;
  /** Writes whole lines, above what is shown live. */
  write(text: string, stream: 'out' | 'error'): void;
}

const lineIntervalMs = 5_000;
const redrawMs = 250;
/** How far back the rate of now looks. */
const rateWindowMs = 5_000;

/** A progress bar with rate, time left and failures on a terminal; a line with the same every few seconds elsewhere. */
export function createLiveView(output: ViewOutput): LiveView {
  return output.stream.isTTY ? new TerminalView(output) : new PlainView(output);
}

/** Rate and time left of work, from what was done in the last seconds. */
export class Pace {
  readonly #now: () => number;
  readonly #seen: { readonly atMs: number; readonly done: number }[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes note of what is done by now; the units a second of late. */
  rate(done: number): number {
    const atMs = this.#now();
    this.#seen.push({ atMs, done });
    while (this.#seen.length > 2 && this.#seen[1]!.atMs <= atMs - rateWindowMs) this.#seen.shift();
    const first = this.#seen[0]!;
    return atMs > first.atMs ? ((done - first.done) * 1000) / (atMs - first.atMs) : 0;
  }
}

/** `1,234,567`. */
function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `95 s`, `12 min`, `3.5 h`; nothing where it cannot be told. */
function leftText(left: number, rate: number): string {
  const seconds = left / rate;
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 120) return `${Math.ceil(seconds)} s left`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min left` : `${(seconds / 3600).toFixed(1)} h left`;
}

/** Words about work at one moment. */
function statusText({ unit, total }: WatchedWork, done: number, failed: number, rate: number): string {
  const share =
    total === undefined || total === 0 ? '' : ` of ${grouped(total)} (${((100 * done) / total).toFixed(1)} %)`;
  const left = total === undefined ? '' : leftText(total - done, rate);
  const parts = [`${grouped(done)}${share} ${unit}`, `${grouped(rate)} ${unit}/s`];
  if (left !== '' && done > 0) parts.push(left);
  if (failed > 0) parts.push(`${grouped(failed)} failed`);
  return parts.join(', ');
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** The same in few letters: a terminal may be eighty wide, and what is beyond that is cut. */
function shortStatus({ unit, total }: WatchedWork, done: number, failed: number, rate: number): string {
  const share =
    total === undefined || total === 0
      ? `${compact.format(done)} ${unit}`
      : `${((100 * done) / total).toFixed(1)} % of ${compact.format(total)} ${unit}`;
  const left = total === undefined || done === 0 ? '' : leftText(total - done, rate);
  const parts = [share, `${compact.format(rate)}/s`, left, failed > 0 ? `${compact.format(failed)} failed` : ''];
  return parts.filter((part) => part !== '').join(', ');
}

class PlainView implements LiveView {
  readonly #output: ViewOutput;

  constructor(output: ViewOutput) {
    this.#output = output;
  }

  readonly watch: Watch = (work) => {
    const pace = new Pace();
    pace.rate(work.read().done);
    const timer = setInterval(() => {
      const { done, failed } = work.read();
      this.#output.line(`${work.label}: ${statusText(work, done, failed, pace.rate(done))}`);
    }, this.#output.lineIntervalMs ?? lineIntervalMs);
    timer.unref();
    return () => clearInterval(timer);
  };

  write(text: string, stream: 'out' | 'error'): void {
    (stream === 'out' ? this.#output.stream : this.#output.errors).write(text);
  }
}

class TerminalView implements LiveView {
  readonly #output: ViewOutput;
  #bars: cliProgress.MultiBar | undefined;

  constructor(output: ViewOutput) {
    this.#output = output;
  }

  readonly watch: Watch = (work) => {
    const bars = new cliProgress.MultiBar({
      format: work.total === undefined ? '{label}: {status}' : '{label} [{bar}] {status}',
      stream: this.#output.stream,
      hideCursor: true,
      clearOnComplete: true,
      forceRedraw: true,
      // The tool itself sees to it that the bar is taken away when it is stopped.
      gracefulExit: false,
      linewrap: true,
      barsize: 12,
      fps: 4,
    });
    const pace = new Pace();
    const { label, total = 1 } = work;
    const bar = bars.create(total, 0, { label, status: '' });
    const show = (): void => {
      const { done, failed } = work.read();
      bar.update(Math.min(done, total), { label, status: shortStatus(work, done, failed, pace.rate(done)) });
    };
    show();
    const timer = setInterval(show, redrawMs);
    timer.unref();
    this.#bars = bars;
    return () => {
      clearInterval(timer);
      if (this.#bars === bars) this.#bars = undefined;
      bars.stop();
    };
  };

  write(text: string, stream: 'out' | 'error'): void {
    if (this.#bars === undefined) {
      (stream === 'out' ? this.#output.stream : this.#output.errors).write(text);
      return;
    }
    this.#bars.log(text);
    this.#bars.update();
  }
}
