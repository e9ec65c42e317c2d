import { eventSeverities } from '../../model/event.js';
import type { Operation, Schema, TextParameter } from './description.js';
import { versionParameter } from './documents.js';
import {
  anyScheme,
  badCoding,
  json,
  optionalText,
  pathParameter,
  refusal,
  shared,
  time,
  unauthorized,
  unavailable,
} from './shared.js';

const names: Schema = { type: 'array', items: { type: 'string' } };
const severity: Schema = { type: 'string', enum: eventSeverities };
const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };

function record(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function listOf(items: Schema, more: Readonly<Record<string, Schema>> = {}): Schema {
  return record({ ...more, records: { type: 'array', items } });
}

const ruleName: Schema = { type: 'string', minLength: 1, maxLength: 128, description: 'Name of the rule.' };
const reason: Schema = { type: 'string', minLength: 1, maxLength: 2_000 };

/** The body of a request that silences a rule. */
export const silenceBody: Schema = {
  ...record({ rule: ruleName, untilTime: time, reason }),
  additionalProperties: false,
};

const silence: Schema = record({ rule: ruleName, untilTime: time, reason, user: text });

/** `rule` of a request that ends a silence. */
export const silencedRule = {
  name: 'rule',
  in: 'query',
  description: 'Name of the rule.',
  required: true,
  schema: { type: 'string', minLength: 1, maxLength: 128 },
} as const satisfies TextParameter;

const triedEvent: Schema = record({
  elementId: text,
  title: text,
  severity,
  value: { type: ['number', 'null'] },
  rows: { type: ['integer', 'null'], description: 'Rows that break the rule.' },
});

/** Rules and notifications. */
export const ruleSchemas: Readonly<Record<string, Schema>> = {
  Rule: record({
    name: text,
    kind: { type: 'string', enum: ['value', 'absence', 'query'] },
    database: text,
    table: { type: 'string', description: 'Empty for rules with a query.' },
    severity,
    condition: { type: 'string', description: 'In words.' },
    toml: { type: 'string', description: 'As it may stand in the settings file.' },
    stored: {
      ...record({
        id: text,
        version: { type: 'integer', minimum: 1, description: 'One more with each change.' },
        updatedTime: time,
        updatedBy: text,
        problem: { ...optionalText, description: 'Why it is not watched; null if it is.' },
      }),
      type: ['object', 'null'],
      description: 'Null for a rule of the settings file, which only the file changes.',
    },
    silence: {
      ...silence,
      type: ['object', 'null'],
      description: 'Null if its events send notifications.',
    },
  }),
  Silence: silence,
  Rules: listOf(shared('Rule'), { loadedTime: time }),
  RuleChanges: record({ rules: count, added: names, changed: names, removed: names }),
  RuleTrial: listOf(triedEvent, {
    name: text,
    looked: { type: 'string', description: 'The checked data.' },
    total: count,
    earlier: {
      ...listOf(triedEvent, { total: count }),
      description: 'Events that would be over: a later row has cleared the condition.',
    },
  }),
  Notifications: listOf(
    record({
      kind: { type: 'string', enum: ['webhook', 'mail'] },
      target: { type: 'string', description: 'Where it leads, without secrets.' },
      sent: count,
      failed: count,
      waiting: count,
      lastSentTime: { type: ['integer', 'null'], format: 'int64', description: 'Unix time in milliseconds.' },
      problem: { ...optionalText, description: 'Why the last attempt failed.' },
    }),
  ),
  NotificationTests: listOf(
    record({ kind: { type: 'string', enum: ['webhook', 'mail'] }, target: text, problem: optionalText }),
  ),
};

const forbidden = refusal('The user is no administrator.');
const common = { 401: unauthorized, 403: forbidden, 503: unavailable } as const;

const ruleId = pathParameter('id', 'The rule.');
const missing = refusal('There is no stored rule of this id.');
const changed = refusal('Somebody else has changed it since this version.');
const ruleBody = {
  description: 'The rule in TOML, as it stands in the settings file.',
  required: true,
  content: { 'application/toml': { schema: { type: 'string' } } },
} as const;

/** Rules are listed, stored, tried, silenced and read again; operators are notified of events. Administrators only. */
export const ruleOperations = {
  list: {
    operationId: 'getRules',
    summary: 'List the rules',
    description: 'The rules that make events: those of the settings file, then the stored ones. Administrators only.',
    tags: ['Rules'],
    responses: { 200: json('The rules.', shared('Rules')), ...common },
    security: anyScheme,
  },
  reload: {
    operationId: 'reloadRules',
    summary: 'Reload the rules',
    description:
      'Reads the settings again and continues with their rules. Other settings stay as they are. Open events of rules that are gone are resolved. Administrators only.',
    tags: ['Rules'],
    responses: {
      200: json('What has changed.', shared('RuleChanges')),
      400: refusal('The settings cannot be read, or a rule cannot work; the old rules stay.'),
      500: refusal('The database failed; the old rules stay.'),
      ...common,
    },
    security: anyScheme,
  },
  create: {
    operationId: 'createRule',
    summary: 'Store a rule',
    description:
      'Stores a rule in the database, for all services on it, and watches it. No other rule may have its name. Administrators only.',
    tags: ['Rules'],
    requestBody: ruleBody,
    responses: {
      201: json('The rule.', shared('Rule')),
      400: refusal('The rule cannot be read or cannot work, or another one has its name.'),
      415: badCoding,
      500: refusal('The database failed; a retry may help.'),
      ...common,
    },
    security: anyScheme,
  },
  replace: {
    operationId: 'replaceRule',
    summary: 'Replace a stored rule',
    description:
      'Open events stay open if the rule has the same name and table; others are resolved. Administrators only.',
    tags: ['Rules'],
    parameters: [ruleId, versionParameter],
    requestBody: ruleBody,
    responses: {
      200: json('The rule as it is now.', shared('Rule')),
      400: refusal('The rule cannot be read or cannot work, another one has its name, or the version is missing.'),
      404: missing,
      409: changed,
      415: badCoding,
      500: refusal('The database failed; a retry may help.'),
      ...common,
    },
    security: anyScheme,
  },
  remove: {
    operationId: 'deleteRule',
    summary: 'Delete a stored rule',
    description: 'Its open events are resolved. Administrators only.',
    tags: ['Rules'],
    parameters: [ruleId, versionParameter],
    responses: {
      204: { description: 'It is gone.' },
      400: refusal('The version is missing or wrong.'),
      404: missing,
      409: changed,
      500: refusal('The database failed; a retry may help.'),
      ...common,
    },
    security: anyScheme,
  },
  silence: {
    operationId: 'silenceRule',
    summary: 'Silence a rule',
    description:
      'Until a time the events of the rule send no notifications, of the settings file and of the service itself, too. Then those that are still active do. Replaces an earlier silence of the rule. Administrators only.',
    tags: ['Rules'],
    requestBody: {
      description: 'The rule, until when, and why.',
      required: true,
      content: { 'application/json': { schema: silenceBody } },
    },
    responses: {
      201: json('The silence.', shared('Silence')),
      400: refusal('There is no such rule, or the time is not ahead.'),
      415: badCoding,
      500: refusal('The database failed; a retry may help.'),
      ...common,
    },
    security: anyScheme,
  },
  endSilence: {
    operationId: 'endSilence',
    summary: 'End the silence of a rule',
    description: 'Its active events send their notifications. Administrators only.',
    tags: ['Rules'],
    parameters: [silencedRule],
    responses: {
      204: { description: 'It is over.' },
      400: refusal('The rule is not silenced.'),
      500: refusal('The database failed; a retry may help.'),
      ...common,
    },
    security: anyScheme,
  },
  try: {
    operationId: 'tryRule',
    summary: 'Try a rule',
    description: 'What a rule would find if it looked now. Nothing is kept of it. Administrators only.',
    tags: ['Rules'],
    requestBody: ruleBody,
    responses: {
      200: json('What it found.', shared('RuleTrial')),
      400: refusal('The rule cannot be read or cannot work.'),
      415: badCoding,
      500: refusal('The database failed; a retry may help.'),
      ...common,
    },
    security: anyScheme,
  },
  notifications: {
    operationId: 'getNotifications',
    summary: 'Who is notified of events',
    description: 'The channels of the settings and how they do. Administrators only.',
    tags: ['Rules'],
    responses: { 200: json('The channels.', shared('Notifications')), ...common },
    security: anyScheme,
  },
  testNotifications: {
    operationId: 'testNotifications',
    summary: 'Send a test message',
    description: 'Sends a message over every channel now, once. Administrators only.',
    tags: ['Rules'],
    responses: { 200: json('What became of each.', shared('NotificationTests')), ...common },
    security: anyScheme,
  },
} as const satisfies Readonly<Record<string, Operation>>;
