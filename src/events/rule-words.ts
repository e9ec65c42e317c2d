import type { OptionRecord } from '../model/option.js';
import type { Rule } from './rule.js';

/** The condition of a rule in words. */
export function conditionOf(rule: Rule): string {
  switch (rule.kind) {
    case 'value': {
      const lasting = rule.forMs === 0 ? '' : ` for ${durationOf(rule.forMs)}`;
      const clear = rule.clear === undefined ? '' : `, over from ${rule.clear} on`;
      return `${rule.column} ${rule.comparison} ${rule.threshold}${lasting}${clear}`;
    }
    case 'absence':
      return `no rows for ${durationOf(rule.absenceMs)}`;
    case 'query':
      return `rows of a query${rule.forMs === 0 ? '' : ` for ${durationOf(rule.forMs)}`}, every ${durationOf(rule.intervalMs)}`;
  }
}

/** A rule by the keys of the settings file, with what was left out there. */
export function recordOf(rule: Rule): OptionRecord {
  const { name, database, severity, element, title, description, resolves } = rule;
  const head = { name, database };
  const tail = { severity, element, title, ...(description === '' ? {} : { description }), resolve: resolves };
  switch (rule.kind) {
    case 'value': {
      const { table, column, comparison, threshold, forMs, clear } = rule;
      const last = { ...(forMs === 0 ? {} : { for: durationOf(forMs) }), ...(clear === undefined ? {} : { clear }) };
      return { ...head, table, ...tagsOf(rule), column, comparison, threshold, ...last, ...tail };
    }
    case 'absence':
      return { ...head, table: rule.table, ...tagsOf(rule), absence: durationOf(rule.absenceMs), ...tail };
    case 'query':
      return {
        ...head,
        [rule.language]: rule.query,
        interval: durationOf(rule.intervalMs),
        ...(rule.forMs === 0 ? {} : { for: durationOf(rule.forMs) }),
        ...tail,
      };
  }
}

function tagsOf({ tags }: Exclude<Rule, { kind: 'query' }>) {
  return tags.size === 0 ? {} : { tags: Object.fromEntries(tags) };
}

function durationOf(ms: number): string {
  for (const [unit, length] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    if (ms > 0 && ms % length === 0) return `${ms / length}${unit}`;
  }
  return `${ms}ms`;
}
