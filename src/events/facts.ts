import type { EventFacts } from '../model/event-log.js';
import type { QueryFinding } from './query-rows.js';
import type { Rule } from './rule.js';
import { renderTemplate } from './template.js';

/** Attributes of one event, and the longest value of one. */
const maxAttributes = 64;
const maxValueLength = 512;

/** A finding of a rule, from which an event is made. */
interface Found extends QueryFinding {
  /** In decimal digits; empty where there is none. */
  readonly series: string;
}

/** Names of sub-tables that are made of a fingerprint; see `transforms/points/sub-table-name.ts`. */
const fingerprint = /^t_[0-9a-f]{32}$/;

/** The display name of a series: its given name, or else its tags. */
function seriesWords(name: string, tags: ReadonlyMap<string, string>): string {
  if (tags.size === 0 || !fingerprint.test(name)) return name;
  return [...tags].map(([tag, value]) => `${tag}=${value}`).join(', ');
}

/**
 * Facts of an event of a rule. Templates know the tags and `tbname`, `series`, `element`, `value`, and the rule's own
 * words.
 */
export function factsOf(rule: Rule, { element, tags, value, series }: Found): EventFacts {
  const isQuery = rule.kind === 'query';
  const own = {
    ...(isQuery ? {} : { tbname: element, table: rule.table }),
    ...(rule.kind === 'value' ? { column: rule.column } : {}),
    database: rule.database,
  };
  const words = new Map([
    ['series', seriesWords(element, tags)] as const,
    ...tags,
    ...Object.entries(own),
    ...Object.entries({ element, rule: rule.name, value: value === null ? '' : String(value) }),
    ...(rule.kind === 'value'
      ? [['comparison', rule.comparison] as const, ['threshold', String(rule.threshold)] as const]
      : []),
  ]);
  const attributes = [...tags, ...Object.entries(own)].slice(-maxAttributes);
  return {
    severity: rule.severity,
    elementId: renderTemplate(rule.element, words) || element,
    title: renderTemplate(rule.title, words),
    description: renderTemplate(rule.description, words),
    source: 'rule',
    rule: rule.name,
    threshold: rule.kind === 'value' ? rule.threshold : null,
    attributes: Object.fromEntries(attributes.map(([name, text]) => [name, text.slice(0, maxValueLength)])),
    database: rule.database,
    table: isQuery ? '' : rule.table,
    series,
  };
}
