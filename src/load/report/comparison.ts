import { perSecond } from '../model/run-report.js';

/** One figure of two runs; `before` and `after` in the figure's own unit. */
interface ComparedFigure {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** Change in percent of what was before; undefined when that is 0. */
  readonly percent: number | undefined;
}

/** Two reports side by side. */
export interface Comparison {
  /** When the earlier run began, Unix milliseconds. */
  readonly startedMs: number;
  readonly figures: readonly ComparedFigure[];
  /** Versions and facts of the machine that differ, as `name: before → after`. */
  readonly differences: readonly string[];
}

const delayNames = ['mean', 'p50', 'p90', 'p99', 'max'] as const;

/** Compares two JSON reports of one kind of run. The result is a sentence when they are none, or of two kinds. */
export function compareReports(before: unknown, after: unknown): Comparison | string {
  const [old, now] = [figuresOf(before), figuresOf(after)];
  if (old === undefined || now === undefined) return 'it is no JSON report of an insertion or of queries';
  const figures = [...now].flatMap(([name, value]) => {
    const was = old.get(name);
    if (was === undefined) return [];
    return [{ name, before: was, after: value, percent: was === 0 ? undefined : (value / was - 1) * 100 }];
  });
  if (!old.has([...now.keys()][0] ?? '')) return 'it is the report of another kind of run';
  return { startedMs: numberAt(before, 'startedMs') ?? 0, figures, differences: differencesOf(before, after) };
}

/** Lines of a comparison for a person. */
export function comparisonLines({ startedMs, figures, differences }: Comparison): string[] {
  return [
    `Compared with the run of ${new Date(startedMs).toISOString()}:`,
    ...figures.map((figure) => {
      const change = changeOf(figure);
      const line = `  ${figure.name}: ${shown(figure.after)}, was ${shown(figure.before)}`;
      return change === '' ? line : `${line} (${change})`;
    }),
    ...differences.map((text) => `  another ${text}`),
  ];
}

/** `+4.2 %`, or nothing. */
export function changeOf({ percent }: ComparedFigure): string {
  return percent === undefined ? '' : `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

/** A figure with as many digits as say something. */
export function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
}

/** Figures to compare, by name; the rate first. */
function figuresOf(report: unknown): ReadonlyMap<string, number> | undefined {
  const totals = memberOf(report, 'totals');
  const seconds = numberAt(totals, 'seconds');
  const queries = numberAt(totals, 'queries');
  const done = queries ?? numberAt(totals, 'rows');
  if (seconds === undefined || done === undefined) return undefined;
  const figures = new Map([[queries === undefined ? 'Rows/s' : 'Queries/s', perSecond(done, seconds)]]);
  const failed = numberAt(totals, queries === undefined ? 'failedRows' : 'errors');
  if (failed !== undefined) figures.set(queries === undefined ? 'Failed rows' : 'Errors', failed);
  for (const name of delayNames) {
    const ms = numberAt(memberOf(totals, 'delays'), name);
    if (ms !== undefined) figures.set(`Delay ${name}, ms`, ms);
  }
  return figures;
}

function differencesOf(before: unknown, after: unknown): string[] {
  const old = namedValues(memberOf(before, 'environment'));
  return [...namedValues(memberOf(after, 'environment'))].flatMap(([name, value]) => {
    const was = old.get(name);
    return was === undefined || was === value ? [] : [`${name}: ${was} → ${value}`];
  });
}

function namedValues(list: unknown): ReadonlyMap<string, string> {
  const entries = Array.isArray(list) ? list : [];
  return new Map(entries.map((entry) => [String(memberOf(entry, 'name')), String(memberOf(entry, 'value'))]));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function numberAt(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name);
  return typeof member === 'number' ? member : undefined;
}
