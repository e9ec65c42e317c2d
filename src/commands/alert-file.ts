import { parseDocument } from 'yaml';
import { isRecord } from '../config/values.js';
import { readRules } from '../events/read-rules.js';
import type { Rule } from '../events/rule.js';
import type { OptionRecord } from '../model/option.js';
import { readDurationMs } from '../promql/language/literals.js';
import { parseQuery } from '../promql/language/parse.js';
import { QueryError } from '../promql/query-error.js';

/** The rules of an alert file of Prometheus. */
interface AlertFile {
  readonly rules: readonly Rule[];
  /** Parts of the file that no rule has, one sentence each. */
  readonly notes: readonly string[];
  /** Alerts that cannot be rules, one sentence each. */
  readonly errors: readonly string[];
}

const severities = ['critical', 'warning', 'info'];
const alertKeys = ['alert', 'expr', 'for', 'labels', 'annotations'];
const groupKeys = ['name', 'interval', 'rules'];

/** The most aliases that a file of YAML may expand. */
const maxAliases = 1_000;

/**
 * Reads an alert file of Prometheus as rules of a database. An alert that cannot be a rule becomes an error and costs no
 * other alert. Throws an Error when the text is no such file.
 */
export function readAlertFile(text: string, database: string): AlertFile {
  const document = parseDocument(text);
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new Error(mistake.message);
  const file: unknown = document.toJS({ maxAliasCount: maxAliases });
  const groups = isRecord(file) ? file.groups : undefined;
  if (!Array.isArray(groups)) throw new Error('The file has no list "groups", as an alert file of Prometheus has.');
  const reading = new AlertReading(database);
  for (const [at, group] of groups.entries()) reading.readGroup(group, at);
  return reading;
}

class AlertReading implements AlertFile {
  readonly rules: Rule[] = [];
  readonly notes: string[] = [];
  readonly errors: string[] = [];
  readonly #database: string;

  constructor(database: string) {
    this.#database = database;
  }

  readGroup(group: unknown, at: number): void {
    const rules = isRecord(group) ? group.rules : undefined;
    if (!isRecord(group) || !Array.isArray(rules)) {
      this.errors.push(`Group ${at + 1} has no list "rules".`);
      return;
    }
    const place = `Group ${textOf(group.name) ?? at + 1}`;
    this.#leaveOut(place, group, groupKeys);
    for (const [i, rule] of rules.entries()) {
      if (isRecord(rule) && rule.record !== undefined) {
        this.notes.push(`${place}: the recording rule ${textOf(rule.record)} is left out; a stream can replace it.`);
      } else if (isRecord(rule) && textOf(rule.alert) !== undefined) {
        this.#readAlert(rule, group.interval);
      } else this.errors.push(`${place}: rule ${i + 1} has no "alert" and no "record".`);
    }
  }

  #readAlert(alert: OptionRecord, interval: unknown): void {
    const alertName = textOf(alert.alert) ?? '';
    const place = `Alert ${alertName}`;
    const name = this.#freeName(alertName);
    if (name !== alertName) this.notes.push(`${place}: there is one of this name already; the rule is called ${name}.`);
    const labels = recordOf(alert.labels);
    const annotations = recordOf(alert.annotations);
    this.#leaveOut(place, alert, alertKeys);
    this.#leaveOut(`${place}, labels`, labels, ['severity']);
    this.#leaveOut(`${place}, annotations`, annotations, ['summary', 'description']);
    const template = (key: string, value: unknown) =>
      value === undefined ? {} : { [key]: this.#template(`${place}, ${key}`, textOf(value) ?? '') };
    const record: OptionRecord = {
      name,
      database: this.#database,
      promql: textOf(alert.expr) ?? '',
      ...this.#severity(place, textOf(labels.severity)),
      ...duration('interval', interval),
      ...duration('for', alert.for),
      ...template('title', annotations.summary),
      ...template('description', annotations.description),
    };
    const rule = this.#read(place, record);
    if (rule !== undefined) this.rules.push(rule);
  }

  #read(place: string, record: OptionRecord): Rule | undefined {
    const problems: string[] = [];
    const [rule] = readRules('events.rules', [record], {
      refusePart: (_flag, part, value, needed) => {
        const key = part.slice(part.indexOf(' ') + 1);
        problems.push(`${place}: ${key} ${JSON.stringify(value)} is refused; allowed: ${needed}.`);
      },
    });
    try {
      parseQuery(String(record.promql));
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      problems.push(`${place}: ${error.message}.`);
    }
    this.errors.push(...problems);
    return problems.length === 0 ? rule : undefined;
  }

  #severity(place: string, severity: string | undefined) {
    if (severity === undefined) return {};
    if (severities.includes(severity)) return { severity };
    this.notes.push(`${place}: the severity ${severity} becomes warning.`);
    return { severity: 'warning' };
  }

  /** A template of Prometheus as one of a rule: `{{ $labels.site }}` is `{site}`, `{{ $value }}` is `{value}`. */
  #template(place: string, text: string): string {
    let template = '';
    for (let at = 0; at < text.length; ) {
      const start = text.indexOf('{{', at);
      const end = start < 0 ? -1 : text.indexOf('}}', start);
      const plainEnd = end < 0 ? text.length : start;
      template += text.slice(at, plainEnd).replace(/[{}]/g, '$&$&');
      if (end < 0) break;
      const action = text
        .slice(start + 2, end)
        .replace(/^-|-$/g, '')
        .trim();
      template += this.#place(place, action);
      at = end + 2;
    }
    return template;
  }

  #place(place: string, action: string): string {
    const [part, label] = /(?:\$labels|\.Labels)\.(\w+)|\$value|\.Value/.exec(action) ?? [];
    const name = part === undefined ? '' : `{${label ?? 'value'}}`;
    if (part !== action) this.notes.push(`${place}: {{ ${action} }} becomes ${name === '' ? 'nothing' : name}.`);
    return name;
  }

  #leaveOut(place: string, record: OptionRecord, known: readonly string[]): void {
    const others = Object.keys(record).filter((key) => !known.includes(key));
    if (others.length > 0) this.notes.push(`${place}: ${others.join(', ')} is left out.`);
  }

  #freeName(name: string): string {
    const isUsed = (candidate: string): boolean => this.rules.some((rule) => rule.name === candidate);
    if (!isUsed(name)) return name;
    for (let at = 2; ; at++) if (!isUsed(`${name} ${at}`)) return `${name} ${at}`;
  }
}

function recordOf(value: unknown): OptionRecord {
  return isRecord(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** A duration of Prometheus by the units of the settings; another text stays, and the rule names it. */
function duration(key: string, value: unknown): OptionRecord {
  if (value === undefined || value === null) return {};
  const text = textOf(value) ?? JSON.stringify(value);
  const ms = readDurationMs(text === '0' ? '0s' : text);
  return { [key]: ms === undefined ? text : `${ms}ms` };
}
