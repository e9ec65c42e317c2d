import type { LabelMatcher } from '../model/series-query.js';
import { type LabelSet, LabelSet as Labels, nameLabel } from './label-set.js';
import { takesAbsence } from './language/checks.js';
import { compilePattern } from './pattern.js';
import { QueryError } from './query-error.js';
import { absentSample, copySample, type Row, RowSet } from './rows.js';

/** The labels that say which target a series is of. */
const identifying: ReadonlySet<string> = new Set(['instance', 'job']);

/** The matchers of the names of info series: those that are written, or else `target_info`. */
function infoNames(matchers: readonly LabelMatcher[]): readonly LabelMatcher[] {
  const names = matchers.filter(({ name }) => name === nameLabel);
  if (names.some(({ kind }) => kind === 'equal' || kind === 'match')) return names;
  if (names.length > 0) return [{ kind: 'match', name: nameLabel, value: '.+_info' }, ...names];
  return [{ kind: 'equal', name: nameLabel, value: 'target_info' }];
}

function passes({ kind, value }: LabelMatcher, label: string): boolean {
  if (kind === 'equal' || kind === 'not-equal') return (label === value) === (kind === 'equal');
  return compilePattern(value).testExact(label) === (kind === 'match');
}

/** True for a series that is an info series itself, which gets no more labels. */
function isInfoSeries(labels: LabelSet, names: readonly LabelMatcher[]): boolean {
  return names.every((matcher) => passes(matcher, labels.get(nameLabel)));
}

/** Selectors that together find the info series of rows: one for each set of identifying labels that rows have. */
export function infoSelectors(rows: readonly Row[], matchers: readonly LabelMatcher[]): LabelMatcher[][] {
  const names = infoNames(matchers);
  const data = matchers.filter(({ name }) => name !== nameLabel);
  const groups = new Map<string, Map<string, Set<string>>>();
  for (const { labels } of rows) {
    if (isInfoSeries(labels, names)) continue;
    const own = [...identifying].filter((name) => labels.get(name) !== '');
    if (own.length === 0) continue;
    const values = groups.get(own.join()) ?? new Map(own.map((name) => [name, new Set<string>()]));
    groups.set(own.join(), values);
    for (const name of own) values.get(name)!.add(labels.get(name));
  }
  return [...groups.values()].map((values) => [
    ...[...identifying].map((name): LabelMatcher => {
      const own = values.get(name);
      if (own === undefined) return { kind: 'equal', name, value: '' };
      return { kind: 'match', name, value: [...own].sort().map(quotedPattern).join('|') };
    }),
    ...data,
    ...names,
  ]);
}

function quotedPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, (character) => `\\${character}`);
}

/**
 * Adds the labels of info series to rows. `infos` have the times of their samples as numbers: the newest of two wins.
 */
export function withInfo(
  rows: readonly Row[],
  infos: readonly Row[],
  matchers: readonly LabelMatcher[],
  steps: number,
): Row[] {
  const names = infoNames(matchers);
  const data = matchers.filter(({ name }) => name !== nameLabel);
  const selected = new Set(data.map(({ name }) => name));
  const needsInfo = !data.every(takesAbsence);
  const byTarget = new Map<string, Row[]>();
  for (const info of infos) {
    const key = info.labels.only(identifying).key;
    byTarget.set(key, [...(byTarget.get(key) ?? []), info]);
  }
  const results = new RowSet(steps);
  for (const row of rows) {
    if (isInfoSeries(row.labels, names)) {
      results.add(row);
      continue;
    }
    const candidates = byTarget.get(row.labels.only(identifying).key) ?? [];
    const cache = new Map<string, Row>();
    for (let step = 0; step < steps; step++) {
      if (row.present[step] === absentSample) continue;
      const newest = newestAt(candidates, step);
      if (newest.length === 0 && needsInfo) continue;
      const key = newest.map(({ labels }) => labels.key).join();
      const result = cache.get(key) ?? results.row(enriched(row.labels, newest, selected));
      cache.set(key, result);
      if (result.present[step] !== absentSample)
        throw new QueryError('execution', 'vector cannot contain metrics with the same labelset');
      copySample(row, result, step);
    }
  }
  return results.rows();
}

/** The newest info series of each name at a step. */
function newestAt(infos: readonly Row[], step: number): Row[] {
  const newest = new Map<string, Row>();
  for (const info of infos) {
    if (info.present[step] === absentSample) continue;
    const name = info.labels.get(nameLabel);
    const other = newest.get(name);
    const [ms, otherMs] = [info.values[step]!, other?.values[step] ?? Number.NEGATIVE_INFINITY];
    if (other !== undefined && ms === otherMs) {
      const text = `existing ${other.labels} @ ${otherMs}, new ${info.labels} @ ${ms}`;
      throw new QueryError('execution', `found duplicate series for info metric: ${text}`);
    }
    if (ms > otherMs) newest.set(name, info);
  }
  return [...newest.values()];
}

function enriched(labels: LabelSet, infos: readonly Row[], selected: ReadonlySet<string>): LabelSet {
  const added = new Map<string, string>();
  for (const info of infos) {
    for (const [name, value] of info.labels.labels) {
      if (name === nameLabel || (selected.size > 0 && !selected.has(name))) continue;
      const other = added.get(name);
      if (other !== undefined && other !== value) throw new QueryError('execution', `conflicting label: ${name}`);
      if (labels.get(name) === '') added.set(name, value);
    }
  }
  return Labels.of([...labels.labels, ...added]);
}
