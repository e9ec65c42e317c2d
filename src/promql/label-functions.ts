import type { LabelMatcher } from '../model/series-query.js';
import { compareLabels, compareTexts, type LabelSet, LabelSet as Labels, nameLabel, noLabels } from './label-set.js';
import { compilePattern } from './pattern.js';
import { QueryError } from './query-error.js';
import { floatSample, type Row, relabelled } from './rows.js';

/** True for a name that a label may have: any text but the empty one and what is no UTF-8. */
export function isLabelName(name: string): boolean {
  return name !== '' && !/[\ud800-\udfff]/u.test(name);
}

/** `label_replace(v, target, replacement, source, pattern)` */
export function replaceLabels(
  rows: readonly Row[],
  target: string,
  replacement: string,
  source: string,
  pattern: string,
): Row[] {
  const compiled = patternOf(pattern);
  if (!isLabelName(target))
    throw new QueryError('execution', `invalid destination label name in label_replace(): ${target}`);
  const cache = new Map<string, string | undefined>();
  return rows.map((row) => {
    const value = row.labels.get(source);
    if (!cache.has(value)) cache.set(value, replaced(compiled, value, replacement));
    const text = cache.get(value);
    return text === undefined ? row : relabelled(row, row.labels.with(target, text));
  });
}

function patternOf(pattern: string): ReturnType<typeof compilePattern> {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new QueryError('execution', `invalid regular expression in label_replace(): ${pattern}`);
  }
}

/** The replacement with the groups of the pattern in it; undefined when the pattern does not fit. */
function replaced(pattern: ReturnType<typeof compilePattern>, value: string, replacement: string): string | undefined {
  const matcher = pattern.matcher(value);
  if (!matcher.find()) return undefined;
  const names = pattern.namedGroups();
  let text = '';
  for (let at = 0; at < replacement.length; ) {
    const dollar = replacement.indexOf('$', at);
    if (dollar < 0) return text + replacement.slice(at);
    text += replacement.slice(at, dollar);
    const reference = referenceAt(replacement, dollar);
    if (reference === undefined) {
      // `$$` is a dollar, and one before anything else stands for nothing.
      const isDouble = replacement[dollar + 1] === '$';
      text += '$';
      at = dollar + (isDouble ? 2 : 1);
      continue;
    }
    const index = /^[0-9]+$/.test(reference.name) ? Number(reference.name) : names[reference.name];
    if (index !== undefined && index <= pattern.groupCount()) text += matcher.group(index) ?? '';
    at = reference.end;
  }
  return text;
}

/** The name behind a dollar, in braces or not. */
function referenceAt(text: string, dollar: number): { readonly name: string; readonly end: number } | undefined {
  const isBraced = text[dollar + 1] === '{';
  const start = dollar + (isBraced ? 2 : 1);
  let end = start;
  while (/[0-9A-Za-z_]/.test(text[end] ?? '.')) end++;
  if (end === start) return undefined;
  const name = text.slice(start, end);
  if (!isBraced) return { name, end };
  return text[end] === '}' ? { name, end: end + 1 } : undefined;
}

/** `label_join(v, target, separator, source…)` */
export function joinLabels(rows: readonly Row[], target: string, separator: string, sources: readonly string[]): Row[] {
  const wrong = sources.find((source) => !isLabelName(source));
  if (wrong !== undefined) throw new QueryError('execution', `invalid source label name in label_join(): ${wrong}`);
  if (!isLabelName(target))
    throw new QueryError('execution', `invalid destination label name in label_join(): ${target}`);
  return rows.map((row) => {
    const text = sources.map((source) => row.labels.get(source)).join(separator);
    return relabelled(row, row.labels.with(target, text));
  });
}

/** Rows of one step by their numbers, NaN last; rows without a number are left out. */
export function sortedByValue(rows: readonly Row[], isDescending: boolean): Row[] {
  const sign = isDescending ? -1 : 1;
  return rows
    .filter(({ present }) => present[0] === floatSample)
    .sort((left, right) => {
      const [a, b] = [left.values[0]!, right.values[0]!];
      if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
      return a < b ? -sign : a > b ? sign : 0;
    });
}

/** Rows by the values of labels, numbers in them by size. */
export function sortedByLabels(rows: readonly Row[], names: readonly string[], isDescending: boolean): Row[] {
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((left, right) => {
    for (const name of names) {
      const difference = compareNaturally(left.labels.get(name), right.labels.get(name));
      if (difference !== 0) return sign * difference;
    }
    return sign * compareLabels(left.labels, right.labels);
  });
}

function compareNaturally(a: string, b: string): number {
  const [left, right] = [chunksOf(a), chunksOf(b)];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [x, y] = [left[i]!, right[i]!];
    const areNumbers = /^[0-9]/.test(x) && /^[0-9]/.test(y);
    const difference = areNumbers ? Number(x) - Number(y) : compareTexts(x, y);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function chunksOf(text: string): readonly string[] {
  return text.match(/[0-9]+|[^0-9]+/g) ?? [];
}

/** The labels that `absent` gives: those that the matchers fix to one value. */
export function absentLabels(matchers: readonly LabelMatcher[]): LabelSet {
  const labels = new Map<string, string>();
  const seen = new Set<string>();
  for (const { kind, name, value } of matchers) {
    if (name === nameLabel) continue;
    if (kind === 'equal' && !seen.has(name)) labels.set(name, value);
    else labels.delete(name);
    if (kind === 'equal') seen.add(name);
  }
  return labels.size === 0 ? noLabels : Labels.of(labels);
}
