import type { Watch, WatchedWork } from '../model/ports.js';

/** A stream for a person, or for a file. */
export type ViewStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Where a run is shown. */
interface ViewOutput {
  readonly stream: ViewStream;
  readonly errors: ViewStream;
  /** Writes a plain line of the run, where there is no terminal. */
  readonly line: (text: string) => void;
  /** Time between two plain lines. */
  readonly lineIntervalMs?: number;
}

/** The common side of a terminal and a pipe. */
interface LiveView {
  readonly watch: Watch;
  /** Writes whole lines, above the bar of a terminal. */
  write(text: string, stream: 'out' | 'error'): void;
}

const lineIntervalMs = 5_000;
const redrawMs = 250;
/** How far back the current rate looks. */
const rateWindowMs = 5_000;
const barLength = 12;
const shortestBar = 4;
/** What a bar takes besides its length, in the place of the colon behind a label. */
const barFrame = ' [] '.length - ': '.length;
const usualColumns = 80;
/** Puts the cursor at the beginning of an empty line. */
const clearLine = '\r\u001b[K';

/** A progress bar with rate, time left and failures on a terminal; a line with the same every few seconds elsewhere. */
export function createLiveView({
  stream,
  errors,
  line,
  lineIntervalMs: everyMs = lineIntervalMs,
}: ViewOutput): LiveView {
  const isTerminal = stream.isTTY === true;
  /** The bar that stands on the last line of the terminal. */
  let bar = '';
  const draw = (text: string): void => {
    bar = text;
    stream.write(clearLine + bar);
  };
  const watch: Watch = (work) => {
    const pace = new Pace();
    const show = (): void => {
      const { done, failed } = work.read();
      const rate = pace.rate(done);
      if (isTerminal) draw(barText(work, done, failed, rate, (stream.columns ?? usualColumns) - 1));
      else line(`${work.label}: ${statusText(work, done, failed, rate)}`);
    };
    if (isTerminal) show();
    else pace.rate(work.read().done);
    const timer = setInterval(show, isTerminal ? redrawMs : everyMs);
    timer.unref();
    return () => {
      clearInterval(timer);
      if (isTerminal) draw('');
    };
  };
  const write = (text: string, to: 'out' | 'error'): void => {
    if (bar === '') (to === 'out' ? stream : errors).write(text);
    else stream.write(clearLine + text + bar);
  };
  return { watch, write };
}

/** Rate and time left of work, from what was done in the last seconds. */
export class Pace {
  readonly #now: () => number;
  readonly #seen: { readonly atMs: number; readonly done: number }[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Records what is done by now; returns the units per second of the last seconds. */
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

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** `95 s left`, `12 min left`, `3.5 h left`; nothing where the rate says nothing. */
function leftText(total: number | undefined, done: number, rate: number): string {
  const seconds = total === undefined || done === 0 ? Number.NaN : (total - done) / rate;
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 120) return `${Math.ceil(seconds)} s left`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min left` : `${(seconds / 3600).toFixed(1)} h left`;
}

/** Words about work at one moment. */
function statusText({ unit, total }: WatchedWork, done: number, failed: number, rate: number): string {
  const share = total ? ` of ${grouped(total)} (${((100 * done) / total).toFixed(1)} %)` : '';
  const failures = failed > 0 ? `${grouped(failed)} failed` : '';
  return joined([
    `${grouped(done)}${share} ${unit}`,
    `${grouped(rate)} ${unit}/s`,
    leftText(total, done, rate),
    failures,
  ]);
}

/**
 * The same in few letters, behind a bar, in at most `width` characters: the bar and then the label get shorter before
 * a word of the status is cut.
 */
function barText(
  { label, unit, total }: WatchedWork,
  done: number,
  failed: number,
  rate: number,
  width: number,
): string {
  const percent = total ? Math.min(100, (100 * done) / total) : 0;
  const share = total
    ? `${percent.toFixed(1)} % of ${compact.format(total)} ${unit}`
    : `${compact.format(done)} ${unit}`;
  const failures = failed > 0 ? `${compact.format(failed)} failed` : '';
  const status = joined([share, `${compact.format(rate)}/s`, leftText(total, done, rate), failures]);
  const ending = `: ${status}`;
  const space = width - label.length - ending.length;
  const length = total === undefined ? 0 : Math.min(barLength, space - barFrame);
  if (length >= shortestBar) {
    const bar = '='.repeat(Math.round((length * percent) / 100)).padEnd(length, '-');
    return `${label} [${bar}] ${status}`;
  }
  const shown = space >= 0 ? label : `${label.slice(0, Math.max(0, label.length + space - 1))}…`;
  return `${shown}${ending}`.slice(0, width);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}
