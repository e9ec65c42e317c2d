import { eventSeverities } from '../model/event.js';
import { longestTimerMs, type OptionRecord, type SettingReader } from '../model/option.js';
import { readDuration } from '../text/duration.js';
import { suggestion } from '../text/nearest.js';
import { comparisons, holds, type QueryRule, type Rule, type TagFilter } from './rule.js';
import { isSystemRule } from './system-rules.js';
import { templateProblem } from './template.js';

/** Most rules, and the longest text in one. */
const maxRules = 1_000;
const maxTextLength = 10_000;
const maxNameLength = 128;

/** Keys of each kind of rule, beside those of all. */
const headKeys = ['name', 'database', 'severity', 'element', 'title', 'description', 'resolve'];
const kindKeys = {
  value: ['table', 'tags', 'column', 'comparison', 'threshold', 'for', 'clear'],
  absence: ['table', 'tags', 'absence'],
  query: ['sql', 'promql', 'interval', 'for'],
} as const;
type Kind = keyof typeof kindKeys;

/** Shortest schedule of a query, and shortest absence. */
const minScheduleMs = 1_000;
const defaultIntervalMs = 60_000;

/**
 * Reads the rules of a setting. Whatever is wrong is refused with the number of the rule, counted from 1, and its key;
 * what could be read is returned.
 */
export function readRules(
  flag: string,
  records: readonly OptionRecord[],
  reader: Pick<SettingReader, 'refusePart'>,
): readonly Rule[] {
  if (records.length > maxRules) reader.refusePart(flag, '', `${records.length} rules`, `at most ${maxRules} rules`);
  const rules: Rule[] = [];
  for (const [i, record] of records.slice(0, maxRules).entries()) {
    const reading = new RuleReading(record, (key, value, needed) =>
      reader.refusePart(flag, `[${i + 1}]${key === '' ? '' : ` ${key}`}`, value, needed),
    );
    const rule = readRule(reading);
    if (isSystemRule(rule.name) || rules.some(({ name }) => name === rule.name)) {
      reading.refuse('name', rule.name, "a name that no other rule, and none of the service's own, has");
    }
    rules.push(rule);
  }
  return rules;
}

type Refuse = (key: string, value: unknown, needed: string) => void;

/** The keys of one rule, whatever their case. Each method refuses what is wrong and gives something that fits. */
class RuleReading {
  readonly refuse: Refuse;
  readonly #values = new Map<string, unknown>();

  constructor(record: OptionRecord, refuse: Refuse) {
    this.refuse = refuse;
    for (const [key, value] of Object.entries(record)) {
      const known = allKeys.find((candidate) => candidate.toLowerCase() === key.toLowerCase());
      if (known === undefined) refuse('', key, `a key out of ${allKeys.join(', ')}${suggestion(key, allKeys)}`);
      else if (this.#values.has(known)) refuse(known, value, `the key once`);
      else this.#values.set(known, value);
    }
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  value(key: string): unknown {
    return this.#values.get(key);
  }

  /** A text; `fallback` where it is left out, which undefined does not allow. */
  text(key: string, fallback?: string, maxLength = maxTextLength): string {
    const value = this.value(key);
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value === 'string' && value.trim() !== '' && value.length <= maxLength) return value;
    this.refuse(key, value, `a text of at most ${maxLength} characters, not empty`);
    return fallback ?? '';
  }

  template(key: string, fallback: string): string {
    const value = this.value(key) === '' ? '' : this.text(key, fallback);
    const problem = templateProblem(value);
    if (problem !== undefined) this.refuse(key, value, problem);
    return value;
  }

  number(key: string): number {
    const value = this.value(key);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    this.refuse(key, value, 'a number');
    return 0;
  }

  bool(key: string, fallback: boolean): boolean {
    const value = this.value(key);
    if (value === undefined || typeof value === 'boolean') return value ?? fallback;
    this.refuse(key, value, 'true or false');
    return fallback;
  }

  duration(key: string, minMs: number, fallback: number): number {
    const value = this.value(key);
    if (value === undefined) return fallback;
    const ms = typeof value === 'string' ? readDuration(value.trim()) : value === 0 ? 0 : undefined;
    if (ms !== undefined && ms >= minMs && ms <= longestTimerMs) return ms;
    const least = minMs === 0 ? '' : `, at least ${minMs / 1000}s`;
    this.refuse(key, value, `a duration with units, such as 500ms, 5s or 1h30m${least}, at most 24 days`);
    return fallback;
  }

  word<W extends string>(key: string, words: readonly W[], fallback: W): W {
    const value = this.value(key);
    const word = value === undefined ? fallback : words.find((candidate) => candidate === value);
    if (word !== undefined) return word;
    this.refuse(key, value, `one of ${words.join(', ')}`);
    return fallback;
  }

  tags(): TagFilter {
    const value = this.value('tags');
    const filter = new Map<string, readonly string[]>();
    if (value === undefined) return filter;
    const needed = 'a table of tags, each with a text or a list of texts, such as { site = "north" }';
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.refuse('tags', value, needed);
      return filter;
    }
    for (const [name, text] of Object.entries(value)) {
      const texts: readonly unknown[] = Array.isArray(text) ? text : [text];
      const values = texts.filter((text) => typeof text === 'string');
      if (values.length !== texts.length || values.length === 0) this.refuse(`tags.${name}`, text, needed);
      filter.set(name, values);
    }
    return filter;
  }
}

