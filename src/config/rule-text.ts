import { eventsOptions } from '../events/options.js';
import { readRules } from '../events/read-rules.js';
import type { Rule } from '../events/rule.js';
import { recordOf } from '../events/rule-words.js';
import { missing } from './refusal.js';
import { readTomlFile } from './toml-file.js';
import { isRecord } from './values.js';

const flag = 'events.rules';
const place = 'the rule';

/** A rule as it may stand in the settings file. */
export function ruleText(rule: Rule): string {
  const lines = Object.entries(recordOf(rule)).map(([key, value]) => `${key} = ${tomlOf(value)}\n`);
  return `[[${flag}]]\n${lines.join('')}`;
}

/**
 * Reads one rule as it stands in the settings file, with the line `[[events.rules]]` or without it. What is wrong comes
 * as sentences.
 */
export function readRuleText(text: string): Rule | readonly string[] {
  const whole = /^[\t ]*\[/m.test(text) ? text : `[[${flag}]]\n${text}`;
  const { values, errors } = readTomlFile([eventsOptions], place, whole);
  if (errors.length > 0) return errors;
  const tables = values.get(flag)?.value;
  const records = Array.isArray(tables) ? tables.filter(isRecord) : [];
  if (records.length !== 1) return [`One rule is tried at a time, not ${records.length}.`];
  const wrong: string[] = [];
  const rules = readRules(flag, records, {
    refusePart: (_flag, part, value, needed) => {
      const key = part.replace(/^\[1\] ?/, '') || place;
      if (value === undefined) wrong.push(missing(key, needed));
      else wrong.push(`${key}: ${JSON.stringify(value).slice(0, 200)} is refused; allowed: ${needed}.`);
    },
  });
  const [rule] = rules;
  return wrong.length > 0 || rule === undefined ? wrong : rule;
}

/** A value on one line, as a table in a table cannot stand where a section would begin. */
function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(', ')}]`;
  if (isRecord(value)) {
    const entries = Object.entries(value).map(([key, part]) => `${tomlOf(key)} = ${tomlOf(part)}`);
    return `{ ${entries.join(', ')} }`;
  }
  // Strings of JSON are strings of TOML, except for one character.
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}