const allKeys: readonly string[] = [...new Set([...headKeys, ...Object.values(kindKeys).flat()])];

function readRule(reading: RuleReading): Rule {
  const kind: Kind =
    reading.has('sql') || reading.has('promql') ? 'query' : reading.has('absence') ? 'absence' : 'value';
  for (const key of reading.keys()) {
    if (headKeys.includes(key) || [...kindKeys[kind]].some((known) => known === key)) continue;
    reading.refuse(key, reading.value(key), `${what[kind]} has the keys ${kindKeys[kind].join(', ')}`);
  }
  const head = {
    name: reading.text('name', undefined, maxNameLength),
    database: reading.text('database'),
    severity: reading.word('severity', eventSeverities, 'warning'),
    resolves: reading.bool('resolve', true),
    description: reading.template('description', ''),
  };
  switch (kind) {
    case 'value':
      return readValueRule(reading, head);
    case 'absence':
      return {
        kind,
        ...head,
        ...templates(reading, '{series}', 'no data of {series} in {table}'),
        table: reading.text('table'),
        tags: reading.tags(),
        absenceMs: reading.duration('absence', minScheduleMs, minScheduleMs),
      };
    case 'query':
      return {
        kind,
        ...head,
        ...templates(reading, '{element}', '{rule}: {element}'),
        ...readQuery(reading),
        intervalMs: reading.duration('interval', minScheduleMs, defaultIntervalMs),
        forMs: reading.duration('for', 0, 0),
      };
  }
}

const what: Readonly<Record<Kind, string>> = {
  value: 'a rule over values',
  absence: 'a rule over absence',
  query: 'a rule with sql or promql',
};

function templates(reading: RuleReading, element: string, title: string) {
  return { element: reading.template('element', element), title: reading.template('title', title) };
}

function readValueRule(
  reading: RuleReading,
  head: Pick<Rule, 'name' | 'database' | 'severity' | 'resolves' | 'description'>,
): Rule {
  const comparison = reading.word('comparison', comparisons, '>');
  const threshold = reading.number('threshold');
  const clear = reading.has('clear') ? reading.number('clear') : undefined;
  if (!reading.has('comparison')) reading.refuse('comparison', undefined, `one of ${comparisons.join(', ')}`);
  if (clear !== undefined) checkClear(reading, comparison, threshold, clear);
  return {
    kind: 'value',
    ...head,
    ...templates(reading, '{series}', '{table} {column} of {series} is {comparison} {threshold}'),
    table: reading.text('table'),
    tags: reading.tags(),
    column: reading.text('column'),
    comparison,
    threshold,
    forMs: reading.duration('for', 0, 0),
    clear,
  };
}

function readQuery(reading: RuleReading): Pick<QueryRule, 'language' | 'query'> {
  if (reading.has('promql')) {
    if (reading.has('sql')) reading.refuse('promql', reading.value('promql'), 'a query in one language: sql or promql');
    return { language: 'promql', query: reading.text('promql') };
  }
  const sql = reading.text('sql');
  if (!/^[\s(]*select\b/i.test(sql)) reading.refuse('sql', sql, 'a query that begins with SELECT');
  return { language: 'sql', query: sql };
}

function checkClear(
  reading: RuleReading,
  comparison: (typeof comparisons)[number],
  threshold: number,
  clear: number,
): void {
  if (comparison === '=' || comparison === '!=') {
    reading.refuse('clear', clear, 'no clearing threshold with this comparison');
  } else if (holds(comparison, clear, threshold)) {
    reading.refuse('clear', clear, `a number that does not break the rule, which is ${comparison} ${threshold}`);
  }
}
